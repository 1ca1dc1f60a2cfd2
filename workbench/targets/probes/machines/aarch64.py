"""AArch64 (Arm Architecture Reference Manual, C6 and C7; AAPCS64)."""

import re
from typing import Any

import capstone

from workbench.targets.probes.machines.base import (
    Branch,
    Effect,
    Machine,
    Raw,
    Registers,
    number,
    signed,
    split,
    written_out,
)
from workbench.targets.probes.operands import Access

_MEMORY = re.compile(r"\[(\w+)(?:, ([^\]]*))?\]")
_INDEX = re.compile(r"(\w+)(?:, (lsl|sxtw|uxtw|sxtx)(?: #(\d+))?)?")
_SIZES = {"w": 4, "x": 8, "q": 16, "d": 8, "s": 4, "h": 2, "b": 1}
_ATOMIC = ("cas", "swp", "ldadd", "ldclr", "ldeor", "ldset", "ldsmax", "ldsmin", "ldumax",
           "ldumin", "stadd", "stclr", "steor", "stset", "stsmax", "stsmin", "stumax",
           "stumin")  # fmt: skip
_ZEROED = 64  # DCZID_EL0 is 4 on the processors in use: 16 words
_PLACES = (1 << 48) - 1


class Aarch64(Machine):
    """64-bit Arm. Upper bits of a code pointer may hold a signature (PAC)."""

    link = "x30"
    zero = "xzr"
    others = {"fp": "x29", "lr": "x30"} | {f"w{n}": f"x{n}" for n in range(31)}
    volatile = frozenset({f"x{n}" for n in range(19)} | {"x30"})

    def engine(self) -> Any:
        """capstone's decoder; the constant's name changed in its version 6."""
        arch = getattr(capstone, "CS_ARCH_ARM64", None) or capstone.CS_ARCH_AARCH64
        return capstone.Cs(arch, capstone.CS_MODE_LITTLE_ENDIAN)

    def plain(self, address: int) -> int:
        """Without a signature."""
        return address & _PLACES if not address >> 63 else address & self.mask

    def same(self, one: int, other: int) -> bool:
        """A branch takes a tag out of the upper byte, and the kernel of the dump's pc."""
        return (one ^ other) & _PLACES == 0

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """Loads, stores, atomics, and the zeroing of a cache line."""
        operands = split(raw.operands)
        if raw.mnemonic == "dc" and operands[:1] == ["zva"] and len(operands) == 2:
            value = registers.get(operands[1])
            at = None if value is None else value - value % _ZEROED
            base = registers.name(operands[1])
            return [Access(f"[{base}]", at, _ZEROED, "write", base, None)]
        at = next((n for n, text in enumerate(operands) if text.startswith("[")), None)
        match = _MEMORY.match(operands[at]) if at is not None else None
        if at is None or match is None or raw.mnemonic.startswith("prf"):
            return []
        base, rest = registers.name(match[1]), match[2] or ""
        size, how = _size(raw.mnemonic, operands[:at]), _how(raw.mnemonic)
        offset = number(rest) if rest else 0
        if offset is not None:
            where, moves = registers.sum(base, offset), raw.operands.endswith("]!")
            shown = written_out(base, offset)
            return [Access(shown, where, size, how, base, None, moves=moves)]
        indexed = _INDEX.fullmatch(rest)
        if indexed is None:
            return [Access(operands[at], None, size, how, base, None)]
        index, scale = indexed[1], 1 << int(indexed[3] or 0)
        value = registers.get(index)
        if value is not None and index.startswith("w"):
            value = signed(value, 32) if indexed[2] == "sxtw" else value & 0xFFFFFFFF
        where = None if value is None else registers.sum(base, value * scale)
        shown = written_out(base, 0, index, scale)
        return [Access(shown, where, size, how, base, registers.name(index), False, scale)]

    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """bl, blr, br, ret, b, and their variants that check a signature."""
        name, operands = raw.mnemonic, split(raw.operands)
        first = operands[0] if operands else ""
        if name.startswith("ret"):
            held = registers.name(first or "x30")
            return Branch("return", registers.get(held), held)
        if name in ("bl", "b"):
            return Branch("call" if name == "bl" else "jump", number(first))
        if name.startswith(("blr", "br")) and name != "brk":
            held = registers.name(first)
            return Branch("call" if name.startswith("blr") else "jump", registers.get(held), held)
        return None

    def effect(self, raw: Raw) -> Effect | None:
        """ldr, mov and add of whole registers."""
        operands = split(raw.operands)
        if len(operands) < 2:
            return None
        target = self.others.get(operands[0], operands[0])
        if raw.mnemonic in ("ldr", "ldur") and operands[0][0] in "xwl":
            match = _MEMORY.fullmatch(operands[1])
            offset = number(match[2]) if match and match[2] else 0
            if match is None or offset is None or len(operands) > 2:
                return None
            base = self.others.get(match[1], match[1])
            return Effect(target, "load", base, offset, _SIZES.get(operands[0][0], 8))
        if raw.mnemonic == "mov":
            fixed = number(operands[1])
            if fixed is not None or operands[1] in ("xzr", "wzr"):
                return Effect(target, "constant", None, fixed or 0)
            return Effect(target, "move", self.others.get(operands[1], operands[1]))
        if raw.mnemonic == "movk":  # sets sixteen bits that movz had cleared
            part, shift = number(operands[1]), operands[-1].rpartition("#")[2]
            if part is None or (len(operands) > 2 and not shift.isdigit()):
                return None
            return Effect(target, "move", target, part << (int(shift) if len(operands) > 2 else 0))
        if raw.mnemonic in ("add", "sub") and len(operands) == 3:
            amount = number(operands[2])
            if amount is not None:
                base = self.others.get(operands[1], operands[1])
                return Effect(target, "move", base, -amount if raw.mnemonic == "sub" else amount)
        return None

    def written(self, raw: Raw) -> frozenset[str]:
        """The target, the second of a pair, and a base that is written back."""
        if raw.mnemonic.startswith(("cmp", "tst", "b", "cb", "tb", "ret", "nop", "dmb", "isb")):
            return frozenset()
        operands = split(raw.operands)
        count = 0 if raw.mnemonic.startswith("st") else 2 if raw.mnemonic.startswith("ldp") else 1
        found = {self.others.get(name, name) for name in operands[:count]}
        match = _MEMORY.search(raw.operands)
        if match and (raw.operands.endswith("!") or not raw.operands.endswith("]")):
            found.add(self.others.get(match[1], match[1]))
        return frozenset(found)


def _size(name: str, data: list[str]) -> int:
    """Bytes: by the mnemonic's ending, else by the register that is loaded or stored."""
    if name.startswith(("ld1", "ld2", "ld3", "ld4", "st1", "st2", "st3", "st4")):
        return sum(8 if part.rstrip("}").endswith(("8b", "4h", "2s", "1d")) else 16
                   for part in ",".join(data).split(","))  # fmt: skip
    if name.endswith("sw"):
        one = 4
    elif name.endswith("b") and not name.endswith("stlxrb1"):
        one = 1
    elif name.endswith("h") and name not in ("sqrdmlah",):
        one = 2
    else:
        status = name.startswith(("stxr", "stlxr", "stxp", "stlxp"))
        register = data[1] if status and len(data) > 1 else data[0] if data else "x"
        one = 8 if register in ("fp", "lr", "xzr") else _SIZES.get(register[:1], 8)
    pair = name.startswith(("ldp", "stp", "ldnp", "stnp", "ldxp", "stxp", "ldaxp", "stlxp"))
    return 2 * one if pair else one


def _how(name: str) -> str:
    if name.startswith(_ATOMIC):
        return "read and write"
    return "write" if name.startswith("st") else "read"


def make(bits: int, little_endian: bool) -> Machine:
    """Code is little-endian whatever the data is."""
    return Aarch64(bits, little_endian)
