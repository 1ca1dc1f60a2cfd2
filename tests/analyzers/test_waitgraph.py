"""One graph of who waits for whom: rings over all kinds of locks, and the locks themselves."""

import pytest

from analyzers.patterns.case import Case
from analyzers.patterns.waitgraph import WaitGraph, inferred_waits
from workbench.model.citation import Citation
from workbench.model.facts import (
    AnyFact,
    FactBook,
    Frame,
    Lock,
    LockCycle,
    Stack,
    Wait,
    rings,
)

CITE = Citation("E1", 1, 1)


def wait(thread: int, lock: int, owner: int | None) -> Wait:
    return Wait(cite=CITE, thread=thread, kind="mutex", address=lock, owner=owner)


def entering(thread: int, lock: int) -> Stack:
    frame = Frame(index=0, function="RtlEnterCriticalSection", args=f"{lock:x}", line_no=1)
    return Stack(cite=CITE, number=None, thread=thread, name=None, frames=(frame,))


@pytest.mark.parametrize(
    ("owners", "found"),
    [
        ({1: 2, 2: 1}, [(1, 2)]),
        ({1: 1}, [(1,)]),
        ({9: 1, 1: 2, 2: 3, 3: 1, 4: None, 5: 6, 6: 5}, [(1, 2, 3), (5, 6)]),
        ({1: 2, 2: 3}, []),
        ({}, []),
    ],
)
def test_rings(owners: dict[int, int | None], found: list[tuple[int, ...]]) -> None:
    assert rings(owners) == found


PRINTED = Lock(cite=CITE, address=0x10, owner=6)
SECTION = Lock(cite=CITE, kind="critical-section", address=0x90, owner=1)


@pytest.mark.parametrize(
    ("facts", "ring"),
    [
        ([wait(1, 0x10, 2), wait(2, 0x20, 1)], (1, 2)),
        ([wait(1, 0x10, 2), SECTION, entering(2, 0x90)], (1, 2)),
        ([wait(1, 0x10, 2), wait(2, 0x20, 3)], None),
    ],
)
def test_a_ring_follows_from_owners_whoever_told_them(
    facts: list[AnyFact], ring: tuple[int, ...] | None
) -> None:
    book = FactBook(facts)
    assert bool(Case(book).cycles) == (ring is not None and SECTION not in facts)
    assert [cycle.threads for cycle in WaitGraph(book).cycles] == ([ring] if ring else [])
    told = FactBook([*facts, *WaitGraph(book).cycles])
    assert not [fact for fact in inferred_waits(told) if isinstance(fact, LockCycle)]


def test_locks_with_their_owner_and_who_waits() -> None:
    """The word that a thread's end clears is none."""
    ring = LockCycle(cite=CITE, threads=(7, 8), locks=(0x77, 0x10))
    joins = Wait(cite=CITE, thread=7, kind="join", address=0x77, owner=8)
    held = [wait(3, 0x10, None), wait(4, 0x20, 5), wait(8, 0x10, 7), joins, ring]
    joined = WaitGraph(FactBook(held)).locks
    assert [(at, lock.owner) for at, lock in joined.items()] == [(0x10, 7), (0x20, 5)]
    graph = WaitGraph(FactBook([wait(3, 0x10, None), wait(4, 0x20, 5), PRINTED, SECTION]))
    assert [
        (at, lock.kind, lock.owner, list(lock.waiters)) for at, lock in graph.locks.items()
    ] == [
        (0x10, "mutex", 6, [3]),
        (0x20, "mutex", 5, [4]),
        (0x90, "critical-section", 1, []),
    ]
