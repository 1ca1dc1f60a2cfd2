"""Whether a cell of a function's own frame, or a register, was ever set by the function.

An object of a frame is set by a store to its own address, or through a pointer that was made of an
address at or below it (a structure, an array). Where a function has neither, what its variable
holds is what earlier calls left on the stack.
"""

from workbench.targets.probes.code import Code
from workbench.targets.probes.instruction import Instruction, Memory
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.x86 import ARGUMENTS

_MOST = 4000
_MASK = (1 << 64) - 1
# A split-off part of a function goes on with the registers of the rest (gcc, -freorder-blocks).
_PARTS = (".cold", ".part")
# The static chain of nested functions (System V AMD64 ABI, 3.2.3), and what PLT stubs use.
_HIDDEN = (*ARGUMENTS, "r10", "rsp", "rip")


def never_set(slicer: Slicer, mem: Memory, size: int, value: int | None) -> bool:
    """True when no instruction of the function can have set the cell that ``mem`` names to
    ``value``; False where that is not certain."""
    code = slicer.code
    count = len(code.instructions)
    if not code.exact or count > _MOST or mem.index is not None or mem.base not in ("rbp", "rsp"):
        return False
    if mem.disp >= 0 and mem.base == "rbp":
        return False  # the caller's frame: an argument
    frame = _Frame(mem.base, mem.disp, size)
    for index in range(count):
        insn = code.instructions[index]
        if frame.moves(insn) or frame.escapes(insn):
            return False
        if frame.sets(insn) and not _other_value(slicer, index, value):
            return False
    return frame.still


class _Frame:
    """The cell, and what was seen of the frame that it lies in."""

    def __init__(self, base: str, low: int, size: int) -> None:
        self._base = base
        self._low, self._high = low, low + size
        self._used = False
        self.still = base == "rsp"

    def moves(self, insn: Instruction) -> bool:
        """True when the base register moves once the frame is in use: offsets then differ."""
        if self._base == "rbp":
            operands = insn.operands
            if insn.mnemonic == "mov" and len(operands) == 2 and operands[0].reg == "rbp":
                self.still = operands[1].reg == "rsp"
                return not self.still
            return False
        grows = insn.mnemonic == "push" or (
            insn.mnemonic == "sub" and bool(insn.operands) and insn.operands[0].reg == "rsp"
        )
        return grows and self._used

    def escapes(self, insn: Instruction) -> bool:
        """True when an address at or below the cell goes into a register, or an array there is
        written by index."""
        operands = insn.operands
        if insn.mnemonic == "mov" and len(operands) == 2 and operands[1].reg in ("rsp", "rbp"):
            return operands[0].reg not in ("rsp", "rbp")
        for operand in operands:
            mem = operand.mem
            if mem is None or mem.base not in ("rsp", "rbp"):
                continue
            if mem.base == self._base:
                self._used = True
            elif mem.base == "rsp":
                return insn.mnemonic == "lea"
            else:
                continue
            if mem.disp < self._high and (insn.mnemonic == "lea" or (mem.index and operand.writes)):
                return True
        return False

    def sets(self, insn: Instruction) -> bool:
        """True when an instruction writes to the cell."""
        for operand in insn.operands:
            mem = operand.mem
            if mem is None or mem.base != self._base or not operand.writes:
                continue
            if mem.disp < self._high and mem.disp + max(operand.size, 1) > self._low:
                return True
        return False


def _other_value(slicer: Slicer, index: int, value: int | None) -> bool:
    """True when a store can only have stored something else: a constant or a fixed address."""
    instructions = slicer.code.instructions
    insn = instructions[index]
    if insn.mnemonic != "mov" or len(insn.operands) != 2 or value is None:
        return False
    source = insn.operands[1]
    width = (1 << source.size * 8) - 1
    if source.imm is not None:
        return source.imm & width != value & width
    if source.reg is None or index == 0:
        return False
    before = instructions[index - 1]
    if not before.operands or source.reg != before.operands[0].reg:
        return False
    fixed = _fixed(before)
    return fixed is not None and fixed & width != value & width


def _fixed(insn: Instruction) -> int | None:
    """What an instruction puts into its first operand whatever the registers hold."""
    if zeroes(insn):
        return 0
    if len(insn.operands) != 2:
        return None
    source = insn.operands[1]
    if insn.mnemonic in ("mov", "movabs") and source.imm is not None:
        return source.imm & _MASK
    if insn.mnemonic == "lea" and source.mem is not None and source.mem.base == "rip":
        return insn.effective(source.mem, {}) if source.mem.index is None else None
    return None


def never_set_register(slicer: Slicer, register: str) -> bool:
    """True when a function uses a register that it never set and that no caller hands over; told
    only where a symbol says that this is a whole function."""
    code: Code = slicer.code
    if not code.exact or register in _HIDDEN:
        return False
    symbol = slicer.core.symbolize(code.start)
    return symbol is not None and symbol[1] == 0 and not any(p in symbol[0] for p in _PARTS)
