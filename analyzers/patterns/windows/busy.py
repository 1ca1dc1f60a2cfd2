"""A thread that uses up a processor, by the times that ``!runaway`` shows."""

from typing import NamedTuple

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.commands import of_cdb
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.windows.case import WindowsCase, WindowsCause
from analyzers.patterns.windows.waits import blocks
from analyzers.patterns.words import Cites, in_frame, line_of, of, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Frame, PoolState, Stack, ThreadTime, ThreadTimes
from workbench.model.hypothesis import Rung

_LEAST = 5.0
"""Seconds of processor time under which no thread counts as busy."""
_MUCH = 0.5
"""Of its own lifetime, or of what all threads used together."""
_COLLECTS = ("gc_heap::", "GCHeap::", "GarbageCollect")
_ADVICE = (
    "Take two more snapshots, seconds apart: where this thread's time grows and its stack stays "
    "in the same function, that is the loop.",
)


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
        """True when it had a processor for most of its life; for most of what was used where that
        is not known."""
        if self.used < _LEAST:
            return False
        life = self.elapsed[1].seconds if self.elapsed and self.before is None else 0.0
        return self.used >= _MUCH * (life or self.total)


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


def _times(busy: _Busy) -> list[Claim]:
    """The thread's time, what it was in the earlier listing, and since when the thread lives."""
    rows = [(busy.table, busy.item), busy.before, busy.elapsed]
    return [
        say(
            "thread",
            line_of(table, item.line),
            thread=shown(item.thread),
            kind=table.kind,
            number=item.number,
            time=item.shown,
        )
        for table, item in filter(None, rows)
    ]


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


def _busy(case: WindowsCase) -> _Busy | None:
    """The thread that used most, where that is much."""
    busy = busiest(case.facts)
    return busy if busy is not None and busy.much else None


def _stack(case: WindowsCase, busy: _Busy) -> Stack | None:
    return _doing(case, busy.item)[0]


def _frame(case: WindowsCase, busy: _Busy) -> Frame | None:
    return _doing(case, busy.item)[1]


def _without_stack(case: WindowsCase) -> _Busy | None:
    busy = _busy(case)
    return busy if busy is not None and _stack(case, busy) is None else None


def _at_rest(case: WindowsCase) -> _Busy | None:
    busy = _busy(case)
    stack = _stack(case, busy) if busy is not None else None
    return busy if stack is not None and blocks(stack) else None


def _row(_: WindowsCase, busy: _Busy) -> Cites:
    return line_of(busy.table, busy.item.line)


def _used(case: WindowsCase, busy: _Busy) -> list[Claim]:
    return [*_times(busy), *_pool(case.facts)]


def _runs(case: WindowsCase, busy: _Busy) -> list[Claim]:
    stack = _stack(case, busy)
    return [*_used(case, busy), *(_collecting(stack) if stack is not None else [])]


HIGH_CPU = WindowsCause(
    Category.HIGH_CPU,
    "One thread that runs and runs.",
    statement="One thread uses up a processor.",
    sign=lambda case: _busy(case) if case.record is None else None,
    prior=0.7,
    tests=lambda _, busy: (
        of_cdb("!runaway 7", "what each thread used of the processor, and since when"),
        of_cdb(f"~~[{busy.item.thread:x}]k", "what the busiest thread is doing"),
        of_cdb("!threadpool", "how busy the processors are, and the pool's queue"),
    ),
    cites=_row,
    findings=(
        Open(_without_stack, "What the busiest thread does was not recorded.", 0.5, Rung.STRUCTURE,
             told=_used,
             missing=lambda _, busy: f"the stack of the thread with id {busy.item.thread:x}"),
        Open(_at_rest, "The thread that used most time waits now.", 0.35, Rung.STRUCTURE,
             told=_used, frame=_frame,
             missing="a second !runaway, to see which thread's time grows"),
        Proof(_busy, "The thread that used most of the processor time is running.",
              lambda _, busy: 0.85 if busy.before else 0.75, Rung.STRUCTURE,
              lambda case, busy: "thread" if _frame(case, busy) is None else "time", _runs,
              frame=_frame, lines=_row,
              missing=lambda _, busy: ()
              if busy.before else "a second listing, to see that its time still grows",
              advice=_ADVICE),
    ),
    absent="No thread stands out by its time.",
    unseen=lambda case: [c for t in case.facts.all(ThreadTimes) for c in of(t)],
)  # fmt: skip
