"""@health: how far a Mach-O core can be trusted, and @modules: every image in memory with its UUID,
in the lines of a core's."""

from collections.abc import Iterator

from workbench.targets.macho.core import MachCore
from workbench.targets.modules import CoreModule
from workbench.targets.overview import lines
from workbench.targets.overview.lines import Cap
from workbench.targets.plain import one_line

_SIZE_REMEDY = "Make the core again with ulimit -c unlimited and room on the disk"
_FULL_REMEDY = "Save it in lldb with: process save-core --style full FILE"
_FILES_REMEDY = "Name the program with --exe PATH, or a copy of its machine with --sysroot DIR"


def answer(core: MachCore) -> str:
    """The core's health as text."""
    present = sum(extent.present for extent in core.extents)
    cut = sum(extent.announced - extent.present for extent in core.extents)
    left_out = sum(
        extent.end - extent.start - extent.announced for extent in core.extents if extent.writable
    )
    return lines.health(
        size=core.size,
        truncated=core.truncated,
        dumped=present,
        missing=cut + left_out,
        executable=_executable(core),
        loaded=core.modules,
        caps=_caps(core, cut, left_out),
        listed=module_lines(core, "module: "),
    )


def _executable(core: MachCore) -> tuple[object, str]:
    program = core.program
    if program is None:
        return None, "not found"
    words = {
        "found": f"yes, UUID {program.build_id}",
        "mismatched": f"no, the core's UUID is {program.build_id}",
        "missing": "not found",
    }
    return program.file if program.file is not None else program.path, words[program.status]


def _caps(core: MachCore, cut: int, left_out: int) -> Iterator[Cap]:
    if core.commands.cut:
        yield Cap(0.4, "the load commands are cut: threads may be missing", _SIZE_REMEDY)
    if cut:
        reason = f"the core is truncated: {cut} bytes of memory are cut off"
        yield Cap(0.7, reason, _SIZE_REMEDY)
    if left_out:
        reason = f"{left_out} bytes of writable memory are not in the core"
        yield Cap(0.9, reason, _FULL_REMEDY)
    first = core.threads[0] if core.threads else None
    if first is not None and not first.registers:
        reason = f"the registers of thread {first.tid} are not in the core"
        yield Cap(0.5, reason, _SIZE_REMEDY)
    elif first is not None and core.read_dumped(first.sp or 0, 8) is None:
        yield Cap(0.5, f"the stack of thread {first.tid} is not in the core", _FULL_REMEDY)
    if not core.modules:
        reason = "no program and no library can be found in the core's memory"
        yield Cap(0.6, reason, _FULL_REMEDY)
    program = core.program
    if program is not None and program.status != "found" and not core.has_symbols(program):
        what = "is not on this machine, and the core holds no names for its functions"
        if program.status == "mismatched":
            what = "is another build: its UUID differs from the core's"
        yield Cap(0.7, f"the executable {one_line(program.path)} {what}", _FILES_REMEDY)


def modules(core: MachCore) -> str:
    """The modules as text."""
    return "\n".join([f"modules: {len(core.modules)} in address order", *module_lines(core)])


def module_lines(core: MachCore, prefix: str = "") -> list[str]:
    """One line a module."""

    def shown(module: CoreModule) -> str:
        return lines.module(module, "symbols" if core.has_symbols(module) else "unknown")

    return lines.modules(core.modules, shown, prefix)
