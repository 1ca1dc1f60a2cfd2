"""A managed heap with large holes, in which an allocation found no room."""

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.managed.memory import gc_heap
from analyzers.patterns.managed.thrown import throwing_frame, thrown
from analyzers.patterns.words import line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import HeapTypes, ManagedException
from workbench.model.hypothesis import Rung

_SHARE = 0.3
"""Of the heap's bytes; holes that take less are what a garbage collector always leaves."""
_LEAST = 32 << 20
_ADVICE = (
    "Reuse large buffers (ArrayPool) or keep them under 85000 bytes, keep nothing pinned for long, "
    "and let a full collection compact the large object heap "
    "(GCSettings.LargeObjectHeapCompactionMode).",
)


def _holes(case: ManagedCase) -> HeapTypes | None:
    """The last listing of the whole heap, where holes take enough of it."""
    heap = next((h for h in reversed(case.facts.all(HeapTypes)) if h.whole), None)
    if heap is None or heap.free < _LEAST or heap.free < _SHARE * heap.bytes:
        return None
    return heap


def _failed(case: ManagedCase) -> ManagedException | None:
    found = thrown(case)
    return found if found is not None and found.type.endswith("OutOfMemoryException") else None


def _claims(case: ManagedCase, _: object) -> list[Claim]:
    heap = _holes(case)
    if heap is None:
        return []
    return [say("usage", line_of(heap, heap.free_line), what="holes", bytes=heap.free),
            *gc_heap(case.facts)]  # fmt: skip


def _ended(case: ManagedCase) -> ManagedException | None:
    """The allocation that failed beside the holes."""
    return _failed(case) if _holes(case) is not None else None


FRAGMENTED_HEAP = ManagedCause(
    Category.OUT_OF_MEMORY,
    "Free space that is there, but in pieces: mostly in the large object heap, which is not "
    "compacted by itself.",
    statement="The managed heap is fragmented: its free space lies in holes.",
    sign=_holes,
    prior=lambda case, _: 0.35 if _failed(case) is None else 0.96,
    tests=lambda *_: (commands.HEAP, commands.GC_HEAP, commands.EXCEPTION),
    cites=lambda _, heap: line_of(heap, heap.free_line),
    findings=(
        Proof(
            _ended,
            "An allocation failed while much of the heap was free, in pieces.",
            0.88,
            Rung.STRUCTURE,
            "fragmented",
            lambda case, failed: [
                *_claims(case, failed),
                say("exception", of(failed), type=failed.type, message=failed.message),
            ],
            frame=lambda case, failed: throwing_frame(case, failed)[0],
            lines=lambda case, failed: throwing_frame(case, failed)[1] or of(failed),
            advice=_ADVICE,
        ),
        Open(_holes, "The managed heap is fragmented; that an allocation failed is not shown.", 0.4,
             Rung.STRUCTURE, told=_claims, missing="the exception that ended the process"),
    ),
    absent="Holes take little of the managed heap.",
    unseen=lambda case: of(case.facts.last(HeapTypes)),
    rung=Rung.STRUCTURE,
)  # fmt: skip
