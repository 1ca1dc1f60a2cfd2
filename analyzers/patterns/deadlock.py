"""Deadlock: threads that wait for each other, read from the owners in the locks."""

from msgspec.structs import replace

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.busy import looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.ring import who_for_what
from analyzers.patterns.stuck import (
    MOST,
    hangs,
    held_while_waiting,
    lock_at,
    once_within_itself,
    spinning,
    where,
)
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    line_of,
    name_of,
    of,
    place,
    rejected,
)
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, LockCycle, Loop, Stack, Wait
from workbench.model.hypothesis import Proposal, Rung, Verdict

_HELD = ("mutex", "rwlock", "join")
_ADVICE = (
    "Take these locks in the same order everywhere, or both at once (std::scoped_lock), and call "
    "nothing that locks while one is held.",
)


def waits_for(wait: Wait) -> str:
    """What a wait is for, without numbers."""
    return {"mutex": "the mutex", "rwlock": "the read-write lock", "join": "the end of"}.get(
        wait.kind, "the lock"
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
        waiting = [w for w in case.waits.values() if w.kind in ("mutex", "rwlock")]
        spins = _spins(case)
        if not sure and not spins and not (waiting and (case.snapshot or not _crashed(case))):
            return None
        cites: Cites = tuple(c for wait in waiting[:4] for c in of(wait))
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
        waiting = [w for w in case.waits.values() if w.kind in ("mutex", "rwlock")]
        held = held_while_waiting(case)
        if held is not None:
            return _held(case, *held)
        again = once_within_itself(case)
        if again is not None:
            return _once(case, *again)
        if waiting and nobody_else(case):
            return _nobody(case, waiting)
        spun = spinning(case)
        if spun is not None:
            return _spun(case, *spun)
        if not waiting:
            return rejected(
                "No thread waits for a lock.",
                [c for w in list(case.waits.values())[:MOST] for c in of(w)],
                rung=Rung.STRUCTURE,
            )
        unknown = [w for w in waiting if not w.owner]
        return inconclusive(
            case,
            "Threads wait for locks, but their owners form no cycle."
            if not unknown
            else "Threads wait for locks whose owners are not recorded.",
            ("the owner of each lock",) if unknown else ("what the owning thread is waiting for",),
            confidence=0.35,
            rung=Rung.STRUCTURE,
            supporting=[c for w in waiting[:MOST] for c in of(w)],
        )


def _spins(case: Case) -> Cites:
    """The lines of a computing thread whose innermost frame is that of a spin lock."""
    for wait in case.waits.values() if hangs(case) else ():
        stack = case.stack_of(wait.thread) if wait.kind == "running" else None
        frame = stack.frames[0] if stack is not None and stack.frames else None
        if frame is not None and bare(frame.function or "").endswith("pthread_spin_lock"):
            return of(wait)
    return ()


def _spun(case: Case, wait: Wait, loop: Loop, inside: Frame) -> Verdict:
    at, cites, frame = where(case, wait.thread)
    read = loop.reads[0]
    name = f" `{read.name}`" if read.name else ""
    claims = [
        claim(
            f"Deadlock: thread {wait.thread} waits{at} for the spin lock{name} at "
            f"{read.address:#x}, and no thread is left that could give it up.",
            of(wait), of(loop), line_of(loop, read.line), cites,
        ),
        claim(
            f"It goes round in {name_of(inside.function or '')}: its registers and memory are the "
            f"same again after {loop.count} instructions.",
            of(loop), case.cite(inside),
        ),
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.MACHINE,
        0.85,
        claims,
        reason="The thread waits for a lock that is held, and it is the only one that runs.",
        frame=frame,
        support=[*of(case.process), *of(case.memory)],
        recommendations=(
            "See who holds the lock: most likely this thread itself, in a function that called "
            "this one, or a thread that ended with it held.",
        ),
    )


def _crashed(case: Case) -> bool:
    """True when an instruction of the process's own is known to have ended it."""
    if case.signal is not None:
        return case.signal.code is not None and case.signal.code > 0
    return case.faulted


def _ring(case: Case, cycle: LockCycle) -> Verdict:
    threads = cycle.threads
    claims: list[Claim] = []
    first: Frame | None = None
    if len(threads) == 1:
        at, cites, first = where(case, threads[0])
        lock, named = lock_at(case.waits.get(threads[0]), cycle.locks[0])
        claims.append(
            claim(
                f"Deadlock: thread {threads[0]} waits{at} for the lock{lock}, which it holds "
                "itself.",
                of(cycle),
                of(case.waits.get(threads[0])),
                named,
                cites,
            )
        )
        claims += _interrupted(case, threads[0])
    else:
        ring = ", ".join(str(thread) for thread in threads[:MOST])
        who, cites = who_for_what(case, cycle)
        claims.append(
            claim(
                f"Deadlock: threads {ring} wait for each other in a cycle{who}.", of(cycle), cites
            )
        )
        for step, thread in enumerate(threads[:MOST]):
            place_words, cites, frame = where(case, thread)
            first = first or frame
            owner = threads[(step + 1) % len(threads)]
            wait = case.waits.get(thread)
            if wait is not None and wait.kind == "join":
                what = f"the end of thread {owner}"
                named = ()
            else:
                lock, named = lock_at(wait, cycle.locks[step])
                what = f"the lock{lock}, which thread {owner} holds"
            claims.append(
                claim(
                    f"Thread {thread} waits{place_words} for {what}.",
                    of(wait),
                    of(cycle),
                    named,
                    cites,
                )
            )
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.95,
        claims,
        reason="The owners recorded in the locks form a cycle.",
        frame=first,
        support=[*of(case.process), *of(case.memory)],
        recommendations=(
            _ADVICE
            if len(threads) > 1
            else (
                "Do not take this lock again while holding it: split the function that is called "
                "with the lock held, or make the mutex recursive on purpose.",
            )
        ),
    )


def _interrupted(case: Case, thread: int) -> list[Claim]:
    """The code that a signal's handler had interrupted, where the wait is the handler's."""
    stack = case.stack_of(thread)
    handler = next((f for f in stack.frames if f.signal_handler), None) if stack else None
    if stack is None or handler is None:
        return []
    rest = [f for f in stack.frames if f.index > handler.index]
    frame = case.frame_of(replace(stack, frames=tuple(rest)))
    if frame is None:
        return []
    found = place(case, frame)
    return [
        claim(
            f"A signal's handler asks for it: the signal had interrupted {found.text}, which is "
            "where the lock was taken or later.",
            case.cite(handler),
            found.cites,
        )
    ]


def _held(case: Case, wait: Wait, owner: Wait) -> Verdict:
    lock, named = lock_at(wait, wait.address)
    theirs, their_cites, their_frame = where(case, owner.thread)
    ours, our_cites, our_frame = where(case, wait.thread)
    claims = [
        claim(
            f"Deadlock: the lock{lock}, which thread {wait.thread} asks for, is held by thread "
            f"{owner.thread}, and that one waits{theirs} to be woken.",
            of(owner), of(wait), named, their_cites,
        ),
        claim(f"Thread {wait.thread} waits{ours} for that lock.", of(wait), our_cites),
        claim("No other thread is left that could wake it: all of them wait.",
              [c for each in case.waits.values() for c in of(each)]),
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.8,
        claims,
        reason="Who should wake the waiting thread is held up by a lock that it keeps.",
        frame=their_frame or our_frame,
        support=[*of(case.process), *of(case.memory)],
        recommendations=(
            "Hold no other lock while waiting for a condition: the wait gives back only the one "
            "that it was given.",
        ),
    )


def _once(case: Case, wait: Wait, stack: Stack) -> Verdict:
    at, cites, frame = where(case, wait.thread)
    lock, named = lock_at(wait, wait.address)
    claims = [
        claim(
            f"Deadlock: thread {wait.thread} waits{at} for the initialisation{lock}, which it is "
            "running itself.",
            of(wait), named, cites, of(stack),
        )
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.8,
        claims,
        reason="The thread's own stack holds the once-only call that it waits for.",
        frame=frame,
        support=[*of(case.process), *of(case.memory)],
        recommendations=("Let the initialiser call nothing that needs what it initialises.",),
    )


def _abandoned(case: Case, wait: Wait) -> Verdict:
    place_words, cites, frame = where(case, wait.thread)
    lock, named = lock_at(wait, wait.address)
    claims = [
        claim(
            f"Thread {wait.thread} waits{place_words} for the lock{lock}, whose owner "
            f"{wait.owner} is no thread of the process any more.",
            of(wait),
            named,
            cites,
        )
    ]
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.88,
        claims,
        reason="The lock's owner ended without unlocking it.",
        frame=frame,
        support=of(case.process),
        recommendations=(
            "Unlock on every way out of the owning thread (std::lock_guard, pthread_cleanup_push), "
            "or make the mutex robust.",
        ),
    )


def _nobody(case: Case, waiting: list[Wait]) -> Verdict:
    claims: list[Claim] = []
    first: Frame | None = None
    for wait in waiting[:MOST]:
        place_words, cites, frame = where(case, wait.thread)
        first = first or frame
        lock, named = lock_at(wait, wait.address)
        who = "Deadlock: thread" if len(case.waits) == 1 else "Thread"
        claims.append(
            claim(
                f"{who} {wait.thread} waits{place_words} for {waits_for(wait)}{lock}.",
                of(wait),
                named,
                cites,
            )
        )
    every = [c for wait in case.waits.values() for c in of(wait)]
    alone = len(case.waits) == 1
    said = (
        "The process has no other thread that could give it up: it holds it itself, or who held "
        "it is gone."
        if alone else
        "Deadlock: every thread of the process waits for a lock, so none can give one up."
    )  # fmt: skip
    claims.insert(1 if alone else 0, claim(said, every))
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.8,
        claims,
        reason="No thread is left that could unlock what they wait for.",
        frame=first,
        support=[*of(case.process), *of(case.memory)],
        recommendations=(
            "Find who holds each lock: a reader that asks to write, a thread that locks twice, or "
            "one that ended with the lock held.",
        ),
    )
