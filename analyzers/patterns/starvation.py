"""A pool whose threads all wait for what only one of them could do."""

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Proof, Rival, of_process
from analyzers.patterns.stuck import all_wait, cites_of, each_waits, everyone, starved
from analyzers.patterns.words import Cites
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Wait
from workbench.model.hypothesis import Rung

_Starved = list[tuple[Wait, Frame]]


def _waits(_: Case, found: _Starved) -> Cites:
    return cites_of([wait for wait, _ in found])


STARVED = Rival(starved, "What they wait for are tasks that no thread is left to run.", _waits)

THREAD_STARVATION = Cause(
    Category.THREAD_STARVATION,
    "Every thread that runs tasks waits, inside of a task, for the result of another task.",
    statement="Every thread of the pool waits for a task that none is left to run.",
    sign=starved,
    prior=0.8,
    tests=lambda case, _: (Command("@locks", "what each thread waits for"),
                           *commands.stacks("where each thread waits")),
    cites=_waits,
    findings=(
        Proof(
            starved,
            "All threads that run tasks wait for tasks that have not been run.",
            0.8,
            Rung.STRUCTURE,
            told=lambda case, found: [*each_waits(case, [wait for wait, _ in found])[0],
                                      all_wait(case)],
            support=of_process,
            frame=lambda _, found: found[0][1],
            missing="how many tasks stand in the pool's queue",
            advice="Wait for no task inside of a task of the same pool: hand on a continuation, "
            "run the inner task in place, or give inner tasks a pool of their own.",
            signal=False,
        ),
    ),
    absent="Not every thread waits inside of a task for another task.",
    unseen=everyone,
    rung=Rung.STACK,
)  # fmt: skip
