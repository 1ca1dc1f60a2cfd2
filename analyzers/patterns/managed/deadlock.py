"""Deadlock of .NET monitors: threads that wait for each other's locks."""

from collections.abc import Iterable
from functools import cached_property

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.managed.frames import application
from analyzers.patterns.managed.locks import Blocked, Held, Locks
from analyzers.patterns.words import in_frame, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame
from workbench.model.hypothesis import Rung

_MOST = 8
"""So many threads of a ring are described one by one."""
_ADVICE = (
    "Take these locks in the same order everywhere, or use Monitor.TryEnter with a time-out, and "
    "call nothing that locks while one is held.",
)


class _Case(ManagedCase):
    @cached_property
    def locks(self) -> Locks:
        return Locks(self)


def _blocked(case: _Case) -> list[Blocked]:
    return list(case.locks.blocked.values())


def _ring(case: _Case) -> list[Blocked]:
    """The threads of a ring, or those that some ring is made of."""
    return case.locks.ring or case.locks.closed


def _is_seen(ring: list[Blocked]) -> bool:
    return all(b.on is not None for b in ring)


def _more(case: _Case) -> tuple[Command, ...]:
    """SOS's own table where ours could not be read; the objects on the stacks of the threads that
    hold a monitor where their frames' variables do not tell which one they wait for."""
    if not case.locks.known:
        return (commands.SYNC_BLOCKS,)
    if case.locks.ring:
        return ()
    waiting = [b.thread for b in _blocked(case) if b.on is None or b.by_exclusion]
    owners = {held.owner for held in case.locks.held}
    numbers = [case.managed[t].number for t in waiting if t in case.managed and t in owners]
    return tuple(commands.objects_of(number) for number in numbers[:_MOST] if number)


def _standing(case: ManagedCase, threads: Iterable[int]) -> list[Claim]:
    """Where the application's code of each thread stands."""
    found = [
        (case.managed_stacks[t], case.application_frame(t), case.cite_thread(t))
        for t in threads
        if t in case.managed_stacks
    ]
    return [claim for stack, frame, head in found for claim in in_frame(stack, frame, head)]


def _first(case: ManagedCase, threads: Iterable[int]) -> Frame | None:
    return next((f for t in threads if (f := case.application_frame(t)) is not None), None)


def _around(case: _Case, ring: list[Blocked]) -> list[Claim]:
    """What each thread of a ring waits for, where it stands, and who else waits behind it."""
    threads = [b.thread for b in ring[:_MOST]]
    known = [(b, b.on) for b in ring[:_MOST] if b.on is not None]
    waits = [
        say(
            "waits",
            (*case.cite_thread(b.thread), *b.cites),
            thread=shown(b.thread),
            kind="monitor",
            lock=on.monitor.object,
            owner=shown(on.owner, (*on.cites, *case.cite_thread(on.owner or 0))),
        )
        for b, on in known
    ]
    types = [
        say("owns", on.cites, lock=on.monitor.object, name=on.monitor.type)
        for _, on in known
        if on.monitor.type
    ]
    held = [] if _is_seen(ring) else _held(case, threads)
    return [*waits, *held, *_standing(case, threads), *types, *_queue(case, set(threads))]


def _held(case: _Case, threads: list[int]) -> list[Claim]:
    """That each thread holds a monitor: by the table of those, else by the runtime's count."""
    if case.locks.known:
        return [
            say("owns", held.cites, lock=held.monitor.object, owner=shown(held.owner))
            for held in case.locks.contended
            if held.owner in threads
        ]
    return [
        say("thread", case.cite_row(t), thread=shown(t), locks=case.managed[t].locks)
        for t in threads
    ]


def _confidence(case: _Case, ring: list[Blocked]) -> float:
    if not _is_seen(ring):
        return 0.85 if case.locks.known else 0.8
    return 0.9 if any(b.by_exclusion for b in ring) else 0.95


def _queue(case: _Case, others: Iterable[int] = ()) -> list[Claim]:
    """Who else waits behind the ring, and the counts of the table where it shows more threads than
    the stacks."""
    more = [case.managed_stacks[t] for t in case.locks.blocked if t not in others]
    counted = [_counted(held) for held in case.locks.contended if held.monitor.waiters > 1]
    queued = case.grouped(more, lambda stack: application(stack.frames), 4)
    return [*queued, *counted][:6]


def _counted(held: Held) -> Claim:
    """How many threads wait for a monitor, in the words of the table that says it."""
    monitor = held.monitor
    number = None if monitor.counted is not None else monitor.held
    return say("owns", held.cites, lock=monitor.object, counted=monitor.counted, held=number)


MANAGED_DEADLOCK = ManagedCause(
    Category.DEADLOCK,
    "Threads that hold a monitor and wait for another one.",
    statement="Managed threads wait for each other's monitors.",
    sign=_blocked,
    prior=lambda case, _: 0.93 if _ring(case) else 0.45,
    tests=lambda *_: (commands.MONITORS, commands.THREADS, commands.STACKS_WITH_LOCALS),
    cites=lambda _, blocked: [c for b in blocked[:4] for c in b.cites[:1]],
    ask=_more,
    view=_Case,
    findings=(
        Proof(_ring, "The owners of the monitors form a cycle.", _confidence, Rung.STRUCTURE,
              lambda _, ring: ("ring" if len(ring) > 1 else "itself")
              if _is_seen(ring) else "monitors", _around,
              lambda case, ring: [c for b in ring for c in case.cite_row(b.thread)],
              frame=lambda case, ring: _first(case, [b.thread for b in ring[:_MOST]]),
              lines=lambda case, ring: case.cite_thread(ring[0].thread),
              missing=lambda _, ring: () if _is_seen(ring)
              else "which monitor each of them waits for (syncblk, dumpstackobjects)",
              advice=_ADVICE),
        Open(_blocked,
             "Managed threads wait for monitors, but nothing shows that their holders wait too.",
             0.35, told=lambda case, _: _queue(case),
             support=lambda case, _: [c for b in _blocked(case) for c in b.cites][:_MOST],
             missing=lambda case, _: "what the holder of the monitor is waiting for"
             if case.locks.known else "which thread holds each monitor (syncblk)"),
    ),
    absent="No managed thread waits for a monitor.",
    unseen=lambda case: [c for t in list(case.managed_stacks)[:_MOST] for c in case.cite_thread(t)],
    rung=Rung.STACK,
)  # fmt: skip
