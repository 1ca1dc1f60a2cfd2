"""32-bit Arm, A32 and T32 (Arm Architecture Reference Manual ARMv7-A; AAPCS32)."""

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import capstone

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

_CONDITIONS = "eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al"
_SINGLE = re.compile(rf"(ldr|str)(exb|exh|exd|ex|sb|sh|b|h|d)?t?(?:{_CONDITIONS})?")
_MANY = re.compile(rf"(v?)(ldm|stm|push|pop)(ia|ib|da|db)?(?:{_CONDITIONS})?(?:\.\d+)?")
_VECTOR = re.compile(rf"v(ldr|str|ld[1-4]|st[1-4])(?:{_CONDITIONS})?(?:\..*)?")
_MEMORY = re.compile(r"\[(\w+)(?::\d+)?(?:, ([^\]]*))?\]")
_INDEX = re.compile(r"(-?)(\w+)(?:, lsl #(\w+))?")
_SIZES = {"b": 1, "sb": 1, "exb": 1, "h": 2, "sh": 2, "exh": 2, "d": 8, "exd": 8}
_THUMB = 1 << 5  # the T bit of the status register


class Arm(Machine):
    """32-bit Arm. The lowest bit of a code pointer says that it leads to T32 code."""

    link = "lr"
    pops = True
    calls = (4, 2)
    step = 2
    others = {"sb": "r9", "sl": "r10", "fp": "r11", "ip": "r12", "r13": "sp", "r14": "lr"}
    volatile = frozenset({"r0", "r1", "r2", "r3", "r12", "lr"})

    def engine(self) -> Any:
        """A32."""
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

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """Single, multiple and vector loads and stores."""
        name = raw.mnemonic.removesuffix(".w").removesuffix(".n")
        many = _MANY.fullmatch(name)
        if many is not None:
            return _multiple(many, raw.operands, registers)
        single, vector = _SINGLE.fullmatch(name), _VECTOR.fullmatch(name)
        match = _MEMORY.search(raw.operands)
        if match is None or (single is None and vector is None):
            return []
        load = (single or vector or [""])[1]
        how = "read" if load.startswith("ld") else "write"
        size = _SIZES.get(single[2] or "", 4) if single else _vector_size(raw.operands)
        base, rest = registers.name(match[1]), match[2] or ""
        value = registers.get(base)
        if base == "pc" and value is not None:
            value = (raw.address & ~3) + (4 if raw.size == 2 else 8)
        offset = number(rest) if rest else 0
        if offset is not None:
            at = None if value is None else (value + offset) & self.mask
            moves, shown = raw.operands.endswith("]!"), written_out(base, offset)
            return [Access(shown, at, size, how, base, None, moves=moves)]
        indexed = _INDEX.fullmatch(rest)
        distance = registers.get(indexed[2]) if indexed else None
        if indexed is None:
            return [Access(match[0], None, size, how, base, None)]
        scale = 1 << (number(indexed[3] or "0") or 0)
        at = None
        if value is not None and distance is not None:
            at = (value + distance * scale * (-1 if indexed[1] else 1)) & self.mask
        index = registers.name(indexed[2])
        return [Access(match[0], at, size, how, base, index, False, scale)]

    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """bl, blx, bx, b, and every write to pc."""
        name = raw.mnemonic.removesuffix(".w").removesuffix(".n")
        operands = split(raw.operands)
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
        if bare in ("pop", "ldm") and re.search(r"\bpc\b", raw.operands):
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

    def effect(self, raw: Raw) -> Effect | None:
        """ldr, mov and add."""
        name, operands = raw.mnemonic.removesuffix(".w"), split(raw.operands)
        if len(operands) < 2:
            return None
        target = self.others.get(operands[0], operands[0])
        match = _MEMORY.fullmatch(operands[1])
        if name == "ldr" and match is not None and len(operands) == 2 and match[1] != "pc":
            offset = number(match[2]) if match[2] else 0
            base = self.others.get(match[1], match[1])
            return None if offset is None else Effect(target, "load", base, offset, 4)
        fixed = number(operands[-1])
        if name in ("mov", "movs", "movw") and len(operands) == 2:
            if fixed is not None:
                return Effect(target, "constant", None, fixed)
            return Effect(target, "move", self.others.get(operands[1], operands[1]))
        if name in ("add", "adds", "sub", "subs", "addw", "subw") and fixed is not None:
            base = operands[1] if len(operands) == 3 else operands[0]
            amount = -fixed if name.startswith("sub") else fixed
            return Effect(target, "move", self.others.get(base, base), amount)
        return None

    def written(self, raw: Raw) -> frozenset[str]:
        """The targets, and a base that is written back."""
        name = raw.mnemonic
        if name.startswith(("cmp", "tst", "cmn", "teq", "b", "cb", "nop", "push", "vst", "it")):
            return frozenset({"sp"} if name.startswith("push") else ())
        if name.startswith(("ldm", "pop")):
            listed = re.findall(r"\w+", raw.operands)
            return frozenset(self.others.get(item, item) for item in listed)
        found = set() if name.startswith("st") else set(super().written(raw))
        if name.startswith("ldrd"):
            found |= {self.others.get(item, item) for item in split(raw.operands)[:2]}
        match = _MEMORY.search(raw.operands)
        if match is not None and not raw.operands.endswith("]"):
            found.add(self.others.get(match[1], match[1]))
        return frozenset(found)


def _multiple(match: re.Match[str], operands: str, registers: Registers) -> list[Access]:
    """push, pop, ldm, stm and those of vectors: what lies lowest is touched first."""
    listed = re.search(r"\{([^}]*)\}", operands)
    width = 4 if not match[1] or (listed and listed[1].strip().startswith("s")) else 8
    count = len(listed[1].split(",")) if listed else 1
    size = width * count
    stack = match[2] in ("push", "pop")
    base = "sp" if stack else registers.name(split(operands)[0].rstrip("!"))
    mode = {"push": "db", "pop": "ia"}.get(match[2], match[3] or "ia")
    offset = {"ia": 0, "ib": width, "db": -size, "da": width - size}[mode]
    how = "write" if match[2] in ("push", "stm") else "read"
    at = registers.sum(base, offset)
    return [Access(written_out(base, offset), at, size, how, base, None, stack, moves=offset < 0)]


def _vector_size(operands: str) -> int:
    listed = re.search(r"\{([^}]*)\}", operands)
    if listed is not None:
        return 8 * len(listed[1].split(","))
    return 4 if operands.startswith("s") else 8


def make(bits: int, little_endian: bool) -> Machine:
    """Code is little-endian on every processor since ARMv6 (BE8)."""
    return Arm(bits, little_endian)
