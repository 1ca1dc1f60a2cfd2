"""Functions that only hand memory on between an allocator and who uses it (``xmalloc``, one pointer
to all of them): they take or give memory of no type, and never look into it."""

from typing import TYPE_CHECKING

from workbench.reproduce.moment import at_hit
from workbench.reproduce.owners import is_own
from workbench.reproduce.wire import Hit
from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.frames import callers
from workbench.targets.probes.history import argument
from workbench.targets.probes.x86 import FAMILY, Instruction

if TYPE_CHECKING:
    from workbench.targets.dump import Dump

Kept = str | tuple[str, int]
"""A register, or a cell of the function's frame by its base register and displacement."""
_LOST = frozenset(("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"))
"""Registers that a call does not keep (System V ABI, AMD64, 3.2.1)."""
_READS = ("cmp", "test", "push", "call", "jmp")
_MOST = 4


def kept(insn: Instruction, place: int) -> Kept:
    """Where an operand is, if in a register or the frame; else empty."""
    operand = insn.operands[place]
    if operand.mem is not None:
        in_frame = operand.mem.base in ("rbp", "rsp") and operand.mem.index is None
        return (operand.mem.base or "", operand.mem.disp) if in_frame else ""
    return FAMILY.get(operand.reg or "", "")


def handed_on(core: "Dump", hit: Hit) -> frozenset[int]:
    """The indexes of the frames that handed the block of a birth or a release on, from the
    program's innermost one outwards."""
    own = [frame for frame in hit.frames if is_own(frame) and not frame.inlined]
    passed = _passed(core, hit) if hit.kind in ("free", "realloc") else {}
    found: list[int] = []
    for frame in own[: min(_MOST, len(own) - 1)]:
        code = code_around(core, frame.address or 0)
        if code is None or frame.index not in hit.untyped:
            break
        if hit.kind == "alloc":
            start = next((index for index, one in enumerate(code.instructions.outlines)
                          if one.address == frame.address), None)  # fmt: skip
            holder = "rax"
        else:
            start, holder = 0, passed.get(code.start, "")
        if start is None or not holder or _looks_into(code, start, holder):
            break
        found.append(frame.index)
    return frozenset(found)


def _passed(core: "Dump", hit: Hit) -> dict[int, str]:
    """By the start of each function that was given the block: the register that it came in."""
    moment = at_hit(core, hit)
    for caller in callers(moment, hit.registers["rip"], hit.registers, 4):
        _, steps = argument(moment, caller, "rdi", {})
        return {step.at: step.register for step in steps if step.kind == "argument"}
    return {}


def _looks_into(code: Code, start: int, holder: str) -> bool:
    """Whether code from ``start`` on reads or writes through a pointer in ``holder``, or keeps the
    pointer anywhere but in its frame."""
    held: set[Kept] = {holder}
    for index in range(start, len(code.instructions)):
        insn = code.instructions[index]
        operands = insn.operands
        for operand in operands:
            if operand.mem is not None and insn.mnemonic not in ("lea", "nop") and (
                operand.mem.base in held or operand.mem.index in held
            ):  # fmt: skip
                return True
        if insn.is_call:
            held -= _LOST
        elif insn.mnemonic == "mov" and len(operands) == 2:
            given, target = kept(insn, 1) in held, kept(insn, 0)
            if given and not target:
                return True
            held = held | {target} if given else held - {target}
        elif operands and insn.mnemonic not in _READS:
            held -= {kept(insn, 0)} - {""}
    return False
