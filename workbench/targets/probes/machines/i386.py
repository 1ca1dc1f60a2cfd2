"""32-bit x86 (Intel SDM volume 2)."""

import re
from typing import Any

import capstone

from workbench.targets.probes.machines.base import (
    Branch,
    Division,
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

_MEMORY = re.compile(r"(?:(\w+) ptr )?(?:(\w\w):)?\[([^\]]+)\]")
_SIZES = {"byte": 1, "word": 2, "dword": 4, "qword": 8, "tbyte": 10, "xmmword": 16, "ymmword": 32,
          "zmmword": 64, "fword": 6}  # fmt: skip
_NO_ACCESS = ("lea", "nop", "prefetch", "endbr", "bnd")
_WRITES = ("mov", "vmov", "set", "stos", "fst", "fist", "movs", "pop", "cmov", "fnst", "ins")
_READS = ("cmp", "test", "push", "call", "jmp", "bt", "div", "idiv", "mul", "imul", "fld", "fild",
          "fadd", "fmul", "fsub", "fdiv", "ucomi", "comi", "lods", "scas", "outs", "ld",
          "cmps")  # fmt: skip
_PARTS = {name: f"e{name}" for name in ("ax", "bx", "cx", "dx", "si", "di", "bp", "sp")} | {
    f"{letter}{part}": f"e{letter}x" for letter in "abcd" for part in "lh"
}


class I386(Machine):
    """IA-32. Data segments start at 0, but fs and gs, whose base the notes do not give."""

    sp = "esp"
    pops = True
    calls = (5, 2, 3, 6, 7)
    longest = 16
    step = 1
    others = _PARTS
    volatile = frozenset({"eax", "ecx", "edx"})

    def engine(self) -> Any:
        """capstone's decoder."""
        return capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """Every operand in memory, then what the stack instructions touch."""
        name = raw.mnemonic.split()[-1]
        if name.startswith(_NO_ACCESS):
            return []
        found = []
        for place, text in enumerate(split(raw.operands)):
            match = _MEMORY.search(text)
            if match is not None:
                found.append(self._operand(name, place, match, registers))
        return found + self._stack(name, registers)

    def _operand(self, name: str, place: int, match: re.Match[str], registers: Registers) -> Access:
        base, index, scale, offset = _terms(match[3])
        size = _SIZES.get(match[1] or "", 4)
        at: int | None = offset
        for register, times in ((base, 1), (index, scale)):
            value = registers.get(register) if register is not None else 0
            at = None if at is None or value is None else at + value * times
        known = at is not None and match[2] not in ("fs", "gs")
        shown = written_out(base, offset, index, scale)
        if match[2] in ("fs", "gs"):
            shown = f"{match[2]}:{shown}"
        where = (at or 0) & self.mask if known else None
        return Access(shown, where, size, _how(name, place), base, index, False, scale)

    def _stack(self, name: str, registers: Registers) -> list[Access]:
        if name.startswith("push") or name == "call":
            return [Access("[esp - 4]", registers.sum("esp", -4), 4, "write", "esp", None, True)]
        if name.startswith(("pop", "ret")):
            return [Access("[esp]", registers.get("esp"), 4, "read", "esp", None, True)]
        if name == "leave":
            return [Access("[ebp]", registers.get("ebp"), 4, "read", "ebp", None, True)]
        return []

    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """call, jmp and ret; the target in memory is left as its cell."""
        name = raw.mnemonic.split()[-1]
        if name.startswith("ret"):
            return Branch("return", None, None, registers.get("esp"))
        if name not in ("call", "jmp"):
            return None
        kind = "call" if name == "call" else "jump"
        fixed = number(raw.operands)
        if fixed is not None:
            return Branch(kind, fixed & self.mask)
        match = _MEMORY.search(raw.operands)
        if match is not None:
            return Branch(kind, None, None, self._operand(name, 0, match, registers).address)
        held = registers.name(raw.operands)
        return Branch(kind, registers.get(held), held)

    def division(self, raw: Raw, registers: Registers) -> Division | None:
        """The divisor of div and idiv in a register, and whether the quotient fits; a divisor in
        memory has no value yet."""
        if raw.mnemonic not in ("div", "idiv"):
            return None
        match = _MEMORY.search(raw.operands)
        if match is not None:
            return Division("memory", None, _SIZES.get(match[1] or "", 4))
        name = raw.operands.strip()
        size = 4 if name.startswith("e") else 2 if name.endswith(("x", "i", "p")) else 1
        held, mask = registers.get(name), (1 << 8 * size) - 1
        if held is None:
            return Division(name, None, size)
        value = (held >> 8 if name.endswith("h") else held) & mask
        return self.divided(raw, registers, Division(name, value, size))

    def divided(self, raw: Raw, registers: Registers, division: Division) -> Division:
        """edx:eax by a divisor that is known."""
        name, value, size = division.shown, division.value, division.size
        mask = (1 << 8 * size) - 1
        low, high = registers.get("eax"), registers.get("edx")
        if size == 1 or low is None or high is None or not value:
            return Division(name, value, size)
        dividend = (high & mask) << 8 * size | low & mask
        bits = 8 * size
        if raw.mnemonic == "div":
            return Division(name, value, size, dividend, dividend // value > mask)
        whole, part = signed(dividend, 2 * bits), signed(value, bits)
        quotient = abs(whole) // abs(part) * (-1 if (whole < 0) != (part < 0) else 1)
        fits = -(1 << bits - 1) <= quotient < 1 << bits - 1
        return Division(name, value, size, dividend, not fits)

    def effect(self, raw: Raw) -> Effect | None:
        """mov and lea of whole registers, and numbers that are added."""
        operands = split(raw.operands)
        added = number(operands[1]) if len(operands) == 2 else None
        if raw.mnemonic in ("add", "sub") and len(operands[0]) == 3 and added is not None:
            sign = -1 if raw.mnemonic == "sub" else 1
            return Effect(operands[0], "move", operands[0], sign * added)
        if raw.mnemonic not in ("mov", "lea") or len(operands) != 2 or len(operands[0]) != 3:
            return None
        target, fixed, match = operands[0], number(operands[1]), _MEMORY.search(operands[1])
        if match is not None:
            base, index, _, offset = _terms(match[3])
            if index is not None or match[2] in ("fs", "gs"):
                return None
            kind = "load" if raw.mnemonic == "mov" else "move"
            return Effect(target, kind, base, offset, 4)
        if fixed is not None:
            return Effect(target, "constant", None, fixed)
        return Effect(target, "move", operands[1])

    def written(self, raw: Raw) -> frozenset[str]:
        """The first operand where it is a register, and the stack pointer."""
        name = raw.mnemonic.split()[-1]
        found = {"esp"} if name.startswith(("push", "pop", "leave", "call", "ret")) else set()
        if (
            name.startswith(("cmp", "test", "push", "j", "nop"))
            or "[" in raw.operands.split(",")[0]
        ):
            return frozenset(found)
        if name.startswith(("div", "idiv", "mul", "cdq")):
            found |= {"eax", "edx"}
        return frozenset(found | super().written(raw))


def _terms(text: str) -> tuple[str | None, str | None, int, int]:
    """Base, index, scale and displacement of ``eax + ecx*4 - 8``."""
    base = index = None
    scale, offset, sign = 1, 0, 1
    for term in text.replace(" - ", " + -").split(" + "):
        value = number(term)
        if value is not None:
            offset += sign * value
        elif "*" in term:
            index, _, times = term.partition("*")
            scale = number(times) or 1
        elif base is None:
            base = term
        else:
            index = term
    return base, index, scale, offset


def _how(name: str, place: int) -> str:
    if place > 0:
        return "read and write" if name.startswith("xchg") else "read"
    if name.startswith(_WRITES) and not name.startswith("movbe"):
        return "write"
    return "read" if name.startswith(_READS) else "read and write"


def make(bits: int, little_endian: bool) -> Machine:
    """IA-32."""
    return I386(bits, little_endian)
