"""Control that went, or was about to go, where no code is."""

from collections.abc import Mapping
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
    pushed = core.read_word(sp)
    popped = core.read_word((sp - 8) & MASK)
    call = call_ending_at(core, pushed) if pushed is not None else None
    if popped == pc and (call is None or _static_target(core, call) not in (None, pc)):
        lines.append(f"transfer return: the word {pc:#x} at {sp - 8 & MASK:#x} was returned to")
        return lines
    if call is not None and pushed is not None:
        lines.append(
            f"transfer call: the return address {pushed:#x} at {sp:#x} lies behind {call.text} "
            f"at {call.address:#x} ({place(core, call.address)})"
        )
        return lines + _call_origin(core, thread, call)
    if popped == pc:
        lines.append(f"transfer return: the word {pc:#x} at {sp - 8 & MASK:#x} was returned to")
        return lines
    lines.append("transfer unknown: neither a call nor a return explains this address")
    return lines


def calling_instruction(core: "CoreFile", thread: "CoreThread") -> x86.Instruction | None:
    """The call that went to a bad pc, or None when pc was not called."""
    pushed = core.read_word(thread.sp or 0)
    return call_ending_at(core, pushed) if pushed is not None else None


def call_ending_at(core: "CoreFile", address: int) -> x86.Instruction | None:
    """The call instruction right in front of a return address, or None when there is none."""
    if not executable(core, address - 1 if address else 0):
        return None
    for size in (_LONGEST_CALL, 5, 2):
        code = core.read(address - size, size) if address >= size else None
        if code is not None:
            return x86.call_before(code, address)
    return None


def _static_target(core: "CoreFile", call: x86.Instruction) -> int | None:
    """Where a call goes whose target does not depend on registers that may have changed."""
    return call.target


def _call_origin(core: "CoreFile", thread: "CoreThread", call: x86.Instruction) -> list[str]:
    """How the call got its target: its operand, and the slice behind it in the calling function.
    Nothing ran since the call, so all registers but the stack pointer are the caller's."""
    registers = {**thread.registers, "rsp": ((thread.sp or 0) + 8) & MASK}
    operand = call.operands[0] if call.operands else None
    code = code_around(core, call.address)
    if operand is None or code is None or call.address not in code.at:
        return []
    slicer = Slicer(core, code, code.at[call.address], registers, segments_of(thread))
    if operand.reg is not None:
        register = x86.FAMILY.get(operand.reg, operand.reg)
        lines = [f"base register {register} = {registers.get(register, 0):#x}: the call's target"]
        return lines + origin_lines(core, slicer, register, "origin")
    if operand.mem is None:
        return []
    cell = call.effective(operand.mem, registers, segments_of(thread))
    if cell is None:
        return []
    word = core.read_word(cell)
    value = "not readable" if word is None else f"{word:#x}"
    lines = [f"target cell {shown(operand.mem)} = {cell:#x} ({place(core, cell)}) holds {value}"]
    base = operand.mem.base
    if base is not None and base not in ("rip", "rsp", "rbp"):
        lines.append(
            f"base register {base} = {registers.get(base, 0):#x}: "
            f"{place(core, registers.get(base, 0))}"
        )
        lines += origin_lines(core, slicer, base, "origin")
    return lines


def bad_target_lines(
    core: "CoreFile",
    insn: x86.Instruction,
    registers: Mapping[str, int],
    segments: Mapping[str, int],
) -> list[str]:
    """A call, jump or return that has not been made yet because its target is no address at all:
    the processor faults on the instruction itself."""
    target: int | None = None
    if insn.is_return:
        sp = registers.get("rsp")
        target = core.read_word(sp) if sp is not None else None
    elif (insn.is_call or insn.is_jump) and insn.operands and insn.target is None:
        operand = insn.operands[0]
        if operand.reg is not None:
            target = registers.get(x86.FAMILY.get(operand.reg, operand.reg))
        elif operand.mem is not None:
            cell = insn.effective(operand.mem, registers, segments)
            target = core.read_word(cell) if cell is not None else None
    if target is None:
        return []
    how = "return" if insn.is_return else "call" if insn.is_call else "jump"
    lines = [f"{how} target {target:#x}: {place(core, target)}"]
    if kind_of(core, target) == "non-canonical":
        lines.append(f"access execute at {target:#x}: non-canonical")
        kind = "return" if insn.is_return else "call"
        lines.append(f"transfer {kind}: {insn.text} at {insn.address:#x} goes to {target:#x}")
    return lines
