"""Bad pointers that are neither null nor known to be freed: overwritten, or wild."""

from analyzers.patterns import commands, signs
from analyzers.patterns.allocation import failed_allocation
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.base import OneRound
from analyzers.patterns.bounds import bad_access, strayed
from analyzers.patterns.case import Case
from analyzers.patterns.stated import accessed, loaded
from analyzers.patterns.uninitialized import leftover, never_set
from analyzers.patterns.vtable import bad_table
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from analyzers.patterns.written import UNDECIDED, data_held, written
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _narrower(case: Case) -> Verdict | None:
    freed = signs.freed(case)
    if freed is not None:
        return rejected("The pointer came out of freed memory.", freed.cites, rung=Rung.STRUCTURE)
    gone = signs.unmapped_block(case)
    if gone is not None:
        return rejected("The pointer is that of a block which was freed.", gone.cites)
    unset = never_set(case)
    if unset is not None:
        return rejected("The pointer had never been set.", line_of(case.fault, unset.line))
    left = leftover(case)
    if left is not None:
        return rejected("The pointer is what the allocator left in a block.",
                        line_of(case.fault, left.load.line) + of(left.chunk))  # fmt: skip
    called = bad_table(case)
    if called is not None:
        return rejected("The pointer is the first word of an object in a virtual call.",
                        line_of(called[0], called[1].line))  # fmt: skip
    unchecked = failed_allocation(case)
    if unchecked is not None:
        return rejected("The pointer is what a failed allocation returned.",
                        line_of(unchecked, unchecked.origin_line))  # fmt: skip
    found = strayed(case)
    if found is not None:
        return rejected("The access set out from valid memory.", found.cites)
    if in_allocator(case):
        return inconclusive(
            case,
            "The fault is inside the allocator: its own data or its argument is bad.",
            ("the pointer that it was given",),
            confidence=0.2,
            supporting=of(case.fault),
        )
    if bad_access(case) is None:
        missing = ("where the operands of the access came from",)
        return inconclusive(case, "The access that failed shows no bad pointer.", missing,
                            confidence=0.05)  # fmt: skip
    return None


def _find_buffer(fault: Fault) -> str:
    cell, front = None, ""
    if fault.run is not None:
        cell, front = fault.run.cell, f", which begins at or before {fault.run.start:#x},"
    elif fault.spelled is not None and fault.spelled.cell is not None:
        cell, front = fault.spelled.cell, f", which begins at or before {fault.spelled.start:#x},"
    if cell is not None:
        return (
            f"Find the buffer in front of the pointer at {cell:#x}{front} and the copy into it "
            "that is longer than it."
        )
    if fault.spelled is not None:
        return (
            "Find where these characters come from, in the input or in a string of the program: "
            "the buffer that they were copied into lies in front of this pointer."
        )
    return "Find which buffer lies in front of this pointer and what was copied into it."


_OPEN_ADVICE = (
    "Look at who owns the memory that the pointer was read from: print the object and what lies "
    "around it, and compare the pointer to it with those that its owner keeps.",
    "Build with -fsanitize=address and run the same path, or watch that memory in a second run: "
    "both tell a write past an end from a block that was given out again.",
)


class CorruptedPointer(OneRound):
    """The bad pointer's value is visibly data."""

    category = Category.CORRUPTED_POINTER

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the bad pointer reads as text or as one byte repeated."""
        case = Case(facts)
        if bad_access(case) is None or not data_held(case) or in_allocator(case):
            return None
        return Proposal(
            category=self.category,
            statement="The pointer was overwritten with data.",
            confidence=0.7 if written(case) else 0.5,
            tests=_tests(case),
            citations=of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by what shows a write over the pointer, where no narrower cause fits; that its
        value is data leaves open whose data it is."""
        case = Case(facts)
        narrower = _narrower(case)
        if narrower is not None:
            return narrower
        fault, data = case.fault, data_held(case)
        if fault is None or not data:
            return rejected("The value looks like an address.", of(fault))
        proof = written(case)
        claims = [
            in_place(case, self.category, case.frame, how="" if proof else "data"),
            *data,
            *proof,
            *accessed(case, fault),
            *loaded(fault),
            *signal_claim(case),
        ]
        if not proof:
            return inconclusive(
                case,
                "The pointer's value is data, and nothing shows whether it was written over, or "
                "its memory is another's by right.",
                UNDECIDED,
                confidence=0.5,
                rung=Rung.MACHINE,
                claims=claims,
                supporting=of(fault) + case.cite(case.frame),
                recommendations=_OPEN_ADVICE,
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.82,
            claims,
            reason="The pointer's value is data that was written over it.",
            missing=("who wrote over the pointer",),
            recommendations=(_find_buffer(fault),),
        )


def _tests(case: Case) -> tuple[Command, ...]:
    fault = case.fault
    source = fault.origin[0].source if fault is not None and fault.origin else None
    if fault is not None and fault.spelled is not None and fault.spelled.cell is not None:
        source = fault.spelled.cell
    return (
        *commands.source(case.frame),
        *commands.variables(case.frame),
        *commands.words(source, "the memory that the pointer was loaded from"),
        *commands.heap(*signs.addresses(case)),
    )


class WildPointer(OneRound):
    """A pointer to no memory, of which nothing more is known."""

    category = Category.WILD_POINTER

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a bad pointer was used."""
        case = Case(facts)
        if bad_access(case) is None or in_allocator(case):
            return None
        known = bool(data_held(case)) or strayed(case) is not None
        return Proposal(
            category=self.category,
            statement="The pointer never was, or no longer is, a valid address.",
            confidence=0.15 if known else 0.5,
            tests=_tests(case),
            citations=of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed, with little confidence, when every narrower cause is out."""
        case = Case(facts)
        narrower = _narrower(case)
        if narrower is not None:
            return narrower
        fault = case.fault
        if data_held(case) or fault is None:
            return rejected("The value is visibly data, and no address of any kind.", of(fault))
        number = signs.small_number(case)
        how = "number" if number is not None else "code" if fault.access == "execute" else ""
        claims = [
            in_place(case, self.category, case.frame, how=how),
            *accessed(case, fault),
            *loaded(fault),
            *signal_claim(case),
        ]
        missing = (
            "where the pointer's value came from: never set, overwritten, or stale after its "
            "memory was unmapped",
        )
        advice = (
            "Follow the pointer back to where it is set; build with -fsanitize=address and run "
            "the same path.",
        )
        if fault.root is None or number is not None:
            return inconclusive(
                case,
                "The address is no place for this access, and nothing tells how it came about.",
                missing,
                confidence=0.5,
                rung=Rung.MACHINE,
                claims=claims,
                supporting=of(fault) + case.cite(case.frame),
                recommendations=advice,
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.6,
            claims,
            reason="The address that the code itself gives is no place for this access.",
            missing=missing,
            recommendations=advice,
        )
