"""z/Architecture (IBM z/Architecture Principles of Operation, SA22-7832)."""

import re
from typing import Any

import capstone

from workbench.targets.probes.instruction import Instruction, Memory, number
from workbench.targets.probes.machines.base import Branch, Machine, Registers
from workbench.targets.probes.operands import Access, Division, shown

# Addresses that are only computed, shifts, and branches (their operand looks like memory).
_NO_ACCESS = re.compile(r"lay?|larl|pfd|s[lr][al]\w*|s[lr]d[al]|rllg?|b\w*|exr?l?")
_BOTH = ("xc", "oc", "nc", "asi", "agsi", "alsi", "algsi", "ni", "oi", "xi", "niy", "oiy", "xiy",
         "cs", "csy", "csg", "cds", "cdsy", "cdsg", "laa", "laag", "lao", "laog")  # fmt: skip
_MOVED_IN = {"mvhi": 4, "mvghi": 8, "mvhhi": 2, "mvi": 1, "mviy": 1}
_SIZES = {
    "l": 4, "ly": 4, "lt": 4, "st": 4, "sty": 4, "c": 4, "cl": 4, "a": 4, "s": 4, "n": 4, "o": 4,
    "x": 4, "lgf": 4, "llgf": 4, "ltgf": 4, "lgh": 2, "lh": 2, "lhy": 2, "llh": 2, "llgh": 2,
    "sth": 2, "sthy": 2, "ch": 2, "ah": 2, "mvhhi": 2, "ic": 1, "icy": 1, "stc": 1, "stcy": 1,
    "llc": 1, "llgc": 1, "lb": 1, "lgb": 1, "mvi": 1, "mviy": 1, "cli": 1, "cliy": 1, "tm": 1,
    "tmy": 1, "ni": 1, "oi": 1, "xi": 1, "le": 4, "ley": 4, "ste": 4, "stey": 4, "mvhi": 4,
    "asi": 4, "chsi": 4, "clfhsi": 4, "chhsi": 2, "clhhsi": 2, "vl": 16, "vst": 16, "d": 4,
    "dl": 4, "dsgf": 4, "m": 4, "ms": 4, "cs": 4, "csy": 4,
}  # fmt: skip
_DIVIDE = {"d": 4, "dr": 4, "dl": 4, "dlr": 4, "dsgf": 4, "dsgfr": 4, "dsg": 8, "dsgr": 8,
           "dlg": 8, "dlgr": 8}  # fmt: skip
# Registers that name memory by themselves: (register's place, how).
_STRINGS = {
    "srst": ((1, "read"),), "clst": ((0, "read"), (1, "read")), "mvst": ((1, "read"), (0, "write")),
    "mvcl": ((1, "read"), (0, "write")), "mvcle": ((1, "read"), (0, "write")),
    "clcl": ((0, "read"), (1, "read")), "clcle": ((0, "read"), (1, "read")),
}  # fmt: skip
_ILL, _TRAP, _FPE = 4, 5, 8


class S390x(Machine):
    """64-bit z. Register 0 as a base or index stands for zero."""

    link = "r14"
    sp = "r15"
    calls = (6, 2, 4)
    longest = 6
    step = 2
    volatile = frozenset({f"r{n}" for n in range(6)} | {"r14"})
    others = {f"%r{n}": f"r{n}" for n in range(16)}
    effects = {
        **dict.fromkeys(("lg", "llgf", "lgf"), "load"), **dict.fromkeys(("la", "lay"), "address"),
        **dict.fromkeys(("lgr", "lghi", "lhi"), "set"),
    }  # fmt: skip
    extended = frozenset({"lgf"})

    def engine(self) -> Any:
        """capstone's decoder; the constant's name changed in its version 6."""
        arch = getattr(capstone, "CS_ARCH_SYSZ", None) or capstone.CS_ARCH_SYSTEMZ
        return capstone.Cs(arch, capstone.CS_MODE_BIG_ENDIAN)

    def behind(self, signal: int) -> bool:
        """An operation that is suppressed or completed leaves the address behind it in the PSW,
        an access that is refused its own ("Program Interruption")."""
        return signal in (_ILL, _TRAP, _FPE)

    def length(self, first: int) -> int | None:
        """The two highest bits tell ("Instruction Formats")."""
        return (2, 4, 4, 6)[first >> 6]

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        """Base, index and displacement; for two operands in memory both, the source first."""
        if raw.mnemonic in _STRINGS:
            return self._strings(raw.mnemonic, raw.parts, registers)
        return super().accesses(raw, registers)[::-1]

    def how(self, raw: Instruction, place: int) -> str:
        name = raw.mnemonic
        if _NO_ACCESS.fullmatch(name):
            return ""
        if name in _BOTH:
            both = place == 0 or name.startswith(("cs", "cds", "la"))
            return "read and write" if both else "read"
        moved = name in _MOVED_IN or (name.startswith("mv") and place == 0)
        return "write" if moved or name.startswith(("st", "vst")) else "read"

    def size(self, raw: Instruction, place: int) -> int:
        """As the operand says, or the first one."""
        told = (mem.length for at, mem in (*raw.memory[::-1],) if at <= place and mem.length)
        return next(told, 0) or _width(raw.mnemonic, raw.parts)

    def _strings(self, name: str, operands: list[str], registers: Registers) -> list[Access]:
        found = []
        for place, how in _STRINGS[name]:
            if place < len(operands):
                base = _register(operands[place])
                found.append(
                    Access(shown(Memory(base)), registers.get(base), 1, how, base, None, True)
                )
        return found

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        name, operands = raw.mnemonic, raw.parts
        if name in ("brasl", "bras", "jas", "jasl") and len(operands) == 2:
            return Branch("call", number(operands[1]))
        if name in ("basr", "balr") and len(operands) == 2:
            held = _register(operands[1])
            return Branch("call", None if held in ("r14", None) else registers.get(held), held)
        if name in ("j", "jg", "brcl", "brc") and operands:
            return Branch("jump", number(operands[-1]))
        if name in ("br", "bcr") and operands:
            held = _register(operands[-1])
            kind = "return" if held == "r14" else "jump"
            return Branch(kind, registers.get(held), held)
        return None

    def division(self, raw: Instruction, registers: Registers) -> Division | None:
        """Every division may trap: the divisor is the second operand."""
        size, operands = _DIVIDE.get(raw.mnemonic), raw.parts
        if size is None or len(operands) != 2:
            return None
        held = _register(operands[1])
        value = registers.get(held)
        if value is not None:
            value &= (1 << 8 * size) - 1
        return Division(held or "memory", value, size)

    def written(self, raw: Instruction) -> frozenset[str]:
        """The first operand; all of a range that is loaded."""
        name, operands = raw.mnemonic, raw.parts
        if name.startswith(("st", "c", "b", "j", "mv", "tm")) and name not in ("brasl", "basr"):
            return frozenset()
        first = _register(operands[0]) if operands else None
        if name in ("lmg", "lm") and len(operands) == 3 and first is not None:
            low, high = int(first[1:]), int((_register(operands[1]) or first)[1:])
            count = (high - low) % 16 + 1
            return frozenset(f"r{(low + n) % 16}" for n in range(count))
        return frozenset({first} if first else ())


def _register(text: str) -> str | None:
    """``%r3`` as ``r3``."""
    name = text.strip().removeprefix("%")
    return name if name.startswith("r") and name[1:].isdigit() else None


def _width(name: str, operands: list[str]) -> int:
    if name in ("lmg", "stmg", "lm", "stm", "lmy", "stmy") and len(operands) == 3:
        low, high = (_register(operands[n]) or "r0" for n in (0, 1))
        count = (int(high[1:]) - int(low[1:])) % 16 + 1
        return count * (8 if name.endswith("g") else 4)
    return _SIZES.get(name, 8)
