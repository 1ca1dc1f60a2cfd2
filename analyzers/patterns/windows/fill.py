"""Fill patterns: what allocators write into memory that is free or was never set."""

from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase
from analyzers.patterns.words import claim, confirmed, line_of, of, rejected
from workbench.model.category import Category
from workbench.model.facts import Bucket, FactBook, Register, Registers
from workbench.model.hypothesis import Proposal, Rung, Verdict

_FIELD = 0x10000
"""A field's offset, or an alignment, may have been added to the pattern."""


class Fill(NamedTuple):
    """A pattern's 32 bits, who writes it and when, and what its use as a pointer proves."""

    pattern: int
    who: str
    category: Category


_CHUNK = 1 << 20
_WHOLE_BYTES = (0, 2, 4, 6, 8)
_FREED, _UNSET = Category.USE_AFTER_FREE, Category.UNINITIALIZED_POINTER
_BEYOND = Category.OUT_OF_BOUNDS_READ
FILLS = (
    Fill(0xFEEEFEEE, "the debug heap of Windows fills freed memory with it", _FREED),
    Fill(0xDDDDDDDD, "the debug heap of the C runtime fills freed memory with it", _FREED),
    Fill(0xF0F0F0F0, "page heap fills freed memory with it", _FREED),
    Fill(0xE5E5E5E5, "jemalloc fills freed memory with it", _FREED),
    Fill(0x5A5A5A5A, "jemalloc fills freed memory with it", _FREED),
    Fill(0x2B2B2B2B, "SpiderMonkey fills the nursery with it once it was swept", _FREED),
    Fill(0x4B4B4B4B, "SpiderMonkey fills swept cells with it", _FREED),
    Fill(0x49494949, "SpiderMonkey fills moved cells with it", _FREED),
    Fill(0xEFEFEFEF, "allocators of Chromium and scudo fill freed memory with it", _FREED),
    Fill(0xCDCDCDCD, "the debug heap of the C runtime fills new memory with it", _UNSET),
    Fill(0xCCCCCCCC, "run-time checks fill local variables with it", _UNSET),
    Fill(0xBAADF00D, "the debug heap of Windows fills new memory with it", _UNSET),
    Fill(0xC0C0C0C0, "page heap fills new memory with it", _UNSET),
    Fill(0xE4E4E4E4, "jemalloc fills new memory with it", _UNSET),
    Fill(0xA5A5A5A5, "jemalloc fills new memory with it", _UNSET),
    Fill(0x4D4D4D4D, "SpiderMonkey fills new cells with it", _UNSET),
    Fill(0x2F2F2F2F, "SpiderMonkey fills the fresh nursery with it", _UNSET),
    Fill(0xABABABAB, "the debug heap of Windows puts it behind a block", _BEYOND),
    Fill(0xFDFDFDFD, "the debug heap of the C runtime puts it around a block", _BEYOND),
)  # fmt: skip


class Seen(NamedTuple):
    """A pattern in the fault: the value that holds it, the register, and where that is said."""

    fill: Fill
    value: int
    register: Register | None
    registers: Registers | None


def seen(case: WindowsCase) -> Seen | None:
    """The fill pattern that the faulting pointer holds, exactly or with a field's offset; or that
    a register holds where ``!analyze`` names the pattern."""
    fault = case.fault
    if fault is None or case.record is None or case.record.code != ACCESS_VIOLATION:
        return None
    for value in (fault.base_value, fault.operand, fault.index_value):
        fill = _fill_of(value)
        if fill is not None and value is not None:
            return Seen(fill, value, *_register(case, value))
    named = [
        fill for bucket in case.facts.all(Bucket) for fill in FILLS
        if f"FILL_PATTERN_{fill.pattern:08x}" in bucket.text
    ]  # fmt: skip
    for fill in named:
        found = _holding(case, fill, None)
        if found is not None:
            return found
    # A pointer to the head of a chunk is made of one into it: the operand lies near the pattern.
    if fault.operand is not None and fault.operand >= _FIELD:
        for fill in FILLS:
            found = _holding(case, fill, fault.operand)
            if found is not None:
                return found
    return None


def _holding(case: WindowsCase, fill: Fill, near: int | None) -> Seen | None:
    """The register of the exception that holds a pattern, near an address when one is given."""
    mask = f"{fill.pattern:08x}"
    for registers in case.facts.all(Registers):
        for register in registers.values:
            close = near is None or (register.value ^ near) < _CHUNK
            # Whole bytes: the half-bytes of 0xfefefefe read as 0xefefefef from the second one on.
            if close and f"{register.value:016x}".find(mask) in _WHOLE_BYTES:
                return Seen(fill, register.value, register, registers)
    return None


def _fill_of(value: int | None) -> Fill | None:
    if value is None or value < _FIELD:
        return None
    for fill in FILLS:
        wide = fill.pattern << 32 | fill.pattern
        for whole in (fill.pattern, wide):
            if abs(value - whole) < _FIELD:
                return fill
    return None


def _register(case: WindowsCase, value: int) -> tuple[Register | None, Registers | None]:
    for registers in case.facts.all(Registers):
        for register in registers.values:
            if register.value == value:
                return register, registers
    return None, None


class FillPattern(OneRound):
    """One cause that a fill pattern stands for; one instance each."""

    def __init__(self, category: Category, statement: str) -> None:
        self.category, self._statement = category, statement

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the pointer of an access violation holds such a pattern."""
        case = WindowsCase(facts)
        found = seen(case)
        if found is None or found.fill.category is not self.category:
            return None
        return Proposal(
            category=self.category,
            statement=self._statement,
            confidence=0.9,
            tests=(),
            citations=of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed, without high confidence: the value is what the allocator leaves behind."""
        case = WindowsCase(facts)
        found, fault = seen(case), case.fault
        if found is None or fault is None or found.fill.category is not self.category:
            return rejected("The pointer holds no such pattern.", of(fault))
        where, raised = case.where(), case.raised()
        verb = {"write": "writes to", "execute": "runs"}.get(fault.access, "reads from")
        target = f" {fault.operand:#x}" if fault.operand is not None else " a bad address"
        holder = f"`{found.register.name}` holds" if found.register else "the address is"
        holds = line_of(found.registers, found.register.line) if found.register else ()
        what = {
            _FREED: "memory that was freed (a poisoned pointer)",
            _UNSET: "a pointer that was never set",
        }.get(self.category, "a pointer read beyond a block's end")
        mixed = f"{found.fill.pattern:08x}" not in f"{found.value:x}"
        exact = ", the pattern with an offset" if mixed else ""
        claims = [
            claim(
                f"{where.capital} uses {what}: the instruction at {fault.pc:#x} {verb}{target}, "
                f"and {holder} {found.value:#x}{exact}. It raised {raised.text}.",
                of(fault),
                holds,
                where.cites,
                raised.cites,
            ),
            claim(f"The value {found.value:#x} is no address: {found.fill.who}.", of(fault), holds),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.75,
            claims,
            reason="The pointer's value is what an allocator fills such memory with.",
            support=[c for b in case.facts.all(Bucket) if "FILL_PATTERN" in b.text for c in of(b)],
            missing=("who freed the memory, and who still held the pointer",)
            if self.category is _FREED
            else (),
            recommendations=(
                "Follow the pointer to where it was read from, and see who frees that memory."
                if self.category is _FREED
                else "Set the pointer where it is declared, and on every path to this line.",
            ),
        )


FILL_PATTERNS = (
    FillPattern(_FREED, "The pointer was read out of freed memory."),
    FillPattern(_UNSET, "The pointer was never set."),
    FillPattern(_BEYOND, "The pointer was read from beyond a block's end."),
)
