"""@health: how far the minidump can be trusted, in the lines of a core's."""

from collections.abc import Iterator

from workbench.targets.minidump import contexts
from workbench.targets.minidump.dump import MinidumpFile
from workbench.targets.minidump.probes.modules import module_lines
from workbench.targets.minidump.streams import (
    EXCEPTION,
    MODULES,
    SYSTEM,
    THREADS,
    THREADS_EX,
    stream_name,
)
from workbench.targets.minidump.wow64 import is_wow64
from workbench.targets.overview import lines
from workbench.targets.overview.lines import Cap
from workbench.targets.plain import one_line

_MOST_DAMAGE = 50
_MOST_STREAMS = 100
_CUT = "Take the dump again, and copy it as a whole: the end of the file is missing"
_WOW64 = "Write the dump with a 32-bit tool: procdump, or taskmgr.exe of SysWOW64"
# What would show more, by the family of the system; a core has what a minidump leaves out.
_FULL = {
    "windows": "Write the dump with all of its memory: procdump -ma, or MiniDumpWithFullMemory",
    "linux": "Let the system write a core as well: ulimit -c unlimited",
    "macos": "Let the system write a core as well: ulimit -c unlimited",
}
_MAP = {**_FULL, "windows": "Write the dump with MiniDumpWithFullMemoryInfo"}
_FILES = {
    "windows": "Open the dump with cdb on Windows, where a symbol path leads to the PDB files",
    "linux": "Name the program with --exe PATH, or a copy of its machine with --sysroot DIR",
    "macos": "Open the dump with lldb on a Mac that has the program and its dSYM",
}
_OTHER = "Use a debugger of that system"


def answer(dump: MinidumpFile) -> str:
    """The dump's health as text."""
    streams = dump.streams
    # What is read when it is first asked for adds to the list of damage.
    _, regions = dump.unloaded, dump.regions
    held = sum(item.size for item in dump.held)
    cut = sum(item.announced - item.size for item in dump.held)
    absent = _absent(dump)
    more = [
        f"streams: {len(streams.entries)}: " + _names(dump),
        f"memory map: {len(regions)} regions" if dump.mapped else "memory map: none in the dump",
        *(f"damage: {one_line(text, 400)}" for text in streams.damage[:_MOST_DAMAGE]),
    ]
    if len(streams.damage) > _MOST_DAMAGE:
        more.append(f"not shown: {len(streams.damage) - _MOST_DAMAGE} more kinds of damage")
    return lines.health(
        size=dump.size,
        truncated=bool(streams.damage),
        dumped=held,
        missing=cut + absent,
        executable=_executable(dump),
        loaded=dump.loaded,
        more=more,
        caps=caps(dump, cut),
        listed=lines.modules(dump.modules, module_lines, "module: "),
    )


def _names(dump: MinidumpFile) -> str:
    names = [stream.name for stream in dump.streams.entries if stream.kind]
    shown = ", ".join(names[:_MOST_STREAMS])
    return shown + (", …" if len(names) > _MOST_STREAMS else "")


def _absent(dump: MinidumpFile) -> int:
    """Bytes of the process's own writable memory that the map knows and the dump does not hold."""
    return sum(
        region.end - region.start - dump.coverage.of(region.start, region.end)
        for region in dump.regions
        if "w" in region.perms and region.path is None and not region.dumped
    )


def caps(dump: MinidumpFile, cut: int) -> Iterator[Cap]:
    """Every reason to be careful."""
    damage = dump.streams.damage
    if damage:
        reason = f"the dump is damaged: {one_line(damage[0], 300)}"
        yield Cap(0.4 if cut or len(damage) > 1 else 0.5, reason, _CUT)
    if cut:
        yield Cap(0.7, f"the dump is truncated: {cut} bytes of memory are cut off", _CUT)
    for kind, why in (
        (SYSTEM, "nothing says which system and processor it is from"),
        (MODULES, "nothing says which modules were loaded"),
    ):
        if dump.streams.find(kind) is None:
            yield Cap(0.5, f"there is no {stream_name(kind)} stream: {why}", _CUT)
    if not dump.all_threads:
        what = f"{stream_name(THREADS)} or {stream_name(THREADS_EX)}"
        yield Cap(0.4, f"no thread is described: no usable {what} stream", _CUT)
    if dump.record is None and dump.streams.find(EXCEPTION) is not None:
        yield Cap(0.4, "the Exception stream cannot be read", _CUT)
    if not contexts.known(dump.system.cpu):
        reason = f"the registers of {one_line(dump.system.cpu)} cannot be decoded"
        yield Cap(0.6, reason, "Use a debugger that is built for that processor")
    if is_wow64(dump):
        reason = (
            "a 64-bit tool wrote this dump of a 32-bit process: the registers and stacks are those "
            "of the layer that ran it (WOW64)"
        )
        yield Cap(0.7, reason, _WOW64)
    if _stack_missing(dump):
        reason = f"the stack of thread {dump.first_thread} is not in the dump"
        yield Cap(0.5, reason, _FULL.get(dump.system.family, _OTHER))
    files = _FILES.get(dump.system.family, _OTHER)
    yield from lines.files(dump.loaded, "module", 0.85, files)
    if not dump.mapped and dump.all_threads:
        reason = "the dump records no memory map: what was mapped where is not known"
        yield Cap(0.9, reason, _MAP.get(dump.system.family, _OTHER))


def _stack_missing(dump: MinidumpFile) -> bool:
    first = dump.first_thread
    context = dump.context_of(first) if first is not None else None
    if context is None or context.sp is None:
        return False
    return dump.read(context.sp, dump.bits // 8) is None


def _executable(dump: MinidumpFile) -> tuple[object, str]:
    program = dump.program
    if program is None or program.file is None:
        return (program.path if program is not None else None), "not found"
    words = {
        "found": f"yes, build id {program.identity}",
        "mismatched": f"no, build id {program.identity} in the dump",
        "unverified": "unverified, there is no build id to compare",
    }
    return program.file, words[program.status]
