"""Power (Power ISA, books I and II; ELFv1 and ELFv2 ABI)."""

import re
from typing import Any

import capstone
from msgspec.structs import replace

from workbench.targets.probes.machines.base import (
    Branch,
    Effect,
    Machine,
    Raw,
    Registers,
    number,
    split,
    written_out,
)
from workbench.targets.probes.operands import Access

_MEMORY = re.compile(r"(-?(?:0x[0-9a-f]+|\d+))\((r?\d+)\)")
_INDEXED = re.compile(r"(?:l|st)\w*x|lwarx|ldarx|stwcx\.|stdcx\.|l[bh]arx|st[bh]cx\.")
_LINE = 128  # bytes of a cache block on Power 4 and later


class Power(Machine):
    """64 and 32 bits. Register 0 as a base stands for zero."""

    link = "lr"
    sp = "r1"
    volatile = frozenset({"r0", "ctr", "lr"} | {f"r{n}" for n in range(3, 13)})

    def engine(self) -> Any:
        """capstone's decoder."""
        mode = capstone.CS_MODE_64 if self.bits == 64 else capstone.CS_MODE_32
        order = (
            capstone.CS_MODE_LITTLE_ENDIAN if self.little_endian else capstone.CS_MODE_BIG_ENDIAN
        )
        return capstone.Cs(capstone.CS_ARCH_PPC, mode + order)

    def plain(self, address: int) -> int:
        """Branches clear the two lowest bits."""
        return address & self.mask & ~3

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """Displacement forms ``8(r4)`` and indexed forms ``lwzx r3, r4, r5``."""
        name, operands = raw.mnemonic, split(raw.operands)
        match = _MEMORY.search(raw.operands)
        how = "write" if name.startswith("st") or name == "dcbz" else "read"
        if match is not None and name.startswith(("l", "st")):
            base = _base(match[2])
            offset, size = number(match[1]) or 0, _size(name)
            if name in ("lmw", "stmw"):
                size = 4 * (32 - int(operands[0].lstrip("r") or 0))
            at = registers.sum(base, offset) if base else offset & self.mask
            moves = name.endswith("u")
            return [Access(written_out(base, offset), at, size, how, base, None, moves=moves)]
        if name == "dcbz" and len(operands) == 2:
            return [self._indexed(operands, registers, _LINE, how, _LINE)]
        if _INDEXED.fullmatch(name) and len(operands) >= 3:
            mask = 16 if name in ("lvx", "stvx", "lvxl", "stvxl") else 1
            found = self._indexed(operands, registers, _size(name), how, mask)
            return [replace(found, moves=name.endswith("ux"))]
        return []

    def _indexed(
        self, operands: list[str], registers: Registers, size: int, how: str, multiple: int
    ) -> Access:
        base, index = _base(operands[-2]), operands[-1]
        distance = registers.get(index)
        at = distance if base is None or distance is None else registers.sum(base, distance)
        if at is not None:
            at -= at % multiple
        if base is None:
            return Access(f"[{index}]", at, size, how, index, None)
        return Access(written_out(base, 0, index), at, size, how, base, index)

    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """bl, bctrl, blr, bctr and their conditional forms."""
        name = raw.mnemonic.rstrip("+-")
        if name in ("b", "bl", "ba", "bla"):
            kind = "call" if "l" in name else "jump"
            operands = split(raw.operands)
            return Branch(kind, number(operands[-1]) if operands else None)
        for ending, kind, held in (
            ("ctrl", "call", "ctr"),
            ("lrl", "call", "lr"),
            ("ctr", "jump", "ctr"),
            ("lr", "return", "lr"),
        ):
            if name.startswith("b") and name.endswith(ending):
                value = registers.get(held)
                # lrl overwrites the register that it went by.
                known = value is not None and ending != "lrl"
                return Branch(kind, self.plain(value or 0) if known else None, held)
        return None

    def effect(self, raw: Raw) -> Effect | None:
        """Loads by displacement, mr, li and addi."""
        name, operands = raw.mnemonic, split(raw.operands)
        if len(operands) < 2:
            return None
        match = _MEMORY.fullmatch(operands[1])
        if match is not None and name in ("ld", "lwz", "lwa", "lhz", "lha", "lbz"):
            base = _base(match[2])
            offset = number(match[1]) or 0
            return Effect(operands[0], "load", base, offset, _size(name), name in ("lwa", "lha"))
        if name == "mr":
            return Effect(operands[0], "move", operands[1])
        amount = number(operands[-1])
        if name == "li" and amount is not None:
            return Effect(operands[0], "constant", None, amount)
        if name == "addi" and amount is not None and len(operands) == 3:
            return Effect(operands[0], "move", operands[1], amount)
        return None

    def written(self, raw: Raw) -> frozenset[str]:
        """The first operand but of stores, compares and branches; the base of updating forms."""
        name = raw.mnemonic
        found: set[str] = set()
        if not name.startswith(("st", "cmp", "b", "nop", "dcb", "tw", "td", "mt")):
            found |= super().written(raw)
        if name == "mtctr":
            found.add("ctr")
        match = _MEMORY.search(raw.operands)
        if match is not None and name.rstrip("x").endswith("u"):
            found.add(match[2])
        return frozenset(found)


def _base(name: str) -> str | None:
    return None if name in ("0", "r0") else name if name.startswith("r") else f"r{name}"


def _size(name: str) -> int:
    """Bytes, by the letters behind l or st; vectors have 16."""
    rest = name.removeprefix("st").removeprefix("l")
    if rest.startswith(("vx", "xv", "vewx")) or name.startswith(("lxv", "stxv", "lv", "stv")):
        return 16
    for letters, size in (("fs", 4), ("fiw", 4), ("f", 8), ("b", 1), ("h", 2), ("w", 4)):
        if rest.startswith(letters):
            return size
    return 8


def make(bits: int, little_endian: bool) -> Machine:
    """Either width and byte order."""
    return Power(bits, little_endian)
