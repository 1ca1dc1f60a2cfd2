"""The finalizer thread held up by an object's own finalizer."""

from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase, ManagedCause
from analyzers.patterns.managed.frames import blocking
from analyzers.patterns.words import in_frame, line_of, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FinalizerQueue, Frame
from workbench.model.hypothesis import Rung

_ADVICE = (
    "Wait for nothing in a finalizer: no lock, no other thread, no I/O. Free what is not managed "
    "there (SafeHandle) and do the rest in Dispose.",
)


def _finalizer(case: ManagedCase) -> int | None:
    """The finalizer thread, when code of the application runs on it."""
    for thread, item in case.managed.items():
        if item.role == "finalizer" and case.application_frame(thread) is not None:
            return thread
    return None


def _blocked(case: ManagedCase) -> int | None:
    """The finalizer thread, where it waits."""
    thread = _finalizer(case)
    return thread if thread is not None and blocking(case.managed_stacks[thread]) else None


def _queue(case: ManagedCase) -> FinalizerQueue | None:
    """The objects that wait for their finalizer, where there are any."""
    queue = case.facts.last(FinalizerQueue)
    return queue if queue is not None and queue.ready > 0 else None


def _told(case: ManagedCase, thread: int) -> list[Claim]:
    stack, queue = case.managed_stacks[thread], _queue(case)
    waiting = (
        []
        if queue is None
        else [say("count", line_of(queue, queue.ready_line), what="finalizers", count=queue.ready)]
    )
    return [
        *waiting,
        *in_frame(stack, blocking(stack), case.cite_thread(thread)),
        say("thread", case.cite_row(thread), thread=shown(thread), role="finalizer"),
    ]


def _frame(case: ManagedCase, thread: int) -> Frame | None:
    return case.application_frame(thread)


FINALIZER_BLOCKAGE = ManagedCause(
    Category.FINALIZER_BLOCKAGE,
    "The finalizer thread blocks in one finalizer, so that no other one runs.",
    statement="The finalizer thread is held up in a finalizer.",
    sign=_finalizer,
    prior=lambda case, _: 0.3 if case.died else 0.8 if _blocked(case) is not None else 0.5,
    tests=lambda *_: (commands.FINALIZERS, commands.STACKS),
    cites=lambda case, thread: case.cite_frame(case.managed_stacks[thread], _frame(case, thread)),
    findings=(
        Proof(_blocked, "A finalizer blocks the only thread that runs finalizers.",
              lambda case, _: 0.7 if _queue(case) is None else 0.9,
              lambda case, _: Rung.STACK if _queue(case) is None else Rung.STRUCTURE, told=_told,
              frame=_frame,
              missing=lambda case, _: "how many objects wait for their finalizer"
              if _queue(case) is None else (), advice=_ADVICE),
        Open(_finalizer, "A finalizer runs; that it blocks is not shown.", how="", told=_told,
             frame=_frame, missing="a second dump, to see whether it goes on"),
    ),
    absent="No finalizer of the application runs.",
    unseen=lambda case: [c for t in list(case.managed)[:4] for c in case.cite_row(t)],
    rung=Rung.STACK,
)  # fmt: skip
