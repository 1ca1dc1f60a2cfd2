"""Deadlock: threads that wait for each other, read from the owners in the locks."""

from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.busy import goes_round, looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import (
    LOCKS,
    MOST,
    all_wait,
    cites_of,
    each_waits,
    hangs,
    held_while_waiting,
    is_once,
    of_kind,
    once_within_itself,
    spinning,
    stands,
    waiting,
    where,
)
from analyzers.patterns.words import (
    Cites,
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, LockCycle, Loop, Stack, Wait
from workbench.model.hypothesis import Proposal, Rung, Verdict

_HELD = ("mutex", "rwlock", "join")
_ADVICE = (
    "Take these locks in the same order everywhere, or both at once (std::scoped_lock), and call "
    "nothing that locks while one is held."
)
_AGAIN = (
    "Do not take this lock again while holding it: split the function that is called with the lock "
    "held, or make the mutex recursive on purpose."
)


def abandoned(case: Case) -> Wait | None:
    """A wait for a lock whose owner is no thread of the process any more."""
    if case.process is None or not case.process.threads:
        return None
    for wait in case.waits.values():
        locked = wait.kind in ("mutex", "rwlock") and bool(wait.owner)
        if locked and wait.owner not in case.process.threads:
            return wait
    return None


def nobody_else(case: Case) -> bool:
    """True when every thread of the process waits for a lock or for another thread's end."""
    threads = set(case.process.threads) if case.process is not None else set()
    if not threads or threads != set(case.waits):
        return False
    kinds = {wait.kind for wait in case.waits.values()}
    return kinds <= set(_HELD) and bool(kinds & {"mutex", "rwlock"})


class Deadlock(OneRound):
    """A ring of waits, a lock taken twice by one thread, or a lock whose owner is gone."""

    category = Category.DEADLOCK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When threads wait for each other, or any thread waits for a lock in a dump of a process
        that did not crash by itself."""
        case = Case(facts)
        sure = bool(case.cycles) or abandoned(case) is not None or nobody_else(case)
        sure = sure or held_while_waiting(case) is not None or once_within_itself(case) is not None
        locked = of_kind(case, *LOCKS)
        spins = _spins(case)
        if not sure and not spins and not (locked and (case.snapshot or not _crashed(case))):
            return None
        cites: Cites = tuple(c for wait in locked[:4] for c in of(wait))
        return Proposal(
            category=self.category,
            statement="Threads wait for each other's locks.",
            confidence=0.92 if sure else 0.4,
            tests=(Command("@locks", "who waits for which lock, and who holds it"),
                   *(looks_ahead(case) if spins else ()),
                   *commands.stacks("where each thread waits")),
            citations=tuple(c for cycle in case.cycles for c in of(cycle)) or cites or spins,
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a closed ring of owners."""
        case = Case(facts)
        if case.cycles:
            return _ring(case, case.cycles[0])
        wait = abandoned(case)
        if wait is not None:
            return _abandoned(case, wait)
        locked = of_kind(case, *LOCKS)
        held = held_while_waiting(case)
        if held is not None:
            return _held(case, *held)
        again = once_within_itself(case)
        if again is not None:
            return _once(case, *again)
        if locked and nobody_else(case):
            return _nobody(case, locked)
        spun = spinning(case)
        if spun is not None:
            return _spun(case, *spun)
        if not locked:
            return rejected(
                "No thread waits for a lock.",
                cites_of(list(case.waits.values())),
                rung=Rung.STRUCTURE,
            )
        unknown = [w for w in locked if not w.owner]
        return inconclusive(
            case,
            "Threads wait for locks, but their owners form no cycle."
            if not unknown
            else "Threads wait for locks whose owners are not recorded.",
            ("the owner of each lock",) if unknown else ("what the owning thread is waiting for",),
            confidence=0.35,
            rung=Rung.STRUCTURE,
            supporting=cites_of(locked),
        )


def _spins(case: Case) -> Cites:
    """The lines of a computing thread whose innermost frame is that of a spin lock."""
    for wait in case.waits.values() if hangs(case) else ():
        stack = case.stack_of(wait.thread) if wait.kind == "running" else None
        frame = stack.frames[0] if stack is not None and stack.frames else None
        if frame is not None and bare(frame.function or "").endswith("pthread_spin_lock"):
            return of(wait)
    return ()


def _found(
    case: Case,
    claims: Iterable[Claim],
    frame: Frame | None,
    reason: str,
    advice: str,
    confidence: float = 0.8,
    rung: Rung = Rung.STRUCTURE,
) -> Verdict:
    told = list(claims)
    cites = told[0].citations if told else ()
    return confirmed(
        case,
        rung,
        confidence,
        [in_place(case, Category.DEADLOCK, frame, cites=cites), *told],
        reason=reason,
        frame=frame,
        support=[*of(case.process), *of(case.memory)],
        recommendations=(advice,),
    )


def _spun(case: Case, wait: Wait, loop: Loop, inside: Frame) -> Verdict:
    place, frame = where(case, wait.thread)
    read = loop.reads[0]
    line = line_of(loop, read.line)
    return _found(
        case,
        [
            say("loop", line, thread=wait.thread, reads=read.address, name=read.name),
            goes_round(loop),
            stands(wait.thread, inside, case),
            *place,
        ],
        frame,
        "The thread waits for a lock that is held, and it is the only one that runs.",
        "See who holds the lock: most likely this thread itself, in a function that called "
        "this one, or a thread that ended with it held.",
        0.85,
        Rung.MACHINE,
    )


def _crashed(case: Case) -> bool:
    """True when an instruction of the process's own is known to have ended it."""
    if case.signal is not None:
        return case.resent or (case.signal.code is not None and case.signal.code > 0)
    return case.faulted


def _ring(case: Case, cycle: LockCycle) -> Verdict:
    """The ring in words of the waits; a log that has no wait of a thread has the ring alone."""
    ring = cycle.threads[:MOST]
    waits = [case.waits[thread] for thread in ring if thread in case.waits]
    claims, first = each_waits(case, waits)
    claims.insert(len(waits), say("cycle", of(cycle), threads=", ".join(map(str, cycle.threads))))
    alone = len(cycle.threads) == 1
    return _found(
        case,
        [*claims, *(_interrupted(case, ring[0]) if alone else ())],
        first or next((frame for t in ring if (frame := where(case, t)[1]) is not None), None),
        "The owners recorded in the locks form a cycle.",
        _AGAIN if alone else _ADVICE,
        0.95,
    )


def _interrupted(case: Case, thread: int) -> list[Claim]:
    """The code that a signal's handler had interrupted, where the wait is the handler's."""
    stack = case.stack_of(thread)
    handler = next((f for f in stack.frames if f.signal_handler), None) if stack else None
    if stack is None or handler is None:
        return []
    rest = [f for f in stack.frames if f.index > handler.index]
    frame = case.frame_of(replace(stack, frames=tuple(rest)))
    if frame is None or not frame.function:
        return []
    return [say("told", case.cite(frame), how="interrupted", name=frame.function)]


def _held(case: Case, wait: Wait, owner: Wait) -> Verdict:
    theirs, their_frame = where(case, owner.thread)
    ours, our_frame = where(case, wait.thread)
    return _found(
        case,
        [waiting(wait), waiting(owner), all_wait(case), *theirs, *ours],
        their_frame or our_frame,
        "Who should wake the waiting thread is held up by a lock that it keeps.",
        "Hold no other lock while waiting for a condition: the wait gives back only the one "
        "that it was given.",
    )


def _once(case: Case, wait: Wait, stack: Stack) -> Verdict:
    place, frame = where(case, wait.thread)
    running = next(f for f in reversed(stack.frames) if is_once(f))
    return _found(
        case,
        [waiting(wait), stands(wait.thread, running, case), *place],
        frame,
        "The thread's own stack holds the once-only call that it waits for.",
        "Let the initialiser call nothing that needs what it initialises.",
    )


def _before_fork(case: Case, wait: Wait) -> bool:
    """True where the owner's id is below the process's own: fork(2) copies a lock as it is held,
    but of the threads only the caller. Linux numbers threads and processes in one row."""
    process = case.process
    if process is None or not process.pid or process.os.lower() != "linux":
        return False
    return wait.owner is not None and wait.owner < process.pid


def _abandoned(case: Case, wait: Wait) -> Verdict:
    place, frame = where(case, wait.thread)
    if _before_fork(case, wait):
        return inconclusive(
            case,
            "The lock's owner is a thread of the parent that held it at a fork(), or it ended "
            "without unlocking it.",
            ("which threads the parent process had when it forked",),
            confidence=0.5,
            rung=Rung.STRUCTURE,
            supporting=of(case.process),
            claims=[waiting(wait), *_gone(wait), *place],
            recommendations=(
                "Take no lock between fork() and exec*() that another thread may hold, or take and "
                "release it around fork() (pthread_atfork); unlock on every way out of a thread.",
            ),
            frame=frame,
        )
    return _found(
        case,
        [waiting(wait), *_gone(wait), *place],
        frame,
        "The lock's owner ended without unlocking it.",
        "Unlock on every way out of the owning thread (std::lock_guard, pthread_cleanup_push), "
        "or make the mutex robust.",
        0.88,
    )


def _gone(wait: Wait) -> list[Claim]:
    return [say("thread", of(wait), state="gone", thread=wait.owner)]


def _nobody(case: Case, waits: list[Wait]) -> Verdict:
    claims, first = each_waits(case, waits)
    claims.insert(min(len(waits), MOST), all_wait(case))
    return _found(
        case,
        claims,
        first,
        "No thread is left that could unlock what they wait for.",
        "Find who holds each lock: a reader that asks to write, a thread that locks twice, or "
        "one that ended with the lock held.",
    )
