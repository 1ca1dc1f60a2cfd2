"""32-bit x86 (Intel SDM volume 2)."""

from typing import Any

import capstone

from workbench.targets.probes.machines.base import Branch, Effect, Machine, Raw, Registers, number
from workbench.targets.probes.operands import Access, Division, by_pair

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
    effects = {"mov": "mov", "lea": "address", "add": "add", "sub": "sub"}
    keeps = ("cmp", "test", "push", "j", "nop")

    def engine(self) -> Any:
        return capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_32)

    def bare(self, raw: Raw) -> str:
        return raw.mnemonic.rsplit(" ", 1)[-1]

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        return super().accesses(raw, registers) + self._stack(self.bare(raw), registers)

    def how(self, raw: Raw, place: int) -> str:
        name = self.bare(raw)
        if name.startswith(_NO_ACCESS):
            return ""
        if place > 0:
            return "read and write" if name.startswith("xchg") else "read"
        if name.startswith(_WRITES) and not name.startswith("movbe"):
            return "write"
        return "read" if name.startswith(_READS) else "read and write"

    def size(self, raw: Raw, place: int) -> int:
        return _SIZES.get(raw.parts[place].partition(" ptr ")[0], 4)

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
        name = self.bare(raw)
        if name.startswith("ret"):
            return Branch("return", None, None, registers.get("esp"))
        if name not in ("call", "jmp"):
            return None
        kind = "call" if name == "call" else "jump"
        fixed = number(raw.operands)
        if fixed is not None:
            return Branch(kind, fixed & self.mask)
        if raw.memory:
            return Branch(kind, None, None, self.address(raw, raw.memory[0][1], registers))
        held = registers.name(raw.operands)
        return Branch(kind, registers.get(held), held)

    def division(self, raw: Raw, registers: Registers) -> Division | None:
        """The divisor of div and idiv in a register, and whether the quotient fits; a divisor in
        memory has no value yet."""
        if raw.mnemonic not in ("div", "idiv"):
            return None
        if raw.memory:
            return Division("memory", None, self.size(raw, 0))
        name = raw.operands.strip()
        size = 4 if name.startswith("e") else 2 if name.endswith(("x", "i", "p")) else 1
        held, mask = registers.get(name), (1 << 8 * size) - 1
        if held is None:
            return Division(name, None, size)
        value = (held >> 8 if name.endswith("h") else held) & mask
        return self.divided(raw, registers, Division(name, value, size))

    def divided(self, raw: Raw, registers: Registers, division: Division) -> Division:
        """edx:eax by a divisor that is known."""
        pair = registers.get("eax"), registers.get("edx")
        return by_pair(division, pair, signed=raw.mnemonic == "idiv")

    def effect(self, raw: Raw) -> Effect | None:
        """Of whole registers."""
        return super().effect(raw) if raw.parts and len(raw.parts[0]) == 3 else None

    def written(self, raw: Raw) -> frozenset[str]:
        name = self.bare(raw)
        found = {"esp"} if name.startswith(("push", "pop", "leave", "call", "ret")) else set[str]()
        if name.startswith(self.keeps) or any(place == 0 for place, _ in raw.memory):
            return frozenset(found)
        if name.startswith(("div", "idiv", "mul", "cdq")):
            found |= {"eax", "edx"}
        return frozenset(found | super().written(raw))
