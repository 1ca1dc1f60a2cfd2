"""RISC-V, with compressed and atomic instructions (The RISC-V Instruction Set Manual, volume I)."""

import re
from typing import Any

import capstone

from workbench.targets.probes.instruction import Instruction, memory, number
from workbench.targets.probes.machines.base import Branch, Machine, Registers

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
    effects = {
        **dict.fromkeys(("lb", "lh", "lw", "lbu", "lhu", "lwu", "ld", "lwsp", "ldsp"), "load"),
        "mv": "set", "li": "set", **dict.fromkeys(("addi", "addi4spn", "addi16sp"), "add"),
    }  # fmt: skip
    extended = frozenset({"lb", "lh", "lw", "lwsp"})
    keeps = ("b", "j", "ret", "nop", "fence")

    def engine(self) -> Any:
        mode = capstone.CS_MODE_RISCV64 if self.bits == 64 else capstone.CS_MODE_RISCV32
        return capstone.Cs(capstone.CS_ARCH_RISCV, mode | capstone.CS_MODE_RISCVC)

    def plain(self, address: int) -> int:
        """jalr clears the lowest bit."""
        return address & self.mask & ~1

    def bare(self, raw: Instruction) -> str:
        return raw.mnemonic.removeprefix("c.")

    def how(self, raw: Instruction, place: int) -> str:
        """Loads, stores and atomics: ``lw a0, 8(a1)``, ``amoadd.w a0, a1, (a2)``."""
        name = self.bare(raw)
        plain = _ACCESS.fullmatch(name)
        if plain is not None:
            return "write" if plain[2] == "s" else "read"
        atomics = {"amo": "read and write", "lr.": "read", "sc.": "write"}
        return atomics.get(name[:3], "")

    def size(self, raw: Instruction, place: int) -> int:
        plain = _ACCESS.fullmatch(self.bare(raw))
        return _WIDTHS[plain[3]] if plain is not None else 8 if ".d" in raw.mnemonic else 4

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """jal, jalr and their short forms; capstone prints the distance of a direct one."""
        name, operands = self.bare(raw), raw.parts
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
            into, mem = operands[0], memory(operands[1])
            held, offset = (mem.base or "", mem.disp or 0) if mem else (operands[1], 0)
        kind = "call" if into != "zero" else "return" if held == "ra" else "jump"
        # A call overwrites the register that it went by when that is ra itself.
        target = None if kind == "call" and held == into else registers.sum(held, offset)
        return Branch(kind, target, registers.name(held))

    def written(self, raw: Instruction) -> frozenset[str]:
        """The first operand, but of stores and branches."""
        access = _ACCESS.fullmatch(self.bare(raw))
        return frozenset() if access and access[2] == "s" else super().written(raw)
