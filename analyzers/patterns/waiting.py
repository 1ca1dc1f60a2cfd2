"""Processes that do not get on: loops, waits for input, waits that nobody will end."""

from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, claim, confirmed, inconclusive, of, place, rejected
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, Wait
from workbench.model.hypothesis import Claim, Proposal, Rung, Verdict

_MOST = 8
_NEEDS_WAKING = ("condition", "semaphore", "barrier", "once", "futex")


def _of_kind(case: Case, *kinds: str) -> list[Wait]:
    return [wait for wait in case.waits.values() if wait.kind in kinds]


def _hangs(case: Case) -> bool:
    """True when the dump may be of a process that stood still: a snapshot, or one that was ended
    from outside."""
    if case.snapshot:
        return True
    return case.ending is not None and case.ending.sent


def _stuck(case: Case) -> bool:
    return bool(case.cycles)


def _where(case: Case, thread: int) -> tuple[str, Cites, Frame | None]:
    frame = case.frame_of(case.stack_of(thread))
    if frame is None:
        return "", (), None
    found = place(case, frame)
    return f" in {found.text}", found.cites, frame


def _cites(waits: list[Wait]) -> Cites:
    return tuple(c for wait in waits[:_MOST] for c in of(wait))


class InfiniteLoop(OneRound):
    """A thread that computes in a process that does not get on."""

    category = Category.INFINITE_LOOP

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread of a standing process is in no system call."""
        case = Case(facts)
        running = _of_kind(case, "running")
        if not case.snapshot or not running:
            return None
        _, _, frame = _where(case, running[0].thread)
        return Proposal(
            category=self.category,
            statement="A thread runs in a loop that does not end.",
            confidence=0.5 if not _stuck(case) else 0.2,
            tests=(*commands.source(frame), *commands.variables(frame)),
            citations=_cites(running),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open at best: one look does not tell a long loop from an endless one."""
        case = Case(facts)
        running = _of_kind(case, "running")
        if not running:
            return rejected("Every thread is in a system call.", _cites(list(case.waits.values())),
                            rung=Rung.STRUCTURE)  # fmt: skip
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        where, cites, frame = _where(case, running[0].thread)
        if frame is None:
            return inconclusive(
                case,
                "A thread is running, but not in code of the application that is known.",
                ("symbols for the running thread's frames",),
                confidence=0.3,
                rung=Rung.STACK,
                supporting=_cites(running),
            )
        claims = [
            claim(
                f"Thread {running[0].thread} is computing{where}: it waits in no system call.",
                of(running[0]),
                cites,
            )
        ]
        others = [wait for wait in case.waits.values() if wait.kind != "running"]
        if others:
            claims.append(claim("Every other thread waits.", _cites(others))
                          if len(running) == 1 else
                          claim("Other threads wait.", _cites(others)))  # fmt: skip
        return inconclusive(
            case,
            "The application's own code runs; one look cannot tell whether it would end.",
            confidence=0.5,
            rung=Rung.STACK,
            claims=claims,
            frame=frame,
            supporting=_cites(running),
            missing=("a second dump some seconds later: is the thread still in this loop?",),
            recommendations=(
                "Read the loop's condition in this function and what would have to change it; "
                "take a second dump to see whether it moved.",
            ),
        )


class BlockedOnIo(OneRound):
    """Threads that wait for input or output, and nobody who waits for anything else."""

    category = Category.BLOCKED_ON_IO

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread of a standing process is in a call that waits for data."""
        case = Case(facts)
        waiting = _of_kind(case, "io")
        if not case.snapshot or not waiting:
            return None
        return Proposal(
            category=self.category,
            statement="The program waits for input or output that does not come.",
            confidence=0.4 if not _stuck(case) else 0.15,
            tests=(*commands.stacks("what each thread is doing"),),
            citations=_cites(waiting),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open at best: one look does not tell waiting from being stuck."""
        case = Case(facts)
        waiting = _of_kind(case, "io")
        if not waiting:
            return rejected("No thread waits for input or output.",
                            _cites(list(case.waits.values())))  # fmt: skip
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        running = _of_kind(case, "running")
        if running:
            return rejected("A thread is computing.", _cites(running), rung=Rung.STRUCTURE)
        claims: list[Claim] = []
        first: Frame | None = None
        for wait in waiting[:_MOST]:
            where, cites, frame = _where(case, wait.thread)
            first = first or frame
            call = f" in the system call `{wait.syscall}`" if wait.syscall else " for data"
            claims.append(claim(f"Thread {wait.thread} waits{where}{call}.", of(wait), cites))
        return inconclusive(
            case,
            "Nothing runs, and what is waited for comes from outside of the process: that may be "
            "all that it should do.",
            confidence=0.5,
            rung=Rung.STRUCTURE,
            claims=claims,
            frame=first,
            supporting=_cites(waiting),
            missing=("what the other end of the file or socket is doing",),
            recommendations=(
                "Look at the other end: who should write to this file or socket. Give the call a "
                "time-out if the program must not wait for ever.",
            ),
        )


class MissedWakeup(OneRound):
    """All threads wait to be woken, and none is left to do it."""

    category = Category.MISSED_WAKEUP

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread waits for a condition or a semaphore and no thread runs."""
        case = Case(facts)
        waiting = _of_kind(case, *_NEEDS_WAKING)
        if not _hangs(case) or not waiting or _stuck(case):
            return None
        alone = _nobody_left(case)
        if not alone and not case.snapshot:
            return None
        return Proposal(
            category=self.category,
            statement="A thread waits to be woken and nobody is left to wake it.",
            confidence=0.6 if alone else 0.3,
            tests=(Command("@locks", "what each thread waits for"),
                   *commands.stacks("where each thread waits")),
            citations=_cites(waiting),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Likely when every thread waits for another to wake it."""
        case = Case(facts)
        waiting = _of_kind(case, *_NEEDS_WAKING)
        if not waiting:
            return rejected("No thread waits to be woken.", _cites(list(case.waits.values())))
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        if not _nobody_left(case):
            busy = [w for w in case.waits.values()
                    if w.kind not in (*_NEEDS_WAKING, "join", "mutex", "rwlock")]  # fmt: skip
            return inconclusive(
                case,
                "Other threads could still wake it.",
                ("who should signal, and whether it did before the wait began",),
                confidence=0.25,
                rung=Rung.STRUCTURE,
                supporting=_cites(waiting),
                contradicting=_cites(busy),
            )
        claims: list[Claim] = []
        first: Frame | None = None
        for wait in waiting[:_MOST]:
            where, cites, frame = _where(case, wait.thread)
            first = first or frame
            at = f" at {wait.address:#x}" if wait.address is not None else ""
            kind = {"condition": "the condition variable", "semaphore": "the semaphore",
                    "barrier": "the barrier"}.get(wait.kind, "the futex")  # fmt: skip
            claims.append(
                claim(f"Thread {wait.thread} waits{where} for {kind}{at}.", of(wait), cites)
            )
        others = [w for w in case.waits.values() if w not in waiting]
        claims.append(
            claim(
                "No thread of the process is left that could wake it: all of them wait.",
                _cites(waiting + others),
            )
        )
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.7,
            claims,
            reason="Every thread of the process waits to be woken by another.",
            frame=first,
            support=[*of(case.process), *of(case.memory)],
            missing=("whether the wake-up was sent before the wait began, or never",),
            recommendations=(
                "Check the predicate under the mutex before each wait, and signal after changing "
                "it; look for a path that returns without signalling.",
            ),
        )


def _nobody_left(case: Case) -> bool:
    """True when every thread is known to wait for another thread of this process."""
    if not case.waits:
        return False
    threads = set(case.process.threads) if case.process is not None else set(case.waits)
    if not threads <= set(case.waits):
        return False
    inside = (*_NEEDS_WAKING, "join", "mutex", "rwlock")
    return all(wait.kind in inside for wait in case.waits.values())
