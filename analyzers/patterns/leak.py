"""Chunks of one size that fill glibc's heap. One dump shows what fills it, not that it grows."""

from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import nobody_left, of_kind
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
)
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Heap
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


class MemoryLeak(OneRound):
    """Memory that piles up in chunks of one size."""

    category = Category.MEMORY_LEAK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When chunks of one size fill a heap of a process that did not crash by an access."""
        case = Case(facts)
        heap = largest(case)
        if heap is None or not (case.snapshot or _ended_outside(case)):
            return None
        return Proposal(
            category=self.category,
            statement="Memory of one kind piles up and is not given back.",
            confidence=0.45 if _idle(case) else 0.2,
            tests=(Command("@heap", "what fills the heap"),
                   Command("@locks", "whether the process stood still for another reason")),
            citations=line_of(heap, heap.most.line if heap.most else 0),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed as what fills the heap, where nothing else ails the process, with the
        confidence that one dump allows."""
        case = Case(facts)
        heap = largest(case)
        if heap is None:
            return rejected("No size of chunk fills the heap.",
                            [c for each in case.heaps for c in of(each)],
                            rung=Rung.STRUCTURE)  # fmt: skip
        told = share_claims(heap)
        claims = [in_place(case, self.category, None, how="fills", cites=told[0].citations), *told]
        missing = ("a second dump, to see which sizes grow",)
        if not case.snapshot or not _idle(case):
            return inconclusive(
                case,
                "One kind of chunk fills the heap; whether it grows, one dump cannot show.",
                missing,
                confidence=0.35,
                rung=Rung.STRUCTURE,
                supporting=of(heap),
                claims=claims,
                recommendations=_ADVICE,
            )
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.55,
            claims,
            reason="One size of chunk fills the heap; that it grows, one dump cannot show.",
            recommendations=_ADVICE,
            missing=missing,
        )


def _ended_outside(case: Case) -> bool:
    return case.ending is not None and (case.ending.sent or not case.faulted)


def _idle(case: Case) -> bool:
    """True when no thread computes, none waits for a lock, and not all for each other."""
    stuck = bool(case.cycles) or nobody_left(case)
    return not stuck and not of_kind(case, "running", "mutex", "rwlock", "futex")
