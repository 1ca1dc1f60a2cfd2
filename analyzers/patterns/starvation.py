"""A pool whose threads all wait for what only one of them could do."""

from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.stuck import all_wait, cites_of, each_waits, starved
from analyzers.patterns.words import confirmed, in_place, of, rejected
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


class ThreadStarvation(OneRound):
    """Every thread that runs tasks waits, inside of a task, for the result of another task."""

    category = Category.THREAD_STARVATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When every thread waits, and those that run tasks wait for results of tasks."""
        case = Case(facts)
        found = starved(case)
        if not found:
            return None
        return Proposal(
            category=self.category,
            statement="Every thread of the pool waits for a task that none is left to run.",
            confidence=0.8,
            tests=(Command("@locks", "what each thread waits for"),
                   *commands.stacks("where each thread waits")),
            citations=cites_of([wait for wait, _ in found]),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the stacks: the waits show that no thread is left."""
        case = Case(facts)
        found = starved(case)
        if not found:
            return rejected("Not every thread waits inside of a task for another task.",
                            cites_of(list(case.waits.values())), rung=Rung.STACK)  # fmt: skip
        claims, _ = each_waits(case, [wait for wait, _ in found])
        claims.insert(0, in_place(case, self.category, found[0][1], cites=of(found[0][0])))
        claims.append(all_wait(case))
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.8,
            claims,
            reason="All threads that run tasks wait for tasks that have not been run.",
            frame=found[0][1],
            support=[*of(case.process), *of(case.memory)],
            missing=("how many tasks stand in the pool's queue",),
            recommendations=(
                "Wait for no task inside of a task of the same pool: hand on a continuation, run "
                "the inner task in place, or give inner tasks a pool of their own.",
            ),
        )
