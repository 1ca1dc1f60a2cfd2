"""Divisions: the divisor, and a quotient that does not fit (Intel SDM volume 2, DIV and IDIV)."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.probes.x86 import FAMILY, Instruction


class Division(Struct, frozen=True):
    """A division that traps: its divisor as written, its value, and ``size`` in bytes."""

    shown: str
    value: int | None
    size: int
    dividend: int | None = None
    overflow: bool = False


def divisor_register(insn: Instruction) -> str | None:
    """The register that holds the divisor of a division, if it is in one."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return None
    name = insn.operands[0].reg
    return FAMILY.get(name) if name is not None else None


def lines(core: Dump, insn: Instruction, registers: Mapping[str, int]) -> list[str]:
    """The divisor, and what is wrong with the division; nothing for other instructions."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return []
    operand = insn.operands[0]
    known = operand.size in (1, 2, 4, 8)
    divisor = _value(core, insn, registers) if known else None
    division = Division(operand.reg or "memory", divisor, operand.size)
    pair = registers.get("rax"), registers.get("rdx")
    return told(by_pair(division, pair, signed=insn.mnemonic == "idiv"), insn.mnemonic)


def told(division: Division | None, mnemonic: str) -> list[str]:
    """A division in lines of text."""
    if division is None or division.value is None:
        return [] if division is None else ["divisor not known"]
    value, size = division.value, division.size
    found = [f"divisor {division.shown} = {value:#x} ({size} bytes, {mnemonic})"]
    if value == 0:
        return [*found, "division by zero"]
    if division.dividend is not None:
        found.append(f"dividend = {division.dividend:#x} ({2 * size} bytes)")
    if division.overflow:
        found.append(f"quotient overflow: the quotient does not fit into {size} bytes")
    return found


def _value(core: Dump, insn: Instruction, registers: Mapping[str, int]) -> int | None:
    operand = insn.operands[0]
    mask = (1 << operand.size * 8) - 1
    if operand.reg is not None:
        value = registers.get(FAMILY.get(operand.reg, operand.reg))
        if value is None:
            return None
        return (value >> 8 if operand.reg.endswith("h") else value) & mask
    if operand.mem is None:
        return None
    address = insn.effective(operand.mem, registers)
    raw = core.read(address, operand.size) if address is not None else None
    return None if raw is None else int.from_bytes(raw, "little")


def by_pair(division: Division, pair: tuple[int | None, int | None], *, signed: bool) -> Division:
    """With the dividend in a pair of registers, the lower half first; of bytes in that alone."""
    (low, high), divisor, size = pair, division.value, division.size
    if not divisor or low is None or high is None:
        return division
    bits = size * 8
    mask = (1 << bits) - 1
    dividend = low & 0xFFFF if size == 1 else (high & mask) << bits | low & mask
    whole = dividend
    if signed:
        whole -= (dividend >> 2 * bits - 1) << 2 * bits
        divisor -= (divisor >> bits - 1) << bits
    quotient = abs(whole) // abs(divisor) * (-1 if (whole < 0) != (divisor < 0) else 1)
    limits = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
    fits = limits[0] <= quotient < limits[1]
    return replace(division, dividend=dividend, overflow=not fits)
