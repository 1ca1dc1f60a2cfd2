"""The finalizer thread held up by an object's own finalizer."""

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import blocking
from analyzers.patterns.words import (
    confirmed,
    in_frame,
    in_place,
    inconclusive,
    line_of,
    rejected,
    shown,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, FinalizerQueue
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ADVICE = (
    "Wait for nothing in a finalizer: no lock, no other thread, no I/O. Free what is not managed "
    "there (SafeHandle) and do the rest in Dispose.",
)


class FinalizerBlockage:
    """The finalizer thread blocks in one finalizer, so that no other one runs."""

    category = Category.FINALIZER_BLOCKAGE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the application's code stands on the finalizer thread."""
        case = ManagedCase(facts)
        thread = _finalizer(case)
        if thread is None:
            return None
        stack = case.managed_stacks[thread]
        return Proposal(
            category=self.category,
            statement="The finalizer thread is held up in a finalizer.",
            confidence=0.3 if case.died else 0.8 if blocking(stack) is not None else 0.5,
            tests=(commands.FINALIZERS, commands.STACKS),
            citations=case.cite_frame(stack, case.application_frame(thread)),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Nothing more."""
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when it blocks; more surely where objects wait for it."""
        case = ManagedCase(facts)
        thread = _finalizer(case)
        if thread is None:
            rows = [c for t in list(case.managed)[:4] for c in case.cite_row(t)]
            return rejected("No finalizer of the application runs.", rows, rung=Rung.STACK)
        stack, frame = case.managed_stacks[thread], case.application_frame(thread)
        stuck, queue = blocking(stack), facts.last(FinalizerQueue)
        claims = [
            in_place(case, self.category, frame),
            *in_frame(stack, stuck, case.cite_thread(thread)),
            say("thread", case.cite_row(thread), thread=shown(thread), role="finalizer"),
        ]
        if queue is not None and queue.ready:
            claims.insert(
                1,
                say(
                    "count", line_of(queue, queue.ready_line), what="finalizers", count=queue.ready
                ),
            )
        if stuck is None:
            return inconclusive(
                case,
                "A finalizer runs; that it blocks is not shown.",
                ("a second dump, to see whether it goes on",),
                claims=claims,
                frame=frame,
            )
        waiting = queue is not None and queue.ready > 0
        return confirmed(
            case,
            Rung.STRUCTURE if waiting else Rung.STACK,
            0.9 if waiting else 0.7,
            claims,
            reason="A finalizer blocks the only thread that runs finalizers.",
            frame=frame,
            recommendations=_ADVICE,
            missing=() if waiting else ("how many objects wait for their finalizer",),
        )


def _finalizer(case: ManagedCase) -> int | None:
    """The finalizer thread, when code of the application runs on it."""
    for thread, item in case.managed.items():
        if item.role == "finalizer" and case.application_frame(thread) is not None:
            return thread
    return None
