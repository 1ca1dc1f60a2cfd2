"""Busy processors and the managed code that runs, where no debugger shows the threads' times."""

from analyzers.owners.managed import is_framework
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.words import confirmed, in_frame, in_place, inconclusive, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, PoolState, Stack, ThreadTimes
from workbench.model.hypothesis import Proposal, Rung, Verdict

_BUSY = 80
"""Percent of the processors, as the runtime measured them for its pool."""
_MOST = 4


class BusyManagedCode:
    """The runtime saw busy processors, and threads run code of the application."""

    category = Category.HIGH_CPU

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the pool's own measure says so, and nothing ended the process."""
        case = ManagedCase(facts)
        state = facts.last(PoolState)
        if state is None or (state.cpu or 0) < _BUSY or case.died or facts.first(ThreadTimes):
            return None
        return Proposal(
            category=self.category,
            statement="Managed code uses up the processors.",
            confidence=0.6 if _running(case) else 0.3,
            tests=(commands.POOL, commands.STACKS, commands.THREADS),
            citations=of(state),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Nothing more."""
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when the application's code is what runs."""
        case = ManagedCase(facts)
        state = facts.last(PoolState)
        if state is None or (state.cpu or 0) < _BUSY:
            return rejected("The processors were not busy.", of(state), rung=Rung.STRUCTURE)
        running = _running(case)
        claims = [
            say("usage", of(state), what="processors", percent=state.cpu),
            *(c for stack in running[:_MOST]
              for c in in_frame(stack, stack.frames[0], case.cite_thread(stack.thread or 0))),
        ]  # fmt: skip
        if not running:
            return inconclusive(
                case,
                "The processors were busy; no thread runs code of the application.",
                ("the processor time of each thread (!runaway)",),
                confidence=0.3,
                rung=Rung.STACK,
                claims=claims,
            )
        return confirmed(
            case,
            Rung.STACK,
            0.65,
            [in_place(case, self.category, running[0].frames[0], how="managed"), *claims],
            reason="The processors were busy while the application's code ran.",
            frame=running[0].frames[0],
            recommendations=(
                "Take two more dumps, seconds apart: the thread that stays in the same method is "
                "the loop.",
            ),
            missing=("the processor time of each thread",),
        )


def _running(case: ManagedCase) -> list[Stack]:
    """The stacks whose innermost frame is the application's own: these threads wait for nothing."""
    return [
        stack
        for stack in case.managed_stacks.values()
        if stack.frames and not is_framework(stack.frames[0])
    ]
