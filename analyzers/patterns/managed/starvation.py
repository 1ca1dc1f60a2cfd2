"""Thread-pool starvation: no worker is left, for all block, most on what only a worker can do."""

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import (
    application,
    awaiting_task,
    blocking,
    is_idle,
    is_worker,
)
from analyzers.patterns.words import confirmed, in_place, inconclusive, line_of, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, PoolState, Stack
from workbench.model.hypothesis import Proposal, Rung, Verdict

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
        self.case = case
        self.stacks = [
            stack
            for thread, stack in case.managed_stacks.items()
            if is_worker(stack)
            or (thread in case.managed and case.managed[thread].role == "pool-worker")
        ]
        self.busy = [stack for stack in self.stacks if not is_idle(stack) and _works(stack)]
        self.idle = [stack for stack in self.stacks if is_idle(stack)]
        self.on_tasks = [s for s in self.busy if awaiting_task(s) is not None]
        self.on_waits = [s for s in self.busy if blocking(s) is not None]
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


class ThreadStarvation:
    """Sync over async: workers that block on tasks which need a worker to finish."""

    category = Category.THREAD_STARVATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When workers of the pool block on tasks, or work is queued and none is idle."""
        case = ManagedCase(facts)
        pool = _Pool(case)
        if len(pool.on_tasks) < _FEWEST and not pool.full:
            return None
        cites = [case.cite_frame(s, awaiting_task(s)) for s in pool.on_tasks[:4]]
        return Proposal(
            category=self.category,
            statement="The thread pool's workers block on work that needs another worker.",
            confidence=0.9
            if pool.exhausted and not case.died
            else 0.7
            if pool.stuck and not case.died
            else 0.4,
            tests=(commands.POOL, commands.THREADS, commands.STACKS),
            citations=tuple(c for group in cites for c in group),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Nothing more."""
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when no worker is left; more surely where the pool's queue is known."""
        case = ManagedCase(facts)
        pool = _Pool(case)
        if pool.stuck and not pool.exhausted:
            return _stuck(case, pool)
        if not pool.on_tasks and pool.full and not pool.busy:
            return _counted(case, pool)
        if not pool.on_tasks:
            against = [c for s in pool.busy[:6] for c in case.cite_thread(s.thread or 0)]
            return rejected("No worker of the pool blocks on a task.", against, rung=Rung.STACK)
        claims = _claims(case, pool)
        frame = _frame(pool.on_tasks[0])
        if not pool.exhausted:
            return inconclusive(
                case,
                "Some workers block on tasks, but others are free.",
                ("work that waits in the pool's queue (threadpool)",),
                confidence=0.35,
                claims=claims,
                frame=frame,
                supporting=[c for each in claims for c in each.citations],
            )
        measured = pool.state is not None and (pool.queued > 0 or pool.state.idle == 0)
        return confirmed(
            case,
            Rung.STRUCTURE if measured else Rung.STACK,
            0.92 if measured and pool.queued else 0.85 if measured else 0.75,
            claims,
            reason="Every busy worker of the pool blocks on a task.",
            frame=frame,
            support=[c for s in pool.on_tasks[:8] for c in case.cite_row(s.thread or 0)],
            recommendations=_ADVICE,
            missing=() if measured else ("the pool's own queue and limits (threadpool)",),
        )


def _works(stack: Stack) -> bool:
    """True for a worker that runs work: the pool's dispatch is on its stack, or, where a host runs
    its own work on the pool's threads, code of the application."""
    return is_worker(stack) or application(stack.frames) is not None


def _counted(case: ManagedCase, pool: _Pool) -> Verdict:
    """A pool of which the log has its numbers and no stack of a worker."""
    claims = _measured(pool)
    missing = "the stacks of the pool's workers (~*e !clrstack, clrstack -all)"
    if not pool.waiting or pool.state is None:
        return inconclusive(
            case,
            "The pool has no idle worker; whether its workers wait or compute is not shown.",
            (missing,),
            confidence=0.4,
            rung=Rung.STRUCTURE,
            claims=claims,
            supporting=[c for each in claims for c in each.citations],
        )
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.65,
        [
            in_place(case, Category.THREAD_STARVATION, None, how="counted", cites=of(pool.state)),
            *claims,
            say("usage", of(pool.state), what="processors", percent=pool.state.cpu),
        ],
        reason="No worker is idle, work waits, and the processors do not work: the workers wait.",
        missing=(missing,),
        recommendations=_ADVICE,
    )


def _stuck(case: ManagedCase, pool: _Pool) -> Verdict:
    """No worker is left, by the pool's own numbers, and they wait for other things than tasks."""
    frame = _frame(pool.on_waits[0]) or blocking(pool.on_waits[0])
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.8,
        [
            in_place(case, Category.THREAD_STARVATION, frame, how="waits"),
            *_measured(pool),
            *case.grouped(pool.on_waits, _frame),
            *case.grouped(pool.on_waits, blocking),
        ],
        reason="The pool has no idle worker, and those that it has wait.",
        frame=frame,
        recommendations=(
            "See what the workers wait for: a lock, a connection, a slow service. Await it instead "
            "of blocking, bound how much is started at once, and set time-outs.",
        ),
    )


def _frame(stack: Stack) -> Frame | None:
    return application(stack.frames)


def _claims(case: ManagedCase, pool: _Pool) -> list[Claim]:
    # A compiler may have left nothing of the application on the stack.
    frame = _frame(pool.on_tasks[0]) or awaiting_task(pool.on_tasks[0])
    how = "tasks" if pool.exhausted else "blocks"
    return [
        in_place(case, Category.THREAD_STARVATION, frame, how=how),
        *_measured(pool),
        *case.grouped(pool.on_tasks, _frame),
        *case.grouped(pool.on_tasks, awaiting_task, 2),
    ]


def _measured(pool: _Pool) -> list[Claim]:
    state = pool.state
    if state is None:
        return []
    counted = state.running is not None and state.idle is not None
    workers, queue = line_of(state, state.workers_line), line_of(state, state.queued_line)
    return [
        *([say("count", queue, what="queued", count=state.queued)] if state.queued else []),
        *(
            [
                say("count", workers, what=what, count=count)
                for what, count in (("running", state.running), ("idle", state.idle))
                if counted
            ]
        ),
    ]
