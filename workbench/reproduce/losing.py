"""Arithmetic whose result its target is too narrow for."""

from collections.abc import Mapping

from workbench.reproduce.makers import made_of
from workbench.reproduce.moment import at_hit
from workbench.reproduce.wire import Hit
from workbench.targets.dump import Dump
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.instruction import Instruction, Operand
from workbench.targets.probes.x86 import FAMILY, signed

LOSING = ("imul", "shl", "add", "lea")


def loses(core: Dump, hit: Hit) -> bool:
    """Whether the instruction about to run gives a number that its target is too narrow for,
    whichever way its operands' signs are read."""
    insn = insn_at(core, hit.address)
    if insn is None or len(insn.operands) < 2:
        return False
    moment, target = at_hit(core, hit), insn.operands[0]
    name, width = insn.mnemonic, target.size * 8
    if name in ("mov", "movzx", "movsx"):
        source = insn.operands[1]
        if source.reg not in FAMILY or source.size >= 8:
            return False
        held = hit.registers.get(FAMILY[source.reg], 0)
        held = held & 0xFFFFFFFF if source.size < 4 else held
        whole = 32 if source.size < 4 else 64
        lost = _out(held, source.size * 8) and _out(signed(held, whole // 8), source.size * 8)
        return lost and not splits(core, insn, FAMILY[source.reg], source.size * 8)
    if name == "lea":
        return _sums(insn, hit.registers, width)
    values = [_value(moment, insn, one, hit.registers) for one in insn.operands]
    used = values[1:] if len(values) == 3 else values
    if None in used:
        return False
    left, right = (one or 0 for one in used)
    if name == "imul":
        plain = left * right
        sided = signed(left, target.size) * signed(right, target.size)
        if _divides(left, right, width) or _divides(right, left, width):
            return False
        return plain >= 1 << width and _out(sided, width)
    if name in ("shl", "sal"):
        return left << (right & (width - 1)) >= 1 << width
    if name == "add" and insn.operands[1].imm is not None and right >= 0:
        return left + right >= 1 << width
    return False


def splits(core: Dump, insn: Instruction, name: str, width: int) -> bool:
    """Whether the function of an instruction that takes the lower bits of a register shifts the
    same number by as many: it takes it apart, and loses nothing."""
    code = code_around(core, insn.address)
    if code is None:
        return False
    parts, given = made_of(core, code, [(code.at[insn.address], name)])
    for index, one in enumerate(code.instructions):
        if one.mnemonic in ("shr", "sar") and one.operands[-1].imm == width:
            of = FAMILY.get(one.operands[0].reg or "", "")
            others, told = made_of(core, code, [(index, of)]) if of else ((), ())
            if {*parts} & {*others} or {*given} & {*told}:
                return True
    return False


def _divides(number: int, by: int, width: int) -> bool:
    """Whether a product is an exact division, by the number whose inverse ``by`` is."""
    large = by & 1 and by >> (width // 2)
    return bool(large) and number % pow(by, -1, 1 << width) == 0


def _value(
    moment: Dump, insn: Instruction, one: Operand, registers: Mapping[str, int]
) -> int | None:
    if one.imm is not None:
        return one.imm
    if one.reg in FAMILY:
        held = registers.get(FAMILY[one.reg])
        return None if held is None else held & ((1 << one.size * 8) - 1)
    cell = None if one.mem is None else insn.effective(one.mem, registers)
    raw = moment.read(cell, one.size) if cell is not None else None
    return int.from_bytes(raw, "little") if raw else None


def _sums(insn: Instruction, registers: Mapping[str, int], width: int) -> bool:
    mem = insn.operands[1].mem
    if mem is None or mem.disp < 0:
        return False
    mask = (1 << width) - 1
    parts = [(registers.get(mem.base or "", 0) & mask, 1),
             (registers.get(mem.index or "", 0) & mask, mem.scale)]  # fmt: skip
    sided = sum(signed(value, width // 8) * times for value, times in parts) + mem.disp
    plain = sum(value * times for value, times in parts) + mem.disp
    return plain > mask and (_out(sided, width) or mem.index is None)


def _out(value: int, width: int) -> bool:
    return not -(1 << (width - 1)) <= value < 1 << width
