"""A managed heap with large holes, in which an allocation found no room."""

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.memory import gc_heap
from analyzers.patterns.managed.thrown import throwing_frame, thrown
from analyzers.patterns.words import Cites, confirmed, in_place, inconclusive, line_of, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, HeapTypes, ManagedException
from workbench.model.hypothesis import Proposal, Rung, Verdict

_SHARE = 0.3
"""Of the heap's bytes; holes that take less are what a garbage collector always leaves."""
_LEAST = 32 << 20
_ADVICE = (
    "Reuse large buffers (ArrayPool) or keep them under 85000 bytes, keep nothing pinned for long, "
    "and let a full collection compact the large object heap "
    "(GCSettings.LargeObjectHeapCompactionMode).",
)


class FragmentedHeap:
    """Free space that is there, but in pieces: mostly in the large object heap, which is not
    compacted by itself."""

    category = Category.OUT_OF_MEMORY

    def propose(self, facts: FactBook) -> Proposal | None:
        """When holes take a good part of a heap that is not small."""
        heap = _holes(facts)
        if heap is None:
            return None
        return Proposal(
            category=self.category,
            statement="The managed heap is fragmented: its free space lies in holes.",
            confidence=0.96 if _failed(facts) is not None else 0.35,
            tests=(commands.HEAP, commands.GC_HEAP, commands.EXCEPTION),
            citations=_line(heap),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Nothing more."""
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when an allocation failed beside the holes."""
        case = ManagedCase(facts)
        heap = _holes(facts)
        if heap is None:
            seen = facts.last(HeapTypes)
            return rejected("Holes take little of the managed heap.", of(seen), rung=Rung.STRUCTURE)
        failed = _failed(facts)
        claims = _claims(facts, heap)
        if failed is None:
            return inconclusive(
                case,
                "The managed heap is fragmented; that an allocation failed is not shown.",
                ("the exception that ended the process",),
                confidence=0.4,
                rung=Rung.STRUCTURE,
                claims=claims,
            )
        frame, shown = throwing_frame(case, failed)
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.88,
            [
                in_place(case, self.category, frame, how="fragmented", cites=shown or of(failed)),
                *claims,
                say("exception", of(failed), type=failed.type, message=failed.message),
            ],
            reason="An allocation failed while much of the heap was free, in pieces.",
            frame=frame,
            recommendations=_ADVICE,
        )


def _holes(facts: FactBook) -> HeapTypes | None:
    """The last listing of the whole heap, where holes take enough of it."""
    heap = next((h for h in reversed(facts.all(HeapTypes)) if h.whole), None)
    if heap is None or heap.free < _LEAST or heap.free < _SHARE * heap.bytes:
        return None
    return heap


def _failed(facts: FactBook) -> ManagedException | None:
    found = thrown(ManagedCase(facts))
    return found if found is not None and found.type.endswith("OutOfMemoryException") else None


def _line(heap: HeapTypes) -> Cites:
    return line_of(heap, heap.free_line)


def _claims(facts: FactBook, heap: HeapTypes) -> list[Claim]:
    return [say("usage", _line(heap), what="holes", bytes=heap.free), *gc_heap(facts)]
