"""Exceptions whose code alone says what went wrong (ntstatus.h, delayimp.h)."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import confirmed, in_place, of, rejected
from workbench.model.category import Category
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

_LOAD, _METHOD = Category.LIBRARY_LOAD_FAILURE, Category.MISSING_METHOD
CODES: dict[int, Category] = {
    0xC0000135: _LOAD,
    0xC0000142: _LOAD,
    0xC000007B: _LOAD,
    0xC06D007E: _LOAD,
    0xC0000139: _METHOD,
    0xC0000138: _METHOD,
    0xC06D007F: _METHOD,
    0xC0000017: Category.OUT_OF_MEMORY,
    0xC000012D: Category.OUT_OF_MEMORY,
    0xE0000008: Category.OUT_OF_MEMORY,
    0xC0000006: Category.TRUNCATED_MAPPING,
    0xC0000417: Category.EXPLICIT_ABORT,
    0x40000015: Category.EXPLICIT_ABORT,
    0xC000001D: Category.ILLEGAL_INSTRUCTION,
    0xC0000096: Category.ILLEGAL_INSTRUCTION,
    0xC0000025: Category.UNCAUGHT_EXCEPTION,
    0xC0000264: Category.MISSED_WAKEUP,
    0xC0000194: Category.DEADLOCK,
}


class NamedStatus(OneRound):
    """One cause that an exception's code may state; one instance each."""

    def __init__(self, category: Category) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the exception's code states this cause."""
        case = WindowsCase(facts)
        known = CODES.get(case.record.code) if case.record is not None else None
        if known is not self.category or case.record is None:
            return None
        if self.category is Category.ILLEGAL_INSTRUCTION and case.fault is not None:
            return None  # the instruction says more
        return Proposal(
            category=self.category,
            statement="The exception's code says what went wrong.",
            confidence=0.88,
            tests=(),
            citations=of(case.record),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the code."""
        case = WindowsCase(facts)
        known = CODES.get(case.record.code) if case.record is not None else None
        if known is not self.category or case.record is None:
            return rejected("The exception is another.", of(case.record))
        how, cites = f"{case.record.code:#010x}", of(case.record)
        claims = [in_place(case, self.category, case.frame, how=how, cites=cites), *case.raised()]
        return confirmed(
            case,
            Rung.MACHINE,
            0.8,
            claims,
            reason="The exception's code says so.",
            support=of(case.fault),
            recommendations=("Find in the frame's arguments what was asked for there.",),
        )


STATUSES = tuple(NamedStatus(category) for category in dict.fromkeys(CODES.values()))
