"""Fill patterns: what allocators write into memory that is free or was never set."""

from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase
from analyzers.patterns.words import confirmed, in_place, line_of, of, rejected
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.facts import Bucket, FactBook, Register, Registers
from workbench.model.hypothesis import Proposal, Rung, Verdict

_FIELD = 0x10000
"""A field's offset, or an alignment, may have been added to the pattern."""


class Fill(NamedTuple):
    """A pattern's 32 bits, and what its use as a pointer proves. Who writes it is told by the
    texts of statements."""

    pattern: int
    category: Category


_CHUNK = 1 << 20
_WHOLE_BYTES = (0, 2, 4, 6, 8)
_FREED, _UNSET = Category.USE_AFTER_FREE, Category.UNINITIALIZED_POINTER
_BEYOND = Category.OUT_OF_BOUNDS_READ
FILLS = (
    Fill(0xFEEEFEEE, _FREED),
    Fill(0xDDDDDDDD, _FREED),
    Fill(0xF0F0F0F0, _FREED),
    Fill(0xE5E5E5E5, _FREED),
    Fill(0x5A5A5A5A, _FREED),
    Fill(0x2B2B2B2B, _FREED),
    Fill(0x4B4B4B4B, _FREED),
    Fill(0x49494949, _FREED),
    Fill(0xEFEFEFEF, _FREED),
    Fill(0xCDCDCDCD, _UNSET),
    Fill(0xCCCCCCCC, _UNSET),
    Fill(0xBAADF00D, _UNSET),
    Fill(0xC0C0C0C0, _UNSET),
    Fill(0xE4E4E4E4, _UNSET),
    Fill(0xA5A5A5A5, _UNSET),
    Fill(0x4D4D4D4D, _UNSET),
    Fill(0x2F2F2F2F, _UNSET),
    Fill(0xABABABAB, _BEYOND),
    Fill(0xFDFDFDFD, _BEYOND),
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
        register, value = found.register, found.value
        holds = line_of(found.registers, register.line) if register is not None else of(fault)
        number = at(value, holds, f"{value:#x}")
        claims = [
            in_place(case, self.category, case.frame, how="fill", cites=of(fault)),
            say("told", holds, how=f"{found.fill.pattern:#x}", number=number),
            *([say("register", holds, register=register.name, value=value)] if register else []),
            *([say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand)]
              if fault.operand is not None else []),
            *case.raised(),
        ]  # fmt: skip
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
