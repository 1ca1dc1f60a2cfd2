"""One instruction as plain data, whatever the processor."""

import re
from collections.abc import Mapping
from functools import cached_property

from msgspec import Struct

MASK = (1 << 64) - 1
"""All ones in a register."""


class Memory(Struct, frozen=True):
    """A memory operand: segment:[base + index*scale + disp], of Arm with the way in which the index
    is widened, of z with the bytes that it counts (``length``)."""

    base: str | None = None
    index: str | None = None
    scale: int = 1
    disp: int = 0
    segment: str | None = None
    extend: str = ""
    length: int | None = None


class Operand(Struct, frozen=True):
    """One explicit operand. ``size`` in bytes; exactly one of ``reg``, ``imm``, ``mem`` is set."""

    size: int
    reg: str | None = None
    imm: int | None = None
    mem: Memory | None = None
    reads: bool = False
    writes: bool = False


class Instruction(Struct, frozen=True, dict=True):
    """One instruction as capstone prints it: mnemonic and operands.

    Of x86 also what it says of them as data: ``operands``, ``writes`` with the full names of the
    registers that are changed, and the ``target`` that a direct call or jump goes to.
    """

    address: int
    size: int
    mnemonic: str
    printed: str
    operands: tuple[Operand, ...] = ()
    writes: frozenset[str] = frozenset()
    is_call: bool = False
    is_jump: bool = False
    is_return: bool = False
    target: int | None = None

    @property
    def text(self) -> str:
        """Mnemonic and operands."""
        return f"{self.mnemonic} {self.printed}".strip()

    @property
    def end(self) -> int:
        """The address behind it."""
        return self.address + self.size

    @cached_property
    def parts(self) -> list[str]:
        """Its operands as printed."""
        return split(self.printed)

    @cached_property
    def memory(self) -> list[tuple[int, Memory]]:
        """Its operands in memory, each with its place."""
        told = [operand.mem for operand in self.operands] or map(memory, self.parts)
        return [(place, mem) for place, mem in enumerate(told) if mem is not None]

    def effective(self, mem: Memory, registers: Mapping[str, int]) -> int | None:
        """The address that a memory operand of x86 names, or None when a register is not known."""
        total = mem.disp
        if mem.base == "rip":
            total += self.end
        elif mem.base is not None:
            if mem.base not in registers:
                return None
            total += registers[mem.base]
        if mem.index is not None:
            if mem.index not in registers:
                return None
            total += registers[mem.index] * mem.scale
        if mem.segment in ("fs", "gs"):
            start = registers.get(f"{mem.segment}_base")
            if start is None:
                return None
            total += start
        return total & MASK


def stored_to(insn: Instruction | None) -> Memory | None:
    """The memory that the first operand is, which an instruction of x86 that stores writes."""
    return insn.operands[0].mem if insn is not None and insn.operands else None


def led_to(insn: Instruction) -> tuple[str | None, int]:
    """The place that an address is made of, as register and distance: ``mov rdi, rsp``, too."""
    into, what = insn.operands if len(insn.operands) == 2 else (None, None)
    if insn.mnemonic == "lea" and what is not None and what.mem is not None:
        return what.mem.base, what.mem.disp
    copied = insn.mnemonic == "mov" and into is not None and into.reg not in (None, "rsp", "rbp")
    return (what.reg if copied and what is not None else None), 0


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
    r"|(?P<disp>-?(?:0x[0-9a-f]+|\d+))?\((?P<parts>[^)]+)\)"
)
_TERM = re.compile(r"(?P<minus>-?)(?P<name>\w+)(?:\*(?P<times>\d))?(?::\w+)?")
_EXTENDED = re.compile(r"(lsl|sxtw|uxtw|sxtx)(?: #(\w+))?")
_MINUS = re.compile(r"(?<=\w) ?- ?(?=\w)")
_ZEROS = (None, "", "0", "r0")


def memory(text: str) -> Memory | None:
    """An operand in memory in any of the spellings: ``[x1, w2, sxtw #3]``, ``fs:[eax + ecx*4 -
    8]``, ``8(r4)``, ``8(%r2, %r3)`` (index first), ``8(16, %r1)`` (a length first), in which three
    register 0 stands for zero, ``8(%rax,%rcx,4)``. ``scale`` 0: it is written in a way that is not
    read here."""
    match = _MEMORY.match(text)
    if match is None:
        return None
    if match["inside"] is None:
        *more, last = (part.strip().lstrip("%") for part in match["parts"].split(","))
        fixed = number(match["disp"] or "0") or 0
        if len(more) == 2:
            return Memory(more[0] or None, more[1] or None, number(last) or 0, fixed)
        length = number(more[0] if more else last)
        names = (last, more[0] if more and length is None else None)
        base, index = (None if name in _ZEROS or number(name or "") else name for name in names)
        return Memory(base, index, 1, fixed, length=length)
    base = index = None
    scale, disp, extend = 1, 0, ""
    for part in re.split(r" ?\+ ?|, ?", _MINUS.sub("+-", match["inside"])):
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
