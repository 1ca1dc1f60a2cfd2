"""What is known of one instruction, whatever the processor."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.probes.instruction import Instruction, Memory, memory, number
from workbench.targets.probes.operands import Access, Division, shown

_WORD = re.compile(r"[a-z]\w*")


class Branch(Struct, frozen=True):
    """A transfer of control. ``kind``: call | jump | return. ``target`` is where it goes with the
    registers at hand; ``register`` held that, ``cell`` is the memory that it is read from, both
    None for a direct one."""

    kind: str
    target: int | None
    register: str | None = None
    cell: int | None = None

    @property
    def indirect(self) -> bool:
        """True when a register or a memory cell names the target."""
        return self.register is not None or self.cell is not None


class Effect(Struct, frozen=True):
    """How an instruction sets a register: ``kind`` is load (of ``size`` bytes from base +
    offset), move (base + offset) or constant (offset)."""

    register: str
    kind: str
    base: str | None = None
    offset: int = 0
    size: int = 0
    signed: bool = False


class Registers:
    """Values by name, with a processor's other names and its constant registers."""

    def __init__(
        self, values: Mapping[str, int], other: Mapping[str, str], mask: int, zero: str = ""
    ) -> None:
        self.values = values
        self._other = other
        self._mask = mask
        self._zero = zero

    def get(self, name: str | None) -> int | None:
        """The value, None when it is not known."""
        if name is None:
            return None
        if name == self._zero:
            return 0
        return self.values.get(self._other.get(name, name))

    def name(self, name: str) -> str:
        """The name under which the dump keeps it."""
        return self._other.get(name, name)

    def sum(self, base: str | None, offset: int) -> int | None:
        """A base register plus a distance, as wide as a register."""
        value = self.get(base)
        return None if value is None else (value + offset) & self._mask


class Machine(ABC):
    """One processor.

    ``link`` is the register that a call leaves its return address in, None where it is pushed;
    ``pops`` says that returns take their address off the stack; ``calls`` are the sizes of call
    instructions, the likeliest first; ``step`` is what a code address is a multiple of; ``others``
    are other names of registers, ``zero`` the one that always is 0, ``volatile`` what a call may
    change. ``effects`` are the instructions that set their first operand, by what they do: load,
    address, set (a register or a number), mov (all three), add, sub; ``extended`` are loads that
    keep the sign; ``keeps`` begin the names of those that set none, ``sets`` of those that leave
    nothing of what their first operand held; ``compares`` are branches that compare for themselves.
    ``reads_first`` says that of a read and a write in one the read is refused.
    """

    link: str | None = None
    pops = False
    sp = "sp"
    calls: tuple[int, ...] = (4,)
    longest = 4
    step = 4
    zero = ""
    others: Mapping[str, str] = {}
    volatile: frozenset[str] = frozenset()
    effects: Mapping[str, str] = {}
    extended: frozenset[str] = frozenset()
    keeps: tuple[str, ...] = ()
    sets: tuple[str, ...] = ("mov", "ld", "l", "adr", "c.l", "c.mv", "pop", "mr")
    compares: re.Pattern[str] | None = re.compile(
        r"(?:c\.)?(?:b(?!ic|f[imx]|clr|ext|set|inv)|cb|tb[nz]|j|loop|cr|cg|clr|clg)"
    )
    reads_first = True

    def __init__(self, bits: int, little_endian: bool) -> None:
        self.bits = bits
        self.little_endian = little_endian
        self.mask = (1 << bits) - 1

    @abstractmethod
    def engine(self) -> Any:
        """capstone's decoder."""

    def accesses(self, raw: Instruction, registers: Registers) -> list[Access]:
        """What an instruction touches in memory: its operands there, in their order."""
        found = []
        for place, mem in raw.memory:
            how = self.how(raw, place)
            if not how:
                continue
            base, index = (registers.name(name) if name else None for name in (mem.base, mem.index))
            disp = mem.disp if base or index else mem.disp & self.mask
            text = (
                shown(replace(mem, base=base, disp=disp))
                if mem.scale
                else raw.parts[place].rstrip("!")
            )
            at = self.address(raw, mem, registers)
            found.append(
                Access(
                    text,
                    at,
                    self.size(raw, place),
                    how,
                    base,
                    index,
                    self.implied(raw),
                    mem.scale or 1,
                    self.moves(raw),
                )
            )
        return found

    def how(self, raw: Instruction, place: int) -> str:
        """What an instruction does with its operand in memory: read | write | read and write,
        nothing where it only reckons with its address."""
        return "write" if raw.mnemonic.startswith("st") else "read"

    @abstractmethod
    def size(self, raw: Instruction, place: int) -> int:
        """How many bytes of its operand in memory an instruction touches."""

    def implied(self, raw: Instruction) -> bool:
        """True where its operands in memory are not chosen."""
        return False

    def moves(self, raw: Instruction) -> bool:
        """True where the base register takes the address on before the access."""
        return raw.printed.endswith("]!")

    def address(self, raw: Instruction, mem: Memory, registers: Registers) -> int | None:
        """What an operand comes to, None where a register is not known."""
        total = None if mem.segment in ("fs", "gs") or not mem.scale else mem.disp
        for register, times in ((mem.base, 1), (mem.index, mem.scale)):
            value = self.held(raw, register, mem, registers) if register else 0
            total = None if total is None or value is None else total + value * times
        return None if total is None else total & self.mask

    def held(self, raw: Instruction, name: str, mem: Memory, registers: Registers) -> int | None:
        """The value of a register of an operand, as the operand takes it."""
        return registers.get(name)

    @abstractmethod
    def branch(self, raw: Instruction, registers: Registers) -> Branch | None:
        """Where it sends control, None when it goes on to the next."""

    def division(self, raw: Instruction, registers: Registers) -> Division | None:
        """Its divisor, where a division can trap."""
        return None

    def divided(self, raw: Instruction, registers: Registers, division: Division) -> Division:
        """A division whose divisor is known, with what else is known of it."""
        return division

    def effect(self, raw: Instruction) -> Effect | None:
        """How it sets a register, where that is one of the simple ways (`effects`)."""
        name = self.bare(raw)
        verb, parts = self.effects.get(name), raw.parts
        if verb is None or len(parts) < 2:
            return None
        target, source = self.others.get(parts[0], parts[0]), parts[-1]
        fixed, mem = number(source), memory(source)
        if verb in ("add", "sub"):
            if fixed is None or len(parts) > 3:
                return None
            amount = fixed if verb == "add" else -fixed
            return Effect(target, "move", self.others.get(parts[-2], parts[-2]), amount)
        if len(parts) != 2:
            return None
        if mem is not None:
            plain = mem.scale and not mem.index and not source.endswith("!")
            if verb == "set" or not plain or mem.base == "pc" or mem.segment in ("fs", "gs"):
                return None
            base = self.others.get(mem.base, mem.base) if mem.base else None
            if verb == "address":
                return Effect(target, "move", base, mem.disp)
            return Effect(target, "load", base, mem.disp, self.size(raw, 1), name in self.extended)
        if verb not in ("set", "mov"):
            return None
        if fixed is not None:
            return Effect(target, "constant", None, fixed)
        return Effect(target, "move", self.others.get(source, source))

    def bare(self, raw: Instruction) -> str:
        """The mnemonic without what only tells its encoding."""
        return raw.mnemonic

    def written(self, raw: Instruction) -> frozenset[str]:
        """The registers that it changes, as far as its first operands tell; those whose names begin
        like one of ``keeps`` change none."""
        if self.bare(raw).startswith(self.keeps) or not raw.parts:
            return frozenset()
        return frozenset({self.others.get(raw.parts[0], raw.parts[0])})

    def sources(self, raw: Instruction) -> set[str]:
        """The registers that go into what it writes."""
        _, _, sources = raw.printed.partition(",")
        return {self.others.get(word, word) for word in _WORD.findall(sources)}

    def replaces(self, raw: Instruction) -> bool:
        """True where nothing is left of what the registers held that it writes."""
        return raw.mnemonic.startswith(self.sets)

    @cached_property
    def _decoder(self) -> Any:
        return self.engine()

    def decoder(self, values: Mapping[str, int]) -> Any:
        """The decoder for the mode that these registers are in."""
        return self._decoder

    def registers(self, values: Mapping[str, int]) -> Registers:
        """Values by any of their names."""
        return Registers(values, self.others, self.mask, self.zero)

    def decode(
        self, code: bytes, address: int, values: Mapping[str, int], limit: int = 1
    ) -> Iterator[Instruction]:
        """Instructions one after the other, until bytes make no sense."""
        for at, size, mnemonic, operands in self.decoder(values).disasm_lite(code, address, limit):
            yield Instruction(at, size, mnemonic.lower(), operands)

    def one(self, code: bytes, address: int, values: Mapping[str, int]) -> Instruction | None:
        """The instruction at an address."""
        return next(self.decode(code, address, values), None)

    def plain(self, address: int) -> int:
        """A code address without the marks that pointers to code carry."""
        return address & self.mask

    def same(self, one: int, other: int) -> bool:
        """True for two spellings of one code address."""
        return self.plain(one) == self.plain(other)

    def returning_to(self, address: int, values: Mapping[str, int]) -> Mapping[str, int]:
        """The registers as code at a return address wants them to be read: a processor that has
        two modes of code marks them there."""
        return values

    def behind(self, signal: int) -> bool:
        """True when pc lies behind the instruction that raised a signal, not at it."""
        return False

    def may_call(self, code: bytes) -> bool:
        """False for bytes that are seen to be no call before they are decoded."""
        return True

    def length(self, first: int) -> int | None:
        """The size of an instruction by its first byte, where that tells."""
        return None
