"""Thread-pool starvation: no worker is left, for all block, most on what only a worker can do."""

from functools import cached_property

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands, frames
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, PoolState, Stack
from workbench.model.hypothesis import Rung

_ADVICE = (
    "Do not block on tasks in work that the pool runs: await them all the way up (async Main, "
    "async handlers) instead of .Result, .Wait() or GetAwaiter().GetResult().",
)
_FEWEST = 2
_AT_REST = 10
"""Per cent of the processors that are no work worth the name."""


class _Pool:
    """The pool's workers, as their stacks show them."""

    def __init__(self, case: ManagedCase) -> None:
        self.stacks = [
            stack
            for thread, stack in case.managed_stacks.items()
            if frames.is_worker(stack)
            or (thread in case.managed and case.managed[thread].role == "pool-worker")
        ]
        self.busy = [stack for stack in self.stacks if not frames.is_idle(stack) and _works(stack)]
        self.idle = [stack for stack in self.stacks if frames.is_idle(stack)]
        self.on_tasks = [s for s in self.busy if frames.awaiting_task(s) is not None]
        self.on_waits = [s for s in self.busy if frames.blocking(s) is not None]
        self.state = case.facts.last(PoolState)

    @property
    def full(self) -> bool:
        """True when the pool itself counts no idle worker, and work that waits or no worker to be
        had."""
        state = self.state
        if state is None or state.idle != 0 or not state.running:
            return False
        return self.queued > 0 or state.running == state.maximum

    @property
    def waiting(self) -> bool:
        """True when work waits for a full pool while the processors have nothing to do."""
        cpu = self.state.cpu if self.state is not None else None
        return self.full and self.queued > 0 and cpu is not None and cpu <= _AT_REST

    @property
    def stuck(self) -> bool:
        """True when the pool is full and nearly every worker waits for something."""
        enough = len(self.on_waits) >= _FEWEST
        return self.full and enough and len(self.on_waits) * 10 >= len(self.busy) * 8

    @property
    def exhausted(self) -> bool:
        """True when the workers that are not blocked on tasks are too few to matter."""
        enough = len(self.on_tasks) >= _FEWEST and not self.idle
        return enough and len(self.on_tasks) * 10 >= len(self.busy) * 8

    @property
    def queued(self) -> int:
        """Work items that wait, as far as the pool's own numbers say."""
        return (self.state.queued or 0) if self.state is not None else 0


class _Case(ManagedCase):
    @cached_property
    def pool(self) -> _Pool:
        return _Pool(self)


def _works(stack: Stack) -> bool:
    """True for a worker that runs work: the pool's dispatch is on its stack, or, where a host runs
    its own work on the pool's threads, code of the application."""
    return frames.is_worker(stack) or frames.application(stack.frames) is not None


def _frame(stack: Stack) -> Frame | None:
    return frames.application(stack.frames)


def _suspected(case: _Case) -> list[Stack] | PoolState | None:
    """The workers that block on tasks; else the pool's numbers where none is idle."""
    pool = case.pool
    if len(pool.on_tasks) >= _FEWEST:
        return pool.on_tasks
    return pool.state if pool.full else None


def _likely(case: _Case, _: object) -> float:
    if case.died:
        return 0.4
    return 0.9 if case.pool.exhausted else 0.7 if case.pool.stuck else 0.4


def _stuck(case: _Case) -> list[Stack]:
    """The workers of a full pool, where they wait for other things than tasks."""
    pool = case.pool
    return pool.on_waits if pool.stuck and not pool.exhausted else []


def _counted(case: _Case) -> PoolState | None:
    """A full pool of which there are its numbers and no stack of a worker."""
    pool = case.pool
    return pool.state if pool.full and not pool.on_tasks and not pool.busy else None


def _queued(case: _Case) -> bool:
    """True where the pool's own numbers say that no worker is left."""
    state = case.pool.state
    return state is not None and (case.pool.queued > 0 or state.idle == 0)


def _blocks(case: _Case, stacks: list[Stack]) -> list[Claim]:
    return [
        *_measured(case),
        *case.grouped(stacks, _frame),
        *case.grouped(stacks, frames.awaiting_task, 2),
    ]


def _measured(case: _Case, _: object = None) -> list[Claim]:
    state = case.pool.state
    if state is None:
        return []
    counted = state.running is not None and state.idle is not None
    workers, queue = line_of(state, state.workers_line), line_of(state, state.queued_line)
    counts = (("running", state.running), ("idle", state.idle)) if counted else ()
    return [
        *([say("count", queue, what="queued", count=state.queued)] if state.queued else []),
        *(say("count", workers, what=what, count=count) for what, count in counts),
    ]


def _in_task(_: _Case, stacks: list[Stack]) -> Frame | None:
    # A compiler may have left nothing of the application on the stack.
    return _frame(stacks[0]) or frames.awaiting_task(stacks[0])


def _lines(case: _Case, _: object) -> Cites:
    return tuple(c for each in _blocks(case, case.pool.on_tasks) for c in each.citations)


_STACKS = "the stacks of the pool's workers (~*e !clrstack, clrstack -all)"

THREAD_STARVATION = ManagedCause(
    Category.THREAD_STARVATION,
    "Sync over async: workers that block on tasks which need a worker to finish.",
    statement="The thread pool's workers block on work that needs another worker.",
    sign=_suspected,
    prior=_likely,
    tests=lambda *_: (commands.POOL, commands.THREADS, commands.STACKS),
    cites=lambda case, _: [
        c for s in case.pool.on_tasks[:4] for c in case.cite_frame(s, frames.awaiting_task(s))
    ],
    view=_Case,
    findings=(
        Proof(_stuck, "The pool has no idle worker, and those that it has wait.", 0.8,
              Rung.STRUCTURE, "waits",
              lambda case, stacks: [
                  *_measured(case),
                  *case.grouped(stacks, _frame),
                  *case.grouped(stacks, frames.blocking),
              ], frame=lambda _, stacks: _frame(stacks[0]) or frames.blocking(stacks[0]),
              advice="See what the workers wait for: a lock, a connection, a slow service. Await "
              "it instead of blocking, bound how much is started at once, and set time-outs."),
        Proof(lambda case: _counted(case) if case.pool.waiting else None,
              "No worker is idle, work waits, and the processors do not work: the workers wait.",
              0.65, Rung.STRUCTURE, "counted",
              lambda case, state: [
                  *_measured(case),
                  say("usage", of(state), what="processors", percent=state.cpu),
              ], frame=lambda *_: None, lines=lambda _, state: of(state), missing=_STACKS,
              advice=_ADVICE),
        Open(_counted,
             "The pool has no idle worker; whether its workers wait or compute is not shown.", 0.4,
             Rung.STRUCTURE, told=_measured,
             support=lambda case, _: [c for each in _measured(case) for c in each.citations],
             missing=_STACKS),
        Proof(lambda case: case.pool.on_tasks if case.pool.exhausted else [],
              "Every busy worker of the pool blocks on a task.",
              lambda case, _: 0.75 if not _queued(case) else 0.92 if case.pool.queued else 0.85,
              lambda case, _: Rung.STRUCTURE if _queued(case) else Rung.STACK, "tasks", _blocks,
              lambda case, stacks: [c for s in stacks[:8] for c in case.cite_row(s.thread or 0)],
              frame=_in_task,
              missing=lambda case, _: ()
              if _queued(case) else "the pool's own queue and limits (threadpool)", advice=_ADVICE),
        Open(lambda case: case.pool.on_tasks, "Some workers block on tasks, but others are free.",
             0.35, how="blocks", told=_blocks, support=_lines, frame=_in_task,
             missing="work that waits in the pool's queue (threadpool)"),
    ),
    absent="No worker of the pool blocks on a task.",
    unseen=lambda case: [c for s in case.pool.busy[:6] for c in case.cite_thread(s.thread or 0)],
    rung=Rung.STACK,
)  # fmt: skip
