"""32-bit Arm, A32 and T32 (Arm Architecture Reference Manual ARMv7-A; AAPCS32)."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import capstone

from workbench.targets.probes.instruction import Instruction, Memory, number
from workbench.targets.probes.machines.base import Branch, Machine, Registers
from workbench.targets.probes.operands import Access, shown

_CONDITIONS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al"
_SINGLE = re.compile(rf"(ldr|str)(exb|exh|exd|ex|sb|sh|b|h|d)?t?(?:{_CONDITIONS})?")
_MANY = re.compile(rf"(v?)(ldm|stm|push|pop)(ia|ib|da|db)?(?:{_CONDITIONS})?(?:\.\d+)?")
_VECTOR = re.compile(rf"v(ldr|str|ld[1-4]|st[1-4])(?:{_CONDITIONS})?(?:\..*)?")
_SIZES = {"b": 1, "sb": 1, "exb": 1, "h": 2, "sh": 2, "exh": 2, "d": 8, "exd": 8}
_THUMB = 1 << 5  # the T bit of the status register


class Arm(Machine):
    """32-bit Arm, its code little-endian on every processor since ARMv6 (BE8). The lowest bit of a
    code pointer says that it leads to T32 code."""

    link = "lr"
    pops = True
    calls = (4, 2)
    step = 2
    others = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "r13": "sp", "r14": "lr"}
    volatile = frozenset({"r0", "r1", "r2", "r3", "r12", "lr"})
    effects = {
        "ldr": "load", **dict.fromkeys(("mov", "movs", "movw"), "set"),
        **dict.fromkeys(("add", "adds", "addw"), "add"),
        **dict.fromkeys(("sub", "subs", "subw"), "sub"),
    }  # fmt: skip
    keeps = ("cmp", "tst", "cmn", "teq", "b", "cb", "nop", "push", "vst", "it", "st")

    def engine(self) -> Any:
        return self._capstone(thumb=False)

    @cached_property
    def _short(self) -> Any:
        return self._capstone(thumb=True)

    def _capstone(self, *, thumb: bool) -> Any:
        mode = capstone.CS_MODE_THUMB if thumb else capstone.CS_MODE_ARM
        return capstone.Cs(capstone.CS_ARCH_ARM, mode)

    def decoder(self, values: Mapping[str, int]) -> Any:
        """By the T bit of cpsr."""
        return self._short if values.get("cpsr", 0) & _THUMB else self._decoder

    def returning_to(self, address: int, values: Mapping[str, int]) -> Mapping[str, int]:
        """By the lowest bit of the address."""
        status = values.get("cpsr", 0) & ~_THUMB
        return {**values, "cpsr": status | _THUMB if address & 1 else status}

    def plain(self, address: int) -> int:
        """Without the bit that says T32."""
        return address & self.mask & ~1

    def bare(self, raw: Instruction) -> str:
        """Without the width of the encoding."""
        return raw.mnemonic.removesuffix(".w").removesuffix(".n")

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        many = _MANY.fullmatch(self.bare(raw))
        return super().accesses(raw, registers) if many is None else _multiple(many, raw, registers)

    def how(self, raw: Instruction, place: int) -> str:
        match = _SINGLE.fullmatch(self.bare(raw)) or _VECTOR.fullmatch(self.bare(raw))
        return "" if match is None else "read" if match[1].startswith("ld") else "write"

    def size(self, raw: Instruction, place: int) -> int:
        single = _SINGLE.fullmatch(self.bare(raw))
        return _vector_size(raw.printed) if single is None else _SIZES.get(single[2] or "", 4)

    def held(self, raw: Instruction, name: str, mem: Memory, registers: Registers) -> int | None:
        """pc reads as what is fetched meanwhile."""
        value = registers.get(name)
        if name != "pc" or value is None:
            return value
        return (raw.address & ~3) + (4 if raw.size == 2 else 8)

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """bl, blx, bx, b, and every write to pc."""
        name, operands = self.bare(raw), raw.parts
        first = operands[0] if operands else ""
        fixed = number(first)
        bare = re.sub(rf"(?:{_CONDITIONS})$", "", name) if name not in ("bls", "bl") else "bl"
        if bare in ("bl", "blx", "bx", "b"):
            kind = "call" if bare in ("bl", "blx") else "jump"
            if fixed is not None:
                return Branch(kind, fixed)
            held = registers.name(first)
            value = registers.get(held)
            kind = "return" if bare == "bx" and held == "lr" else kind
            return Branch(kind, None if value is None else self.plain(value), held)
        if bare in ("pop", "ldm") and re.search(r"\bpc\b", raw.printed):
            return Branch("return", None, None)
        if bare == "mov" and first == "pc" and len(operands) == 2:
            held = registers.name(operands[1])
            value = registers.get(held)
            kind = "return" if held == "lr" else "jump"
            return Branch(kind, None if value is None else self.plain(value), held)
        if bare == "ldr" and first == "pc":
            found = self.accesses(raw, registers)
            return Branch("jump", None, None, found[0].address if found else None)
        return None

    def written(self, raw: Instruction) -> frozenset[str]:
        """The targets, and a base that is written back."""
        name = raw.mnemonic
        if name.startswith("push"):
            return frozenset({"sp"})
        found = set(super().written(raw))
        if name.startswith(("ldm", "pop")):
            found = set(re.findall(r"\w+", raw.printed))
        elif name.startswith("ldrd"):
            found |= set(raw.parts[:2])
        if not raw.printed.endswith("]") and not name.startswith(("vst", "ldm", "pop")):
            found |= {mem.base for _, mem in raw.memory if mem.base}
        return frozenset(self.others.get(item, item) for item in found)


def _multiple(match: re.Match[str], raw: Instruction, registers: Registers) -> list[Access]:
    """push, pop, ldm, stm and those of vectors: what lies lowest is touched first."""
    listed = re.search(r"\{([^}]*)\}", raw.printed)
    width = 4 if not match[1] or (listed and listed[1].strip().startswith("s")) else 8
    count = len(listed[1].split(",")) if listed else 1
    size = width * count
    stack = match[2] in ("push", "pop")
    base = "sp" if stack else registers.name(raw.parts[0].rstrip("!"))
    mode = {"push": "db", "pop": "ia"}.get(match[2], match[3] or "ia")
    offset = {"ia": 0, "ib": width, "db": -size, "da": width - size}[mode]
    how = "write" if match[2] in ("push", "stm") else "read"
    at = registers.sum(base, offset)
    return [
        Access(shown(Memory(base, disp=offset)), at, size, how, base, None, stack, moves=offset < 0)
    ]


def _vector_size(operands: str) -> int:
    listed = re.search(r"\{([^}]*)\}", operands)
    if listed is not None:
        return 8 * len(listed[1].split(","))
    return 4 if operands.startswith("s") else 8
