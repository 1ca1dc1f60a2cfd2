"""One thread alone that waits for a lock: a deadlock as far as it shows, and no further."""

import re

from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.reported.case import cite_line
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.reported.meant import recursion
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import in_place, inconclusive, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.facts import FactBook, Finding, Frame, Process, Signal, Stack, Threads, Wait
from workbench.model.hypothesis import Proposal, Verdict

_LOCKS = re.compile(
    r"^(?:__GI_)?_*(?:pthread_mutex_(?:timed)?lock|lll_(?:mutex_)?lock(?:_wait)?|"
    r"pthread_rwlock_\w{0,8}lock|psynch_mutexwait|psynch_rw_\w{2}lock)(?:\(.{0,80}\))?$"
)
_INNERMOST = 3
_ENDS = (Finding, Process, Signal)
_ADVICE = (
    "Call nothing in a signal handler that may lock (signal-safety(7)): set a flag, or write(2) "
    "to a pipe.",
)


class OneInLock(OneRound):
    """A log that holds no more than one stack, the top of which takes a lock."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """Where the log says nothing else of how the program stands."""
        found = _lock(facts)
        if found is None:
            return None
        stack, lock = found
        again = _interrupted(stack)
        return Proposal(
            category=self.category,
            statement="A signal handler waits for a lock that the code below it may hold."
            if again is not None
            else "A thread waits for a lock that may never be free.",
            confidence=0.5 if again is not None else 0.4,
            tests=(),
            citations=(_cite(stack, lock),),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open: who holds the lock stands elsewhere."""
        found = _lock(facts)
        if found is None:
            return rejected("No thread stands in a lock.", ())
        stack, lock = found
        frame = own_frame(stack.frames[: _handled(stack)])
        again = _interrupted(stack)
        claims = [
            in_place(Case(facts), self.category, frame, how="alone", cites=(_cite(stack, lock),)),
            *on_stack(Case(facts), lock),
        ]
        if again is not None:
            claims.append(say("told", (_cite(stack, again),), how="locking", name=again.function))
        return inconclusive(
            Case(facts),
            "A thread waits for a lock; who holds it the log does not say.",
            ("who holds the lock (its __owner), and what the other threads do",),
            confidence=0.5 if again is not None else 0.4,
            supporting=(_cite(stack, lock),),
            claims=claims,
            recommendations=_ADVICE if again is not None else (),
            frame=frame,
        )


class OneRecursion(OneRound):
    """A log that holds no more than a stack of the same few functions."""

    category = Category.STACK_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """Where the log says nothing of how the program ended."""
        found = recursion(facts)
        if found is None or any(facts.first(kind) is not None for kind in _ENDS):
            return None
        return Proposal(
            category=self.category,
            statement="The thread ran out of stack.",
            confidence=0.45,
            tests=(),
            citations=(_cite(found.stack, found.frame),),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open: how the program ended stands elsewhere."""
        found = recursion(facts)
        if found is None:
            return rejected("No function fills the stack.", ())
        cite = _cite(found.stack, found.frame)
        case, frame = Case(facts), own_frame(found.stack.frames)
        claims = [in_place(case, self.category, frame, how="recursive", cites=(cite,)),
                  *on_stack(case, found.frame)]  # fmt: skip
        return inconclusive(
            Case(facts),
            "A few functions call each other over and over; how the program ended the log does "
            "not say.",
            ("the signal that ended it, and the stack pointer",),
            confidence=0.45,
            supporting=(cite,),
            claims=claims,
            frame=frame,
        )


class OneForMonitor(OneRound):
    """A Java program's threads of which one waits for a monitor, and no ring is shown."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """Where a thread dump shows who waits and nothing else is reported."""
        found = _monitor(facts)
        if found is None:
            return None
        return Proposal(
            category=self.category,
            statement="A thread waits for a monitor that may never be free.",
            confidence=0.4,
            tests=(),
            citations=cite_line(found, found.line),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open: what the holder does stands elsewhere."""
        found = _monitor(facts)
        if found is None:
            return rejected("No thread waits for a monitor.", ())
        frame = own_frame(found.stacks[0].frames) if found.stacks else None
        line = cite_line(found, found.line)
        cites = cite_line(found, frame.line_no) if frame is not None else line
        claims = [in_place(Case(facts), self.category, frame, how="monitor", cites=cites),
                  say("quote", line, text=found.message)]  # fmt: skip
        return inconclusive(
            Case(facts),
            "A thread waits for a monitor; what its holder does the log does not say.",
            ("the stacks of all threads, first of all the holder's",),
            confidence=0.4,
            supporting=cite_line(found, found.line),
            claims=claims,
            frame=frame,
        )


def _monitor(facts: FactBook) -> Finding | None:
    found = facts.all(Finding)
    if len(found) != 1 or found[0].kind != "monitors" or found[0].category is not None:
        return None
    return found[0] if found[0].message.lstrip("- ").startswith("waiting to ") else None


def _lock(facts: FactBook) -> tuple[Stack, Frame] | None:
    """The only stack, and the outermost of its innermost frames that take a lock."""
    stacks = facts.all(Stack)
    if len(stacks) != 1 or stacks[0].number is not None:
        return None
    if any(facts.first(kind) is not None for kind in (Finding, Process, Signal, Threads, Wait)):
        return None
    taking = [frame for frame in stacks[0].frames[:_INNERMOST] if _takes(frame)]
    return (stacks[0], taking[-1]) if taking else None


def _takes(frame: Frame) -> bool:
    return bool(frame.function and _LOCKS.match(frame.function[:200]))


def _interrupted(stack: Stack) -> Frame | None:
    """The frame that a signal interrupted, where it is one that takes a lock."""
    below = stack.frames[_handled(stack) + 1 :][:_INNERMOST]
    return next((frame for frame in below if _takes(frame)), None)


def _handled(stack: Stack) -> int:
    """How many frames stand above the one that a signal interrupted; all where none did."""
    found = (at for at, frame in enumerate(stack.frames) if frame.signal_handler)
    return next(found, len(stack.frames))


def _cite(stack: Stack, frame: Frame) -> Citation:
    return Citation(stack.cite.evidence, frame.line_no, frame.line_no)
