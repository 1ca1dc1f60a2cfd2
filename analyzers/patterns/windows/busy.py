"""A thread that uses up a processor, by the times that ``!runaway`` shows."""

from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.windows.waits import blocks
from analyzers.patterns.words import Cites, claim, confirmed, inconclusive, line_of, of, rejected
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
        stack, frame, cites = _doing(case, busy.item)
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
        claims.append(_running(case, busy, stack, frame, cites))
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85 if busy.before else 0.75,
            claims,
            reason="The thread that used most of the processor time is running.",
            frame=frame,
            recommendations=_ADVICE,
            missing=() if busy.before else ("a second listing, to see that its time still grows",),
        )


def _who(item: ThreadTime) -> str:
    return f'"{item.number}:{item.thread:x}"' if item.number is not None else f'"{item.thread:x}"'


def _times(busy: _Busy) -> list[Claim]:
    who, row = _who(busy.item), line_of(busy.table, busy.item.line)
    most = ", more than all other threads together" if busy.used > busy.total / 2 else ""
    if busy.before is not None:
        table, item = busy.before
        found = [
            claim(
                f'The time of thread {who} in user mode grew from "{item.shown}" to '
                f'"{busy.item.shown}".',
                line_of(table, item.line),
                row,
            )
        ]
    else:
        found = [
            claim(
                f'Thread {who} has used "{busy.item.shown}" of a processor in user mode{most}.',
                of(busy.table) if most else row,
            )
        ]
    if busy.elapsed is not None:
        table, item = busy.elapsed
        found.append(claim(f'Thread {who} began "{item.shown}" before.', line_of(table, item.line)))
    return found


def _pool(facts: FactBook) -> list[Claim]:
    state = facts.last(PoolState)
    if state is None or state.cpu is None:
        return []
    return [claim(f"The runtime saw the processors busy to {state.cpu} %.", of(state))]


def _doing(case: WindowsCase, item: ThreadTime) -> tuple[Stack | None, Frame | None, Cites]:
    """The thread's stack, native where there is one, and the application's frame on it, of the
    managed stack where that has one."""
    managed = ManagedCase(case.facts)
    known = [s for s in case.facts.all(Stack) if s.frames and _is(case, s, item)]
    stack = next((s for s in known if not s.managed), known[0] if known else None)
    theirs = managed.managed_stacks.get(item.thread)
    frame = managed.application_frame(item.thread)
    if theirs is not None and frame is not None:
        return stack or theirs, frame, managed.cite_frame(theirs, frame)
    frame = case.application(stack)
    return stack, frame, case.cite(frame)


def _is(case: WindowsCase, stack: Stack, item: ThreadTime) -> bool:
    if stack.thread is not None:
        return stack.thread == item.thread
    if stack.number is None:
        return False
    listed = case.numbers.get(stack.number)
    return stack.number == item.number or (listed is not None and listed.thread == item.thread)


def _running(
    case: WindowsCase, busy: _Busy, stack: Stack, frame: Frame | None, cites: Cites
) -> Claim:
    collects = next(
        (f for f in stack.frames if any(word in (f.function or "") for word in _COLLECTS)), None
    )
    if collects is not None and collects.function:
        return claim(
            f"It is collecting garbage, in `{collects.function}`.".replace("``", "`"),
            case.cite(collects),
        )
    if frame is None:
        innermost = next((f for f in stack.frames if f.function), None)
        where = f" in `{innermost.function}`" if innermost is not None else ""
        return claim(f"It is running code of the system's{where}.", of(stack))
    return claim(f"It is running {case.where(frame).text}.", cites or of(stack))
