"""One thread alone that waits for a lock: a deadlock as far as it shows, and no further."""

import re

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Sign, Words, nothing
from analyzers.patterns.reported.case import cite_line
from analyzers.patterns.reported.frames import own_frame
from analyzers.patterns.reported.meant import Recursion, recursion
from analyzers.patterns.stated import on_stack
from analyzers.patterns.words import Cites, line_of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Finding, Frame, Process, Signal, Stack, Threads, Wait

_LOCKS = re.compile(
    r"^(?:__GI_)?_*(?:pthread_mutex_(?:timed)?lock|lll_(?:mutex_)?lock(?:_wait)?|"
    r"pthread_rwlock_\w{0,8}lock|psynch_mutexwait|psynch_rw_\w{2}lock)(?:\(.{0,80}\))?$"
)
_INNERMOST = 3
_ENDS = (Finding, Process, Signal)
_ADVICE = (
    "Call nothing in a signal handler that may lock (signal-safety(7)): set a flag, or write(2) "
    "to a pipe."
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


_Lock = tuple[Stack, Frame]


def _stands(case: Case) -> _Lock | None:
    return _lock(case.facts)


def _handler(case: Case) -> _Lock | None:
    """The lock that a signal's handler waits for, and below it code that takes one too."""
    found = _stands(case)
    return found if found is not None and _interrupted(found[0]) is not None else None


def _top(_: Case, found: _Lock) -> Frame | None:
    return own_frame(found[0].frames[: _handled(found[0])])


def _lines(_: Case, found: _Lock) -> Cites:
    return line_of(found[0], found[1].line_no)


def _told(case: Case, found: _Lock) -> list[Claim]:
    stack, lock = found
    again = _interrupted(stack)
    below = [] if again is None else [
        say("told", line_of(stack, again.line_no), how="locking", name=again.function)
    ]  # fmt: skip
    return [*on_stack(case, lock), *below]


def _open(sign: Sign[_Lock], confidence: float, advice: Words) -> Open[_Lock]:
    return Open(sign, "A thread waits for a lock; who holds it the log does not say.", confidence,
                how="alone", told=_told, support=_lines, frame=_top, lines=_lines, advice=advice,
                missing="who holds the lock (its __owner), and what the other threads do",
                signal=False)  # fmt: skip


ONE_IN_LOCK = Cause(
    Category.DEADLOCK,
    "A log that holds no more than one stack, the top of which takes a lock.",
    statement=lambda case, _: "A signal handler waits for a lock that the code below it may hold."
    if _handler(case) else "A thread waits for a lock that may never be free.",
    sign=_stands,
    prior=lambda case, _: 0.5 if _handler(case) else 0.4,
    tests=nothing,
    cites=_lines,
    findings=(_open(_handler, 0.5, _ADVICE), _open(_stands, 0.4, ())),
    absent="No thread stands in a lock.",
    unseen=lambda _: (),
)  # fmt: skip


def _recursion(case: Case) -> Recursion | None:
    """What fills the only stack, where the log says nothing of how the program ended."""
    ended = any(case.facts.first(kind) is not None for kind in _ENDS)
    return None if ended else recursion(case.facts)


def _repeated(_: Case, found: Recursion) -> Cites:
    return line_of(found.stack, found.frame.line_no)


ONE_RECURSION = Cause(
    Category.STACK_OVERFLOW,
    "A log that holds no more than a stack of the same few functions.",
    statement="The thread ran out of stack.",
    sign=_recursion,
    prior=0.45,
    tests=nothing,
    cites=_repeated,
    findings=(
        Open(
            lambda case: recursion(case.facts),
            "A few functions call each other over and over; how the program ended the log does "
            "not say.",
            0.45,
            how="recursive",
            told=lambda case, found: on_stack(case, found.frame),
            support=_repeated,
            frame=lambda _, found: own_frame(found.stack.frames),
            lines=_repeated,
            missing="the signal that ended it, and the stack pointer",
            signal=False,
        ),
    ),
    absent="No function fills the stack.",
    unseen=lambda _: (),
)


def _waits(case: Case) -> Finding | None:
    return _monitor(case.facts)


def _place(_: Case, found: Finding) -> Frame | None:
    return own_frame(found.stacks[0].frames) if found.stacks else None


def _line(_: Case, found: Finding) -> Cites:
    return cite_line(found, found.line)


def _place_line(case: Case, found: Finding) -> Cites:
    frame = _place(case, found)
    return cite_line(found, frame.line_no if frame is not None else found.line)


ONE_FOR_MONITOR = Cause(
    Category.DEADLOCK,
    "A Java program's threads of which one waits for a monitor, and no ring is shown.",
    statement="A thread waits for a monitor that may never be free.",
    sign=_waits,
    prior=0.4,
    tests=nothing,
    cites=_line,
    findings=(
        Open(
            _waits,
            "A thread waits for a monitor; what its holder does the log does not say.",
            0.4,
            how="monitor",
            told=lambda case, found: [say("quote", _line(case, found), text=found.message)],
            support=_line,
            frame=_place,
            lines=_place_line,
            missing="the stacks of all threads, first of all the holder's",
            signal=False,
        ),
    ),
    absent="No thread waits for a monitor.",
    unseen=lambda _: (),
)
