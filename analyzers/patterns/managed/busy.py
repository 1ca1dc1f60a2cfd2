"""Busy processors and the managed code that runs, where no debugger shows the threads' times."""

from analyzers.owners.managed import is_framework
from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.words import in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import PoolState, Stack, ThreadTimes
from workbench.model.hypothesis import Rung

_BUSY = 80
"""Percent of the processors, as the runtime measured them for its pool."""
_COLLECTS = 81
"""What the runtime's pool takes for the percentage while a collection runs, so that no thread is
added then (.NET Framework)."""
_MOST = 4


def _running(case: ManagedCase) -> list[Stack]:
    """The stacks whose innermost frame is the application's own: these threads wait for nothing."""
    return [
        stack
        for stack in case.managed_stacks.values()
        if stack.frames and not is_framework(stack.frames[0])
    ]


def _pool(case: ManagedCase) -> PoolState | None:
    """The pool's own measure, where the processors were busy."""
    state = case.facts.last(PoolState)
    busy = state is not None and (state.cpu or 0) >= _BUSY and state.cpu != _COLLECTS
    return state if busy else None


def _measured(case: ManagedCase) -> PoolState | None:
    ended = case.died or case.facts.first(ThreadTimes) is not None
    return None if ended else _pool(case)


def _told(case: ManagedCase, _: object) -> list[Claim]:
    state = _pool(case)
    percent = state.cpu if state is not None else None
    return [
        say("usage", of(state), what="processors", percent=percent),
        *(
            c
            for stack in _running(case)[:_MOST]
            for c in in_frame(stack, stack.frames[0], case.cite_thread(stack.thread or 0))
        ),
    ]


BUSY_MANAGED_CODE = ManagedCause(
    Category.HIGH_CPU,
    "The runtime saw busy processors, and threads run code of the application.",
    statement="Managed code uses up the processors.",
    sign=_measured,
    prior=lambda case, _: 0.6 if _running(case) else 0.3,
    tests=lambda *_: (commands.POOL, commands.STACKS, commands.THREADS),
    findings=(
        Proof(lambda case: _running(case) if _pool(case) is not None else [],
              "The processors were busy while the application's code ran.", 0.65, Rung.STACK,
              "managed", _told, frame=lambda _, running: running[0].frames[0],
              missing="the processor time of each thread",
              advice="Take two more dumps, seconds apart: the thread that stays in the same method "
              "is the loop."),
        Open(_pool, "The processors were busy; no thread runs code of the application.", told=_told,
             missing="the processor time of each thread (!runaway)"),
    ),
    absent="The processors were not busy.",
    unseen=lambda case: of(case.facts.last(PoolState)),
    rung=Rung.STRUCTURE,
)  # fmt: skip
