"""Out of memory: the allocator had nothing left to give when the process ended."""

import re

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.allocation import failed_allocation
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.leak import largest, share_claims
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, LastError
from workbench.model.hypothesis import Proposal, Rung, Verdict

_MUCH = 64 << 20
"""A process that has less of its own than this is seldom out of memory: one request was absurd."""
_BAD_ALLOC = "std::bad_alloc"
_HANDLER = re.compile(r"(?:^|::)(?:handle_alloc_error|rust_oom|__rg_oom|__rdl_oom)$")
_INNERMOST = 24


def no_memory(case: Case) -> LastError | None:
    """errno of the thread that ended the process, when it says that memory could not be had."""
    found = case.facts.last(LastError)
    if found is None or found.name != "ENOMEM" or found.thread != case.thread:
        return None
    return found


def much_in_use(case: Case) -> bool:
    """True when the process had a good deal of memory of its own."""
    regions = case.memory.regions if case.memory is not None else ()
    own = (r for r in regions if r.kind in ("heap", "anonymous") and "w" in r.perms)
    return sum(region.end - region.start for region in own) >= _MUCH


def gave_up(case: Case) -> LastError | None:
    """errno, when the program ended itself because memory could not be had, and much was in use:
    the code that led to the end asks for memory."""
    found = no_memory(case)
    ended = case.ended(Kind.ABORT, Kind.TRAP) and case.message is None
    if found is None or found.asks is None or not ended:
        return None
    return found if much_in_use(case) else None


def handled(case: Case) -> Frame | None:
    """The frame of a runtime's handler for allocations that fail, which ends the process (Rust's
    library/alloc/src/alloc.rs)."""
    for frame in case.stack.frames[:_INNERMOST] if case.stack is not None else ():
        if frame.function is not None and _HANDLER.search(bare(frame.function)):
            return frame
    return None


def _failed(case: Case) -> bool:
    """True when an allocation is known to have failed."""
    thrown = case.exception
    bad_alloc = thrown is not None and _BAD_ALLOC in (thrown.type, *thrown.bases)
    ended = gave_up(case) is not None or handled(case) is not None
    return bad_alloc or ended or failed_allocation(case) is not None


class OutOfMemory(OneRound):
    """An allocation failed, and the process had much memory in use."""

    category = Category.OUT_OF_MEMORY

    def propose(self, facts: FactBook) -> Proposal | None:
        """When an allocation is known to have failed."""
        case = Case(facts)
        if not _failed(case):
            return None
        error = no_memory(case)
        return Proposal(
            category=self.category,
            statement="The process could get no more memory.",
            confidence=0.85 if gave_up(case) or handled(case) else 0.3,
            tests=(Command("@heap", "what fills the heap"), *commands.source(case.frame)),
            citations=of(error) + of(case.exception),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by errno and by how much was in use."""
        case = Case(facts)
        error, handler = no_memory(case), handled(case)
        if not _failed(case):
            return rejected("No allocation is known to have failed.",
                            of(facts.last(LastError)) + of(case.fault))  # fmt: skip
        if handler is not None:
            return _told_by_runtime(case, handler)
        if error is None:
            return inconclusive(
                case,
                "An allocation failed; whether memory had run out is not known.",
                ("errno of the thread, the limits that were set (ulimit -v, a container's)",),
                confidence=0.35,
                supporting=of(case.exception),
            )
        claims = [in_place(case, self.category, case.frame), _errno(error)]
        if not much_in_use(case):
            return inconclusive(
                case,
                "Little memory was in use: one request was too large, rather than many too much.",
                ("the size that was asked for",),
                confidence=0.3,
                rung=Rung.STRUCTURE,
                supporting=of(error),
                claims=claims,
            )
        heap = largest(case)
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.75,
            [*claims, *(share_claims(heap) if heap is not None else []), *signal_claim(case)],
            reason="The last call that failed got no memory, and much was in use.",
            support=of(case.memory),
            missing=("the limits that were set (ulimit -v, a container's)",),
            recommendations=(
                "See what fills the memory and why it is not given back; raise the limit only if "
                "that much is meant.",
            ),
        )


def _errno(error: LastError) -> Claim:
    """That memory could not be had, and the call that asked for it."""
    line = line_of(error, error.asks_line) if error.asks is not None else ()
    return say("errno", of(error), number=error.number, name=error.name,
               asks=at(error.asks, line), asks_at=at(error.asks_at, line))  # fmt: skip


def _told_by_runtime(case: Case, handler: Frame) -> Verdict:
    error = no_memory(case)
    claims = [
        in_place(case, Category.OUT_OF_MEMORY, case.frame, how="handler"),
        *([_errno(error)] if error is not None else []),
        *on_stack(case, handler),
    ]
    return confirmed(
        case,
        Rung.STRUCTURE if error is not None else Rung.STACK,
        0.85,
        [*claims, *signal_claim(case)],
        reason="The runtime's handler for allocations that fail is on the stack.",
        support=of(case.memory),
        missing=("the size that was asked for",),
        recommendations=(
            "See how large the request was: a length that was not checked, or memory that is "
            "never given back.",
        ),
    )
