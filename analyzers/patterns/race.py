"""Data races. One moment of a process cannot show two accesses: this cause stays open, and says
what would decide it."""

from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Open, anything
from analyzers.patterns.ending import MEMORY
from analyzers.patterns.passed import shared
from analyzers.patterns.stuck import stands
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, Load, Stack

_INNERMOST = 12


class Together(NamedTuple):
    """Another thread that runs the function which the faulting thread was in."""

    thread: int
    frame: Frame


def changed(case: Case) -> Load | None:
    """A load on the way to the fault whose cell holds something else by now: somebody wrote there
    between the load and the dump."""
    fault = case.fault
    if fault is None or _alone(case):
        return None
    return next((load for load in fault.origin if load.value is None), None)


def together(case: Case) -> Together | None:
    """A second thread in the same function of the application."""
    mine = case.frame
    if mine is None or mine.function is None or _alone(case):
        return None
    name = bare(mine.function)
    for thread in case.process.threads if case.process is not None else ():
        stack = case.stack_of(thread) if thread != case.thread else None
        if stack is None:
            continue
        for frame in stack.frames[:_INNERMOST]:
            if frame.function is not None and bare(frame.function) == name:
                return Together(thread, frame)
    return None


def _alone(case: Case) -> bool:
    return case.process is None or len(case.process.threads) < 2


def _at_once(case: Case) -> list[Claim]:
    """What shows another thread at the data or the code that failed."""
    load, other, both = changed(case), together(case), shared(case)
    claims: list[Claim] = []
    if load is not None:
        cites = line_of(case.fault, load.line)
        claims += [
            say("loaded", cites, register=load.register, source=load.source),
            say("told", cites, how="changed", address=load.source),
        ]
    if other is not None:
        claims.append(stands(other.thread, other.frame, case))
    name = both[0].frame.function if both is not None else None
    if both is not None and name and name == both[1].frame.function:
        stand = {
            stack.thread
            for stack in case.facts.all(Stack)
            if any(frame.function == name for frame in stack.frames)
        }
        many = len(stand - {None})
        claims.append(say("count", what="threads", function=name, count=many))
    return claims + [item.stated(case) for item in both or ()]


def _cites(case: Case, _: object) -> Cites:
    load = changed(case)
    return line_of(case.fault, load.line) if load is not None else of(case.fault)


DATA_RACE = Cause(
    Category.DATA_RACE,
    "Two threads at the same data, one of them writing.",
    statement="Another thread changed the data while this one used it.",
    sign=lambda case: case.ended(*MEMORY) and not signs.ran_out_of_stack(case) and _at_once(case),
    prior=lambda case, _: 0.25 if changed(case) is not None else 0.15,
    tests=lambda case, _: commands.stacks("what the other threads were doing"),
    cites=_cites,
    findings=(
        Open(_at_once,
             "One moment of a process does not show who wrote and who read without a lock.", 0.25,
             how="", told=lambda _, claims: claims,
             support=lambda _, claims: [c for claim in claims for c in claim.citations],
             missing="a run under -fsanitize=thread or helgrind, which see both accesses",
             advice="Look whether this data is used by several threads, and which lock guards it "
             "on every way to it.", signal=False),
        Open(anything, "No other thread is seen at this data now.", 0.05,
             missing="what the other threads did before"),
    ),
)  # fmt: skip
