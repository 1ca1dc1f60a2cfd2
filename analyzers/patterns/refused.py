"""A copy that the C library refused, its destination not known to be on a stack."""

from analyzers.patterns import commands, messages
from analyzers.patterns.case import Case
from analyzers.patterns.fortify import (
    ADVICE,
    DESCRIPTOR_ADVICE,
    canary_frame,
    checked_call,
    descriptor,
    destination,
    fortified,
    is_heap,
)
from analyzers.patterns.stated import passed, stopped
from analyzers.patterns.words import confirmed, in_frame, in_place, of, rejected, signal_claim
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


class BufferOverflow:
    """A fortified function refused, and the destination is not known to be on the stack."""

    category = Category.BUFFER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a fortified function refused."""
        case = Case(facts)
        if not fortified(case) and case.calls("__fortify_fail", "__chk_fail") is None:
            return None
        if messages.says(case, messages.STACK_SMASHING) or canary_frame(case) is not None:
            return None
        return Proposal(
            category=self.category,
            statement="A descriptor does not fit into an fd_set."
            if descriptor(case)
            else "A copy is larger than its destination.",
            confidence=0.6,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(case.frame)),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Where the refused call was to write, then whether that is heap."""
        case = Case(facts)
        if destination(case) is None and not descriptor(case):
            return commands.call(case, case.frame)
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the refusal, unless the destination is known more narrowly."""
        case = Case(facts)
        fd = descriptor(case)
        argument = None if fd else destination(case)
        if argument is not None:
            region = case.region(argument.value)
            if argument.region == "stack" or (region is not None and region.kind == "stack"):
                return rejected("The destination lies on a stack, which is a narrower cause.",
                                of(argument))  # fmt: skip
            if is_heap(case, argument):
                return rejected("The destination lies in the heap, which is a narrower cause.",
                                of(argument))  # fmt: skip
        frame = checked_call(case) or case.calls("__fortify_fail", "__chk_fail")
        if not fortified(case) and frame is None:
            return rejected("No fortified function refused.", messages.cites(case))
        claims = [
            in_place(case, self.category, case.frame, how="descriptor" if fd else ""),
            *(stopped(case) if fortified(case) else in_frame(case.stack, frame)),
            *passed(argument, region=True),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85,
            claims,
            reason="A fortified macro compared the descriptor with FD_SETSIZE."
            if fd
            else "A fortified function compared the length with its destination's size.",
            support=case.cite(frame),
            recommendations=DESCRIPTOR_ADVICE if fd else ADVICE,
        )
