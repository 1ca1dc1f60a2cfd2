"""A copy that the C library refused, its destination not known to be on a stack."""

from analyzers.patterns import commands, messages
from analyzers.patterns.case import Case
from analyzers.patterns.cause import Cause, Proof, Rival, at_frame
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
from analyzers.patterns.words import in_frame
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, Frame
from workbench.model.hypothesis import Rung


def _refusal(case: Case) -> Frame | None:
    return checked_call(case) or case.calls("__fortify_fail", "__chk_fail")


def _refused(case: Case) -> bool:
    """True where a fortified function refused, and no canary changed."""
    refused = fortified(case) or case.calls("__fortify_fail", "__chk_fail") is not None
    smashed = messages.says(case, messages.STACK_SMASHING) or canary_frame(case) is not None
    return refused and not smashed


def _target(case: Case) -> Argument | None:
    return None if descriptor(case) else destination(case)


def _in_stack(case: Case) -> Argument | None:
    argument = _target(case)
    region = case.region(argument.value) if argument is not None else None
    on_it = argument is not None and argument.region == "stack"
    return argument if on_it or (region is not None and region.kind == "stack") else None


def _in_heap(case: Case) -> Argument | None:
    argument = _target(case)
    return argument if argument is not None and is_heap(case, argument) else None


def _ask(case: Case) -> tuple[Command, ...]:
    if destination(case) is None and not descriptor(case):
        return commands.call(case, case.frame)
    return ()


BUFFER_OVERFLOW = Cause(
    Category.BUFFER_OVERFLOW,
    "A fortified function refused, and the destination is not known to be on the stack.",
    statement=lambda case, _: "A descriptor does not fit into an fd_set."
    if descriptor(case) else "A copy is larger than its destination.",
    sign=_refused,
    prior=0.6,
    tests=lambda case, _: (*at_frame(case), *commands.registers(case.frame)),
    cites=lambda case, _: messages.cites(case) + case.cite(case.frame),
    ask=_ask,
    findings=(
        Rival(_in_stack, "The destination lies on a stack, which is a narrower cause."),
        Rival(_in_heap, "The destination lies in the heap, which is a narrower cause."),
        Proof(
            lambda case: fortified(case) or _refusal(case),
            lambda case, _: "A fortified macro compared the descriptor with FD_SETSIZE."
            if descriptor(case)
            else "A fortified function compared the length with its destination's size.",
            rung=Rung.STRUCTURE,
            how=lambda case, _: "descriptor" if descriptor(case) else "",
            told=lambda case, _: [
                *(stopped(case) if fortified(case) else in_frame(case.stack, _refusal(case))),
                *passed(_target(case), region=True),
            ],
            support=lambda case, _: case.cite(_refusal(case)),
            advice=lambda case, _: DESCRIPTOR_ADVICE if descriptor(case) else ADVICE,
        ),
    ),
    absent="No fortified function refused.",
    unseen=messages.cites,
)  # fmt: skip
