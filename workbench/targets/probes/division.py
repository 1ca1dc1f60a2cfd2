"""Divisions: the divisor, and a quotient that does not fit (Intel SDM volume 2, DIV and IDIV)."""

from collections.abc import Mapping

from workbench.targets.dump import Dump
from workbench.targets.probes.x86 import FAMILY, Instruction


def divisor_register(insn: Instruction) -> str | None:
    """The register that holds the divisor of a division, if it is in one."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return None
    name = insn.operands[0].reg
    return FAMILY.get(name) if name is not None else None


def lines(
    core: Dump,
    insn: Instruction,
    registers: Mapping[str, int],
    segments: Mapping[str, int],
) -> list[str]:
    """The divisor, and what is wrong with the division; nothing for other instructions."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return []
    operand = insn.operands[0]
    size = operand.size
    divisor = _value(core, insn, registers, segments)
    if divisor is None or size not in (1, 2, 4, 8):
        return ["divisor not known"]
    name = operand.reg or "memory"
    found = [f"divisor {name} = {divisor:#x} ({size} bytes, {insn.mnemonic})"]
    if divisor == 0:
        return [*found, "division by zero"]
    dividend = _dividend(registers, size)
    if dividend is None:
        return found
    found.append(f"dividend = {dividend:#x} ({2 * size} bytes)")
    if not _fits(dividend, divisor, size, signed=insn.mnemonic == "idiv"):
        found.append(f"quotient overflow: the quotient does not fit into {size} bytes")
    return found


def _value(
    core: Dump,
    insn: Instruction,
    registers: Mapping[str, int],
    segments: Mapping[str, int],
) -> int | None:
    operand = insn.operands[0]
    mask = (1 << operand.size * 8) - 1
    if operand.reg is not None:
        value = registers.get(FAMILY.get(operand.reg, operand.reg))
        if value is None:
            return None
        return (value >> 8 if operand.reg.endswith("h") else value) & mask
    if operand.mem is None:
        return None
    address = insn.effective(operand.mem, registers, segments)
    raw = core.read(address, operand.size) if address is not None else None
    return None if raw is None else int.from_bytes(raw, "little")


def _dividend(registers: Mapping[str, int], size: int) -> int | None:
    low, high = registers.get("rax"), registers.get("rdx")
    if low is None or high is None:
        return None
    if size == 1:
        return low & 0xFFFF
    mask = (1 << size * 8) - 1
    return (high & mask) << size * 8 | low & mask


def _fits(dividend: int, divisor: int, size: int, *, signed: bool) -> bool:
    bits = size * 8
    if not signed:
        return dividend // divisor < 1 << bits
    if dividend >> (2 * bits - 1):
        dividend -= 1 << 2 * bits
    if divisor >> (bits - 1):
        divisor -= 1 << bits
    quotient = abs(dividend) // abs(divisor)
    if (dividend < 0) != (divisor < 0):
        quotient = -quotient
    return -(1 << bits - 1) <= quotient < 1 << bits - 1
