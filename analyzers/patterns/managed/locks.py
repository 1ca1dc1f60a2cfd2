"""Who waits for whose monitor: the sync blocks, the stacks and the objects on them, put together.

A thread that is in Monitor.Enter waits for a contended monitor that it does not hold itself, since
monitors are reentrant. Which one it is, its own frame's variables tell, or there is only one left.
"""

from collections.abc import Iterable
from functools import cached_property

from msgspec import Struct

from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import application, entering
from analyzers.patterns.words import Cites, line_of
from workbench.model.facts import FactBook, Monitor, Monitors, StackObjects, Wait, rings


class Held(Struct, frozen=True, kw_only=True):
    """One held monitor; ``owner`` is the TID of its holder where it is known."""

    monitor: Monitor
    owner: int | None
    cites: Cites


class Blocked(Struct, frozen=True, kw_only=True):
    """One thread that waits to enter a monitor: ``on`` is the monitor where it is known."""

    thread: int
    on: Held | None
    cites: Cites
    by_exclusion: bool = False


class Locks:
    """The monitors of a case. ``known`` is False when no table of monitors was read."""

    def __init__(self, case: ManagedCase) -> None:
        self.case = case

    @cached_property
    def known(self) -> bool:
        """True when the table of sync blocks was read."""
        return self.case.facts.first(Monitors) is not None

    @cached_property
    def held(self) -> list[Held]:
        """Every held monitor, once, as the last table that has it says."""
        owners = {item.object: tid for tid, item in self.case.managed.items()}
        found: dict[int, Held] = {}
        for table in self.case.facts.all(Monitors):
            for monitor in table.items:
                owner = monitor.owner
                rows = line_of(table, monitor.line)
                if owner is None and monitor.owner_object is not None:
                    owner = owners.get(monitor.owner_object)
                    rows += self.case.cite_row(owner) if owner is not None else ()
                found[monitor.object] = Held(monitor=monitor, owner=owner, cites=rows)
        return list(found.values())

    @cached_property
    def contended(self) -> list[Held]:
        """Those that somebody waits for."""
        return [held for held in self.held if held.monitor.waiters > 0]

    @cached_property
    def blocked(self) -> dict[int, Blocked]:
        """Every thread that waits to enter a monitor, by TID."""
        found: dict[int, Blocked] = {}
        for thread, stack in self.case.managed_stacks.items():
            frame = entering(stack)
            if frame is None:
                continue
            rest = [held for held in self.contended if held.owner != thread]
            cites = self.case.cite_frame(stack, frame)
            named = self._named(thread, rest, frame.index)
            if named is not None:
                found[thread] = Blocked(thread=thread, on=named[0], cites=cites + named[1])
            elif len(rest) == 1:
                found[thread] = Blocked(
                    thread=thread, on=rest[0], cites=cites + rest[0].cites, by_exclusion=True
                )
            else:
                found[thread] = Blocked(thread=thread, on=None, cites=cites)
        return found

    def _named(self, thread: int, rest: Iterable[Held], level: int) -> tuple[Held, Cites] | None:
        """The one of some monitors whose object the waiting frame refers to, and where."""
        by_object = {held.monitor.object: held for held in rest}
        stack = self.case.managed_stacks[thread]
        caller = application(stack.frames, level)
        edge = caller.stack_pointer if caller is not None else None
        found: dict[int, Cites] = {}
        for objects in self.case.facts.all(StackObjects):
            if objects.thread != thread:
                continue
            for item in objects.items:
                if item.address not in by_object:
                    continue
                near = item.frame is not None and caller is not None and item.frame == caller.index
                below = item.frame is None and item.slot is not None and edge and item.slot < edge
                if near or below:
                    found.setdefault(item.address, line_of(objects, item.line))
        if len(found) != 1:
            return None
        address, line = found.popitem()
        held = by_object[address]
        return held, line + held.cites

    @cached_property
    def ring(self) -> list[Blocked]:
        """Threads that wait for each other, each for a monitor of the next; empty for none."""
        owners = {t: b.on.owner if b.on is not None else None for t, b in self.blocked.items()}
        return [self.blocked[thread] for ring in rings(owners)[:1] for thread in ring]

    @cached_property
    def closed(self) -> list[Blocked]:
        """All owners of contended monitors (without a table of those: all threads that hold any),
        where there are two or more and each waits itself. Each waits for a monitor of another of
        them, whichever it is, so that some form a ring; empty for none."""
        owners = {held.owner for held in self.contended}
        if not self.known:
            owners = {thread for thread, item in self.case.managed.items() if item.locks}
        waiting = [blocked for thread, blocked in self.blocked.items() if thread in owners]
        return waiting if 1 < len(waiting) == len(owners) else []


def monitor_waits(facts: FactBook) -> list[Wait]:
    """The waits for monitors, as facts of the same kind as native ones. Each cites the line of the
    table that it follows from."""
    return [
        Wait(
            cite=blocked.cites[-1],
            thread=blocked.thread,
            kind="monitor",
            address=blocked.on.monitor.object if blocked.on is not None else None,
            owner=blocked.on.owner if blocked.on is not None else None,
        )
        for blocked in Locks(facts.once(ManagedCase)).blocked.values()
        if blocked.cites
    ]
