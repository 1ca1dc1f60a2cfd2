"""Exceptions whose code alone says what went wrong (ntstatus.h, delayimp.h)."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import claim, confirmed, of, rejected
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

_LOAD, _METHOD = Category.LIBRARY_LOAD_FAILURE, Category.MISSING_METHOD
CODES: dict[int, tuple[Category, str]] = {
    0xC0000135: (_LOAD, "a library that the program needs was not found"),
    0xC0000142: (_LOAD, "a library's initialisation failed"),
    0xC000007B: (_LOAD, "a library is for another kind of processor"),
    0xC06D007E: (_LOAD, "a delay-loaded library was not found"),
    0xC0000139: (_METHOD, "a library lacks a function that the program needs"),
    0xC0000138: (_METHOD, "a library lacks an ordinal that the program needs"),
    0xC06D007F: (_METHOD, "a delay-loaded library lacks a function"),
    0xC0000017: (Category.OUT_OF_MEMORY, "there was no memory left to allocate"),
    0xC000012D: (Category.OUT_OF_MEMORY, "the commit limit of the system was reached"),
    0xE0000008: (Category.OUT_OF_MEMORY, "an allocator gave up for want of memory"),
    0xC0000006: (Category.TRUNCATED_MAPPING, "a page of a mapped file could not be read"),
    0xC0000417: (Category.EXPLICIT_ABORT, "a function of the C runtime was given a bad argument"),
    0x40000015: (Category.EXPLICIT_ABORT, "the program called abort or ended itself"),
    0xC000001D: (Category.ILLEGAL_INSTRUCTION, "the processor refused an instruction"),
    0xC0000096: (Category.ILLEGAL_INSTRUCTION, "an instruction is the kernel's alone"),
    0xC0000025: (Category.UNCAUGHT_EXCEPTION, "a handler tried to go on after an exception that "
                 "allows no going on"),
    0xC0000264: (Category.MISSED_WAKEUP, "a lock was released by a thread that does not own it"),
    0xC0000194: (Category.DEADLOCK, "the system found a possible deadlock"),
}  # fmt: skip


class NamedStatus(OneRound):
    """One cause that an exception's code may state; one instance each."""

    def __init__(self, category: Category) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the exception's code states this cause."""
        case = WindowsCase(facts)
        known = CODES.get(case.record.code) if case.record is not None else None
        if known is None or known[0] is not self.category:
            return None
        if self.category is Category.ILLEGAL_INSTRUCTION and case.fault is not None:
            return None  # the instruction says more
        return Proposal(
            category=self.category,
            statement=f"The exception says that {known[1]}.",
            confidence=0.88,
            tests=(),
            citations=of(case.record),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the code."""
        case = WindowsCase(facts)
        known = CODES.get(case.record.code) if case.record is not None else None
        if known is None or known[0] is not self.category:
            return rejected("The exception is another.", of(case.record))
        where, raised = case.where(), case.raised()
        claims = [claim(f"In {where.text} {known[1]}: {raised.text}.", raised.cites, where.cites)]
        return confirmed(
            case,
            Rung.MACHINE,
            0.8,
            claims,
            reason="The exception's code says so.",
            support=of(case.fault),
            recommendations=("Find in the frame's arguments what was asked for there.",),
        )


STATUSES = tuple(NamedStatus(category) for category in dict.fromkeys(c for c, _ in CODES.values()))
