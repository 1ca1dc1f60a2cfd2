"""What is known of one instruction, whatever the processor."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from workbench.targets.probes.operands import Access


class Raw(Struct, frozen=True):
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


class Division(Struct, frozen=True):
    """A division that traps: its divisor as written, its value, and ``size`` in bytes."""

    shown: str
    value: int | None
    size: int
    dividend: int | None = None
    overflow: bool = False


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
    change.
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

    def __init__(self, bits: int, little_endian: bool) -> None:
        self.bits = bits
        self.little_endian = little_endian
        self.mask = (1 << bits) - 1

    @abstractmethod
    def engine(self) -> Any:
        """capstone's decoder."""

    @abstractmethod
    def accesses(self, raw: Raw, registers: Registers) -> list[Access]:
        """What an instruction touches in memory."""

    @abstractmethod
    def branch(self, raw: Raw, registers: Registers) -> Branch | None:
        """Where it sends control, None when it goes on to the next."""

    def division(self, raw: Raw, registers: Registers) -> Division | None:
        """Its divisor, where a division can trap."""
        return None

    def divided(self, raw: Raw, registers: Registers, division: Division) -> Division:
        """A division whose divisor was read from memory, with what else is known of it."""
        return division

    def effect(self, raw: Raw) -> Effect | None:
        """How it sets a register, where that is one of the simple ways."""
        return None

    def written(self, raw: Raw) -> frozenset[str]:
        """The registers that it changes, as far as its first operands tell."""
        first = raw.operands.split(",", 1)[0].strip()
        return frozenset({self.others.get(first, first)})

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


def number(text: str) -> int | None:
    """``#-0x10``, ``8`` or ``-8`` as a number; None when it is none."""
    match = _NUMBER.fullmatch(text.strip())
    if match is None:
        return None
    value = int(match[2], 16 if match[2].startswith("0x") else 10)
    return -value if match[1] else value


def split(operands: str) -> list[str]:
    """Operands at the commas that stand outside of brackets."""
    parts, depth, now = [], 0, ""
    for letter in operands:
        if letter in "[({":
            depth += 1
        elif letter in "])}":
            depth -= 1
        if letter == "," and depth == 0:
            parts.append(now.strip())
            now = ""
        else:
            now += letter
    return [*parts, now.strip()] if now.strip() else parts


def signed(value: int, bits: int) -> int:
    """A word as a signed number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def written_out(base: str | None, offset: int, index: str | None = None, scale: int = 1) -> str:
    """An operand in one spelling for all processors: ``[x1 + x2*8 + 0x10]``."""
    parts = [base] if base else []
    if index:
        parts.append(f"{index}*{scale}" if scale != 1 else index)
    text = " + ".join(parts)
    if offset or not text:
        sign = " - " if offset < 0 else " + "
        text = f"{text}{sign}{abs(offset):#x}" if text else f"{offset:#x}"
    return f"[{text}]"
