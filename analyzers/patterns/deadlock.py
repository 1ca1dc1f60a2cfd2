"""Deadlock: threads that wait for each other, read from the owners in the locks."""

from collections.abc import Callable

from analyzers.names import bare
from analyzers.patterns import commands, frame_lines, objects, stuck
from analyzers.patterns.busy import goes_round, looks_ahead
from analyzers.patterns.case import Case
from analyzers.patterns.cause import By, Cause, Open, Proof, Rival, Sign, T, of_process
from analyzers.patterns.words import Cites, interrupted, line_of, of
from workbench.claims.expressions import expressions
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, LockCycle, Loop, Stack, Wait
from workbench.model.hypothesis import Rung

ADVICE = (
    "Take these locks in the same order everywhere, or both at once (std::scoped_lock), and call "
    "nothing that locks while one is held."
)
_AGAIN = (
    "Do not take this lock again while holding it: unlock it on every way out, split the function "
    "that is called with the lock held, or make the mutex recursive on purpose."
)
_HELD_AT_THE_END = (
    "Give up every lock that a thread may still take before its end is waited for (pthread_join, "
    "std::thread::join)."
)
_IN_HANDLER = (
    "Take no lock in a signal's handler (signal-safety(7)): set a flag of type volatile "
    "sig_atomic_t there, or write to a pipe, and do the work where the program looks at that."
)


_MOST_NAMES = 6


def abandoned(case: Case) -> Wait | None:
    """A wait for a lock whose owner is no thread of the process any more, nor one of another
    process that has the lock in memory of both."""
    if case.process is None or not case.process.threads:
        return None
    for wait in case.waits.values():
        locked = wait.kind in ("mutex", "rwlock") and bool(wait.owner)
        if locked and wait.owner not in case.process.threads and not (
            stuck.may_be_shared(case, wait)
        ):  # fmt: skip
            return wait
    return None


def _spins(case: Case) -> Cites:
    """The lines of a computing thread whose innermost frame is that of a spin lock."""
    for wait in case.waits.values() if stuck.hangs(case) else ():
        stack = case.stack_of(wait.thread) if wait.kind == "running" else None
        frame = stack.frames[0] if stack is not None and stack.frames else None
        if frame is not None and bare(frame.function or "").endswith("pthread_spin_lock"):
            return of(wait)
    return ()


def _crashed(case: Case) -> bool:
    """True when an instruction of the process's own is known to have ended it."""
    if case.signal is not None and case.ending is not None:
        sent = case.ending.sent or case.signal.code is None
        return case.resent or not sent
    return case.faulted


def _before_fork(case: Case, wait: Wait) -> bool:
    """True where the owner's id is below the process's own: fork(2) copies a lock as it is held,
    but of the threads only the caller. Linux numbers threads and processes in one row."""
    process = case.process
    if process is None or not process.pid or process.os.lower() != "linux":
        return False
    return wait.owner is not None and wait.owner < process.pid


def _locked(case: Case) -> list[Wait]:
    return stuck.of_kind(case, *stuck.LOCKS)


def _likely(case: Case) -> float | None:
    """How likely it is, where threads wait for each other, or any thread waits for a lock in a dump
    of a process that did not crash by itself."""
    if case.cycles or abandoned(case) or stuck.none_unlocks(case) or stuck.once_within_itself(case):
        return 0.92
    waits = _locked(case) and (case.snapshot or not _crashed(case))
    return 0.4 if waits or _spins(case) else None


def _cites(case: Case, _: object) -> Cites:
    ring = tuple(c for cycle in case.cycles for c in of(cycle))
    return ring or tuple(c for wait in _locked(case)[:4] for c in of(wait)) or _spins(case)


def _tests(case: Case, _: object) -> tuple[Command, ...]:
    return (
        Command("@locks", "who waits for which lock, and who holds it"),
        *commands.heap(*(wait.address for wait in _locked(case) if not wait.sound)),
        *(looks_ahead(case) if _spins(case) else ()),
        *objects.look(case),
        *commands.stacks("where each thread waits"),
    )


def _ring_waits(case: Case, cycle: LockCycle) -> list[Wait]:
    """The waits of a ring; a log that has no wait of a thread has the ring alone."""
    return [case.waits[thread] for thread in cycle.threads[: stuck.MOST] if thread in case.waits]


def _ask_own(case: Case) -> tuple[Command, ...]:
    """Asks where that lies what the line names in which the thread of the case waits for a lock
    that no symbol names."""
    wait, frame = case.waits.get(case.thread or 0), case.frame
    if wait is None or frame is None or wait.address is None or wait.name:
        return ()
    if (line := frame_lines.line_of(case, frame)) is None:
        return commands.source(frame)
    texts = [one.text for one in expressions(line.text) if one.how in ("through", "other")]
    return tuple(
        ask
        for text in texts[:_MOST_NAMES]
        for ask in commands.value(frame, f"&{text}", "where this lies")
    )


def _around(case: Case, cycle: LockCycle) -> list[Claim]:
    waits = _ring_waits(case, cycle)
    claims, _ = stuck.each_waits(case, waits)
    if len(cycle.threads) == 1:
        named = objects.named(case, waits[0].address or 0) if waits and not waits[0].name else []
        claims[1:1] = named if cycle.threads[0] == case.thread else []
        return [*claims, *interrupted(case, case.stack_of(cycle.threads[0]))]
    claims.insert(len(waits), say("cycle", of(cycle), threads=", ".join(map(str, cycle.threads))))
    return claims


def _apart(case: Case, cycle: LockCycle) -> str:
    if any(wait.kind == "join" for wait in _ring_waits(case, cycle)):
        return _HELD_AT_THE_END
    if len(cycle.threads) > 1:
        return ADVICE
    return _IN_HANDLER if interrupted(case, case.stack_of(cycle.threads[0])) else _AGAIN


def _ring_frame(case: Case, cycle: LockCycle) -> Frame | None:
    first = stuck.first_known(case, _ring_waits(case, cycle))
    frames = (stuck.where(case, thread)[1] for thread in cycle.threads[: stuck.MOST])
    return first or next((frame for frame in frames if frame is not None), None)


def _its_frame(case: Case, wait: Wait) -> Frame | None:
    return stuck.where(case, wait.thread)[1]


def _abandoned(case: Case, wait: Wait) -> list[Claim]:
    gone = say("thread", of(wait), state="gone", thread=wait.owner)
    return [stuck.waiting(wait, case.facts), gone, *stuck.where(case, wait.thread)[0]]


def _forked(case: Case) -> Wait | None:
    wait = abandoned(case)
    return wait if wait is not None and _before_fork(case, wait) else None


def _both(case: Case, held: tuple[Wait, Wait]) -> list[Claim]:
    wait, owner = held
    places = [*stuck.where(case, owner.thread)[0], *stuck.where(case, wait.thread)[0]]
    return [*(stuck.waiting(one, case.facts) for one in held), stuck.all_wait(case), *places]


def _again(case: Case, found: tuple[Wait, Stack]) -> list[Claim]:
    wait, stack = found
    running = next(f for f in reversed(stack.frames) if stuck.is_once(f))
    return [
        stuck.waiting(wait, case.facts),
        stuck.stands(wait.thread, running, case),
        *stuck.where(case, wait.thread)[0],
    ]


def _no_one_else(case: Case) -> list[Wait]:
    """Their waits; first those of an owner that is not known, for which the others' owners wait."""
    return sorted(stuck.none_unlocks(case), key=lambda wait: bool(wait.owner))


def _whoever_holds(_: Case, waits: list[Wait]) -> str:
    """Who may hold the locks: several may be taken in several orders, and only a rwlock has readers
    that ask to write."""
    several = len({wait.address for wait in waits}) > 1
    readers = any(wait.kind == "rwlock" for wait in waits)
    may = (
        *(["threads that take them in different orders"] if several else []),
        *(["a reader that asks to write"] if readers else []),
        "a thread that locks twice",
    )
    return f"Find who holds each lock: {', '.join(may)}, or one that ended with the lock held."


def _each(case: Case, waits: list[Wait]) -> list[Claim]:
    claims, _ = stuck.each_waits(case, waits)
    claims.insert(min(len(waits), stuck.MOST), stuck.all_wait(case))
    return claims


def _spun(case: Case, found: tuple[Wait, Loop, Frame]) -> list[Claim]:
    wait, loop, inside = found
    read = loop.reads[0]
    held = say(
        "loop",
        line_of(loop, read.line),
        thread=wait.thread,
        reads=read.address,
        name=at(read.name, (), objects.shown(case.facts, read.address)),
    )
    return [
        held,
        goes_round(loop),
        stuck.stands(wait.thread, inside, case),
        *stuck.where(case, wait.thread)[0],
    ]


def _proof(
    when: Sign[T],
    reason: str,
    told: Callable[[Case, T], list[Claim]],
    frame: Callable[[Case, T], Frame | None],
    advice: By[str, T],
    confidence: float = 0.8,
    rung: Rung = Rung.STRUCTURE,
) -> Proof[T]:
    return Proof(when, reason, confidence, rung, told=told, support=of_process, frame=frame,
                 advice=advice, signal=False)  # fmt: skip


DEADLOCK = Cause(
    Category.DEADLOCK,
    "A ring of waits, a lock taken twice by one thread, or a lock whose owner is gone.",
    statement="Threads wait for each other's locks.",
    sign=_likely,
    tests=_tests,
    cites=_cites,
    findings=(
        Rival(stuck.freed_lock, "The lock lies in memory that was freed.",
              lambda _, found: of(found[0]) + of(found[1]), Rung.STRUCTURE),
        Open(lambda case: [wait for wait in _locked(case) if not wait.sound],
             "No mutex has words like those of the one that is waited for.", 0.35, Rung.STRUCTURE,
             support=stuck.their_lines, missing="who freed the memory of this mutex, or where it "
             "should have been initialised"),
        _proof(
            lambda case: case.cycles[0] if case.cycles else None,
            "The owners recorded in the locks form a cycle.",
            _around,
            _ring_frame,
            _apart,
            0.95,
        ),
        Open(_forked, "The lock's owner is a thread of the parent that held it at a fork(), or it "
             "ended without unlocking it.", 0.5, Rung.STRUCTURE, None, _abandoned, of_process,
             frame=_its_frame, missing="which threads the parent process had when it forked",
             advice="Take no lock between fork() and exec*() that another thread may hold, or take "
             "and release it around fork() (pthread_atfork); unlock on every way out of a thread."),
        _proof(abandoned, "The lock's owner ended without unlocking it.", _abandoned, _its_frame,
               "Unlock on every way out of the owning thread (std::lock_guard, "
               "pthread_cleanup_push), or make the mutex robust.", 0.88),
        _proof(stuck.held_while_waiting,
               "Who should wake the waiting thread is held up by a lock that it keeps.", _both,
               lambda case, held: _its_frame(case, held[1]) or _its_frame(case, held[0]),
               "Hold no other lock while waiting for a condition: the wait gives back only the one "
               "that it was given."),
        _proof(stuck.once_within_itself,
               "The thread's own stack holds the once-only call that it waits for.", _again,
               lambda case, found: _its_frame(case, found[0]),
               "Let the initialiser call nothing that needs what it initialises."),
        _proof(_no_one_else, "No thread is left that could unlock what they wait for.", _each,
               stuck.first_known, _whoever_holds),
        _proof(stuck.spinning,
               "The thread waits for a lock that is held, and it is the only one that runs.", _spun,
               lambda case, found: _its_frame(case, found[0]),
               "See who holds the lock: most likely this thread itself, in a function that called "
               "this one, or a thread that ended with it held.", 0.85, Rung.MACHINE),
        Open(lambda case: _locked(case) if any(not wait.owner for wait in _locked(case)) else [],
             "Threads wait for locks whose owners are not recorded.", 0.35,
             Rung.STRUCTURE, support=lambda case, _: stuck.cites_of(_locked(case)),
             missing="the owner of each lock"),
        Open(_locked, "Threads wait for locks, but their owners form no cycle.", 0.35,
             Rung.STRUCTURE, support=stuck.their_lines, missing=lambda case, found:
             "whether what the owning thread waits for will come"
             if all(wait.owner in case.waits for wait in found)
             else "what the owning thread is waiting for"),
    ),
    ask=lambda case: (*objects.look(case), *_ask_own(case)),
    absent="No thread waits for a lock.",
    unseen=stuck.everyone,
    rung=Rung.STRUCTURE,
)  # fmt: skip
