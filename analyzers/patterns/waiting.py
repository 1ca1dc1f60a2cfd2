"""Processes that do not get on: loops, waits for input, waits that nobody will end."""

from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import (
    NEEDS_WAKING,
    all_wait,
    cites_of,
    each_waits,
    hangs,
    held_while_waiting,
    nobody_left,
    of_kind,
    once_within_itself,
    starved,
)
from analyzers.patterns.words import confirmed, in_place, inconclusive, of, rejected
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, Wait
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _stuck(case: Case) -> bool:
    return bool(case.cycles)


# A server waits for a client, or for any of several things, most of its life.
_IDLE = frozenset(
    {"accept", "accept4", "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll", "ppoll", "select",
     "pselect6", "io_uring_enter"}
)  # fmt: skip
_OUTSIDE = ("io", "child")


class BlockedOnIo(OneRound):
    """Threads that wait for input, output or a child process, and nobody who waits for anything
    else."""

    category = Category.BLOCKED_ON_IO

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread of a standing process is in a call that waits for data."""
        case = Case(facts)
        waiting = of_kind(case, *_OUTSIDE)
        if not case.snapshot or not waiting:
            return None
        what = "a child process that does not end" if not of_kind(case, "io") else (
            "input or output that does not come")  # fmt: skip
        return Proposal(
            category=self.category,
            statement=f"The program waits for {what}.",
            confidence=0.4 if not _stuck(case) else 0.15,
            tests=(*commands.stacks("what each thread is doing"),),
            citations=cites_of(waiting),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Likely when nothing goes on before such a call returns. Open where a server would wait
        all its life: one look does not tell that from being stuck."""
        case = Case(facts)
        waiting = of_kind(case, *_OUTSIDE)
        if not waiting:
            return rejected("No thread waits for input or output.",
                            cites_of(list(case.waits.values())))  # fmt: skip
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        running = of_kind(case, "running")
        if running:
            return rejected("A thread is computing.", cites_of(running), rung=Rung.STRUCTURE)
        claims, first = each_waits(case, waiting)
        claims.insert(0, in_place(case, self.category, first, cites=of(waiting[0])))
        others = [wait for wait in case.waits.values() if wait not in waiting]
        if _nothing_else(case, waiting, others):
            return _blocked(case, waiting, claims, first)
        return inconclusive(
            case,
            "Nothing runs, and what is waited for comes from outside of the process: that may be "
            "all that it should do.",
            confidence=0.5,
            rung=Rung.STRUCTURE,
            claims=claims,
            frame=first,
            supporting=cites_of(waiting),
            missing=("what the other end of the file or socket is doing",),
            recommendations=(
                "Look at the other end: who should write to this file or socket. Give the call a "
                "time-out if the program must not wait for ever.",
            ),
        )


def _nothing_else(case: Case, waiting: list[Wait], others: list[Wait]) -> bool:
    """True when every thread of the process waits in such a call, or for one that does."""
    threads = set(case.process.threads) if case.process is not None else set()
    if not threads or threads != set(case.waits):
        return False
    named = [wait.syscall for wait in waiting]
    return not _IDLE & set(named) and None not in named and all(w.kind == "join" for w in others)


def _blocked(case: Case, waiting: list[Wait], claims: list[Claim], first: Frame | None) -> Verdict:
    claims.append(all_wait(case))
    children = all(wait.kind == "child" for wait in waiting)
    advice = (
        "Look at that child process: take a dump of it as well, and see what it waits for."
        if children else
        "Look at the other end: who should read from or write to this file, or give its lock up. "
        "Give the call a time-out if the program must not wait for ever."
    )  # fmt: skip
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.6,
        claims,
        reason="Every thread stands in a call that something outside of the process must end.",
        frame=first,
        support=[*of(case.process), *of(case.memory)],
        missing=("what the child process is doing" if children else
                 "what the other end of the file or socket is doing",),
        recommendations=(advice,),
    )  # fmt: skip


_SEE = {
    "future": "See who should set this result: a path that ends without setting a value or an "
    "exception, or a task that nobody runs.",
    "channel": "See who still holds a sender of this channel: the receiver waits for as long as "
    "one lives; drop those that send nothing more.",
}
_PREDICATE = (
    "Check the predicate under the mutex before each wait, and signal after changing it; look for "
    "a path that returns without signalling."
)


class MissedWakeup(OneRound):
    """All threads wait to be woken, and none is left to do it."""

    category = Category.MISSED_WAKEUP

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread waits for a condition or a semaphore and no thread runs."""
        case = Case(facts)
        waiting = of_kind(case, *NEEDS_WAKING)
        if not hangs(case) or not waiting or _stuck(case):
            return None
        alone = nobody_left(case)
        if not alone and not case.snapshot:
            return None
        return Proposal(
            category=self.category,
            statement="A thread waits to be woken and nobody is left to wake it.",
            confidence=0.6 if alone else 0.3,
            tests=(Command("@locks", "what each thread waits for"),
                   *commands.stacks("where each thread waits")),
            citations=cites_of(waiting),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Likely when every thread waits for another to wake it."""
        case = Case(facts)
        waiting = of_kind(case, *NEEDS_WAKING)
        if not waiting:
            return rejected("No thread waits to be woken.", cites_of(list(case.waits.values())))
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        held = held_while_waiting(case)
        if held is not None:
            return rejected("It waits with a lock in its hands that another thread asks for.",
                            cites_of(list(held)))  # fmt: skip
        again = once_within_itself(case)
        if again is not None:
            return rejected("It waits for an initialisation that it is running itself.",
                            of(again[0]))  # fmt: skip
        tasks = starved(case)
        if tasks:
            return rejected("What they wait for are tasks that no thread is left to run.",
                            cites_of([wait for wait, _ in tasks]))  # fmt: skip
        if not nobody_left(case):
            busy = [w for w in case.waits.values()
                    if w.kind not in (*NEEDS_WAKING, "join", "mutex", "rwlock")]  # fmt: skip
            return inconclusive(
                case,
                "Other threads could still wake it.",
                ("who should signal, and whether it did before the wait began",),
                confidence=0.25,
                rung=Rung.STRUCTURE,
                supporting=cites_of(waiting),
                contradicting=cites_of(busy),
            )
        claims, first = each_waits(case, waiting)
        claims.insert(0, in_place(case, self.category, first, cites=of(waiting[0])))
        claims.append(all_wait(case))
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.7,
            claims,
            reason="Every thread of the process waits to be woken by another.",
            frame=first,
            support=[*of(case.process), *of(case.memory)],
            missing=("whether the wake-up was sent before the wait began, or never",),
            recommendations=tuple(
                dict.fromkeys(_SEE.get(wait.kind, _PREDICATE) for wait in waiting)
            ),
        )
