"""One graph of who waits for whom, from all that tells of threads and locks."""

from collections.abc import Iterator
from functools import cached_property

from msgspec import Struct, field

from analyzers.patterns.case import Case, all_cycles
from analyzers.patterns.dotnet import speaks_of_dotnet
from analyzers.patterns.windows.waits import section_waits
from workbench.model.facts import FactBook, Lock, LockCycle, Monitors, Wait

LOCKS = (
    *("mutex", "monitor", "rwlock", "semaphore", "condition", "barrier", "once", "futex"),
    *("critical-section", "resource"),
)
"""Kinds of waits whose address is a lock's."""


class LockState(Struct, kw_only=True):
    """A lock that is held or waited for; ``owner`` is a TID where it is known, ``waiters`` are."""

    kind: str
    owner: int | None = None
    waiters: dict[int, None] = field(default_factory=dict)


class WaitGraph:
    """What each thread waits for, who holds it, and the rings among them."""

    def __init__(self, facts: FactBook) -> None:
        self._facts = facts

    @cached_property
    def waits(self) -> dict[int, Wait]:
        """What each thread waits for, by TID: a runtime's or a library's lock in place of the
        system call below it."""
        found = dict(self._facts.once(Case).waits)
        found.update((wait.thread, wait) for wait in section_waits(self._facts))
        if speaks_of_dotnet(self._facts):
            from analyzers.patterns.managed.locks import monitor_waits

            found.update((wait.thread, wait) for wait in monitor_waits(self._facts))
        return found

    @cached_property
    def cycles(self) -> list[LockCycle]:
        """The rings that were told, then those that follow from the locks' owners."""
        return all_cycles(self._facts.all(LockCycle), self.waits)

    @cached_property
    def locks(self) -> dict[int, LockState]:
        """Every lock that is known to be held or waited for, by its address."""
        found: dict[int, LockState] = {}

        def lock(address: int, kind: str, owner: int | None) -> LockState:
            known = found.setdefault(address, LockState(kind=kind))
            known.owner = known.owner or owner
            return known

        for wait in self.waits.values():
            if wait.address is not None and wait.kind in LOCKS:
                lock(wait.address, wait.kind, wait.owner).waiters[wait.thread] = None
        for cycle in self.cycles:
            owners = (*cycle.threads[1:], cycle.threads[0])
            for address, thread, owner in zip(cycle.locks, cycle.threads, owners, strict=False):
                if thread in self.waits and self.waits[thread].kind == "join":
                    continue  # the word that the other thread's end clears
                lock(address, "mutex", owner).waiters[thread] = None
        for monitor in (one for table in self._facts.all(Monitors) for one in table.items):
            lock(monitor.object, "monitor", monitor.owner)
        for held in self._facts.all(Lock):
            if held.locked and held.address is not None:
                lock(held.address, held.kind, held.owner)
        return found


def inferred_waits(facts: FactBook) -> Iterator[Wait | LockCycle]:
    """The waits and the rings of the graph that no output says by itself."""
    graph, told, cycles = facts.once(WaitGraph), facts.all(Wait), facts.all(LockCycle)
    yield from (wait for wait in graph.waits.values() if wait not in told)
    yield from (cycle for cycle in graph.cycles if cycle not in cycles)
