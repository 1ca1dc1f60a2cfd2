"""Deadlock of .NET monitors: threads that wait for each other's locks."""

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.locks import Blocked, Held, Locks
from analyzers.patterns.words import Cites, claim, confirmed, inconclusive, name_of, place, rejected
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


def _where(case: ManagedCase, thread: int) -> tuple[str, Cites, Frame | None]:
    frame = case.application_frame(thread)
    if frame is None:
        return "", (), None
    stack = case.managed_stacks[thread]
    return f" in {place(case, frame).text}", case.cite_frame(stack, frame), frame


def _object(blocked: Blocked) -> str:
    if blocked.on is None:
        return "a monitor"
    monitor = blocked.on.monitor
    kind = f"the {name_of(monitor.type)}" if monitor.type else "the object"
    return f"the monitor of {kind} at {monitor.object:#x}"


def _ring(case: ManagedCase, locks: Locks) -> Verdict:
    ring = locks.ring
    names = ", ".join(f"{b.thread:#x}" for b in ring[:_MOST])
    rows = [c for b in ring[:_MOST] if b.on is not None for c in b.on.cites]
    heads = [c for b in ring[:_MOST] for c in case.cite_thread(b.thread)]
    claims = [
        claim(
            f"Deadlock: threads {names} wait for each other's monitors."
            if len(ring) > 1
            else f"Deadlock: thread {names} waits for a monitor that it can never get.",
            heads,
            rows,
        )
    ]
    first: Frame | None = None
    for blocked in ring[:_MOST]:
        where, cites, frame = _where(case, blocked.thread)
        first = first or frame
        owner = blocked.on.owner if blocked.on is not None else None
        held = f", which thread {owner:#x} holds" if owner is not None else ""
        only = "" if not blocked.by_exclusion else ": the one that is left, for it holds the others"
        claims.append(
            claim(
                f"Thread {blocked.thread:#x} waits{where} for {_object(blocked)}{held}{only}.",
                case.cite_thread(blocked.thread),
                blocked.cites,
                cites,
                case.cite_thread(owner) if owner is not None else (),
            )
        )
    claims += _queue(case, locks, {b.thread for b in ring})
    sure = 0.95 if not any(b.by_exclusion for b in ring) else 0.9
    return confirmed(
        case,
        Rung.STRUCTURE,
        sure,
        claims,
        reason="The owners of the monitors form a cycle.",
        frame=first,
        support=[c for b in ring for c in case.cite_row(b.thread)],
        recommendations=_ADVICE,
    )


def _queue(case: ManagedCase, locks: Locks, others: set[int] | tuple[int, ...]) -> list[Claim]:
    """Who else waits behind the ring: threads by the method in which they wait, and the counts of
    the table where it shows more of them than the stacks."""
    found: list[Claim] = []
    groups: dict[str, list[int]] = {}
    for blocked in locks.blocked.values():
        frame = case.application_frame(blocked.thread)
        if blocked.thread not in others and frame is not None and frame.function:
            groups.setdefault(frame.function, []).append(blocked.thread)
    for function, threads in list(groups.items())[:4]:
        lines = [c for t in threads for c in _where(case, t)[1][:1]]
        words = f"{len(threads)} more threads wait" if len(threads) > 1 else "One more thread waits"
        found.append(claim(f"{words} in {name_of(function)} to enter a monitor.", lines))
    found += [_counted(held) for held in locks.contended if held.monitor.waiters > 1]
    return found[:6]


def _counted(held: Held) -> Claim:
    """How many threads wait for a monitor, in the words of the table that says it."""
    monitor = held.monitor
    if monitor.counted is not None:
        text = f"{monitor.counted} threads in all wait for the monitor of {monitor.object:#x}."
    else:
        text = (
            f"MonitorHeld of the object at {monitor.object:#x} is {monitor.held}: one for its "
            "owner and two for each thread that waits."
        )
    return claim(text, held.cites)


def _nobody_left(case: ManagedCase, locks: Locks) -> Verdict:
    """Every holder waits: which monitor each waits for is not known, but none can be given up."""
    holders = list(locks.holders)[:_MOST]
    names = ", ".join(f"{thread:#x}" for thread in holders)
    claims = [
        claim(
            f"Deadlock: threads {names} each hold a monitor and wait to enter another one, and no "
            "other thread holds any.",
            *(case.cite_thread(t) for t in holders),
            *(locks.holders[t] for t in holders),
            *(locks.blocked[t].cites for t in holders),
        )
    ]
    first: Frame | None = None
    for thread in holders:
        where, cites, frame = _where(case, thread)
        first = first or frame
        claims.append(
            claim(
                f"Thread {thread:#x} holds a monitor and waits{where} for another one.",
                case.cite_thread(thread),
                locks.holders[thread],
                locks.blocked[thread].cites,
                cites,
            )
        )
    claims += _queue(case, locks, set(locks.holders))
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
