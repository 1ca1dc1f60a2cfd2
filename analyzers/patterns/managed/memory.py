"""A managed heap that one kind of object fills, in which one kind grows, or in which an allocation
found no room between holes."""

from typing import NamedTuple

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.managed.thrown import throwing_frame, thrown
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import (
    FactBook,
    GcHeap,
    GcRoots,
    HeapObjects,
    HeapType,
    HeapTypes,
    ManagedException,
)
from workbench.model.hypothesis import Rung

_LEAST_BYTES = 8 << 20
"""A heap under this is no leak worth the name."""
_LEAST_COUNT = 500
_MOST_LISTED = 50_000
_PLAIN = ("System.", "Microsoft.", "Internal.", "Interop", "Free")
_ADVICE = (
    "Look at what keeps these objects: a static collection, an event that is never unsubscribed, a "
    "cache without a limit.",
    "Take a second dump later and compare the counts; what grows between them leaks.",
)


def _own(item: HeapType) -> bool:
    """True for a type of the application, which says more than the arrays and strings it holds."""
    return not item.name.startswith(_PLAIN) and "[]" not in item.name and "[[" not in item.name


class _Growth(NamedTuple):
    """A type in two listings of the heap, the earlier and the later one."""

    first: HeapTypes
    before: HeapType | None
    last: HeapTypes
    after: HeapType


def _growth(facts: FactBook) -> _Growth | None:
    """The type that grew the most between the first and the last listing of the whole heap, where
    it grew by half and by no small amount."""
    whole = [heap for heap in facts.all(HeapTypes) if heap.whole]
    if len(whole) < 2 or whole[0].cite == whole[-1].cite:
        return None
    first, last = whole[0], whole[-1]
    then = {item.name: item for item in first.items}

    def grew(item: HeapType) -> int:
        before = then.get(item.name)
        return item.bytes - (before.bytes if before is not None else 0)

    after = max(last.items, key=grew, default=None)
    if after is None or grew(after) < _LEAST_BYTES or grew(after) * 3 < after.bytes:
        return None
    before = then.get(after.name)
    own = [item for item in last.items if _own(item) and item.count >= _LEAST_COUNT]
    suspect = max(own, key=grew, default=None)
    if suspect is not None and grew(suspect) >= _LEAST_BYTES:
        after, before = suspect, then.get(suspect.name)
    return _Growth(first, before, last, after)


def _heap(facts: FactBook) -> HeapTypes | None:
    """The latest listing of the whole heap."""
    return next((h for h in reversed(facts.all(HeapTypes)) if h.whole), None)


def _top(heap: HeapTypes | None) -> HeapType | None:
    """The type that takes half of what the heap holds, if there is one."""
    if heap is None or not heap.items or heap.bytes - heap.free < _LEAST_BYTES:
        return None
    top = heap.items[0]
    half = top.bytes * 2 >= heap.bytes - heap.free
    return top if half and top.count >= _LEAST_COUNT else None


def _suspect(heap: HeapTypes) -> HeapType | None:
    """The application's own type of which there are most."""
    own = [item for item in heap.items if _own(item) and item.count >= _LEAST_COUNT]
    return max(own, key=lambda item: item.count, default=None)


def _listed(facts: FactBook) -> int | None:
    """One of the objects that a short listing gave, of those that are not the newest."""
    found = facts.last(HeapObjects)
    return found.sample[len(found.sample) // 2] if found is not None and found.sample else None


def _line(heap: HeapTypes, item: HeapType) -> Cites:
    return line_of(heap, item.line)


def _many(line: Cites, item: HeapType) -> Claim:
    return say("blocks", line, what="objects", type=item.name, count=item.count, bytes=item.bytes)


def gc_heap(facts: FactBook) -> list[Claim]:
    """How large the garbage collector's heap is."""
    gc = facts.last(GcHeap)
    if gc is None or gc.bytes is None:
        return []
    return [say("usage", line_of(gc, gc.bytes_line), what="gc", bytes=gc.bytes)]


def _kept(facts: FactBook) -> list[Claim]:
    """What keeps one of the objects: the static variable at the root, and those that hold it."""
    claims: list[Claim] = []
    for roots in facts.all(GcRoots)[-1:]:
        static = next((step for step in roots.steps if step.static), None)
        if static is not None:
            claims.append(say("kept_by", line_of(roots, static.line), static=static.static))
        holders = [step for step in roots.steps[:-1] if not step.type.startswith("System.Object[]")]
        claims += [say("kept_by", line_of(roots, step.line), type=step.type)
                   for step in holders[:2]]  # fmt: skip
    return claims


class _Full(NamedTuple):
    """The type that fills the heap, in the listing that shows it."""

    heap: HeapTypes
    top: HeapType


def _full(case: ManagedCase) -> _Full | None:
    heap = _heap(case.facts)
    top = _top(heap)
    return _Full(heap, top) if heap is not None and top is not None else None


def _grown(case: ManagedCase) -> _Growth | None:
    return _growth(case.facts)


def _suspected(case: ManagedCase) -> _Full | None:
    """The type that grew, else the one that takes half of a heap that is not small."""
    grown = _grown(case)
    return _Full(grown.last, grown.after) if grown is not None else _full(case)


def _unread(case: ManagedCase) -> bool:
    return case.facts.last(HeapTypes) is None


def _keepers(case: ManagedCase) -> tuple[Command, ...]:
    """What keeps the application's most numerous type alive."""
    heap = _heap(case.facts)
    suspect = _suspect(heap) if heap is not None else None
    if suspect is None or suspect.table is None or suspect.count > _MOST_LISTED:
        return ()
    if case.facts.first(GcRoots) is not None:
        return ()
    listed = _listed(case.facts)
    return (commands.roots(listed),) if listed else (commands.some(suspect.table),)


def _grows(case: ManagedCase, grown: _Growth) -> list[Claim]:
    """Two listings show what one cannot: which type grows."""
    claims = [_many(_line(grown.last, grown.after), grown.after)]
    if (then := grown.before) is not None:
        line, count = _line(grown.first, then), then.count
        claims.append(
            say("told", line, how="earlier", name=then.name, count=count, bytes=then.bytes)
        )
    return [*claims, *_kept(case.facts)]


def _fills(case: ManagedCase, full: _Full) -> list[Claim]:
    heap, top = full
    suspect = _suspect(heap)
    more = [] if suspect is None or suspect is top else [_many(_line(heap, suspect), suspect)]
    return [_many(_line(heap, top), top), *more, *_kept(case.facts), *gc_heap(case.facts)]


MANAGED_LEAK = ManagedCause(
    Category.MEMORY_LEAK,
    "Objects that pile up. One dump shows what fills the heap, not that it grows.",
    statement="Objects that are never let go fill the managed heap.",
    sign=_suspected,
    prior=lambda case, _: 0.35 if case.died else 0.8 if _grown(case) is not None else 0.55,
    tests=lambda *_: (commands.HEAP, commands.GC_HEAP),
    cites=lambda _, full: _line(*full),
    ask=_keepers,
    findings=(
        Proof(
            _grown,
            "One type grew between two listings of the heap.",
            0.8,
            Rung.STRUCTURE,
            "grown",
            _grows,
            frame=lambda *_: None,
            lines=lambda _, grown: _line(grown.last, grown.after),
            missing=lambda case, _: ()
            if case.facts.first(GcRoots) is not None else "what keeps these objects (gcroot)",
            advice=_ADVICE[:1],
        ),
        Proof(
            _full,
            "One type takes most of the managed heap; that it grows, one dump cannot show.",
            lambda case, _: 0.65 if case.facts.first(GcRoots) is not None else 0.6,
            Rung.STRUCTURE,
            "managed",
            _fills,
            frame=lambda *_: None,
            lines=lambda _, full: _line(*full),
            missing="a second dump, to see which types grow",
            advice=_ADVICE,
        ),
        Open(_unread, "The managed heap was not read.", missing="what it holds (dumpheap -stat)"),
    ),
    absent="No type fills the managed heap.",
    unseen=lambda case: of(case.facts.last(HeapTypes)),
    rung=Rung.STRUCTURE,
)  # fmt: skip


_SHARE = 0.3
"""Of the heap's bytes; holes that take less are what a garbage collector always leaves."""
_LEAST = 32 << 20
_COMPACT = (
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
            advice=_COMPACT,
        ),
        Open(_holes, "The managed heap is fragmented; that an allocation failed is not shown.", 0.4,
             Rung.STRUCTURE, told=_claims, missing="the exception that ended the process"),
    ),
    absent="Holes take little of the managed heap.",
    unseen=lambda case: of(case.facts.last(HeapTypes)),
    rung=Rung.STRUCTURE,
)  # fmt: skip
