"""A managed heap that one kind of object fills."""

from typing import NamedTuple

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model import facts as f
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
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


def _own(item: f.HeapType) -> bool:
    """True for a type of the application, which says more than the arrays and strings it holds."""
    return not item.name.startswith(_PLAIN) and "[]" not in item.name and "[[" not in item.name


def _heap(facts: f.FactBook) -> f.HeapTypes | None:
    """The latest listing of the whole heap."""
    return next((h for h in reversed(facts.all(f.HeapTypes)) if h.whole), None)


def _top(heap: f.HeapTypes | None) -> f.HeapType | None:
    """The type that takes half of what the heap holds, if there is one."""
    if heap is None or not heap.items or heap.bytes - heap.free < _LEAST_BYTES:
        return None
    top = heap.items[0]
    half = top.bytes * 2 >= heap.bytes - heap.free
    return top if half and top.count >= _LEAST_COUNT else None


def _suspect(heap: f.HeapTypes) -> f.HeapType | None:
    """The application's own type of which there are most."""
    own = [item for item in heap.items if _own(item) and item.count >= _LEAST_COUNT]
    return max(own, key=lambda item: item.count, default=None)


def _listed(facts: f.FactBook) -> int | None:
    """One of the objects that a short listing gave, of those that are not the newest."""
    found = facts.last(f.HeapObjects)
    return found.sample[len(found.sample) // 2] if found is not None and found.sample else None


def _line(heap: f.HeapTypes, item: f.HeapType) -> Cites:
    return line_of(heap, item.line)


def _many(line: Cites, item: f.HeapType) -> Claim:
    return say("blocks", line, what="objects", type=item.name, count=item.count, bytes=item.bytes)


def gc_heap(facts: f.FactBook) -> list[Claim]:
    """How large the garbage collector's heap is."""
    gc = facts.last(f.GcHeap)
    if gc is None or gc.bytes is None:
        return []
    return [say("usage", line_of(gc, gc.bytes_line), what="gc", bytes=gc.bytes)]


def _kept(facts: f.FactBook) -> list[Claim]:
    """What keeps one of the objects: the static variable at the root, and those that hold it."""
    claims: list[Claim] = []
    for roots in facts.all(f.GcRoots)[-1:]:
        static = next((step for step in roots.steps if step.static), None)
        if static is not None:
            claims.append(say("kept_by", line_of(roots, static.line), static=static.static))
        holders = [step for step in roots.steps[:-1] if not step.type.startswith("System.Object[]")]
        claims += [
            say("kept_by", line_of(roots, step.line), type=step.type) for step in holders[:2]
        ]
    return claims


class _Full(NamedTuple):
    """The type that fills the heap, in the listing that shows it."""

    heap: f.HeapTypes
    top: f.HeapType


def _full(case: ManagedCase) -> _Full | None:
    heap = _heap(case.facts)
    top = _top(heap)
    return _Full(heap, top) if heap is not None and top is not None else None


def _keepers(case: ManagedCase) -> tuple[Command, ...]:
    """What keeps the application's most numerous type alive."""
    heap = _heap(case.facts)
    suspect = _suspect(heap) if heap is not None else None
    if suspect is None or suspect.table is None or suspect.count > _MOST_LISTED:
        return ()
    if case.facts.first(f.GcRoots) is not None:
        return ()
    listed = _listed(case.facts)
    return (commands.roots(listed),) if listed else (commands.some(suspect.table),)


def _fills(case: ManagedCase, full: _Full) -> list[Claim]:
    heap, top = full
    suspect = _suspect(heap)
    more = [] if suspect is None or suspect is top else [_many(_line(heap, suspect), suspect)]
    return [_many(_line(heap, top), top), *more, *_kept(case.facts), *gc_heap(case.facts)]


MANAGED_LEAK = ManagedCause(
    Category.MEMORY_LEAK,
    "Objects that pile up. One dump shows what fills the heap, not that it grows.",
    statement="Objects of one type fill the managed heap.",
    sign=_full,
    prior=lambda case, _: 0.35 if case.died else 0.55,
    tests=lambda *_: (commands.HEAP, commands.GC_HEAP),
    cites=lambda _, full: _line(*full),
    ask=_keepers,
    findings=(
        Proof(_full,
              "One type takes most of the managed heap; that it grows, one dump cannot show.",
              lambda case, _: 0.65 if case.facts.first(f.GcRoots) is not None else 0.6,
              Rung.STRUCTURE, "managed", _fills, frame=lambda *_: None,
              lines=lambda _, full: _line(*full), missing="a second dump, to see which types grow",
              advice=_ADVICE),
        Open(lambda case: case.facts.last(f.HeapTypes) is None, "The managed heap was not read.",
             missing="what it holds (dumpheap -stat)"),
    ),
    absent="No type fills the managed heap.",
    unseen=lambda case: of(case.facts.last(f.HeapTypes)),
    rung=Rung.STRUCTURE,
)  # fmt: skip
