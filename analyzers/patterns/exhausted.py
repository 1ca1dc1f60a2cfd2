"""Memory that ran out, whose failed allocation was used all the same, or that piles up: chunks of
one size that fill glibc's heap. One dump shows what fills it, not that it grows."""

import re

from analyzers.names import bare
from analyzers.patterns import commands, dangling
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import RAN_OUT, Cause, Open, Proof, Rival, of_memory
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import accessed, on_stack
from analyzers.patterns.stuck import nobody_left, of_kind
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Frame, Heap, LastError
from workbench.model.hypothesis import Rung

MAPS = frozenset({"mmap", "mmap64", "mremap", "shmat", "sbrk"})
"""What returns -1 where it failed (mmap(2), shmat(2), sbrk(2))."""
_NULL = dangling.ALLOCATES | {
    "aligned_alloc", "memalign", "valloc", "pvalloc", "reallocarray", "strdup", "strndup",
    "__strdup", "__strndup", "wcsdup", "g_try_malloc", "xmlMalloc",
}  # fmt: skip
_FREES_AT_ZERO = frozenset({"realloc", "reallocarray"})
"""What returns null for a size of 0 as well, having freed the block (malloc(3))."""
_MAP_FAILED = (1 << 64) - 1


def failed_allocation(case: Case) -> Fault | None:
    """The fault, when its pointer is what a failed allocation had returned: null, or MAP_FAILED of
    mmap(2), perhaps with a field's offset or an index added."""
    fault = case.fault
    if fault is None or fault.origin_call is None or not case.faulted:
        return None
    if fault.access not in ("read", "write"):
        return None
    name = bare(fault.origin_call)
    if name in _FREES_AT_ZERO:
        return None
    wanted = _MAP_FAILED if name in MAPS else 0
    if name not in _NULL and name not in MAPS:
        return None
    if fault.origin_value != wanted or any(load.value != wanted for load in fault.origin):
        return None
    # What was computed on the way leads away from the result; its own steps are what was followed.
    near = fault.operand is not None and (fault.operand - wanted) % (1 << 64)
    beside = near is not False and min(near, (1 << 64) - near) < NEAR_NULL
    return fault if beside or (near is not False and fault.base_value == wanted) else None


UNCHECKED_ALLOCATION = Cause(
    Category.UNCHECKED_ALLOCATION,
    "The null that was dereferenced is what an allocation returned.",
    statement="An allocation failed, and its result was used without a check.",
    sign=failed_allocation,
    prior=0.85,
    cites=lambda _, fault: line_of(fault, fault.origin_line),
    findings=(
        RAN_OUT,
        Proof(failed_allocation, "The pointer's value is the result of an allocation that failed.",
              0.93,
              told=lambda case, fault: [
                  say("returned_by", line_of(fault, fault.origin_line), function=fault.origin_call,
                      value=fault.origin_value),
                  *accessed(case, fault),
              ], support=of_memory,
              advice="Check the result of this allocation before it is used, and see why it "
              "failed: an absurd size (an overflow, a negative number), a limit (ulimit -v, a "
              "container), or memory that was used up."),
    ),
    absent="The pointer is not what a failed allocation returned.",
)  # fmt: skip

UNCHECKED = Rival(failed_allocation, "The pointer is what a failed allocation returned.",
                  lambda _, fault: line_of(fault, fault.origin_line))  # fmt: skip


_LEAST_COUNT = 10_000
_LEAST_BYTES = 8 << 20
_ADVICE = (
    "Take a second dump later and compare the counts; what grows between them leaks. Find who "
    "allocates this size and what should free it: run under valgrind, heaptrack or "
    "-fsanitize=leak.",
)


def largest(case: Case, least: int = _LEAST_COUNT) -> Heap | None:
    """The heap that most of one size fill: many, at least half of its memory, and not little."""
    found = [
        heap
        for heap in case.heaps
        if heap.most is not None
        and heap.most.count >= least
        and heap.most.bytes >= _LEAST_BYTES
        and heap.most.bytes * 2 >= heap.most.total
    ]
    return max(found, key=lambda heap: heap.most.bytes if heap.most else 0, default=None)


def share_claims(heap: Heap) -> list[Claim]:
    """What fills a heap."""
    most = heap.most
    if most is None:
        return []
    return [
        say(
            "blocks",
            line_of(heap, most.line),
            what="chunks",
            size=most.size,
            count=most.count,
            bytes=most.bytes,
            total=most.total,
            type=at(most.kind, line_of(heap, most.kind_line)),
        )
    ]


def _ended_outside(case: Case) -> bool:
    return case.ending is not None and (case.ending.sent or not case.faulted)


def _idle(case: Case) -> bool:
    """True when no thread computes, none waits for a lock, and not all for each other."""
    stuck = bool(case.cycles) or nobody_left(case)
    return not stuck and not of_kind(case, "running", "mutex", "rwlock", "futex")


def _lost(case: Case) -> Heap | None:
    """The heap that such chunks fill, to none of which anything points: none can be freed."""
    heap = largest(case)
    most = heap.most if heap is not None else None
    return heap if most is not None and most.looked and most.lost == most.looked else None


def _unreferred(heap: Heap) -> list[Claim]:
    most = heap.most
    if most is None:
        return []
    return [say("told", line_of(heap, most.lost_line), how="unreferred", count=most.lost)]


_FILLS = "One size of chunk fills the heap; that it grows, one dump cannot show."
_KEPT = "One size of chunk fills the heap and is pointed to; that it grows, one dump cannot show."
_GROWS = "a second dump, to see which sizes grow"

MEMORY_LEAK = Cause(
    Category.MEMORY_LEAK,
    "Memory that piles up in chunks of one size.",
    statement="Memory of one kind piles up and is not given back.",
    sign=lambda case: largest(case) if case.snapshot or _ended_outside(case) else None,
    prior=lambda case, _: 0.45 if _idle(case) else 0.2,
    tests=lambda _, heap: (
        Command("@heap", "what fills the heap"),
        Command("@locks", "whether the process stood still for another reason"),
    ),
    cites=lambda _, heap: line_of(heap, heap.most.line if heap.most else 0),
    signal=False,
    findings=(
        Proof(lambda case: _lost(case) if case.snapshot else None,
              "One size of chunk fills the heap, and nothing points to those that were looked for.",
              0.7, Rung.STRUCTURE, "lost",
              lambda _, heap: [*share_claims(heap), *_unreferred(heap)],
              frame=lambda _, heap: None, advice=_ADVICE[0]),
        Open(lambda case: largest(case) if case.snapshot and _idle(case) else None,
             lambda _, heap: _KEPT if heap.most.looked else _FILLS, 0.5,
             Rung.STRUCTURE, "fills", lambda _, heap: share_claims(heap), lambda _, heap: of(heap),
             frame=lambda _, heap: None, missing=_GROWS, advice=_ADVICE),
        Open(largest, "One kind of chunk fills the heap; whether it grows, one dump cannot show.",
             0.35, Rung.STRUCTURE, "fills", lambda _, heap: share_claims(heap),
             lambda _, heap: of(heap), frame=lambda _, heap: None, missing=_GROWS, advice=_ADVICE),
    ),
    absent="No size of chunk fills the heap.",
    unseen=lambda case: [c for each in case.heaps for c in of(each)],
    rung=Rung.STRUCTURE,
)  # fmt: skip


_MUCH = 64 << 20
"""A process that has less of its own than this is seldom out of memory: one request was absurd."""
_BAD_ALLOC = "std::bad_alloc"
_HANDLER = re.compile(r"(?:^|::)(?:handle_alloc_error|rust_oom|__rg_oom|__rdl_oom)$")
_INNERMOST = 24


def no_memory(case: Case) -> LastError | None:
    """errno of the thread that ended the process, when it says that memory could not be had."""
    found = case.facts.last(LastError)
    return None if found is None or found.name != "ENOMEM" or found.thread != case.thread else found


def much_in_use(case: Case) -> bool:
    """True when the process had a good deal of memory of its own."""
    own = (r for r in case.regions if r.kind in ("heap", "anonymous") and "w" in r.perms)
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
    return case.matching(_HANDLER, _INNERMOST)


def _failed(case: Case) -> bool:
    """True when an allocation is known to have failed."""
    thrown = case.exception
    bad_alloc = thrown is not None and _BAD_ALLOC in (thrown.type, *thrown.bases)
    ended = gave_up(case) is not None or handled(case) is not None
    return bad_alloc or ended or failed_allocation(case) is not None


def _errno(error: LastError) -> Claim:
    """That memory could not be had, and the call that asked for it."""
    line = line_of(error, error.asks_line) if error.asks is not None else ()
    return say(
        "errno",
        of(error),
        number=error.number,
        name=error.name,
        asks=at(error.asks, line),
        asks_at=at(error.asks_at, line),
    )


_LIMITS = "the limits that were set (ulimit -v, a container's)"


def _asked(case: Case, _: object) -> list[Claim]:
    error = no_memory(case)
    return [_errno(error)] if error is not None else []


def filled(case: Case) -> list[Claim]:
    """What fills the heap of a process that could get no more memory."""
    heap = largest(case, 2) if _failed(case) else None
    return share_claims(heap) if heap is not None else []


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
        Proof(handled, "The runtime's handler for allocations that fail is on the stack.", 0.85,
              lambda case, _: Rung.STACK if no_memory(case) is None else Rung.STRUCTURE, "handler",
              lambda case, handler: [*_asked(case, handler), *on_stack(case, handler)], of_memory,
              missing="the size that was asked for",
              advice="See how large the request was: a length that was not checked, or memory that "
              "is never given back."),
        Open(lambda case: no_memory(case) is None,
             "An allocation failed; whether memory had run out is not known.", 0.35,
             support=lambda case, _: of(case.exception),
             missing=f"errno of the thread, {_LIMITS}"),
        Proof(lambda case: no_memory(case) if much_in_use(case) else None,
              "The last call that failed got no memory, and much was in use.", 0.75, Rung.STRUCTURE,
              told=lambda case, error: [_errno(error), *filled(case)], support=of_memory,
              missing=_LIMITS,
              advice="See what fills the memory and why it is not given back; raise the limit only "
              "if that much is meant."),
        Open(no_memory,
             "Little memory was in use: one request was too large, rather than many too much.", 0.3,
             Rung.STRUCTURE, "", _asked, lambda _, error: of(error),
             missing="the size that was asked for", signal=False),
    ),
)  # fmt: skip
