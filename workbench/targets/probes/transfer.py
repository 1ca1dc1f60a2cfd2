"""Control that went, or was about to go, where no code is."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.targets.probes import x86
from workbench.targets.probes.code import code_around
from workbench.targets.probes.operands import shown
from workbench.targets.probes.origin import origin_lines
from workbench.targets.probes.places import executable, kind_of, place, segments_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import MASK

if TYPE_CHECKING:
    from workbench.targets.core import CoreFile
    from workbench.targets.notes import CoreThread

_LONGEST_CALL = 8


def execute_lines(core: "CoreFile", thread: "CoreThread") -> list[str]:
    """The fault is at pc itself. A call has pushed its return address: the word at the stack
    pointer then lies right behind a call instruction. A return has popped pc: the word below the
    stack pointer still is pc."""
    pc, sp = thread.pc or 0, thread.sp or 0
    lines = [f"access execute at {pc:#x}: {place(core, pc)}"]
    branch = calling_branch(core, thread)
    below = (sp - 8) & MASK
    if branch is None:
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
    return lines + branch_lines(core, thread, jump or call, branch.registers)


@dataclass(frozen=True)
class Branch:
    """How control got to a bad pc: the call that pushed the return address, and the jump out of
    the function that it went to, when that is what took the bad target. ``registers`` are those at
    the last of the two: nothing ran since."""

    call: x86.Instruction
    jump: x86.Instruction | None
    registers: dict[str, int]


def calling_branch(core: "CoreFile", thread: "CoreThread") -> Branch | None:
    """The branch to a bad pc, or None when pc was returned to or came from nowhere."""
    pc, sp = thread.pc or 0, thread.sp or 0
    pushed = core.read_word(sp)
    call = call_ending_at(core, pushed) if pushed is not None else None
    if call is None:
        return None
    before = {**thread.registers, "rsp": (sp + 8) & MASK}
    goal = branch_target(core, call, before, segments_of(thread))
    if goal == pc or (goal is None and core.read_word((sp - 8) & MASK) != pc):
        return Branch(call, None, before)
    jump = _tail_jump(core, thread, goal, pc) if goal is not None else None
    if jump is not None:
        return Branch(call, jump, dict(thread.registers))
    if core.read_word((sp - 8) & MASK) == pc:
        return None
    return Branch(call, None, before)


def _tail_jump(
    core: "CoreFile", thread: "CoreThread", function: int, pc: int
) -> x86.Instruction | None:
    """The indirect jump of a function that goes to ``pc`` with the registers as they are."""
    code = code_around(core, function) if executable(core, function) else None
    if code is None:
        return None
    for index, item in enumerate(code.instructions.outlines):
        if item.mnemonic.rsplit(" ", 1)[-1] != "jmp" or item.target is not None:
            continue
        jump = code.instructions[index]
        if branch_target(core, jump, thread.registers, segments_of(thread)) == pc:
            return jump
    return None


def branch_target(
    core: "CoreFile",
    insn: x86.Instruction,
    registers: Mapping[str, int],
    segments: Mapping[str, int],
) -> int | None:
    """Where a call, jump or return goes with these registers; None when that is not known."""
    if insn.is_return:
        sp = registers.get("rsp")
        return core.read_word(sp) if sp is not None else None
    if insn.target is not None or not insn.operands:
        return insn.target
    operand = insn.operands[0]
    if operand.reg is not None:
        return registers.get(x86.FAMILY.get(operand.reg, operand.reg))
    cell = insn.effective(operand.mem, registers, segments) if operand.mem is not None else None
    return core.read_word(cell) if cell is not None else None


def call_ending_at(core: "CoreFile", address: int) -> x86.Instruction | None:
    """The call instruction right in front of a return address, or None when there is none."""
    if not executable(core, address - 1 if address else 0):
        return None
    for size in (_LONGEST_CALL, 5, 2):
        code = core.read(address - size, size) if address >= size else None
        if code is not None:
            return x86.call_before(code, address)
    return None


def branch_lines(
    core: "CoreFile",
    thread: "CoreThread",
    branch: x86.Instruction,
    registers: Mapping[str, int],
) -> list[str]:
    """How a call or jump got its target: its operand, and the slice behind it."""
    operand = branch.operands[0] if branch.operands else None
    code = code_around(core, branch.address)
    if operand is None or code is None or branch.address not in code.at:
        return []
    slicer = Slicer(core, code, code.at[branch.address], registers, segments_of(thread))
    if operand.reg is not None:
        register = x86.FAMILY.get(operand.reg, operand.reg)
        lines = [f"base register {register} = {registers.get(register, 0):#x}: the branch's target"]
        return lines + origin_lines(core, slicer, register, "origin")
    cell = (
        branch.effective(operand.mem, registers, segments_of(thread))
        if operand.mem is not None
        else None
    )
    if operand.mem is None or cell is None:
        return []
    word = core.read_word(cell)
    value = "not readable" if word is None else f"{word:#x}"
    lines = [f"target cell {shown(operand.mem)} = {cell:#x} ({place(core, cell)}) holds {value}"]
    base = operand.mem.base
    if base is not None and base not in ("rip", "rsp", "rbp"):
        held = registers.get(base, 0)
        lines.append(f"base register {base} = {held:#x}: {place(core, held)}")
        lines += origin_lines(core, slicer, base, "origin")
    return lines


def bad_target_lines(core: "CoreFile", thread: "CoreThread", insn: x86.Instruction) -> list[str]:
    """A call, jump or return that has not been made yet because its target is no address at all:
    the processor faults on the instruction itself."""
    if insn.target is not None or not (insn.is_return or insn.is_call or insn.is_jump):
        return []
    target = branch_target(core, insn, thread.registers, segments_of(thread))
    if target is None:
        return []
    how = "return" if insn.is_return else "call" if insn.is_call else "jump"
    lines = [f"{how} target {target:#x}: {place(core, target)}"]
    if kind_of(core, target) == "non-canonical":
        lines.append(f"access execute at {target:#x}: non-canonical")
        kind = "return" if insn.is_return else "call"
        lines.append(f"transfer {kind}: {insn.text} at {insn.address:#x} goes to {target:#x}")
        if not insn.is_return:
            lines += branch_lines(core, thread, insn, thread.registers)
    return lines
