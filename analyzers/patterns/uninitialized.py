"""Pointers and values that nobody had set: what was used is what the memory held before."""

from typing import NamedTuple

from analyzers.patterns import commands, signs
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stated import accessed, inside, mapped
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from analyzers.patterns.written import owner, written
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk, FactBook, Fault, Load, Unset
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ADVICE = (
    "Set the variable where it is declared, and look at each way through the function that leads "
    "to this use without setting it.",
    "Compile with -Wall -Wmaybe-uninitialized, or run the same path under valgrind or with "
    "-fsanitize=memory.",
)
_PAGE_BITS = 12
_ALIGNED = 16


class Leftover(NamedTuple):
    """A pointer that is what the allocator had left in a block which is in use again."""

    load: Load
    chunk: Chunk
    link: int


def leftover(case: Case) -> Leftover | None:
    """The fault's pointer where it is the hidden link of a free list (malloc.c, PROTECT_PTR): the
    first word of a block in use that still points, by that cipher, into its own heap."""
    fault = case.fault
    if fault is None or not signs.raised_by_instruction(case) or in_allocator(case):
        return None
    for load in fault.origin:
        chunk = case.chunk(load.source)
        if load.value is None or chunk is None or chunk.state != "in-use" or chunk.offset:
            continue
        if load.value >> 47 or load.value >> _PAGE_BITS == 0:
            continue
        link = load.value ^ (load.source >> _PAGE_BITS)
        here, there = case.region(load.source), case.region(link)
        if link == 0 or (here is not None and here == there and link % _ALIGNED == 0):
            return Leftover(load, chunk, link)
    return None


def never_set(case: Case) -> Unset | None:
    """What the fault's pointer was taken from, where the function never set that."""
    fault = case.fault
    if fault is None or not signs.raised_by_instruction(case):
        return None
    overwritten = (
        fault.run is not None
        and fault.unset is not None
        and (fault.run.start <= (fault.unset.cell or 0) < fault.run.end)
    )
    return None if fault.access == "none" or overwritten else fault.unset


class UninitializedPointer(OneRound):
    """The pointer's variable is one that no instruction of its function sets, or a word of a new
    block that still holds the allocator's own link; data in a block leaves it open."""

    category = Category.UNINITIALIZED_POINTER

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the walk back from the pointer ends at nothing, or in a block of the heap."""
        case = Case(facts)
        unset, left, block = never_set(case), leftover(case), owner(case)
        known = unset is not None or left is not None
        if (not known and block is None) or signs.ran_out_of_stack(case) is not None:
            return None
        return Proposal(
            category=self.category,
            statement="A pointer was used that had never been set.",
            confidence=0.75 if known else 0.2,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *_words(unset), *commands.heap(*signs.addresses(case))),
            citations=of(case.fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the function's own code, or by the allocator's link; rejected where the
        pointer came out of freed memory."""
        case = Case(facts)
        freed = signs.freed(case)
        if freed is not None:
            return rejected("The pointer came out of freed memory.", freed.cites,
                            rung=Rung.STRUCTURE)  # fmt: skip
        stack = signs.ran_out_of_stack(case)
        if stack is not None:
            return rejected("The thread ran out of stack.", of(stack))
        fault, unset, left = case.fault, never_set(case), leftover(case)
        if fault is not None and unset is not None:
            return _variable(case, fault, unset)
        if fault is not None and left is not None:
            return _block(case, fault, left)
        block = owner(case)
        if block is not None:
            if written(case):
                return rejected("The pointer was written over.", of(fault))
            return inconclusive(
                case,
                "The pointer was read from a block that is in use; whether its owner ever set it "
                "does not show in it.",
                ("where the object's code sets this member",),
                confidence=0.25,
                rung=Rung.STRUCTURE,
                claims=inside(case, block.address),
                supporting=of(fault) + of(block),
                recommendations=_ADVICE,
            )
        return rejected("The pointer was set by code that is known.", of(fault))


def _variable(case: Case, fault: Fault, unset: Unset) -> Verdict:
    return confirmed(
        case,
        Rung.MACHINE,
        0.88,
        [
            in_place(case, Category.UNINITIALIZED_POINTER, case.frame),
            *_left(fault, unset),
            *_then(case, fault),
            *signal_claim(case),
        ],
        reason="No instruction of the function sets what it used as a pointer.",
        support=of(case.memory),
        recommendations=_ADVICE,
    )


def _block(case: Case, fault: Fault, left: Leftover) -> Verdict:
    load = left.load
    cites = line_of(fault, load.line)
    claims = [
        in_place(case, Category.UNINITIALIZED_POINTER, case.frame),
        say("told", cites, how="free-link", number=load.value),
        say("loaded", cites, register=load.register, value=load.value, source=load.source),
        *inside(case, load.source),
        *_then(case, fault),
        *signal_claim(case),
    ]
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.78,
        claims,
        reason="The word holds what the allocator left there, so its owner has not written it yet.",
        support=of(case.memory),
        missing=("whether the block's owner read it, or a pointer to what the block held before",),
        recommendations=(
            "Set every field where the block is allocated (calloc, a constructor), and check that "
            "nobody keeps a pointer to what the block held before.",
        ),
    )


def _left(fault: Fault, unset: Unset) -> list[Claim]:
    lines = line_of(fault, unset.line)
    return [say("unset", lines, cell=unset.cell, value=unset.value, function=unset.function)]


def _then(case: Case, fault: Fault) -> list[Claim]:
    data = fault.access != "execute" and fault.operand is not None
    return [*accessed(case, fault), *(mapped(case, fault.operand or 0) if data else [])]


class UninitializedValue(OneRound):
    """An index that the function never set led the access astray."""

    category = Category.UNINITIALIZED_VALUE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the walk back from the access's index ends at nothing."""
        case = Case(facts)
        fault = case.fault
        if fault is None or fault.index_unset is None or fault.access not in ("read", "write"):
            return None
        if not signs.raised_by_instruction(case) or fault.unset is not None:
            return None
        return Proposal(
            category=self.category,
            statement="An index was used that had never been set.",
            confidence=0.7,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *_words(fault.index_unset)),
            citations=of(fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the function's own code."""
        case = Case(facts)
        fault = case.fault
        unset = fault.index_unset if fault is not None else None
        if fault is None or unset is None:
            return rejected("The index was set by code that is known.", of(fault))
        claims = [
            in_place(case, self.category, case.frame),
            *_left(fault, unset),
            *_then(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            claims,
            reason="No instruction of the function sets what it used as an index.",
            support=of(case.memory),
            recommendations=_ADVICE,
        )


def _words(unset: Unset | None) -> tuple[Command, ...]:
    cell = unset.cell if unset is not None else None
    return commands.words(cell, "what the variable's place on the stack holds")
