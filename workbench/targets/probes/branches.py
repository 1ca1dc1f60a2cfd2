"""Control that went, or was about to go, where no code is, in lines of text."""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes import origin, x86
from workbench.targets.probes.history import history
from workbench.targets.probes.operands import shown
from workbench.targets.probes.origin import cell_lines, origin_lines, outside_lines, run_lines
from workbench.targets.probes.places import (
    MASK,
    NEAR_NULL,
    executable,
    kind_of,
    place,
    target_place,
)
from workbench.targets.probes.transfer import branch_target, calling_branch


def execute_lines(core: Dump, thread: CoreThread) -> list[str]:
    """The fault is at pc itself. A call has pushed its return address: the word at the stack
    pointer then lies right behind a call instruction. A return has popped pc: the word below the
    stack pointer still is pc."""
    pc, sp = thread.pc or 0, thread.sp or 0
    lines = [f"access execute at {pc:#x}: {target_place(core, pc)}"]
    branch = calling_branch(core, thread)
    below = (sp - 8) & MASK
    if branch is None:
        unseen = unseen_call(core, core.read_word(sp), f"{sp:#x}")
        if unseen is not None:
            return [*lines, unseen]
        if core.read_word(below) == pc:
            return [*lines, f"transfer return: the word {pc:#x} at {below:#x} was returned to"]
        return [*lines, "transfer unknown: neither a call nor a return explains this address"]
    call, jump = branch.call, branch.jump
    lines.append(
        f"transfer call: the return address {call.end:#x} at {sp:#x} lies behind {call.text} "
        f"at {call.address:#x} ({place(core, call.address)})"
    )
    if jump is not None:
        lines.append(
            f"tail jump: the function that was called went on by {jump.text} at {jump.address:#x} "
            f"({place(core, jump.address)})"
        )
    return lines + branch_lines(core, jump or call, branch.registers)


def unseen_call(core: Dump, back: int | None, where: str) -> str | None:
    """What a return address says whose code the dump does not hold; None for anything else."""
    if back is None or back < NEAR_NULL or not executable(core, back - 1):
        return None
    if core.read(back - 1, 1) is not None:
        return None
    return f"transfer call: {where} holds {back:#x}, a return address by its place: its code is " \
           "not in the dump"  # fmt: skip


def branch_lines(core: Dump, branch: x86.Instruction, registers: Mapping[str, int]) -> list[str]:
    """How a call or jump got its target: its operand, and the slice behind it."""
    operand = branch.operands[0] if branch.operands else None
    if operand is None:
        return []
    if operand.reg is not None:
        register = x86.FAMILY.get(operand.reg, operand.reg)
        lines = [f"base register {register} = {registers.get(register, 0):#x}: the branch's target"]
        steps = history(core, branch.address, register, registers, into=True)
        lines += origin_lines(core, steps, "origin") + run_lines(core, steps)
        lines += cell_lines(core, steps)
        return lines + origin.call_lines(core, branch.address, steps, loaded=True)
    cell = branch.effective(operand.mem, registers) if operand.mem is not None else None
    if operand.mem is None or cell is None:
        return []
    word = core.read_word(cell)
    value = "not readable" if word is None else f"{word:#x}"
    lines = [f"target cell {shown(operand.mem)} = {cell:#x} ({place(core, cell)}) holds {value}"]
    base, index = operand.mem.base, operand.mem.index
    if index is not None:
        parts = [registers.get(name, 0) for name in (base, index) if name]
        lines += outside_lines(core, cell, [*parts, operand.mem.disp & MASK])
    if base is not None and base not in ("rip", "rsp", "rbp"):
        held = registers.get(base, 0)
        lines.append(f"base register {base} = {held:#x}: {place(core, held)}")
        steps = history(core, branch.address, base, registers, into=True)
        lines += origin_lines(core, steps, "origin") + run_lines(core, steps)
        lines += origin.call_lines(core, branch.address, steps, loaded=False)
    return lines


def bad_target_lines(core: Dump, thread: CoreThread, insn: x86.Instruction) -> list[str]:
    """A call, jump or return that has not been made yet because its target is no address at all:
    the processor faults on the instruction itself."""
    if insn.target is not None or not (insn.is_return or insn.is_call or insn.is_jump):
        return []
    target = branch_target(core, insn, thread.registers)
    if target is None:
        return []
    how = "return" if insn.is_return else "call" if insn.is_call else "jump"
    lines = [f"{how} target {target:#x}: {place(core, target)}"]
    if kind_of(core, target) == "non-canonical":
        lines.append(f"access execute at {target:#x}: non-canonical")
        kind = "return" if insn.is_return else "call"
        lines.append(f"transfer {kind}: {insn.text} at {insn.address:#x} goes to {target:#x}")
        if not insn.is_return:
            lines += branch_lines(core, insn, thread.registers)
    return lines
