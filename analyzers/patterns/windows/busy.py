"""A thread that uses up a processor, by the times that ``!runaway`` shows."""

from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.waits import blocks
from analyzers.patterns.words import (
    confirmed,
    in_frame,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    shown,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, PoolState, Stack, ThreadTime, ThreadTimes
from workbench.model.hypothesis import Proposal, Rung, Verdict

_LEAST = 5.0
"""Seconds of processor time under which no thread counts as busy."""
_MUCH = 0.5
"""Of its own lifetime, or of what all threads used together."""
_COLLECTS = ("gc_heap::", "GCHeap::", "GarbageCollect")
_ADVICE = (
    "Take two more snapshots, seconds apart: where this thread's time grows and its stack stays "
    "in the same function, that is the loop.",
)


def _only(text: str, intent: str) -> Command:
    return Command("", intent, (("cdb", text),))


class _Busy(NamedTuple):
    """The thread that used most: its row, those of its lifetime and of an earlier listing, and
    what all threads used together; ``table`` is the listing of the row."""

    table: ThreadTimes
    item: ThreadTime
    total: float
    elapsed: tuple[ThreadTimes, ThreadTime] | None
    before: tuple[ThreadTimes, ThreadTime] | None

    @property
    def used(self) -> float:
        """Seconds that count: those since the earlier listing where there is one."""
        return self.item.seconds - (self.before[1].seconds if self.before else 0.0)

    @property
    def much(self) -> bool:
        """True when it had a processor for most of its life, or most of what was used."""
        if self.used < _LEAST:
            return False
        life = self.elapsed[1].seconds if self.elapsed and self.before is None else 0.0
        return self.used >= _MUCH * self.total or (life > 0 and self.used >= _MUCH * life)


def busiest(facts: FactBook) -> _Busy | None:
    """The thread that used most processor time in user mode, between two listings where there are
    two."""
    tables = facts.all(ThreadTimes)
    user = [table for table in tables if table.kind == "user"]
    if not user:
        return None
    last = user[-1]
    earlier = {item.thread: item for item in user[-2].items} if len(user) > 1 else {}
    grown = {
        item.thread: item.seconds - (earlier[item.thread].seconds if item.thread in earlier else 0)
        for item in last.items
    }
    item = max(last.items, key=lambda each: grown[each.thread])
    lived = [table for table in tables if table.kind == "elapsed"][-1:]
    return _Busy(
        table=last,
        item=item,
        total=sum(max(0.0, seconds) for seconds in grown.values()),
        elapsed=next(((t, i) for t in lived for i in t.items if i.thread == item.thread), None),
        before=(user[-2], earlier[item.thread]) if item.thread in earlier else None,
    )


class HighCpu(OneRound):
    """One thread that runs and runs."""

    category = Category.HIGH_CPU

    def propose(self, facts: FactBook) -> Proposal | None:
        """When one thread used most of the processor time, and nothing ended the process."""
        case = WindowsCase(facts)
        busy = busiest(facts)
        if busy is None or not busy.much or case.record is not None:
            return None
        return Proposal(
            category=self.category,
            statement="One thread uses up a processor.",
            confidence=0.7,
            tests=(
                _only("!runaway 7", "what each thread used of the processor, and since when"),
                _only(f"~~[{busy.item.thread:x}]k", "what the busiest thread is doing"),
                _only("!threadpool", "how busy the processors are, and the pool's queue"),
            ),
            citations=line_of(busy.table, busy.item.line),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when the thread's stack shows code that runs."""
        case = WindowsCase(facts)
        busy = busiest(facts)
        if busy is None or not busy.much:
            tables = facts.all(ThreadTimes)
            return rejected("No thread stands out by its time.", [c for t in tables for c in of(t)])
        claims = [*_times(busy), *_pool(facts)]
        stack, frame = _doing(case, busy.item)
        if stack is None:
            return inconclusive(
                case,
                "What the busiest thread does was not recorded.",
                (f"the stack of the thread with id {busy.item.thread:x}",),
                confidence=0.5,
                rung=Rung.STRUCTURE,
                claims=claims,
            )
        if blocks(stack):
            return inconclusive(
                case,
                "The thread that used most time waits now.",
                ("a second !runaway, to see which thread's time grows",),
                confidence=0.35,
                rung=Rung.STRUCTURE,
                claims=claims,
                frame=frame,
            )
        row = line_of(busy.table, busy.item.line)
        how = "time" if frame is not None else "thread"
        cause = in_place(case, self.category, frame, how=how, cites=row)
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85 if busy.before else 0.75,
            [cause, *claims, *_collecting(stack)],
            reason="The thread that used most of the processor time is running.",
            frame=frame,
            recommendations=_ADVICE,
            missing=() if busy.before else ("a second listing, to see that its time still grows",),
        )


def _times(busy: _Busy) -> list[Claim]:
    """The thread's time, what it was in the earlier listing, and since when the thread lives."""
    rows = [(busy.table, busy.item), busy.before, busy.elapsed]
    return [
        say("thread", line_of(table, item.line), thread=shown(item.thread), kind=table.kind,
            number=item.number, time=item.shown)
        for table, item in filter(None, rows)
    ]  # fmt: skip


def _pool(facts: FactBook) -> list[Claim]:
    state = facts.last(PoolState)
    if state is None or state.cpu is None:
        return []
    return [say("usage", of(state), what="processors", percent=state.cpu)]


def _doing(case: WindowsCase, item: ThreadTime) -> tuple[Stack | None, Frame | None]:
    """The thread's stack, native where there is one, and the application's frame on it, of the
    managed stack where that has one."""
    managed = ManagedCase(case.facts)
    known = [s for s in case.facts.all(Stack) if s.frames and _is(case, s, item)]
    stack = next((s for s in known if not s.managed), known[0] if known else None)
    theirs = managed.managed_stacks.get(item.thread)
    frame = managed.application_frame(item.thread)
    if theirs is not None and frame is not None:
        return stack or theirs, frame
    return stack, case.application(stack)


def _is(case: WindowsCase, stack: Stack, item: ThreadTime) -> bool:
    if stack.thread is not None:
        return stack.thread == item.thread
    if stack.number is None:
        return False
    listed = case.numbers.get(stack.number)
    return stack.number == item.number or (listed is not None and listed.thread == item.thread)


def _collecting(stack: Stack) -> list[Claim]:
    """The frame of the garbage collector, where that is what runs; else the innermost one."""
    named = [frame for frame in stack.frames if frame.function]
    collects = (f for f in named if any(word in (f.function or "") for word in _COLLECTS))
    return in_frame(stack, next(collects, named[0] if named else None))
