"""Bad pointers that are neither null nor known to be freed: out of bounds, overwritten, wild."""

from typing import NamedTuple

from analyzers.patterns import commands, signs
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.heap_damage import off_the_end
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    of,
    place,
    region_words,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Fault, Region
from workbench.model.hypothesis import Claim, Proposal, Rung, Verdict

_DATA = ("stack", "heap", "file", "anonymous")


def bad_access(case: Case) -> Fault | None:
    """The fault, when data was touched, or code was to run, at an address that is no one's and not
    near null."""
    fault = case.fault
    if fault is None or not signs.raised_by_instruction(case) or signs.ran_out_of_stack(case):
        return None
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        return fault if fault.transfer != "return" and target >= NEAR_NULL else None
    if fault.access not in ("read", "write") or fault.operand is None:
        return None
    region = case.region(fault.operand)
    if signs.near_null_access(case) is not None:
        return None
    return fault if region is None or region.perms.startswith("---") else None


class Strayed(NamedTuple):
    """An access that started from valid memory: the start, its mapping, and how it left."""

    start: int
    region: Region
    text: str
    cites: Cites


def strayed(case: Case) -> Strayed | None:
    """Where an access that ended in no memory set out from valid memory: by an index register, by
    arithmetic on a pointer that was loaded, or step by step off a mapping's end."""
    fault = bad_access(case)
    if fault is None or fault.access == "execute" or fault.operand is None:
        return None
    base = case.region(fault.base_value)
    indexed = bool(fault.index_register and fault.index_value)
    if indexed and base is not None and base.kind in _DATA and fault.base_value is not None:
        return Strayed(
            fault.base_value,
            base,
            f"the index `{fault.index_register}`, {fault.index_value:#x}, leads from "
            f"{fault.base_value:#x} to {fault.operand:#x}",
            of(fault) + case.cite_region(base),
        )
    index = case.region(fault.index_value)
    if base is None and index is not None and index.kind in _DATA and fault.base_register:
        # The compiler may take the array's address as the index and the index as the base.
        return Strayed(
            fault.index_value or 0,
            index,
            f"the offset `{fault.base_register}`, {fault.base_value or 0:#x}, leads from "
            f"{fault.index_value or 0:#x} to {fault.operand:#x}",
            of(fault) + case.cite_region(index),
        )
    for kind in _DATA:
        walked = off_the_end(case, kind)
        if walked is not None:
            region = walked[1]
            return Strayed(
                region.end,
                region,
                f"the access ran off the end of a mapping at {region.end:#x} and touched "
                f"{fault.operand:#x}",
                of(fault) + case.cite_region(region),
            )
    for load in fault.origin[:1]:
        start = case.region(load.value)
        if load.value is None or start is None or load.register != fault.base_register:
            continue
        if start.kind not in _DATA:
            continue
        return Strayed(
            load.value,
            start,
            f"the pointer {load.value:#x} was valid when it was loaded, and what was added to it "
            f"leads to {fault.operand:#x}",
            of(fault) + case.cite_region(start),
        )
    return None


def _overflowed(case: Case) -> bool:
    """True when a write ran off the end of a heap or a stack, which overflows by name."""
    return off_the_end(case, "heap") is not None or off_the_end(case, "stack") is not None


class _OutOfBounds(OneRound):
    """An access that sets out from valid memory and ends in none."""

    category: Category
    access: str
    verb: str

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the access set out from valid memory."""
        case = Case(facts)
        found = strayed(case)
        if found is None or case.fault is None or case.fault.access != self.access:
            return None
        if self.access == "write" and _overflowed(case):
            return None
        return Proposal(
            category=self.category,
            statement=f"An index or a length led a {self.access} out of its memory.",
            confidence=0.75,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.heap(found.start, *signs.addresses(case))),
            citations=found.cites,
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the arithmetic of the access."""
        case = Case(facts)
        fault, found = case.fault, strayed(case)
        if fault is None or found is None or fault.access != self.access:
            return rejected("The access did not set out from valid memory.", of(fault))
        if self.access == "write" and _overflowed(case):
            return rejected("The write ran through its memory to the end: a narrower cause.",
                            found.cites)  # fmt: skip
        freed = signs.freed(case)
        if freed is not None:
            return rejected("The pointer lies in freed memory.", freed.cites, rung=Rung.STRUCTURE)
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} {self.verb} outside of its memory: "
                f"{found.text}.",
                found.cites,
                where.cites,
            ),
            claim(f"The memory it set out from is {region_words(found.region)}.", found.cites),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            claims,
            reason="The access set out from valid memory and ended in none.",
            recommendations=(
                "Check the index or length against the size of what it indexes, here and where it "
                "comes from.",
            ),
        )


class OutOfBoundsWrite(_OutOfBounds):
    """A write that an index or a length led astray."""

    category = Category.OUT_OF_BOUNDS_WRITE
    access = "write"
    verb = "writes"


class OutOfBoundsRead(_OutOfBounds):
    """A read that an index or a length led astray."""

    category = Category.OUT_OF_BOUNDS_READ
    access = "read"
    verb = "reads"


def _overwritten(case: Case) -> tuple[str, Cites] | None:
    """What the bad pointer visibly holds instead of an address."""
    fault = case.fault
    if fault is None:
        return None
    for value in (fault.base_value, fault.operand, fault.pc if fault.access == "execute" else None):
        text = signs.text_in(value)
        if text is not None and case.region(value) is None:
            return f"the value {value:#x} is text, not an address", of(fault)
        if signs.repeated_byte(value) is not None and case.region(value) is None:
            return f"the value {value:#x} is one byte repeated, not an address", of(fault)
    return None


def _narrower(case: Case) -> Verdict | None:
    freed = signs.freed(case)
    if freed is not None:
        return rejected("The pointer came out of freed memory.", freed.cites, rung=Rung.STRUCTURE)
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
        return rejected("The fault is no access through a bad pointer.", of(case.fault))
    return None


def _goes(fault: Fault) -> str:
    if fault.access == "execute":
        target = fault.operand if fault.operand is not None else fault.pc
        return f"control went to {target:#x}, where no code is"
    verb = "reads from" if fault.access == "read" else "writes to"
    return f"the instruction at {fault.pc:#x} {verb} {fault.operand:#x}"


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
                f"{where.text[:1].upper()}{where.text[1:]} uses a pointer that was overwritten: "
                f"{data[0]}.",
                data[1],
                where.cites,
            ),
            claim(f"{_goes(fault)[:1].upper()}{_goes(fault)[1:]}.", of(fault)),
            *_origin(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.82,
            claims,
            reason="The pointer's value is data.",
            missing=("who wrote over the pointer",),
            recommendations=(
                "Find which buffer lies in front of this pointer and what was copied into it.",
            ),
        )


def _tests(case: Case) -> tuple[Command, ...]:
    fault = case.fault
    source = fault.origin[0].source if fault is not None and fault.origin else None
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
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} uses a pointer to no valid memory: "
                f"{_goes(fault)}.",
                of(fault),
                where.cites,
            ),
            *_origin(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.6,
            claims,
            reason="The address is no place for this access, and nothing tells how it came about.",
            missing=(
                "where the pointer's value came from: never set, overwritten, or stale after its "
                "memory was unmapped",
            ),
            recommendations=(
                "Follow the pointer back to where it is set; build with -fsanitize=address and run "
                "the same path.",
            ),
        )
