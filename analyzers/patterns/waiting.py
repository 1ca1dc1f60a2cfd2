"""Processes that do not get on: waits for input, waits that nobody will end, and a pool whose
threads all wait for what only one of them could do."""

from analyzers.patterns import commands, objects, stuck
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, of_process
from analyzers.patterns.words import Cites
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Wait
from workbench.model.hypothesis import Rung

_Starved = list[tuple[Wait, Frame]]


def _waits(_: Case, found: _Starved) -> Cites:
    return stuck.cites_of([wait for wait, _ in found])


STARVED = Rival(
    stuck.starved, "What they wait for are tasks that no thread is left to run.", _waits
)

THREAD_STARVATION = Cause(
    Category.THREAD_STARVATION,
    "Every thread that runs tasks waits, inside of a task, for the result of another task.",
    statement="Every thread of the pool waits for a task that none is left to run.",
    sign=stuck.starved,
    prior=0.8,
    tests=lambda case, _: (Command("@locks", "what each thread waits for"),
                           *commands.stacks("where each thread waits")),
    cites=_waits,
    findings=(
        Proof(
            stuck.starved,
            "All threads that run tasks wait for tasks that have not been run.",
            0.8,
            Rung.STRUCTURE,
            told=lambda case, found: [*stuck.each_waits(case, [wait for wait, _ in found])[0],
                                      stuck.all_wait(case)],
            support=of_process,
            frame=lambda _, found: found[0][1],
            missing="how many tasks stand in the pool's queue",
            advice="Wait for no task inside of a task of the same pool: hand on a continuation, "
            "run the inner task in place, or give inner tasks a pool of their own.",
            signal=False,
        ),
    ),
    absent="Not every thread waits inside of a task for another task.",
    unseen=stuck.everyone,
    rung=Rung.STACK,
)  # fmt: skip


# A server waits for a client, or for any of several things, most of its life.
_IDLE = frozenset(
    {"accept", "accept4", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select",
     "pselect6", "io_uring_enter"}
)  # fmt: skip
_OUTSIDE = ("io", "child")


def _nothing_else(case: Case, waiting: list[Wait], others: list[Wait]) -> bool:
    """True when every thread of the process waits in such a call, or for one that does."""
    threads = set(case.process.threads) if case.process is not None else set()
    if not threads or threads != set(case.waits):
        return False
    named = [wait.syscall for wait in waiting]
    return not _IDLE & set(named) and None not in named and all(w.kind == "join" for w in others)


_SEE = {
    "future": "See who should set this result: a path that ends without setting a value or an "
    "exception, or a task that nobody runs.",
    "latch": "See which path ends without count_down(): the latch was made for more of them.",
    "atomic": "Look for who changes this atomic without notify_one() or notify_all(), and for a "
    "value that nobody gives it.",
    "unpark": "See who should call unpark() of this thread, and whether every path comes to that.",
    "channel": "See who still holds a sender of this channel: the receiver waits for as long as "
    "one lives; drop those that send nothing more.",
}
_PREDICATE = (
    "Check the predicate under the mutex before each wait, and signal after changing it; look for "
    "a path that returns without signalling."
)


def _outside(case: Case) -> list[Wait]:
    return stuck.of_kind(case, *_OUTSIDE)


def _others_end_it(case: Case) -> list[Wait]:
    """The waits, where nothing goes on before one of these calls returns."""
    waiting = _outside(case)
    others = [wait for wait in case.waits.values() if wait not in waiting]
    return waiting if waiting and _nothing_else(case, waiting, others) else []


def _children(waits: list[Wait]) -> bool:
    return all(wait.kind == "child" for wait in waits)


def _and_all(case: Case, waits: list[Wait]) -> list[Claim]:
    return [*stuck.each_waits(case, waits)[0], stuck.all_wait(case)]


_OTHER_END = "what the other end of the file or socket is doing"

BLOCKED_ON_IO = Cause(
    Category.BLOCKED_ON_IO,
    "Threads that wait for input, output or a child process, and nobody who waits for anything "
    "else.",
    statement=lambda _, waits: "The program waits for a child process that does not end."
    if _children(waits) else "The program waits in calls of the system that do not come to an end.",
    sign=lambda case: _outside(case) if case.snapshot else None,
    prior=lambda case, _: 0.15 if case.cycles else 0.4,
    tests=lambda case, _: commands.stacks("what each thread is doing"),
    cites=stuck.their_lines,
    signal=False,
    findings=(
        Rival(lambda case: not _outside(case), "No thread waits for input or output.",
              lambda case, _: stuck.everyone(case)),
        stuck.CYCLE,
        Rival(lambda case: stuck.of_kind(case, "running"), "A thread is computing.",
              stuck.their_lines, Rung.STRUCTURE),
        Proof(_others_end_it,
              "Every thread stands in a call that none of them is left to end.", 0.6,
              Rung.STRUCTURE, "", _and_all, of_process, frame=stuck.first_known,
              missing=lambda _, waits: "what the child process is doing" if _children(waits)
              else _OTHER_END,
              advice=lambda _, waits: "Look at that child process: take a dump of it as well, and "
              "see what it waits for." if _children(waits) else "Look at the other end: who should "
              "read from or write to this file, or give its lock up; it may be this process "
              "itself. Give the call a time-out if the program must not wait for ever."),
        Open(_outside, "Nothing runs, and what calls of the system wait for may be all that it "
             "should do.", 0.5, Rung.STRUCTURE, "",
             lambda case, waits: stuck.each_waits(case, waits)[0], stuck.their_lines,
             frame=stuck.first_known, missing=_OTHER_END,
             advice="Look at the other end: who should write to this file or socket. Give the call "
             "a time-out if the program must not wait for ever."),
    ),
)  # fmt: skip


def _asleep(case: Case) -> list[Wait]:
    return stuck.of_kind(case, *stuck.NEEDS_WAKING)


def _may_sleep_on(case: Case) -> list[Wait]:
    """The waits to be woken of a process that stands still."""
    alone = stuck.nobody_left(case) or case.snapshot
    return _asleep(case) if stuck.hangs(case) and alone and not case.cycles else []


def _busy(case: Case, _: object) -> Cites:
    known = (*stuck.NEEDS_WAKING, "join", "mutex", "rwlock")
    return stuck.cites_of([wait for wait in case.waits.values() if wait.kind not in known])


MISSED_WAKEUP = Cause(
    Category.MISSED_WAKEUP,
    "All threads wait to be woken, and none is left to do it.",
    statement="A thread waits to be woken and nobody is left to wake it.",
    sign=_may_sleep_on,
    prior=lambda case, _: 0.6 if stuck.nobody_left(case) else 0.3,
    tests=lambda case, _: (Command("@locks", "what each thread waits for"),
                           *commands.stacks("where each thread waits"), *objects.look(case)),
    cites=stuck.their_lines,
    ask=objects.look,
    findings=(
        Rival(lambda case: not _asleep(case), "No thread waits to be woken.",
              lambda case, _: stuck.everyone(case)),
        stuck.CYCLE,
        stuck.HELD,
        stuck.ONCE,
        STARVED,
        Open(lambda case: stuck.of_kind(case, "futex") if stuck.nobody_left(case) else None,
             "Nothing tells whether what is waited for is a lock or an event.", 0.4, Rung.STRUCTURE,
             "", lambda case, _: [*stuck.each_waits(case, case.waits.values())[0],
                                  stuck.all_wait(case)],
             stuck.their_lines, frame=stuck.first_known,
             missing="the names of the functions that wait"),
        Open(lambda case: stuck.of_kind(case, "semaphore") if stuck.nobody_left(case) else None,
             "A handler of a signal may still post the semaphore (signal-safety(7)).", 0.5,
             Rung.STRUCTURE, "", _and_all, of_process, frame=stuck.first_known,
             missing="which signals the program handles, and what their handlers post"),
        Proof(lambda case: _asleep(case) if stuck.nobody_left(case) else None,
              "Every thread of the process waits to be woken by another.", 0.7, Rung.STRUCTURE, "",
              _and_all, of_process, frame=stuck.first_known,
              missing="whether the wake-up was sent before the wait began, or never",
              advice=lambda _, waits: tuple(
                  dict.fromkeys(_SEE.get(wait.kind, _PREDICATE) for wait in waits)), signal=False),
        Open(_asleep, "Other threads could still wake it.", 0.25, Rung.STRUCTURE,
             support=stuck.their_lines, against=_busy,
             missing="who should signal, and whether it did before the wait began"),
    ),
)  # fmt: skip
