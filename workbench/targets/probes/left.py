"""Functions that went on by a jump, in place of their last call, and so have no frame.

What they jumped to returns to who had called them: its caller's call tells who that was.
"""

from collections.abc import Iterator

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import x86
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.cfi import Caller, callers
from workbench.targets.probes.code import code_around
from workbench.targets.probes.history import slicer_at
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import place
from workbench.targets.probes.transfer import branch_target
from workbench.targets.probes.unwind_table import function_bounds

_FRAMES = 12
_MOST_JUMPS = 3
"""Functions that left by a jump, one into the other."""


def left_lines(core: Dump, thread: CoreThread) -> list[str]:
    """A line for each call in progress that went to another function than the one that returns."""
    lines, at = [], thread.pc or 0
    for caller in callers(core, at, thread.registers, _FRAMES):
        goal, runs = _goal(core, caller), _starts(core, at)
        if goal is not None and runs is not None and _starts(core, goal) != runs:
            by, where = _left_by(core, goal, runs)
            # What an indirect call went to is known by memory, which may have changed since.
            if by is not None or caller.call.target is not None:
                jump = "a jump" if by is None else f"{by.text} at {by.address:#x}"
                lines.append(
                    f"left: the call that returns to {caller.call.end:#x} went to {where:#x} "
                    f"({place(core, where)}), which went on by {jump}"
                )
        at = caller.call.address
    return lines


def _goal(core: Dump, caller: Caller) -> int | None:
    """Where a call went."""
    call, registers = caller.call, dict(caller.registers)
    slicer = slicer_at(core, call.address, registers) if call.target is None else None
    for operand in call.operands if slicer is not None else ():
        mem = operand.mem
        for name in (operand.reg, *((mem.base, mem.index) if mem is not None else ())):
            register = x86.FAMILY.get(name or "")
            held = slicer.known(register) if slicer is not None and register else None
            registers |= {register: held} if register and held is not None else {}
    goal = branch_target(core, call, registers)
    symbol = core.symbolize(goal) if goal is not None else None
    if goal is None or (symbol is not None and symbol[1] == 0):
        return (
            goal  # a function that is a jump alone looks like an entry of the PLT, but has a name
        )
    return through_plt(core, goal)


def _file(core: Dump, address: int) -> str | None:
    region = core.region(address)
    return region.path if region is not None else None


def _left_by(core: Dump, function: int, runs: int) -> tuple[Instruction | None, int]:
    """The jump by which a function, or the one of its file that it jumped on to, left for the code
    that begins at ``runs``, and that function's start; None for the jump where several may be it.
    """
    for _ in range(_MOST_JUMPS):
        out = list(_jumps_out(core, function))
        to = [jump for jump, goal in out if _starts(core, goal) == runs]
        if to or len(out) != 1:
            return (to[0] if len(to) == 1 else None), function
        jump, goal = out[0]
        if _file(core, goal) != _file(core, function):
            return jump, function  # its cell was overwritten since
        function = goal
    return None, function


def _jumps_out(core: Dump, function: int) -> Iterator[tuple[Instruction, int]]:
    """The jumps that leave a function, and where they go, as far as no register decides it."""
    code = code_around(core, function)
    if code is None or not code.exact:
        return
    for index, item in enumerate(code.instructions.outlines):
        if item.address < function or not item.mnemonic.startswith("j"):
            continue
        jump = code.instructions[index]
        goal = branch_target(core, jump, {})  # jmp [rip + x] goes by a cell of the GOT
        if goal and goal not in code.at:
            yield jump, through_plt(core, goal)


def _starts(core: Dump, address: int) -> int | None:
    bounds = function_bounds(core, address)
    return bounds[0] if bounds is not None else None
