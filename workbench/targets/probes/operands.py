"""What an instruction touches in memory, implicit operands included."""

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.dump import Dump
from workbench.targets.probes.x86 import FAMILY, MASK, Instruction, Memory

_STRINGS = ("movs", "stos", "lods", "cmps", "scas", "outs", "ins")
_NO_ACCESS = ("lea", "nop", "prefetch", "endbr", "bnd")


class Access(Struct, frozen=True):
    """One access. ``shown`` is the operand as written, ``address`` what it comes to, or None when
    a register is not known; ``how``: read | write | read and write. ``moves``: the base register
    takes the address on, before the access."""

    shown: str
    address: int | None
    size: int
    how: str
    base: str | None
    index: str | None
    implicit: bool = False
    scale: int = 1
    moves: bool = False


def accesses(insn: Instruction, registers: Mapping[str, int]) -> list[Access]:
    """Every access to memory that an instruction makes, in operand order; of a repeated string
    instruction the next one to come, which is the one that faults."""
    name = insn.mnemonic.split()[-1]
    if name.startswith(_NO_ACCESS):
        return []
    found = []
    for position, operand in enumerate(insn.operands):
        if operand.mem is None:
            continue
        how = _how(operand.reads, operand.writes, name, position)
        found.append(
            Access(
                shown(operand.mem),
                insn.effective(operand.mem, registers),
                operand.size,
                how,
                operand.mem.base,
                operand.mem.index,
                _is_string(insn, name),
                operand.mem.scale,
            )
        )
    return found + _stack_access(insn, name, registers)


def _is_string(insn: Instruction, name: str) -> bool:
    """True for movs, stos and their kin, whose operands are not chosen: rsi and rdi."""
    if name[:-1] not in _STRINGS or name[-1] not in "bwdq":
        return False
    return all(
        operand.mem is not None or (operand.reg or "") in ("al", "ax", "eax", "rax", "dx")
        for operand in insn.operands
    )


def _how(reads: bool, writes: bool, name: str, position: int) -> str:
    if reads and writes:
        return "read and write"
    if position == 0 and name.startswith(("mov", "vmov")):
        return "write"  # capstone calls some of AVX's stores loads
    if writes:
        return "write"
    if reads or position > 0:
        return "read"
    return "write" if name.startswith(("mov", "vmov", "set", "fst", "fist", "stos")) else "read"


def _stack_access(insn: Instruction, name: str, registers: Mapping[str, int]) -> list[Access]:
    pointer = registers.get("rsp")
    if name.startswith("push") or insn.is_call or name == "enter":
        address = None if pointer is None else (pointer - 8) & MASK
        return [Access("[rsp - 8]", address, 8, "write", "rsp", None, True)]
    if name.startswith("pop") or insn.is_return:
        return [Access("[rsp]", pointer, 8, "read", "rsp", None, True)]
    if name == "leave":
        return [Access("[rbp]", registers.get("rbp"), 8, "read", "rbp", None, True)]
    return []


def shown(mem: Memory) -> str:
    """An operand in one spelling for all processors: ``[x1 + x2*8 + 0x10]``."""
    text = mem.base or ""
    if mem.index:
        index = f"{mem.index}*{abs(mem.scale)}" if abs(mem.scale) != 1 else mem.index
        text = f"{text}{' - ' if mem.scale < 0 else ' + '}{index}" if text else index
    if mem.disp or not text:
        sign = " - " if mem.disp < 0 else " + "
        text = f"{text}{sign}{abs(mem.disp):#x}" if text else f"{mem.disp & MASK:#x}"
    return f"{mem.segment}:[{text}]" if mem.segment in ("fs", "gs") else f"[{text}]"


# Divisions: the divisor, and a quotient that does not fit (Intel SDM volume 2, DIV and IDIV).
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


def division_lines(core: Dump, insn: Instruction, registers: Mapping[str, int]) -> list[str]:
    """The divisor, and what is wrong with the division; nothing for other instructions."""
    if insn.mnemonic not in ("div", "idiv") or not insn.operands:
        return []
    operand = insn.operands[0]
    known = operand.size in (1, 2, 4, 8)
    divisor = _value(core, insn, registers) if known else None
    division = Division(operand.reg or "memory", divisor, operand.size)
    pair = registers.get("rax"), registers.get("rdx")
    return told_division(by_pair(division, pair, signed=insn.mnemonic == "idiv"), insn.mnemonic)


def told_division(division: Division | None, mnemonic: str) -> list[str]:
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
