"""@health: how far a Mach-O core can be trusted, in the lines of a core's."""

from workbench.targets.errors import ProbeError
from workbench.targets.macho.core import MachCore
from workbench.targets.macho.probes.modules import module_lines
from workbench.targets.overview.health import Cap
from workbench.targets.plain import one_line

_SIZE_REMEDY = "Make the core again with ulimit -c unlimited and room on the disk"
_FULL_REMEDY = "Save it in lldb with: process save-core --style full FILE"
_FILES_REMEDY = "Name the program with --exe PATH, or a copy of its machine with --sysroot DIR"


def answer(core: MachCore, words: list[str]) -> str:
    """The core's health as text."""
    if words:
        raise ProbeError("@health takes no argument")
    present = sum(extent.present for extent in core.extents)
    cut = sum(extent.announced - extent.present for extent in core.extents)
    left_out = sum(
        extent.end - extent.start - extent.announced for extent in core.extents if extent.writable
    )
    found = _caps(core, cut, left_out)
    states = [module.status for module in core.modules]
    counts = ", ".join(
        f"{states.count(status)} {status}"
        for status in ("found", "mismatched", "missing", "unverified")
    )
    lines = [
        f"file: {core.size} bytes, {'truncated' if core.truncated else 'complete'}",
        f"memory: {present} bytes dumped, {cut + left_out} bytes missing",
        *_executable(core),
        f"modules: {len(states)}, of them {counts}",
    ]
    for cap in found:
        lines += [f"cap: {cap.ceiling:.2f} {cap.reason}", f"remedy: {cap.remedy}"]
    lines.append(f"confidence ceiling: {min((cap.ceiling for cap in found), default=1.0):.2f}")
    return "\n".join([*lines, *module_lines(core, "module: ")])


def _executable(core: MachCore) -> list[str]:
    program = core.program
    if program is None:
        return ["executable: unknown", "executable match: not found"]
    words = {
        "found": f"yes, UUID {program.build_id}",
        "mismatched": f"no, the core's UUID is {program.build_id}",
        "missing": "not found",
    }
    name = program.file if program.file is not None else program.path
    return [
        f"executable: {one_line(str(name))}",
        f"executable match: {words[program.status]}",
    ]


def _caps(core: MachCore, cut: int, left_out: int) -> list[Cap]:
    found = []
    if core.commands.cut:
        found.append(Cap(0.4, "the load commands are cut: threads may be missing", _SIZE_REMEDY))
    if cut:
        reason = f"the core is truncated: {cut} bytes of memory are cut off"
        found.append(Cap(0.7, reason, _SIZE_REMEDY))
    if left_out:
        reason = f"{left_out} bytes of writable memory are not in the core"
        found.append(Cap(0.9, reason, _FULL_REMEDY))
    first = core.threads[0] if core.threads else None
    if first is not None and not first.registers:
        reason = f"the registers of thread {first.tid} are not in the core"
        found.append(Cap(0.5, reason, _SIZE_REMEDY))
    elif first is not None and core.read_dumped(first.sp or 0, 8) is None:
        found.append(Cap(0.5, f"the stack of thread {first.tid} is not in the core", _FULL_REMEDY))
    if not core.modules:
        reason = "no program and no library can be found in the core's memory"
        found.append(Cap(0.6, reason, _FULL_REMEDY))
    program = core.program
    if program is not None and program.status != "found" and not core.has_symbols(program):
        what = "is not on this machine, and the core holds no names for its functions"
        if program.status == "mismatched":
            what = "is another build: its UUID differs from the core's"
        found.append(Cap(0.7, f"the executable {one_line(program.path)} {what}", _FILES_REMEDY))
    return found
