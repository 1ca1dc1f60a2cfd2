"""Chunks of one size that fill glibc's heap. One dump shows what fills it, not that it grows."""

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof
from analyzers.patterns.stuck import nobody_left, of_kind
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Heap
from workbench.model.hypothesis import Rung

_LEAST_COUNT = 10_000
_LEAST_BYTES = 8 << 20
_ADVICE = (
    "Take a second dump later and compare the counts; what grows between them leaks. Find who "
    "allocates this size and what should free it: run under valgrind, heaptrack or "
    "-fsanitize=leak.",
)


def largest(case: Case) -> Heap | None:
    """The heap that most of one size fill: many, at least half of its memory, and not little."""
    found = [
        heap
        for heap in case.heaps
        if heap.most is not None
        and heap.most.count >= _LEAST_COUNT
        and heap.most.bytes >= _LEAST_BYTES
        and heap.most.bytes * 2 >= heap.most.total
    ]
    return max(found, key=lambda heap: heap.most.bytes if heap.most else 0, default=None)


def share_claims(heap: Heap) -> list[Claim]:
    """What fills a heap."""
    most = heap.most
    if most is None:
        return []
    return [say("blocks", line_of(heap, most.line), what="chunks", size=most.size, count=most.count,
                bytes=most.bytes, total=most.total,
                type=at(most.kind, line_of(heap, most.kind_line)))]  # fmt: skip


def _ended_outside(case: Case) -> bool:
    return case.ending is not None and (case.ending.sent or not case.faulted)


def _idle(case: Case) -> bool:
    """True when no thread computes, none waits for a lock, and not all for each other."""
    stuck = bool(case.cycles) or nobody_left(case)
    return not stuck and not of_kind(case, "running", "mutex", "rwlock", "futex")


def _piled(case: Case) -> Heap | None:
    return largest(case) if case.snapshot or _ended_outside(case) else None


_GROWS = "a second dump, to see which sizes grow"

MEMORY_LEAK = Cause(
    Category.MEMORY_LEAK,
    "Memory that piles up in chunks of one size.",
    statement="Memory of one kind piles up and is not given back.",
    sign=_piled,
    prior=lambda case, _: 0.45 if _idle(case) else 0.2,
    tests=lambda _, heap: (
        Command("@heap", "what fills the heap"),
        Command("@locks", "whether the process stood still for another reason"),
    ),
    cites=lambda _, heap: line_of(heap, heap.most.line if heap.most else 0),
    findings=(
        Proof(
            lambda case: largest(case) if case.snapshot and _idle(case) else None,
            "One size of chunk fills the heap; that it grows, one dump cannot show.",
            0.55,
            Rung.STRUCTURE,
            "fills",
            lambda _, heap: share_claims(heap),
            frame=lambda _, heap: None,
            missing=_GROWS,
            advice=_ADVICE,
            signal=False,
        ),
        Open(
            largest,
            "One kind of chunk fills the heap; whether it grows, one dump cannot show.",
            0.35,
            Rung.STRUCTURE,
            "fills",
            lambda _, heap: share_claims(heap),
            lambda _, heap: of(heap),
            frame=lambda _, heap: None,
            missing=_GROWS,
            advice=_ADVICE,
            signal=False,
        ),
    ),
    absent="No size of chunk fills the heap.",
    unseen=lambda case: [c for each in case.heaps for c in of(each)],
    rung=Rung.STRUCTURE,
)
