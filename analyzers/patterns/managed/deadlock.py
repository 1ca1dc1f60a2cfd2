"""Deadlock of .NET monitors: threads that wait for each other's locks."""

from collections.abc import Iterable

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import application, entering
from analyzers.patterns.managed.locks import Held, Locks
from analyzers.patterns.words import confirmed, in_frame, in_place, inconclusive, rejected, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict

_MOST = 8
"""So many threads of a ring are described one by one."""
_ADVICE = (
    "Take these locks in the same order everywhere, or use Monitor.TryEnter with a time-out, and "
    "call nothing that locks while one is held.",
)


class ManagedDeadlock:
    """Threads that hold a monitor and wait for another one."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When any thread waits to enter a monitor."""
        case = ManagedCase(facts)
        locks = Locks(case)
        if not locks.blocked:
            return None
        sure = bool(locks.ring) or _all_holders_wait(locks)
        return Proposal(
            category=self.category,
            statement="Managed threads wait for each other's monitors.",
            confidence=0.93 if sure else 0.45,
            tests=(commands.MONITORS, commands.THREADS, commands.STACKS_WITH_LOCALS),
            citations=tuple(c for b in list(locks.blocked.values())[:4] for c in b.cites[:1]),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """SOS's own table where ours could not be read; the objects on the stacks of the threads
        that hold a monitor where their frames' variables do not tell which one they wait for."""
        case = ManagedCase(facts)
        locks = Locks(case)
        if not locks.known:
            return (commands.SYNC_BLOCKS,)
        if locks.ring:
            return ()
        waiting = [b.thread for b in locks.blocked.values() if b.on is None or b.by_exclusion]
        numbers = [
            case.managed[thread].number
            for thread in waiting
            if thread in case.managed and thread in locks.holders
        ]
        return tuple(commands.objects_of(number) for number in numbers[:_MOST] if number)

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a ring of owners; else by owners that all wait themselves."""
        case = ManagedCase(facts)
        locks = Locks(case)
        if locks.ring:
            return _ring(case, locks)
        if not locks.blocked:
            cites = [c for t in list(case.managed_stacks)[:_MOST] for c in case.cite_thread(t)]
            return rejected("No managed thread waits for a monitor.", cites, rung=Rung.STACK)
        if _all_holders_wait(locks):
            return _nobody_left(case, locks)
        supporting = [c for b in locks.blocked.values() for c in b.cites][:_MOST]
        missing = (
            ("which thread holds each monitor (syncblk)",)
            if not locks.known
            else ("what the holder of the monitor is waiting for",)
        )
        return inconclusive(
            case,
            "Managed threads wait for monitors, but nothing shows that their holders wait too.",
            missing,
            confidence=0.35,
            supporting=supporting,
            claims=_queue(case, locks, ()),
        )


def _all_holders_wait(locks: Locks) -> bool:
    """True when every thread that holds a monitor waits to enter one, and there are two or more:
    each then waits for another of them, for a monitor can be entered again by its own holder."""
    holders = locks.holders
    return len(holders) > 1 and all(thread in locks.blocked for thread in holders)


def _standing(case: ManagedCase, threads: Iterable[int]) -> list[Claim]:
    """Where the application's code of each thread stands."""
    found = [(case.managed_stacks[t], case.application_frame(t), case.cite_thread(t))
             for t in threads if t in case.managed_stacks]  # fmt: skip
    return [claim for stack, frame, head in found for claim in in_frame(stack, frame, head)]


def _first(case: ManagedCase, threads: Iterable[int]) -> Frame | None:
    return next((f for t in threads if (f := case.application_frame(t)) is not None), None)


def _ring(case: ManagedCase, locks: Locks) -> Verdict:
    ring = [b.thread for b in locks.ring[:_MOST]]
    first = _first(case, ring)
    waits = [
        say(
            "waits",
            (*case.cite_thread(b.thread), *b.cites),
            thread=shown(b.thread),
            kind="monitor",
            lock=b.on.monitor.object,
            owner=shown(b.on.owner, (*b.on.cites, *case.cite_thread(b.on.owner or 0))),
        )
        for b in locks.ring[:_MOST]
        if b.on is not None
    ]
    types = [
        say("owns", b.on.cites, lock=b.on.monitor.object, name=b.on.monitor.type)
        for b in locks.ring[:_MOST]
        if b.on is not None and b.on.monitor.type
    ]
    how = "ring" if len(ring) > 1 else "itself"
    cause = in_place(case, Category.DEADLOCK, first, how=how, cites=case.cite_thread(ring[0]))
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.95 if not any(b.by_exclusion for b in locks.ring) else 0.9,
        [cause, *waits, *_standing(case, ring), *types, *_queue(case, locks, set(ring))],
        reason="The owners of the monitors form a cycle.",
        frame=first,
        support=[c for b in locks.ring for c in case.cite_row(b.thread)],
        recommendations=_ADVICE,
    )


def _queue(case: ManagedCase, locks: Locks, others: Iterable[int]) -> list[Claim]:
    """Who else waits behind the ring, and the counts of the table where it shows more threads than
    the stacks."""
    more = [case.managed_stacks[t] for t in locks.blocked if t not in others]
    counted = [_counted(held) for held in locks.contended if held.monitor.waiters > 1]
    queued = case.grouped(more, lambda stack: application(stack.frames), 4)
    return [*queued, *counted][:6]


def _counted(held: Held) -> Claim:
    """How many threads wait for a monitor, in the words of the table that says it."""
    monitor = held.monitor
    number = None if monitor.counted is not None else monitor.held
    return say("owns", held.cites, lock=monitor.object, counted=monitor.counted, held=number)


def _nobody_left(case: ManagedCase, locks: Locks) -> Verdict:
    """Every holder waits: which monitor each waits for is not known, but none can be given up."""
    holders = list(locks.holders)[:_MOST]
    first = _first(case, holders)
    cites = [c for t in holders for c in (*locks.holders[t], *locks.blocked[t].cites)]
    claims = [
        in_place(case, Category.DEADLOCK, first, how="monitors", cites=cites[:_MOST]),
        *_held(case, locks, holders),
        *(c for t in holders for c in in_frame(case.managed_stacks[t],
          entering(case.managed_stacks[t]), case.cite_thread(t))),
        *_standing(case, holders),
        *_queue(case, locks, set(holders)),
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85 if locks.known else 0.8,
        claims,
        reason="Every thread that holds a monitor waits to enter one.",
        frame=first,
        recommendations=_ADVICE,
        missing=("which monitor each of them waits for (syncblk, dumpstackobjects)",),
    )


def _held(case: ManagedCase, locks: Locks, holders: Iterable[int]) -> list[Claim]:
    """What each thread holds: by the table of monitors, else the runtime's count."""
    if locks.known:
        return [
            say("owns", held.cites, lock=held.monitor.object, owner=shown(held.owner))
            for held in locks.held
            if held.monitor.owner in locks.blocked
        ][:_MOST]
    rows = {t: case.managed[t].locks for t in holders if t in case.managed}
    return [say("thread", case.cite_row(t), thread=shown(t), locks=n)
            for t, n in rows.items()]  # fmt: skip
