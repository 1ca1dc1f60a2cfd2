"""Out of memory: the allocator had nothing left to give when the process ended."""

import re

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.allocation import failed_allocation
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, of_memory
from analyzers.patterns.ending import Kind
from analyzers.patterns.leak import largest, share_claims
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, LastError
from workbench.model.hypothesis import Rung

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


def _errno(error: LastError) -> Claim:
    """That memory could not be had, and the call that asked for it."""
    line = line_of(error, error.asks_line) if error.asks is not None else ()
    return say("errno", of(error), number=error.number, name=error.name,
               asks=at(error.asks, line), asks_at=at(error.asks_at, line))  # fmt: skip


_LIMITS = "the limits that were set (ulimit -v, a container's)"


def _asked(case: Case, _: object) -> list[Claim]:
    error = no_memory(case)
    return [_errno(error)] if error is not None else []


def _out(case: Case) -> LastError | None:
    return no_memory(case) if much_in_use(case) else None


def _filled(case: Case, error: LastError) -> list[Claim]:
    heap = largest(case)
    return [_errno(error), *(share_claims(heap) if heap is not None else [])]


OUT_OF_MEMORY = Cause(
    Category.OUT_OF_MEMORY,
    "An allocation failed, and the process had much memory in use.",
    statement="The process could get no more memory.",
    sign=_failed,
    prior=lambda case, _: 0.85 if gave_up(case) or handled(case) else 0.3,
    tests=lambda case, _: (Command("@heap", "what fills the heap"), *commands.source(case.frame)),
    cites=lambda case, _: of(no_memory(case)) + of(case.exception),
    findings=(
        Rival(lambda case: not _failed(case), "No allocation is known to have failed.",
              lambda case, _: of(case.facts.last(LastError)) + of(case.fault)),
        Proof(
            handled,
            "The runtime's handler for allocations that fail is on the stack.",
            0.85,
            lambda case, _: Rung.STACK if no_memory(case) is None else Rung.STRUCTURE,
            "handler",
            lambda case, handler: [*_asked(case, handler), *on_stack(case, handler)],
            of_memory,
            missing="the size that was asked for",
            advice="See how large the request was: a length that was not checked, or memory that "
            "is never given back.",
        ),
        Open(lambda case: no_memory(case) is None,
             "An allocation failed; whether memory had run out is not known.", 0.35,
             support=lambda case, _: of(case.exception),
             missing=f"errno of the thread, {_LIMITS}"),
        Proof(
            _out,
            "The last call that failed got no memory, and much was in use.",
            0.75,
            Rung.STRUCTURE,
            told=_filled,
            support=of_memory,
            missing=_LIMITS,
            advice="See what fills the memory and why it is not given back; raise the limit only "
            "if that much is meant.",
        ),
        Open(
            no_memory,
            "Little memory was in use: one request was too large, rather than many too much.",
            0.3,
            Rung.STRUCTURE,
            "",
            _asked,
            lambda _, error: of(error),
            missing="the size that was asked for",
            signal=False,
        ),
    ),
)  # fmt: skip
