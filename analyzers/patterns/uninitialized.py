"""Pointers and values that nobody had set: what was used is what the memory held before."""

from typing import NamedTuple

from analyzers.patterns import commands, dangling, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import FREED, RAN_OUT, Cause, Open, Proof, Rival, at_frame, of_memory
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.stated import accessed, inside, mapped
from analyzers.patterns.words import line_of, of
from analyzers.patterns.written import held_by, owner, written
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Chunk, Load, Unset
from workbench.model.hypothesis import Rung

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


def leftover(case: Case) -> Leftover | None:
    """The fault's pointer where it is the hidden link of a free list (malloc.c, PROTECT_PTR): the
    first word of a block in use that still points, by that cipher, into its own heap."""
    fault = case.fault
    if fault is None or not case.faulted or in_allocator(case):
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
            return Leftover(load, chunk)
    return None


def never_set(case: Case) -> Unset | None:
    """What the fault's pointer was taken from, where the function never set that."""
    fault = case.fault
    if fault is None or not case.faulted:
        return None
    return None if fault.access == "none" else fault.unset


UNSET = Rival(never_set, "The pointer had never been set.",
              lambda case, unset: line_of(case.fault, unset.line))  # fmt: skip
LEFTOVER = Rival(leftover, "The pointer is what the allocator left in a block.",
                 lambda case, left: line_of(case.fault, left.load.line) + of(left.chunk)
                 )  # fmt: skip


def _left(case: Case, unset: Unset) -> list[Claim]:
    lines = line_of(case.fault, unset.line)
    return [say("unset", lines, cell=unset.cell, value=unset.value, function=unset.function)]


def _then(case: Case) -> list[Claim]:
    fault = case.fault
    if fault is None:
        return []
    data = fault.access != "execute" and fault.operand is not None
    return [*accessed(case, fault), *(mapped(case, fault.operand or 0) if data else [])]


def _words(case: Case, unset: Unset | None) -> tuple[Command, ...]:
    cell = unset.cell if unset is not None else None
    return commands.words(case, cell, "what the variable's place on the stack holds")


def _suspected(case: Case) -> float | None:
    """How likely the pointer was never set: its walk back ends at nothing, or in a block in use."""
    if signs.ran_out_of_stack(case) is not None:
        return None
    if never_set(case) is not None or leftover(case) is not None:
        return 0.75
    return 0.2 if owner(case) is not None else None


def _index_unset(case: Case) -> Unset | None:
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or fault.unset is not None:
        return None
    return fault.index_unset if case.faulted else None


UNINITIALIZED_POINTER = Cause(
    Category.UNINITIALIZED_POINTER,
    "The pointer's variable is one that no instruction of its function sets, or a word of a new "
    "block that still holds the allocator's own link; data in a block leaves it open.",
    statement="A pointer was used that had never been set.",
    sign=_suspected,
    tests=lambda case, _: (*at_frame(case), *_words(case, never_set(case)),
                           *commands.heap(*dangling.addresses(case))),
    findings=(
        FREED,
        RAN_OUT,
        Proof(never_set, "No instruction of the function sets what it used as a pointer.", 0.88,
              told=lambda case, unset: [*_left(case, unset), *_then(case)], support=of_memory,
              advice=_ADVICE),
        Proof(leftover,
              "The word holds what the allocator left there, so its owner has not written it yet.",
              0.78, Rung.STRUCTURE,
              told=lambda case, left: [
                  say("told", line_of(case.fault, left.load.line), how="free-link",
                      number=left.load.value),
                  say("loaded", line_of(case.fault, left.load.line), register=left.load.register,
                      value=left.load.value, source=left.load.source),
                  *inside(case, left.load.source),
                  *_then(case),
              ], support=of_memory,
              missing="whether the block's owner read it, or a pointer to what the block held "
              "before",
              advice="Set every field where the block is allocated (calloc, a constructor), and "
              "check that nobody keeps a pointer to what the block held before."),
        Rival(lambda case: owner(case) and written(case), "The pointer was written over.",
              lambda case, _: of(case.fault)),
        Open(owner, lambda case, block: f"{held_by(case, block)}; whether its owner ever set it "
             "does not show in it.", 0.25, Rung.STRUCTURE,
             told=lambda case, block: inside(case, block.address),
             support=lambda case, block: of(case.fault) + of(block),
             missing="where the object's code sets this member", advice=_ADVICE),
    ),
    absent="The pointer was set by code that is known.",
)  # fmt: skip

UNINITIALIZED_VALUE = Cause(
    Category.UNINITIALIZED_VALUE,
    "An index that the function never set led the access astray.",
    statement="An index was used that had never been set.",
    sign=_index_unset,
    prior=0.7,
    tests=lambda case, unset: (*at_frame(case), *_words(case, unset)),
    findings=(
        Proof(lambda case: case.fault.index_unset if case.fault is not None else None,
              "No instruction of the function sets what it used as an index.",
              told=lambda case, unset: [*_left(case, unset), *_then(case)], support=of_memory,
              advice=_ADVICE),
    ),
    absent="The index was set by code that is known.",
)  # fmt: skip
