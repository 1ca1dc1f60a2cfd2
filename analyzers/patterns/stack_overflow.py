"""Stack overflow: the thread ran out of stack, by recursion or by frames that are too large."""

from collections.abc import Sequence

from analyzers.names import bare
from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import MEMORY, Ending, Kind
from analyzers.patterns.frames import located
from analyzers.patterns.words import (
    Cites,
    claim,
    confirmed,
    inconclusive,
    line_of,
    name_of,
    of,
    place,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, Frame, StackShape
from workbench.model.hypothesis import Proposal, Rung, Verdict

_RECURSES = (
    "Give the recursion an end that every input reaches, or a depth limit, or turn it into a loop "
    "with its own list.",
)
_LARGE = (
    "Move large arrays from the stack to the heap, and bound alloca() and arrays of variable "
    "length.",
)
_ROW, _MEMBERS = 3, 6
_MANY = 16
"""As many frames of one function on a listing are recursion worth a hypothesis."""


class StackOverflow(OneRound):
    """The stack pointer or the access lies in the guard below the stack."""

    category = Category.STACK_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the stack ran out, or when one function fills the listing."""
        case = Case(facts)
        handler = signs.guard_was_told(case)
        if handler is None and not case.ended(*MEMORY):
            return None
        shape = signs.ran_out_of_stack(case)
        lost = signs.lost_stack(case)
        told = case.ended(Kind.STACK)
        found = (shape, handler, lost, _repeating(case))
        if not told and all(sign is None for sign in found):
            return None
        return Proposal(
            category=self.category,
            statement="The thread ran out of stack.",
            confidence=0.9 if told or any(sign is not None for sign in found[:3]) else 0.35,
            tests=(*commands.source(_culprit(case)), *commands.variables(_culprit(case)),
                   *commands.code(case.fault.pc if case.fault else None)),
            citations=of(shape) + of(case.fault) + _told(case),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the stack's bounds; recursion is named where it shows."""
        case = Case(facts)
        shape = signs.ran_out_of_stack(case)
        lost = signs.lost_stack(case)
        if case.ending is not None and case.ended(Kind.STACK):
            return _reported(case, case.ending)
        handler = signs.guard_was_told(case)
        if handler is not None:
            return _handled(case, handler)
        if shape is None and lost is not None:
            return _stepped_over(case, lost)
        if shape is None:
            if case.shape is None:
                return inconclusive(
                    case, "The stack's bounds are not known.", ("the mapping of the stack",)
                )
            return rejected("The thread had stack left.", of(case.shape))
        frame = _culprit(case)
        where = place(case, frame)
        claims = [_bounds(case, shape, frame), *_recursion(case, shape), *signal_claim(case)]
        if where.cites:
            claims.append(claim(f"The fault is in {where.text}.", where.cites))
        recursive = bool(_recursion(case, shape))
        return confirmed(
            case,
            Rung.MACHINE,
            0.95,
            claims,
            reason="The stack pointer or the access lies below the thread's stack.",
            frame=frame,
            support=of(case.fault),
            recommendations=_RECURSES if recursive else _LARGE,
        )


def _told(case: Case) -> Cites:
    """The lines of a system that says itself that the stack ran out."""
    return of(case.ending.fact) if case.ending is not None and case.ended(Kind.STACK) else ()


def _reported(case: Case, ending: Ending) -> Verdict:
    frame = _culprit(case)
    where = place(case, frame)
    shape = case.shape
    recursion = _recursion(case, shape) if shape is not None else _repeated(case)
    text = f"{where.capital} ran out of stack: the system raised {ending.name}."
    return confirmed(
        case,
        Rung.MACHINE,
        0.95,
        [claim(text, of(ending.fact), where.cites), *recursion],
        reason="The system reports that the stack is exhausted.",
        frame=frame,
        support=of(case.fault) + of(shape),
        recommendations=_RECURSES if recursion else _LARGE,
    )


def _handled(case: Case, handler: Frame) -> Verdict:
    """The language's runtime met the access to the guard and ended the process."""
    frame = _culprit(case)
    where = place(case, frame)
    told = claim(
        f"{where.capital} ran out of stack: {name_of(handler.function or '')} handled the fault "
        "and ended the process, which it does only for the guard of a stack.",
        where.cites,
        case.cite(handler),
    )
    recursion = _repeated(case)
    return confirmed(
        case,
        Rung.STACK,
        0.8,
        [told, *recursion],
        reason="The runtime's handler of stack overflows ended the process.",
        frame=frame,
        recommendations=_RECURSES if recursion else _LARGE,
    )


def _stepped_over(case: Case, fault: Fault) -> Verdict:
    where = place(case, case.frame)
    claims = [
        claim(
            f"{where.capital} has a frame larger than what was left of its stack: the stack "
            f"pointer {fault.stack_pointer:#x} lies in no stack when the instruction at "
            f"{fault.pc:#x} pushes to {fault.operand:#x}.",
            of(fault),
            where.cites,
        ),
        *signal_claim(case),
    ]
    return confirmed(
        case,
        Rung.MACHINE,
        0.85,
        claims,
        reason="The stack pointer lies in memory that is no stack.",
        support=case.cite_region(case.region(fault.stack_pointer)),
        recommendations=(
            "Move large arrays from the stack to the heap, or give the thread a larger stack.",
        ),
    )


def _bounds(case: Case, shape: StackShape, frame: Frame | None) -> Claim:
    who = name_of(frame.function) if frame is not None and frame.function else "The thread"
    start = f"the stack that begins at {shape.start:#x}" if shape.start is not None else "its stack"
    fault = case.fault
    touched = ""
    if fault is not None and fault.operand is not None and fault.access in ("read", "write"):
        touched = f", and the instruction at {fault.pc:#x} touches {fault.operand:#x}"
    below = shape.start is not None and shape.pointer is not None and shape.pointer < shape.start
    at = "lies below" if below else "is at the end of"
    text = f"{who} ran out of stack: the stack pointer {shape.pointer:#x} {at} {start}"
    return claim(text + touched + ".", of(shape), of(fault), case.cite(frame))


def _cycle(case: Case) -> list[Frame]:
    """The members of the recursion: the first of the unwound frames of each function that has two
    or more of them. A leftover of an earlier call is not unwound."""
    found: dict[str | int | None, list[Frame]] = {}
    for frame in case.stack.frames if case.stack is not None else ():
        key = bare(frame.function) if frame.function is not None else frame.address
        found.setdefault(key, []).append(frame)
    return [frames[0] for key, frames in found.items() if key is not None and len(frames) > 1]


def _recursion(case: Case, shape: StackShape) -> list[Claim]:
    members = _cycle(case)
    names = {bare(frame.function) for frame in members if frame.function}
    frames = case.stack.frames if case.stack is not None else ()
    unwound = [f for f in frames if f.function is None or bare(f.function) in names]
    places = {frame.address: frame for frame in reversed(unwound)}
    found = [repeat for repeat in shape.recursion if repeat.address in places]
    top = next(iter(found if members else shape.recursion), None)
    if top is None:
        return _repeated(case)
    listed = places.get(top.address)
    named = listed is not None and listed.function is not None
    known = listed.function if listed is not None and named else top.function  # no linker's name
    name = f" in {name_of(known)}" if known else ""
    claims = [
        claim(
            f"It is recursion: the return address {top.address:#x}{name} stands "
            f"{top.count} times on this stack.",
            line_of(shape, top.line),
            case.cite(listed) if named else (),
        )
    ]
    called = [frame for frame in members if frame.function]
    if len(called) > 1:
        shown = ", ".join(name_of(frame.function or "") for frame in called[:_MEMBERS])
        claims.append(claim(f"The calls go round through {shown}.", *map(case.cite, called)))
    entry = shape.entered
    if entry is not None and entry.function and case.is_ours(entry):
        claims.append(claim(f"It was entered from {name_of(entry.function)}.",
                            line_of(shape, entry.line_no)))  # fmt: skip
    return claims


def _repeated(case: Case) -> list[Claim]:
    repeating = _repeating(case)
    if repeating is None or repeating.function is None or case.stack is None:
        return []
    return [
        claim(
            f"It is recursion: {name_of(repeating.function)} is on the stack again and again.",
            of(case.stack),
        )
    ]


def _repeating(case: Case) -> Frame | None:
    """The innermost frame of the function that fills most of a long listing."""
    if case.stack is None:
        return None
    counts: dict[str, list[Frame]] = {}
    for frame in case.stack.frames:
        if frame.function is not None:
            counts.setdefault(bare(frame.function), []).append(frame)
    most = max(counts.values(), key=len, default=[])
    if len(most) >= _MANY:
        return most[0]
    return _in_a_row(case.stack.frames) if case.ended(Kind.STACK) else None


def _in_a_row(frames: Sequence[Frame]) -> Frame | None:
    """The first frame of a call that follows on itself; enough where the stack is known to be
    exhausted, as listings of such stacks are cut."""
    run = 1
    for at in range(1, len(frames)):
        one, other = frames[at - 1], frames[at]
        same = one.function is not None and (one.function, one.offset) == (
            other.function, other.offset)  # fmt: skip
        run = run + 1 if same and one.offset is not None else 1
        if run >= _ROW:
            return frames[at - run + 1]
    return None


def _culprit(case: Case) -> Frame | None:
    """The application's innermost frame that recurs; its innermost frame where none does."""
    repeats = {r.address for r in case.shape.recursion[:1]} if case.shape else set()
    names = {bare(f.function) for f in _cycle(case) if f.function}
    if not names and case.shape is not None:
        names = {bare(repeat.function) for repeat in case.shape.recursion if repeat.function}
    for frame in case.stack.frames if case.stack is not None else ():
        if frame.function is None and frame.address in repeats:
            return located(frame, case.memory)
        if frame.function is not None and bare(frame.function) in names and case.is_ours(frame):
            return located(frame, case.memory)
    return case.frame
