"""Threads that compute in a process that does not get on: one may be in a loop without an end, many
use up the processors."""

from msgspec.structs import replace

from analyzers.patterns import commands, objects
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, Proof, Rival, of_process
from analyzers.patterns.stuck import (
    CYCLE,
    MOST,
    endless,
    everyone,
    first_known,
    hangs,
    loop_of,
    nothing_ends,
    of_kind,
    spinning,
    stands,
    their_lines,
    where,
)
from analyzers.patterns.words import line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Loop, Wait
from workbench.model.hypothesis import Rung

_LOOKED_AT = 4
"""So many threads are followed: each takes up to a second."""


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


def _running(case: Case) -> list[Wait]:
    return of_kind(case, "running")


def _outer(case: Case, found: tuple[Wait, Loop]) -> Frame | None:
    """The frame that a loop stands in, where it begins outside of the innermost one."""
    wait, loop = found
    stack = case.stack_of(wait.thread)
    if loop.kind == "open" or stack is None:
        return None
    begin = next((f.index for f in stack.frames if f.address == loop.at), 0)
    frames = tuple(f for f in stack.frames if f.index >= begin)
    return case.frame_of(replace(stack, frames=frames))


def _round_in(case: Case, found: tuple[Wait, Loop]) -> Frame | None:
    return _outer(case, found) or where(case, found[0].thread)[1]


def _rounds(case: Case, found: tuple[Wait, Loop]) -> list[Claim]:
    """Why the thread comes to no end, what the others do, and where it is."""
    wait, loop = found
    others = [other for other in case.waits.values() if other is not wait]
    claims = [goes_round(loop), computes(wait)]
    claims += [
        say(
            "loop",
            line_of(loop, read.line),
            thread=wait.thread,
            reads=read.address,
            name=at(read.name, (), objects.shown(case.facts, read.address)),
        )
        for read in (loop.reads if others else ())
    ]
    computing = [other for other in others if other.kind == "running"]
    if others and not computing:
        claims += others_wait(wait)
    rounds = [loop_of(case, other.thread) for other in computing[:MOST]]
    claims += [
        goes_round(round_) if round_ is not None and round_.kind != "open" else computes(other)
        for other, round_ in zip(computing, rounds, strict=False)
    ]
    outer = _outer(case, found)
    return claims + ([stands(wait.thread, outer, case)] if outer else where(case, wait.thread)[0])


def _ends(case: Case, found: tuple[Wait, Loop]) -> bool:
    return not nothing_ends(case, *found)


def _sure_or_alive(case: Case) -> tuple[Wait, Loop] | None:
    """The loop without an end, unless a signal may have ended its process too early, or a thread
    that goes on by itself may still end it."""
    found = endless(case)
    goes_on = any(wait.kind in ("sleep", "io") for wait in case.waits.values())
    stays = case.snapshot and not goes_on
    return found if found and (stays or not _ends(case, found)) else None


def _known(case: Case) -> list[Wait]:
    running = _running(case)
    return running if running and where(case, running[0].thread)[1] is not None else []


def _at_first(case: Case, running: list[Wait]) -> list[Claim]:
    alone = len(running) == 1 < len(case.waits)
    others = others_wait(running[0]) if alone else []
    return [computes(running[0]), *others, *where(case, running[0].thread)[0]]


def _tests(case: Case, running: list[Wait]) -> tuple[Command, ...]:
    _, frame = where(case, running[0].thread)
    return (*looks_ahead(case), *commands.source(frame), *commands.variables(frame))


_CHANGES = "whether another thread or a signal's handler would change what the loop reads"

INFINITE_LOOP = Cause(
    Category.INFINITE_LOOP,
    "A thread that computes in a process that does not get on.",
    statement="A thread runs in a loop that does not end.",
    sign=lambda case: _running(case) if hangs(case) else None,
    prior=lambda case, _: 0.2 if case.cycles else 0.5 if case.snapshot else 0.3,
    tests=_tests,
    cites=their_lines,
    signal=False,
    ask=objects.look,
    findings=(
        Rival(lambda case: not _running(case), "Every thread is in a system call.",
              lambda case, _: everyone(case), Rung.STRUCTURE),
        CYCLE,
        Rival(spinning, "It waits for a spin lock that no thread is left to give up.",
              lambda _, lock: of(lock[1])),
        Proof(_sure_or_alive,
              "What the thread will do next follows from the dump, and it comes to no end.",
              lambda case, found: 0.65 if _ends(case, found) else 0.9,
              how=lambda case, found: "until" if _ends(case, found) else "endless", told=_rounds,
              support=of_process, frame=_round_in,
              missing=lambda case, found: _CHANGES if _ends(case, found) else (),
              advice="Read the loop's condition in this function, and see what should have made it "
              "false."),
        Open(endless,
             "Another thread could still end the round: the dump may have come too early.", 0.4,
             Rung.STRUCTURE, "until", _rounds, lambda _, found: of(found[0]) + of(found[1]),
             frame=_round_in, missing=_CHANGES),
        Open(_known, "The application's own code runs; one look cannot tell whether it would end.",
             0.5, Rung.STACK, "", _at_first, their_lines,
             frame=lambda case, running: where(case, running[0].thread)[1],
             missing="a second dump some seconds later: whether the thread is still in this loop",
             advice="Read the loop's condition in this function and what would have to change it; "
             "take a second dump to see whether it moved."),
        Open(_running, "A thread is running, but not in code of the application that is known.",
             support=their_lines, missing="symbols for the running thread's frames"),
    ),
)  # fmt: skip


def _all_computing(case: Case, running: list[Wait]) -> list[Claim]:
    places = [claim for wait in running[:MOST] for claim in where(case, wait.thread)[0]]
    return [*map(computes, running[:MOST]), *places]


HIGH_CPU = Cause(
    Category.HIGH_CPU,
    "Several threads compute at the same moment.",
    statement="Threads use up the processors.",
    sign=lambda case: _running(case) if case.snapshot else None,
    prior=lambda case, running: 0.4 if len(running) > 1 and not case.cycles else 0.15,
    tests=lambda case, _: commands.stacks("what each thread is doing"),
    cites=their_lines,
    findings=(
        Open(_running, "One look does not tell how long these threads have been running.", 0.35,
             Rung.STACK, "", _all_computing, their_lines, frame=first_known,
             missing="each thread's processor time: top -H, or /proc/PID/task/TID/stat, some "
             "seconds apart",
             advice="Sample the process (perf top -p PID) and see which functions take the time.",
             signal=False),
    ),
    absent="Every thread is in a system call.",
    unseen=everyone,
    rung=Rung.STRUCTURE,
)  # fmt: skip
