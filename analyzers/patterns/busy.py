"""Threads that compute in a process that does not get on: one may be in a loop without an end, many
use up the processors."""

from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import MOST, cites_of, of_kind, where
from analyzers.patterns.words import claim, inconclusive, of, rejected
from workbench.model.category import Category
from workbench.model.facts import FactBook, Frame
from workbench.model.hypothesis import Claim, Proposal, Rung, Verdict


class InfiniteLoop(OneRound):
    """A thread that computes in a process that does not get on."""

    category = Category.INFINITE_LOOP

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread of a standing process is in no system call."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not case.snapshot or not running:
            return None
        _, _, frame = where(case, running[0].thread)
        return Proposal(
            category=self.category,
            statement="A thread runs in a loop that does not end.",
            confidence=0.5 if not _stuck(case) else 0.2,
            tests=(*commands.source(frame), *commands.variables(frame)),
            citations=cites_of(running),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open at best: one look does not tell a long loop from an endless one."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not running:
            everyone = cites_of(list(case.waits.values()))
            return rejected("Every thread is in a system call.", everyone, rung=Rung.STRUCTURE)
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        at, cites, frame = where(case, running[0].thread)
        if frame is None:
            return inconclusive(
                case,
                "A thread is running, but not in code of the application that is known.",
                ("symbols for the running thread's frames",),
                confidence=0.3,
                rung=Rung.STACK,
                supporting=cites_of(running),
            )
        claims = [
            claim(
                f"Thread {running[0].thread} is computing{at}: it waits in no system call.",
                of(running[0]),
                cites,
            )
        ]
        others = [wait for wait in case.waits.values() if wait.kind != "running"]
        if others:
            claims.append(claim("Every other thread waits.", cites_of(others))
                          if len(running) == 1 else
                          claim("Other threads wait.", cites_of(others)))  # fmt: skip
        return inconclusive(
            case,
            "The application's own code runs; one look cannot tell whether it would end.",
            confidence=0.5,
            rung=Rung.STACK,
            claims=claims,
            frame=frame,
            supporting=cites_of(running),
            missing=("a second dump some seconds later: is the thread still in this loop?",),
            recommendations=(
                "Read the loop's condition in this function and what would have to change it; "
                "take a second dump to see whether it moved.",
            ),
        )


class HighCpu(OneRound):
    """Several threads compute at the same moment."""

    category = Category.HIGH_CPU

    def propose(self, facts: FactBook) -> Proposal | None:
        """When threads of a standing process are in no system call."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not case.snapshot or not running:
            return None
        return Proposal(
            category=self.category,
            statement="Threads use up the processors.",
            confidence=0.4 if len(running) > 1 and not _stuck(case) else 0.15,
            tests=(*commands.stacks("what each thread is doing"),),
            citations=cites_of(running),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open at best: one look does not tell how long they have been running."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not running:
            everyone = cites_of(list(case.waits.values()))
            return rejected("Every thread is in a system call.", everyone, rung=Rung.STRUCTURE)
        claims: list[Claim] = []
        first: Frame | None = None
        for wait in running[:MOST]:
            at, cites, frame = where(case, wait.thread)
            first = first or frame
            claims.append(claim(f"Thread {wait.thread} is computing{at}.", of(wait), cites))
        return inconclusive(
            case,
            "One look does not tell how long these threads have been running.",
            ("each thread's processor time: top -H, or /proc/PID/task/TID/stat, some seconds "
             "apart",),
            confidence=0.35,
            rung=Rung.STACK,
            claims=claims,
            frame=first,
            supporting=cites_of(running),
            recommendations=(
                "Sample the process (perf top -p PID) and see which functions take the time.",
            ),
        )  # fmt: skip


def _stuck(case: Case) -> bool:
    return bool(case.cycles)
