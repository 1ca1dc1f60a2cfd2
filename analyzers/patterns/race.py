"""Data races. One moment of a process cannot show two accesses: this cause stays open, and says
what would decide it."""

from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import MEMORY
from analyzers.patterns.passed import shared
from analyzers.patterns.stuck import stands
from analyzers.patterns.words import Cites, in_place, inconclusive, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import FactBook, Frame, Load, Stack
from workbench.model.hypothesis import Proposal, Rung, Verdict

_INNERMOST = 12


class Together(NamedTuple):
    """Another thread that runs the function which the faulting thread was in."""

    thread: int
    frame: Frame
    stack: Stack


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
                return Together(thread, frame, stack)
    return None


def _alone(case: Case) -> bool:
    return case.process is None or len(case.process.threads) < 2


class DataRace(OneRound):
    """Two threads at the same data, one of them writing."""

    category = Category.DATA_RACE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When memory failed, and another thread was at the same code or had changed the data."""
        case = Case(facts)
        if not case.ended(*MEMORY) or signs.ran_out_of_stack(case) is not None:
            return None
        load, other = changed(case), together(case)
        if load is None and other is None and shared(case) is None:
            return None
        return Proposal(
            category=self.category,
            statement="Another thread changed the data while this one used it.",
            confidence=0.25 if load is not None else 0.15,
            tests=(*commands.stacks("what the other threads were doing"),),
            citations=line_of(case.fault, load.line) if load is not None else of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Open at best."""
        case = Case(facts)
        load, other = changed(case), together(case)
        both = shared(case)
        if load is None and other is None and both is None:
            missing = ("what the other threads did before",)
            return inconclusive(case, "No other thread is seen at this data now.", missing,
                                confidence=0.05)  # fmt: skip
        claims = [in_place(case, self.category, case.frame)]
        cites: Cites = ()
        if load is not None:
            cites = line_of(case.fault, load.line)
            claims += [say("loaded", cites, register=load.register, source=load.source),
                       say("told", cites, how="changed", address=load.source)]  # fmt: skip
        if other is not None:
            cites += case.cite(other.frame)
            claims.append(stands(other.thread, other.frame, case))
        if both is not None:
            cites += tuple(c for item in both for c in case.cite(item.frame))
            claims += [item.stated(case) for item in both]
        return inconclusive(
            case,
            "One moment of a process does not show who wrote and who read without a lock.",
            ("a run under -fsanitize=thread or helgrind, which see both accesses",),
            confidence=0.25,
            rung=Rung.STACK,
            claims=claims,
            supporting=cites,
            recommendations=(
                "Look whether this data is used by several threads, and which lock guards it on "
                "every way to it.",
            ),
        )
