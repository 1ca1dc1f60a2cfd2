"""RISC-V, with compressed and atomic instructions (The RISC-V Instruction Set Manual, volume I)."""

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
    split,
    written_out,
)
from workbench.targets.probes.operands import Access

_MEMORY = re.compile(r"(-?(?:0x[0-9a-f]+|\d+))?\((\w+)\)")
_ACCESS = re.compile(r"(f?)([ls])(b|h|w|d|q)(u?)(?:sp)?")
_WIDTHS = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}


class RiscV(Machine):
    """RV32 and RV64."""

    link = "ra"
    zero = "zero"
    others = {"s0": "fp"}
    calls = (4, 2)
    step = 2
    volatile = frozenset({"ra"} | {f"t{n}" for n in range(7)} | {f"a{n}" for n in range(8)})

    def engine(self) -> Any:
        """capstone's decoder."""
        mode = capstone.CS_MODE_RISCV64 if self.bits == 64 else capstone.CS_MODE_RISCV32
        return capstone.Cs(capstone.CS_ARCH_RISCV, mode | capstone.CS_MODE_RISCVC)

    def plain(self, address: int) -> int:
        """jalr clears the lowest bit."""
        return address & self.mask & ~1

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """Loads, stores and atomics: ``lw a0, 8(a1)``, ``amoadd.w a0, a1, (a2)``."""
        name = raw.mnemonic.removeprefix("c.")
        match = _MEMORY.search(raw.operands)
        if match is None:
            return []
        plain = _ACCESS.fullmatch(name)
        if plain is not None:
            how, size = "write" if plain[2] == "s" else "read", _WIDTHS[plain[3]]
        elif name.startswith(("amo", "lr.", "sc.")):
            size = 8 if ".d" in name else 4
            how = {"a": "read and write", "l": "read", "s": "write"}[name[0]]
        else:
            return []
        offset, base = number(match[1] or "0") or 0, registers.name(match[2])
        return [Access(written_out(base, offset), registers.sum(base, offset), size, how, base,
                       None)]  # fmt: skip

    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """jal, jalr and their short forms; capstone prints the distance of a direct one."""
        name, operands = raw.mnemonic.removeprefix("c."), split(raw.operands)
        if name == "ret":
            return Branch("return", registers.get("ra"), "ra")
        if name in ("j", "jal") and operands:
            distance = number(operands[-1])
            kind = "jump" if name == "j" or operands[0] == "zero" else "call"
            return Branch(kind, None if distance is None else raw.address + distance)
        if name not in ("jr", "jalr") or not operands:
            return None
        held, offset, into = operands[0], 0, "ra" if name == "jalr" else "zero"
        if len(operands) == 3:
            into, held, offset = operands[0], operands[1], number(operands[2]) or 0
        elif len(operands) == 2:
            match = _MEMORY.fullmatch(operands[1])
            into = operands[0]
            held = match[2] if match else operands[1]
            offset = number(match[1] or "0") or 0 if match else 0
        kind = "call" if into != "zero" else "return" if held == "ra" else "jump"
        # A call overwrites the register that it went by when that is ra itself.
        target = None if kind == "call" and held == into else registers.sum(held, offset)
        return Branch(kind, target, registers.name(held))

    def effect(self, raw: Raw) -> Effect | None:
        """Loads, mv, addi and li."""
        name, operands = raw.mnemonic.removeprefix("c."), split(raw.operands)
        if len(operands) < 2:
            return None
        target = self.others.get(operands[0], operands[0])
        match, plain = _MEMORY.fullmatch(operands[1]), _ACCESS.fullmatch(name)
        if plain is not None and match is not None and plain[2] == "l" and not plain[1]:
            base = self.others.get(match[2], match[2])
            unsigned = plain[4] == "u" or plain[3] == "d"
            return Effect(target, "load", base, number(match[1] or "0") or 0, _WIDTHS[plain[3]],
                          not unsigned)  # fmt: skip
        if name == "mv":
            return Effect(target, "move", self.others.get(operands[1], operands[1]))
        if name == "li":
            fixed = number(operands[1])
            return None if fixed is None else Effect(target, "constant", None, fixed)
        if name in ("addi", "addi4spn", "addi16sp"):
            amount = number(operands[-1])
            base = operands[1] if len(operands) == 3 else operands[0]
            if amount is not None:
                return Effect(target, "move", self.others.get(base, base), amount)
        return None

    def written(self, raw: Raw) -> frozenset[str]:
        """The first operand, but of stores and branches."""
        name = raw.mnemonic.removeprefix("c.")
        access = _ACCESS.fullmatch(name)
        if (access and access[2] == "s") or name.startswith(("b", "j", "ret", "nop", "fence")):
            return frozenset()
        return super().written(raw)


def make(bits: int, little_endian: bool) -> Machine:
    """RV32 or RV64."""
    return RiscV(bits, little_endian)
