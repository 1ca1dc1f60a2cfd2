"""@health: how far the dump can be trusted, and what limits confidence.

Lines are ``key: value``; a ``cap`` line names a ceiling (0..1) and its reason, the ``remedy`` line
after it what would lift it. ``confidence ceiling`` is the lowest of them, the modules follow.
"""

from collections.abc import Iterator

from msgspec import Struct

from workbench.model.text import counted
from workbench.targets import registers
from workbench.targets.core import CoreFile, CoreModule
from workbench.targets.managed import mapped_runtime
from workbench.targets.overview import lines
from workbench.targets.overview.lines import Cap
from workbench.targets.plain import one_line

# The limit of a file's size holds for cores as well (core(5)).
_SIZE_REMEDY = (
    "Run ulimit -c unlimited and ulimit -f unlimited before the program starts, and leave room on "
    "the disk"
)
_FILTER_REMEDY = "Run echo 0x7f > /proc/self/coredump_filter before the program starts"
_UNWRITTEN = "never written (zeros), or kept out with MADV_DONTDUMP"
_UNWRITTEN_REMEDY = "Where the program itself keeps memory out, leave madvise(MADV_DONTDUMP) off"
_FILES_REMEDY = "Name the program with --exe PATH, or a copy of its machine with --sysroot DIR"
_OTHER_REMEDY = "Pass the very build that crashed with --exe PATH"
_STRIPPED_REMEDY = "Pass the build before strip with --exe PATH, or install its debug symbols"
_DEBUG_REMEDY = (
    "Build with -g and pass that build with --exe PATH, or put its debug file where gdb's set "
    "debug-file-directory names it; a debuginfod server is never asked unless you turn it on"
)
_LIBRARY_REMEDY = (
    "Pass a copy of the libraries of the machine that crashed with --sysroot DIR, or make a bundle "
    "there with workbench collect"
)


class Memory(Struct, frozen=True):
    """Bytes of the process's own data: held by the dump, cut off, and never written to it."""

    dumped: int
    cut: int
    left_out: int
    left_out_regions: int
    file_backed: int


def answer(core: CoreFile) -> str:
    """The dump's health as text."""
    memory = measure(core)
    libraries = [m for m in core.modules if m is not core.program]
    more = []
    if memory.file_backed:
        what = f"{memory.file_backed} bytes, shared or never written"
        more = [f"writable file memory not in the dump: {what}"]
    return lines.health(
        size=core.size,
        truncated=core.truncated,
        dumped=memory.dumped,
        missing=memory.cut + memory.left_out,
        executable=_executable(core),
        loaded=core.modules,
        more=more,
        caps=caps(core, memory, libraries),
        listed=lines.modules(core.modules, lines.module, "module: "),
    )


def measure(core: CoreFile) -> Memory:
    """Count what of the process's own data the dump holds.

    Read-only pages of files need not be dumped, and memory without any permission holds nothing.
    Writable memory of a file is left out where it is shared or was never written (core(5),
    vma_dump_size in fs/coredump.c), and counted apart with the zeros behind a file's data.
    """
    missing = core.left_out
    left_out = sum(end - start for start, end in missing)
    rest = sum(e.end - e.start - e.announced for e in core.extents if e.writable)
    return Memory(
        dumped=sum(extent.present for extent in core.extents),
        cut=sum(extent.announced - extent.present for extent in core.extents),
        left_out=left_out,
        left_out_regions=len(missing),
        file_backed=rest - left_out,
    )


def caps(core: CoreFile, memory: Memory, libraries: list[CoreModule]) -> Iterator[Cap]:
    """Every reason to be careful."""
    if len(core.segments) < core.header.phnum:
        yield Cap(0.4, "the table of memory segments is cut", _SIZE_REMEDY)
    if core.notes.cut:
        yield Cap(0.4, "the notes are cut: threads or files may be missing", _SIZE_REMEDY)
    if _stack_is_missing(core):
        tid = core.threads[0].tid
        remedy = _SIZE_REMEDY if memory.cut else _FILTER_REMEDY
        yield Cap(0.4, f"the stack of thread {tid} is not in the dump", remedy)
    if memory.cut:
        reason = f"the dump is truncated: {memory.cut} bytes of memory are cut off"
        yield Cap(0.7, reason, _SIZE_REMEDY)
    if memory.left_out:
        where = counted(memory.left_out_regions, "mapping")
        # A filter that left private memory out left the stacks out too. Where they are here, the
        # rest was never written, which the kernel leaves out as well (vma_dump_size).
        filtered = _stack_is_missing(core)
        why = "left out by coredump_filter or MADV_DONTDUMP" if filtered else _UNWRITTEN
        reason = f"{memory.left_out} bytes of writable memory in {where} are not in the dump: {why}"
        yield Cap(0.9, reason, _FILTER_REMEDY if filtered else _UNWRITTEN_REMEDY)
    if registers.layout(core.arch) is None:
        reason = f"the registers of {core.arch} cannot be decoded"
        yield Cap(0.6, reason, "Use a debugger that is built for that architecture")
    yield from _program_caps(core)
    yield from lines.files(libraries, "library", 0.75, _LIBRARY_REMEDY)


def _stack_is_missing(core: CoreFile) -> bool:
    """True when the first thread's stack was mapped and its top is not in the dump."""
    if not core.threads:
        return False
    first = core.threads[0]
    here = core.region(first.sp or 0)
    if here is not None and here.kind == "stack":
        return core.read_dumped(first.sp or 0, core.bits // 8) is None
    # The pointer ran over the stack's end, or is wrong.
    index = next((i for i, r in enumerate(core.regions) if r.thread == first.tid), None)
    return index is not None and not core.extents[index].present


def _program_caps(core: CoreFile) -> Iterator[Cap]:
    program = core.program
    named = one_line(core.recorded_executable or "the executable")
    if program is None or program.status == "missing":
        reason = f"the executable {named} is not on this machine"
        yield Cap(0.6, reason, _FILES_REMEDY)
        return
    host = mapped_runtime(region.path for region in core.regions) is not None
    file = one_line(str(program.file))
    if program.status == "mismatched":
        reason = f"{file} is not the executable that crashed: {_difference(program)}"
        remedy = _unnamed(core, _OTHER_REMEDY, ("debug-info", "symbols", "stripped"))
        yield Cap(0.5, reason, remedy)
    elif program.status == "unverified":
        reason = f"nothing proves that {file} is the one that crashed"
        yield Cap(0.8, reason, "Link with -Wl,--build-id, or compare the files by checksum")
    elif program.symbols == "stripped" and not host:  # .NET's code is not in what hosts it
        reason = f"the executable {file} is stripped: its functions have no names"
        yield Cap(0.8, reason, _unnamed(core, _STRIPPED_REMEDY, ("debug-info", "symbols")))
    elif program.symbols == "symbols":
        reason = f"the executable {file} has no debug information: no lines and no variables"
        yield Cap(0.95, reason, _unnamed(core, _DEBUG_REMEDY, ("debug-info",)))


def _unnamed(core: CoreFile, otherwise: str, symbols: tuple[str, ...]) -> str:
    """What to do where the program of itself, had no other file been named, tells more."""
    right = core.program_as_recorded
    if right is None or right.symbols not in symbols:
        return otherwise
    return f"Leave --exe off: {one_line(str(right.file))} is the very build that crashed"


def _difference(module: CoreModule) -> str:
    theirs = module.build_id
    ours = module.image.build_id if module.image else None
    if theirs and ours:
        return f"build id {theirs} in the dump, {ours} in the file"
    return "its program headers differ from those in the dump"


def _executable(core: CoreFile) -> tuple[object, str]:
    program = core.program
    if program is None or program.file is None:
        return core.recorded_executable, "not found"
    words = {
        "found": f"yes, build id {program.build_id}" if program.build_id else "yes, same bytes",
        "mismatched": f"no, {_difference(program)}",
        "unverified": "unverified, there is no build id to compare",
    }
    return program.file, words[program.status]
