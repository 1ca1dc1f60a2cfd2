"""Power (Power ISA, books I and II; ELFv1 and ELFv2 ABI)."""

import re
from typing import Any

import capstone

from workbench.targets.probes.instruction import Instruction, Memory, number
from workbench.targets.probes.machines.base import Branch, Machine, Registers
from workbench.targets.probes.operands import Access, shown

_INDEXED = re.compile(r"(?:l|st)\w*x|lwarx|ldarx|stwcx\.|stdcx\.|l[bh]arx|st[bh]cx\.")
_LINE = 128  # bytes of a cache block on Power 4 and later


class Power(Machine):
    """64 and 32 bits. Register 0 as a base stands for zero."""

    link = "lr"
    sp = "r1"
    volatile = frozenset({"r0", "ctr", "lr"} | {f"r{n}" for n in range(3, 13)})
    effects = {
        **dict.fromkeys(("ld", "lwz", "lwa", "lhz", "lha", "lbz"), "load"),
        "mr": "set", "li": "set", "addi": "add",
    }  # fmt: skip
    extended = frozenset({"lwa", "lha"})
    keeps = ("st", "cmp", "b", "nop", "dcb", "tw", "td", "mt")

    def engine(self) -> Any:
        mode = capstone.CS_MODE_64 if self.bits == 64 else capstone.CS_MODE_32
        order = (
            capstone.CS_MODE_LITTLE_ENDIAN if self.little_endian else capstone.CS_MODE_BIG_ENDIAN
        )
        return capstone.Cs(capstone.CS_ARCH_PPC, mode + order)

    def plain(self, address: int) -> int:
        """Branches clear the two lowest bits."""
        return address & self.mask & ~3

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        """Displacement forms ``8(r4)`` and indexed forms ``lwzx r3, r4, r5``."""
        name, found = raw.mnemonic, super().accesses(raw, registers)
        indexed = _INDEXED.fullmatch(name) and len(raw.parts) >= 3
        if found or not (indexed or (name == "dcbz" and len(raw.parts) == 2)):
            return found
        multiple = 16 if name in ("lvx", "stvx", "lvxl", "stvxl") else 1
        size, how = (_LINE, "write") if name == "dcbz" else (_size(name), super().how(raw, 0))
        first, second = raw.parts[-2:]
        mem = Memory(second) if first in ("0", "r0") else Memory(first, second)
        at = self.address(raw, mem, registers)
        if at is not None:
            at -= at % (_LINE if name == "dcbz" else multiple)
        return [Access(shown(mem), at, size, how, mem.base, mem.index, moves=self.moves(raw))]

    def how(self, raw: Instruction, place: int) -> str:
        return super().how(raw, place) if raw.mnemonic.startswith(("l", "st")) else ""

    def size(self, raw: Instruction, place: int) -> int:
        """By the letters behind l or st; of several registers all."""
        if raw.mnemonic in ("lmw", "stmw"):
            return 4 * (32 - int(raw.parts[0].lstrip("r") or 0))
        return _size(raw.mnemonic)

    def moves(self, raw: Instruction) -> bool:
        """Updating forms."""
        return raw.mnemonic.endswith(("u", "ux"))

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """bl, bctrl, blr, bctr and their conditional forms."""
        name = raw.mnemonic.rstrip("+-")
        if name in ("b", "bl", "ba", "bla"):
            kind = "call" if "l" in name else "jump"
            return Branch(kind, number(raw.parts[-1]) if raw.parts else None)
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

    def written(self, raw: Instruction) -> frozenset[str]:
        """The first operand but of stores, compares and branches; the base of updating forms."""
        found = set(super().written(raw))
        if raw.mnemonic == "mtctr":
            found.add("ctr")
        if raw.mnemonic.rstrip("x").endswith("u"):
            found |= {mem.base for _, mem in raw.memory if mem.base}
        return frozenset(found)


def _size(name: str) -> int:
    """Bytes, by the letters behind l or st; vectors have 16."""
    rest = name.removeprefix("st").removeprefix("l")
    if rest.startswith(("vx", "xv", "vewx")) or name.startswith(("lxv", "stxv", "lv", "stv")):
        return 16
    for letters, size in (("fs", 4), ("fiw", 4), ("f", 8), ("b", 1), ("h", 2), ("w", 4)):
        if rest.startswith(letters):
            return size
    return 8
