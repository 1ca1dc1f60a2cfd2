"""x86 of 64 and 32 bits (Intel SDM volume 2)."""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from msgspec.structs import replace

from workbench.targets.probes import x86
from workbench.targets.probes.instruction import Instruction, Memory
from workbench.targets.probes.machines.base import Branch, Effect, Machine, Registers
from workbench.targets.probes.operands import Access, Division

_STRINGS = ("movs", "stos", "lods", "cmps", "scas", "outs", "ins")
_ANY_PLACE = ("al", "ax", "eax", "rax", "dx")
_NO_ACCESS = ("lea", "nop", "prefetch", "endbr", "bnd")
_WRITES = ("mov", "vmov", "set", "fst", "fist", "fnst", "stos", "ins")
_CHANGES = ("rol", "ror", "rcl", "rcr", "cmpxchg")
_CLEARS = ("xor", "sub", "pxor")
# What they read and write is not among their operands: rax, and rdx.
_WIDENS = frozenset({"cbw", "cwde", "cdqe", "cwd", "cdq", "cqo"})


class X86(Machine):
    """x86-64 and IA-32; of the latter data segments start at 0, but fs and gs, whose base the notes
    do not give. A write to memory that is read first is refused as a write (AMD APM volume 2,
    8.2.15)."""

    pops = True
    calls = (5, 2, 3, 6, 7, 4, 8)
    longest = 16
    step = 1
    reads_first = False
    compares = None
    sets = ("mov", "lea", "pop", "set")
    effects = {"mov": "mov", "lea": "address", "add": "add", "sub": "sub"}

    def __init__(self, bits: int, little_endian: bool) -> None:
        super().__init__(bits, little_endian)
        self.others = x86.FAMILIES[bits]
        self.sp, self._frame = self.others["sp"], self.others["bp"]
        self.volatile = frozenset(self.others.get(n, n) for n in ("ax", "cx", "dx"))
        if bits == 64:
            self.volatile = x86.CALLER_SAVED

    def engine(self) -> Any:
        return x86.decoder(self.bits)

    def decode(
        self, code: bytes, address: int, values: Mapping[str, int], limit: int = 1
    ) -> Iterator[Instruction]:
        return x86.decode(code, address, limit, self.bits)

    def may_call(self, code: bytes) -> bool:
        """E8 rel32, or FF /2 with or without prefixes: FF /3 is a far call, which no compiler
        writes."""
        near = (one == 0xFF and more >> 3 & 7 == 2 for one, more in pairwise(code[:4]))
        return 0xE8 in code[:2] or any(near)

    def bare(self, raw: Instruction) -> str:
        return raw.mnemonic.rsplit(" ", 1)[-1]

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        """In operand order, then the stack's; of a repeated string instruction the next one to
        come, which is the one that faults."""
        return super().accesses(raw, registers) + self._stack(raw, registers)

    def how(self, raw: Instruction, place: int) -> str:
        """capstone calls some stores loads, and says of some changes that they only read."""
        name, operand = self.bare(raw), raw.operands[place]
        if name.startswith(_NO_ACCESS):
            return ""
        if place == 0 and name.startswith(_WRITES):
            return "write"
        if operand.writes or (place == 0 and name.startswith(_CHANGES)):
            return "write" if operand.writes and not operand.reads else "read and write"
        return "read"

    def size(self, raw: Instruction, place: int) -> int:
        """capstone takes the areas of the processor's state for one word: those of SSE, and their
        header behind them where the rest follows (Intel SDM volume 1, 10.5.1 and 13.4)."""
        name = self.bare(raw)
        if name.startswith(("fxsave", "fxrstor")):
            return 512
        return 576 if name.startswith(("xsave", "xrstor")) else raw.operands[place].size

    def implied(self, raw: Instruction) -> bool:
        """movs, stos and their kin, whose operands are not chosen."""
        name = self.bare(raw)
        return (
            name[:-1] in _STRINGS
            and name[-1] in "bwdq"
            and all(
                operand.mem is not None or operand.reg in _ANY_PLACE for operand in raw.operands
            )
        )

    def moves(self, raw: Instruction) -> bool:
        return False

    def address(self, raw: Instruction, mem: Memory, registers: Registers) -> int | None:
        found = raw.effective(mem, registers.values)
        return None if found is None else found & self.mask

    def _stack(self, raw: Instruction, registers: Registers) -> list[Access]:
        name, word = self.bare(raw), self.bits // 8
        base, down, how = self.sp, 0, "read"
        if name.startswith("push") or raw.is_call or name == "enter":
            down, how = word, "write"
        elif name == "leave":
            base = self._frame
        elif not name.startswith("pop") and not raw.is_return:
            return []
        shown = f"[{base} - {down}]" if down else f"[{base}]"
        return [Access(shown, registers.sum(base, -down), word, how, base, None, True)]

    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """The target in memory is left as its cell."""
        if raw.is_return:
            return Branch("return", None, None, registers.get(self.sp))
        if not (raw.is_call or raw.is_jump) or not raw.operands:
            return None
        kind, operand = "call" if raw.is_call else "jump", raw.operands[0]
        if operand.reg is not None:
            held = registers.name(operand.reg)
            return Branch(kind, registers.get(held), held)
        cell = None if operand.mem is None else self.address(raw, operand.mem, registers)
        return Branch(kind, raw.target, None, cell)

    def division(self, raw: Instruction, registers: Registers) -> Division | None:
        """The divisor of div and idiv in a register, and whether the quotient fits; a divisor in
        memory has no value yet."""
        if raw.mnemonic not in ("div", "idiv") or not raw.operands:
            return None
        name, size = raw.operands[0].reg, raw.operands[0].size
        held = registers.get(name)
        if name is None or held is None:
            return Division(name or "memory", None, size)
        value = (held >> 8 if name.endswith("h") else held) & (1 << 8 * size) - 1
        return self.divided(raw, registers, Division(name, value, size))

    def divided(self, raw: Instruction, registers: Registers, division: Division) -> Division:
        """By a divisor that is known; the dividend is in a pair of registers, that of a byte in the
        first alone."""
        low, high, divisor, size = *map(registers.get, ("ax", "dx")), division.value, division.size
        if not divisor or low is None or high is None:
            return division
        bits = size * 8
        mask = (1 << bits) - 1
        dividend = low & 0xFFFF if size == 1 else (high & mask) << bits | low & mask
        whole, signed = dividend, raw.mnemonic == "idiv"
        if signed:
            whole -= (dividend >> 2 * bits - 1) << 2 * bits
            divisor -= (divisor >> bits - 1) << bits
        quotient = abs(whole) // abs(divisor) * (-1 if (whole < 0) != (divisor < 0) else 1)
        limits = (-(1 << bits - 1), 1 << bits - 1) if signed else (0, 1 << bits)
        fits = limits[0] <= quotient < limits[1]
        return replace(division, dividend=dividend, overflow=not fits)

    def effect(self, raw: Instruction) -> Effect | None:
        """Of whole registers."""
        whole = raw.parts and self.others.get(raw.parts[0]) == raw.parts[0]
        return super().effect(raw) if whole else None

    def written(self, raw: Instruction) -> frozenset[str]:
        return raw.writes

    def sources(self, raw: Instruction) -> set[str]:
        if raw.mnemonic in _WIDENS:
            return {self.others["ax"]}
        return set() if _clears(raw) else super().sources(raw)

    def replaces(self, raw: Instruction) -> bool:
        """Not where a part of the register is set."""
        whole = bool(raw.operands) and raw.operands[0].size >= 4
        return _clears(raw) or (whole and super().replaces(raw))


def _clears(raw: Instruction) -> bool:
    """What leaves nothing of its operands, or, as xchg, something else in each."""
    same = len(raw.parts) == 2 and raw.parts[0] == raw.parts[1]
    return raw.mnemonic == "xchg" or (same and raw.mnemonic.startswith(_CLEARS))


def accesses(insn: Instruction, values: Mapping[str, int]) -> list[Access]:
    """Every access to memory that an instruction of x86-64 makes, with these registers."""
    return _X86_64.accesses(insn, _X86_64.registers(values))


_X86_64 = X86(64, True)
