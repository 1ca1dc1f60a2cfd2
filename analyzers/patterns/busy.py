"""Threads that compute in a process that does not get on: one may be in a loop without an end, many
use up the processors."""

from msgspec.structs import replace

from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import (
    MOST,
    cites_of,
    endless,
    hangs,
    loop_of,
    nothing_ends,
    of_kind,
    spinning,
    stands,
    where,
)
from analyzers.patterns.words import confirmed, in_place, inconclusive, line_of, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Loop, Wait
from workbench.model.hypothesis import Proposal, Rung, Verdict

_LOOKED_AT = 4
"""So many threads are followed: each takes up to a second."""


class InfiniteLoop(OneRound):
    """A thread that computes in a process that does not get on."""

    category = Category.INFINITE_LOOP

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread of a standing process is in no system call."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not hangs(case) or not running:
            return None
        _, frame = where(case, running[0].thread)
        return Proposal(
            category=self.category,
            statement="A thread runs in a loop that does not end.",
            confidence=0.2 if _stuck(case) else 0.5 if case.snapshot else 0.3,
            tests=(*looks_ahead(case), *commands.source(frame), *commands.variables(frame)),
            citations=cites_of(running),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by code that no way leads out of or by a state that comes back; open else: one
        look does not tell a long loop from an endless one."""
        case = Case(facts)
        running = of_kind(case, "running")
        if not running:
            everyone = cites_of(list(case.waits.values()))
            return rejected("Every thread is in a system call.", everyone, rung=Rung.STRUCTURE)
        if _stuck(case):
            return rejected("Threads wait for each other's locks.",
                            [c for cycle in case.cycles for c in of(cycle)])  # fmt: skip
        lock = spinning(case)
        if lock is not None:
            return rejected("It waits for a spin lock that no thread is left to give up.",
                            of(lock[1]))  # fmt: skip
        proved = endless(case)
        if proved is not None:
            return _endless(case, *proved)
        place, frame = where(case, running[0].thread)
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
            in_place(case, self.category, frame),
            computes(running[0]),
            *(others_wait(running[0]) if len(running) == 1 < len(case.waits) else ()),
            *place,
        ]
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


def looks_ahead(case: Case) -> tuple[Command, ...]:
    """What the threads that compute will do next, as far as the dump alone decides it."""
    return tuple(
        Command(f"@loop {wait.thread}", "whether this thread can come to an end")
        for wait in of_kind(case, "running")[:_LOOKED_AT]
    )


def computes(wait: Wait) -> Claim:
    """That a thread is in no system call."""
    return say("thread", of(wait), state="computes", thread=wait.thread)


def others_wait(wait: Wait) -> list[Claim]:
    """That no other thread computes."""
    return [say("count", of(wait), what="waiting", but=wait.thread)]


def goes_round(loop: Loop) -> Claim:
    """Why a thread comes to no end."""
    back = loop.count if loop.kind == "round" else None
    return say("loop", of(loop), thread=loop.thread, kind=loop.kind, at=loop.at, count=back)


def _endless(case: Case, wait: Wait, loop: Loop) -> Verdict:
    place, frame = where(case, wait.thread)
    stack = case.stack_of(wait.thread)
    if loop.kind == "closed" and stack is not None:
        begin = next((f.index for f in stack.frames if f.address == loop.at), 0)
        outer = case.frame_of(
            replace(stack, frames=tuple(f for f in stack.frames if f.index >= begin))
        )
        if outer is not None:
            frame, place = outer, [stands(wait.thread, outer, case)]
    sure = nothing_ends(case, wait, loop)
    others = [other for other in case.waits.values() if other is not wait]
    claims = [
        in_place(case, Category.INFINITE_LOOP, frame, how="endless" if sure else "until",
                 cites=of(loop)),
        goes_round(loop),
        computes(wait),
        *(
            say("loop", line_of(loop, read.line), thread=wait.thread, reads=read.address,
                name=read.name)
            for read in (loop.reads if others else ())
        ),
    ]  # fmt: skip
    computing = [other for other in others if other.kind == "running"]
    if others and not computing:
        claims += others_wait(wait)
    rounds = [loop_of(case, other.thread) for other in computing[:MOST]]
    claims += [
        goes_round(round_) if round_ is not None and round_.kind != "open" else computes(other)
        for other, round_ in zip(computing, rounds, strict=False)
    ]
    claims += place
    if not sure and not case.snapshot:
        return inconclusive(
            case,
            "Another thread could still end the round: the signal may have come too early.",
            ("whether another thread would change what the loop reads",),
            confidence=0.4,
            rung=Rung.STRUCTURE,
            claims=claims,
            frame=frame,
            supporting=[*of(wait), *of(loop)],
        )
    return confirmed(
        case,
        Rung.MACHINE,
        0.9 if sure else 0.65,
        claims,
        reason="What the thread will do next follows from the dump, and it comes to no end.",
        frame=frame,
        support=[*of(case.process), *of(case.memory)],
        missing=() if sure else ("whether another thread would change what the loop reads",),
        recommendations=(
            "Read the loop's condition in this function, and see what should have made it false.",
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
        found = [where(case, wait.thread) for wait in running[:MOST]]
        first = next((frame for _, frame in found if frame is not None), None)
        claims = [
            in_place(case, self.category, first, cites=of(running[0])),
            *map(computes, running[:MOST]),
            *(claim for claims, _ in found for claim in claims),
        ]
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
