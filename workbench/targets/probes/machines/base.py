"""What is known of one instruction, whatever the processor."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from workbench.targets.probes.operands import Access, Division, shown
from workbench.targets.probes.x86 import Memory


class Raw(Struct, frozen=True, dict=True):
    """An instruction as capstone prints it."""

    address: int
    size: int
    mnemonic: str
    operands: str

    @property
    def text(self) -> str:
        """Mnemonic and operands."""
        return f"{self.mnemonic} {self.operands}".strip()

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.address + self.size

    @cached_property
    def parts(self) -> list[str]:
        """Its operands."""
        return split(self.operands)

    @cached_property
    def memory(self) -> list[tuple[int, Memory]]:
        """Its operands in memory, each with its place."""
        found = ((place, memory(text)) for place, text in enumerate(self.parts))
        return [(place, mem) for place, mem in found if mem is not None]


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
        self._values = values
        self._other = other
        self._mask = mask
        self._zero = zero

    def get(self, name: str | None) -> int | None:
        """The value, None when it is not known."""
        if name is None:
            return None
        if name == self._zero:
            return 0
        return self._values.get(self._other.get(name, name))

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
    keep the sign; ``keeps`` begin the names of those that set none.
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

    def __init__(self, bits: int, little_endian: bool) -> None:
        self.bits = bits
        self.little_endian = little_endian
        self.mask = (1 << bits) - 1

    @abstractmethod
    def engine(self) -> Any:
        """capstone's decoder."""

    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """What an instruction touches in memory: its operands there, in their order."""
        found = []
        for place, mem in raw.memory:
            how = self.how(raw, place)
            if not how:
                continue
            base, index = (registers.name(name) if name else None for name in (mem.base, mem.index))
            disp = mem.disp if base or index else mem.disp & self.mask
            text = raw.parts[place].rstrip("!")
            text = shown(replace(mem, base=base, disp=disp)) if mem.scale else text
            at = self.address(raw, mem, registers)
            found.append(Access(text, at, self.size(raw, place), how, base, index, False,
                                mem.scale or 1, self.moves(raw)))  # fmt: skip
        return found

    def how(self, raw: Raw, place: int) -> str:
        """What an instruction does with its operand in memory: read | write | read and write,
        nothing where it only reckons with its address."""
        return "write" if raw.mnemonic.startswith("st") else "read"

    @abstractmethod
    def size(self, raw: Raw, place: int) -> int:
        """How many bytes of its operand in memory an instruction touches."""

    def moves(self, raw: Raw) -> bool:
        """True where the base register takes the address on before the access."""
        return raw.operands.endswith("]!")

    def address(self, raw: Raw, mem: Memory, registers: Registers) -> int | None:
        """What an operand comes to, None where a register is not known."""
        total = None if mem.segment in ("fs", "gs") or not mem.scale else mem.disp
        for register, times in ((mem.base, 1), (mem.index, mem.scale)):
            value = self.held(raw, register, mem, registers) if register else 0
            total = None if total is None or value is None else total + value * times
        return None if total is None else total & self.mask

    def held(self, raw: Raw, name: str, mem: Memory, registers: Registers) -> int | None:
        """The value of a register of an operand, as the operand takes it."""
        return registers.get(name)

    @abstractmethod
    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """Where it sends control, None when it goes on to the next."""

    def division(self, raw: Raw, registers: Registers) -> Division | None:
        """Its divisor, where a division can trap."""
        return None

    def divided(self, raw: Raw, registers: Registers, division: Division) -> Division:
        """A division whose divisor is known, with what else is known of it."""
        return division

    def effect(self, raw: Raw) -> Effect | None:
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
            return Effect(target, "load", base, mem.disp, self.size(raw, 1),
                          name in self.extended)  # fmt: skip
        if verb not in ("set", "mov"):
            return None
        if fixed is not None:
            return Effect(target, "constant", None, fixed)
        return Effect(target, "move", self.others.get(source, source))

    def bare(self, raw: Raw) -> str:
        """The mnemonic without what only tells its encoding."""
        return raw.mnemonic

    def written(self, raw: Raw) -> frozenset[str]:
        """The registers that it changes, as far as its first operands tell; those whose names begin
        like one of ``keeps`` change none."""
        if self.bare(raw).startswith(self.keeps) or not raw.parts:
            return frozenset()
        return frozenset({self.others.get(raw.parts[0], raw.parts[0])})

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
    ) -> Iterator[Raw]:
        """Instructions one after the other, until bytes make no sense."""
        for at, size, mnemonic, operands in self.decoder(values).disasm_lite(code, address, limit):
            yield Raw(at, size, mnemonic.lower(), operands)

    def one(self, code: bytes, address: int, values: Mapping[str, int]) -> Raw | None:
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

    def length(self, first: int) -> int | None:
        """The size of an instruction by its first byte, where that tells."""
        return None


_NUMBER = re.compile(r"#?(-?)(0x[0-9a-f]+|[0-9]+)")
_COMMA = re.compile(r",(?![^\[({]*[\])}])")


def number(text: str) -> int | None:
    """``#-0x10``, ``8`` or ``-8`` as a number; None when it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    value = int(match[2], 16 if match[2].startswith("0x") else 10)
    return -value if match[1] else value


def split(operands: str) -> list[str]:
    """Operands at the commas that stand outside of brackets."""
    found = (part.strip() for part in _COMMA.split(operands))
    return [part for part in found if part]


_MEMORY = re.compile(
    r"(?:(?:\w+ )?ptr )?(?:(?P<segment>\w\w):)?\[(?P<inside>[^\]]+)\]"
    r"|(?P<disp>-?(?:0x[0-9a-f]+|\d+))?\((?P<parts>[^)]*)\)"
)
_TERM = re.compile(r"(?P<minus>-?)(?P<name>\w+)(?:\*(?P<times>\d))?(?::\d+)?")
_EXTENDED = re.compile(r"(lsl|sxtw|uxtw|sxtx)(?: #(\w+))?")
_ZEROS = (None, "0", "r0")


def memory(text: str) -> Memory | None:
    """An operand in memory in any of the spellings: ``[x1, w2, sxtw #3]``, ``fs:[eax + ecx*4 -
    8]``, ``8(r4)``, ``8(%r2, %r3)`` (index first), ``8(16, %r1)`` (a length first); of the last
    three register 0 stands for zero. ``scale`` 0: it is written in a way that is not read here."""
    match = _MEMORY.match(text)
    if match is None:
        return None
    if match["inside"] is None:
        *more, last = (part.strip().lstrip("%") for part in match["parts"].split(","))
        length = number(more[0] if more else last)
        names = (last, more[0] if more and length is None else None)
        base, index = (None if name in _ZEROS or number(name or "") else name for name in names)
        return Memory(base, index, 1, number(match["disp"] or "0") or 0, length=length)
    base = index = None
    scale, disp, extend = 1, 0, ""
    for part in re.split(r" \+ |, ", match["inside"].replace(" - ", " + -")):
        value, widened, term = number(part), _EXTENDED.fullmatch(part), _TERM.fullmatch(part)
        if value is not None:
            disp += value
        elif widened is not None:
            extend, scale = widened[1], scale << (number(widened[2] or "0") or 0)
        elif term is None or (base and index):
            return Memory(base, scale=0) if base else None
        elif base or term["times"]:
            index = term["name"]
            scale = int(term["times"] or 1) * (-1 if term["minus"] else 1)
        else:
            base = term["name"]
    return Memory(base, index, scale, disp, match["segment"], extend)
