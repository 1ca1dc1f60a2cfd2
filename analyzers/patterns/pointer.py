"""Bad pointers that are neither null nor known to be freed: overwritten, or wild."""

import re

from analyzers.patterns import commands, signs
from analyzers.patterns.allocation import failed_allocation
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.base import OneRound
from analyzers.patterns.bounds import bad_access, strayed
from analyzers.patterns.case import Case
from analyzers.patterns.uninitialized import leftover, never_set
from analyzers.patterns.vtable import bad_table
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    line_of,
    of,
    place,
    region_words,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _overwritten(case: Case) -> tuple[str, Cites] | None:
    """What the bad pointer visibly holds instead of an address."""
    fault = case.fault
    if fault is None or (fault.root and fault.root == fault.base_value):
        return None  # the code set it to that constant
    if fault.run is not None:
        what = f"the cell at {fault.run.cell:#x} that it was read from lies in a run of data"
        return f"{what} from {fault.run.start:#x} to {fault.run.end:#x}", of(fault)
    for value in (fault.base_value, fault.operand, fault.pc if fault.access == "execute" else None):
        text = signs.text_in(value)
        if text is not None and not case.described(value):
            spelled = fault.spelled
            if spelled is None or spelled.value != value or re.search(r'["`\\]', spelled.text):
                return f"the value {value:#x} is text, not an address", of(fault)
            said = f'the value {value:#x} is the text "{spelled.text}", not an address'
            return said, of(fault) + line_of(fault, spelled.line)
        if signs.repeated_byte(value) is not None and not case.described(value):
            return f"the value {value:#x} is one byte repeated, not an address", of(fault)
    return None


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


def _goes(case: Case, fault: Fault) -> str:
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        if case.described(target):
            what = region_words(case.region(target))
            return f"control went to {target:#x}, which lies in {what} that may not run as code"
        return f"control went to {target:#x}, where no code is"
    verb = "reads from" if fault.access == "read" else "writes to"
    return f"the instruction at {fault.pc:#x} {verb} {fault.operand:#x}"


def _wrong(fault: Fault) -> str:
    return "no code" if fault.access == "execute" else "no valid memory"


def _origin(case: Case, fault: Fault) -> list[Claim]:
    for load in fault.origin[:1]:
        if load.value is not None:
            return [
                claim(
                    f"The pointer {load.value:#x} was loaded into `{load.register}` from "
                    f"{load.source:#x}.",
                    of(fault),
                )
            ]
    return []


def _copied(fault: Fault) -> list[Claim]:
    """Where the text stands that the pointer is a part of."""
    spelled = fault.spelled
    if spelled is None or spelled.cell is None:
        return []
    what = "a text" if spelled.run.startswith("text") else "a run of data"
    return [
        claim(
            f"The same word stands in other memory at {spelled.cell:#x}, in {what} that goes from "
            f"{spelled.start:#x} to {spelled.end:#x}: most likely the pointer was read from there.",
            line_of(fault, spelled.copy_line),
        )
    ]


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


class CorruptedPointer(OneRound):
    """The bad pointer's value is visibly data."""

    category = Category.CORRUPTED_POINTER

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the bad pointer reads as text or as one byte repeated."""
        case = Case(facts)
        if bad_access(case) is None or _overwritten(case) is None or in_allocator(case):
            return None
        return Proposal(
            category=self.category,
            statement="The pointer was overwritten with data.",
            confidence=0.7,
            tests=_tests(case),
            citations=of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the value itself, where no narrower cause fits."""
        case = Case(facts)
        narrower = _narrower(case)
        if narrower is not None:
            return narrower
        fault, data = case.fault, _overwritten(case)
        if fault is None or data is None:
            return rejected("The value looks like an address.", of(fault))
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.capital} uses a pointer that was overwritten: {data[0]}.",
                data[1],
                where.cites,
            ),
            claim(f"{_goes(case, fault)[:1].upper()}{_goes(case, fault)[1:]}.", of(fault)),
            *_origin(case, fault),
            *_copied(fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.82,
            claims,
            reason="The pointer's value is data.",
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
        known = _overwritten(case) is not None or strayed(case) is not None
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
        if _overwritten(case) is not None or fault is None:
            return rejected("The value is visibly data: it was overwritten.", of(fault))
        where = place(case, case.frame)
        number = signs.small_number(case)
        what = f"a pointer to {_wrong(fault)}" if number is None else "a number as a pointer"
        claims = [
            claim(f"{where.capital} uses {what}: {_goes(case, fault)}.", of(fault), where.cites),
            *_origin(case, fault),
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
                supporting=of(fault) + where.cites,
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
