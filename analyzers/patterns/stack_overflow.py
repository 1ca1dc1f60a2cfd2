"""Stack overflow: the thread ran out of stack, by recursion or by frames that are too large."""

from collections.abc import Sequence

from analyzers.names import bare
from analyzers.owners.printed import is_entry, is_start
from analyzers.patterns import commands, signs
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import Cause, Open, Proof, of_ending, of_fault
from analyzers.patterns.ending import MEMORY, Kind
from analyzers.patterns.frames import located
from analyzers.patterns.stated import accessed, on_stack
from analyzers.patterns.words import line_of, of
from workbench.claims.printed import arguments_of
from workbench.claims.say import at, say
from workbench.claims.values import scalar
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Frame, StackShape
from workbench.model.hypothesis import Rung

_RECURSES = (
    "Give the recursion an end that every input reaches, or a depth limit, or turn it into a loop "
    "with its own list."
)
_LARGE = (
    "Move large arrays from the stack to the heap, and bound alloca() and arrays of variable "
    "length."
)
_ROW, _MEMBERS = 3, 6
_MANY = 16
"""As many frames of one function on a listing are recursion worth a hypothesis."""


def _bounds(case: Case, shape: StackShape) -> list[Claim]:
    room = say(
        "stack",
        of(shape),
        state="overflowed",
        thread=shape.thread,
        pointer=shape.pointer,
        start=shape.start,
    )
    fault = case.fault
    touched = fault is not None and fault.access in ("read", "write")
    return [*([room] if shape.overflowed else []), *(accessed(case, fault) if touched else [])]


def leapt(case: Case) -> bool:
    """True where no recursion took the stack: the innermost frames alone take more than all that
    lies above them, or the whole listing, up to where the thread began, has no function twice. What
    stands on the stack again and again is then left of calls that are over."""
    shape, stack = case.shape, case.stack
    if shape is None or shape.start is None or shape.end is None:
        return False
    whole = stack is not None and stack.complete and not stack.corrupt
    first = stack.frames[-1].function if stack and stack.frames and whole else None
    if first is not None and (is_entry(first) or is_start(first)) and not _cycle(case):
        return True
    return shape.start - shape.pointer > shape.end - shape.start


def _cycle(case: Case) -> list[Frame]:
    """The members of the recursion: the first of the unwound frames of each function that has two
    or more of them. A leftover of an earlier call is not unwound."""
    found: dict[str | int | None, list[Frame]] = {}
    for frame in case.frames:
        key = bare(frame.function) if frame.function is not None else frame.address
        found.setdefault(key, []).append(frame)
    return [frames[0] for key, frames in found.items() if key is not None and len(frames) > 1]


def _recursion(case: Case, shape: StackShape) -> list[Claim]:
    members = _cycle(case)
    names = {bare(frame.function) for frame in members if frame.function}
    unwound = [f for f in case.frames if f.function is None or bare(f.function) in names]
    places = {frame.address: frame for frame in reversed(unwound)}
    found = [repeat for repeat in shape.recursion if repeat.address in places]
    top = next(iter(found if members else shape.recursion), None)
    if top is None:
        return _repeated(case)
    listed = places.get(top.address)
    named = listed is not None and listed.function is not None
    claims = [
        say(
            "repeats",
            line_of(shape, top.line),
            function=top.function,
            address=top.address,
            count=top.count,
            thread=shape.thread,
        ),
        *on_stack(case, listed if named else None),
    ]
    called = [frame for frame in members if frame.function]
    if len(called) > 1:
        claims += [each for each in on_stack(case, *called[:_MEMBERS]) if each not in claims]
    if (entry := _entry(case, shape)) is not None and entry.function:
        claims.append(
            say("told", line_of(shape, entry.line_no), how="entered", name=entry.function)
        )
    return claims


def _entry(case: Case, shape: StackShape) -> Frame | None:
    """The program's innermost frame of those that a recursion was called from."""
    callers = (shape.entered, *shape.outer)
    return next((frame for frame in callers if frame is not None and case.is_ours(frame)), None)


def takes_turns(case: Case) -> bool:
    """True where a pointer that a recursion is given comes again in the same order, whatever else
    is counted beside it: it goes along a ring of data."""
    for member in _cycle(case):
        calls = [f for f in case.frames if f.index and f.function == member.function]
        given = [dict(arguments_of(frame.args)) for frame in calls]
        for name in given[0] if given else ():
            taken = [scalar(each.get(name, "")) for each in given]
            spans = range(2, len(taken) // 2 + 1)
            leads = all(one is not None and one >= NEAR_NULL for one in taken)
            if leads and len(set(taken)) > 1 and any(taken[n:] == taken[:-n] for n in spans):
                return True
    return False


def _goes_round(case: Case) -> list[Claim]:
    """The pointer that comes again in a recursion whose arguments take turns, all of them and in
    the same order: a cycle of its data, or what it turns between. What is the same in each call may
    only be handed on."""
    for member in _cycle(case):
        calls = [f for f in case.frames if f.index and f.function == member.function]
        given = [dict(arguments_of(frame.args)) for frame in calls]
        taken = [{name: scalar(value) for name, value in each.items()} for each in given]
        spans = range(2, len(calls) // 2 + 1)
        if taken[1:] == taken[:-1] or not any(taken[n:] == taken[:-n] for n in spans):
            continue
        for name, value in taken[0].items():
            turns = {each.get(name) for each in taken}
            if len(turns) > 1 and all(each is not None and each >= NEAR_NULL for each in turns):
                lines = case.cite(calls[0])
                function = at(member.function, lines)
                return [
                    say(
                        "told",
                        (),
                        how="goes-round",
                        name=at(name, lines),
                        function=function,
                        address=at(value, lines),
                    )
                ]
    return []


def _repeated(case: Case) -> list[Claim]:
    repeating = _repeating(case)
    if repeating is None or repeating.function is None:
        return []
    return [say("repeats", of(case.stack), function=repeating.function)]


def _repeating(case: Case) -> Frame | None:
    """The innermost frame of the function that fills most of a long listing."""
    counts: dict[str, list[Frame]] = {}
    for frame in case.frames:
        if frame.function is not None:
            counts.setdefault(bare(frame.function), []).append(frame)
    most = max(counts.values(), key=len, default=[])
    if len(most) >= _MANY:
        return most[0]
    return _in_a_row(case.frames) if case.ended(Kind.STACK) else None


def _in_a_row(frames: Sequence[Frame]) -> Frame | None:
    """The first frame of a call that follows on itself; enough where the stack is known to be
    exhausted, as listings of such stacks are cut."""
    run = 1
    for place in range(1, len(frames)):
        one, other = frames[place - 1], frames[place]
        same = one.function is not None and (one.function, one.offset) == (
            other.function,
            other.offset,
        )
        run = run + 1 if same and one.offset is not None else 1
        if run >= _ROW:
            return frames[place - run + 1]
    return None


def _culprit(case: Case) -> Frame | None:
    """The application's innermost frame that recurs, the one behind it where that called another
    last; its innermost frame where none does, or the one that went into a recursion which fills
    the listing and is none of its own."""
    fills = _repeating(case) if case.shape is None else None
    if fills is not None and case.is_ours(fills):
        return located(fills, case.memory)
    if leapt(case):
        return case.frame
    again = [repeat.address for repeat in case.shape.recursion] if case.shape else []
    names = {bare(f.function) for f in _cycle(case) if f.function}
    if not names and case.shape is not None:
        names = {bare(repeat.function) for repeat in case.shape.recursion if repeat.function}
    recur = [
        frame for frame in case.frames
        if (frame.address in again[:1] if frame.function is None
            else bare(frame.function) in names and case.is_ours(frame))
    ]  # fmt: skip
    waits = [one for one in recur if one.index == 0 or not again or one.address in again]
    for frame in waits or recur:
        return located(frame, case.memory)
    if case.frame is not None or case.shape is None:
        return case.frame
    entry = _entry(case, case.shape)  # a library's recursion is whose call went into it
    return located(entry, case.memory) if entry is not None else None


def _how(case: Case, _: object = None) -> str:
    """``entered`` where the recursion is a library's own: its caller only went into it."""
    shape = case.shape if case.frame is None else None
    entry = _entry(case, shape) if shape is not None else None
    return "entered" if entry is not None and entry.function else ""


def _seen(case: Case, shape: StackShape) -> list[Claim]:
    """What shows it: first the library's own function that calls itself, where one does, and what
    is called again and again."""
    rounds = _rounds(case)
    first = [one for one in rounds if one.kind not in ("repeats", "told")][: bool(_how(case))]
    first += [one for one in rounds if one.kind == "repeats"]
    return [*first, *_bounds(case, shape), *(one for one in rounds if one not in first)]


def _overran(case: Case) -> bool:
    return case.ended(Kind.STACK)


def _likely(case: Case) -> float | None:
    """How likely it is, where the stack ran out, or where one function fills the listing."""
    handler = signs.guard_was_told(case)
    if handler is None and not case.ended(*MEMORY):
        return None
    if _overran(case) or handler or signs.ran_out_of_stack(case) or signs.lost_stack(case):
        return 0.9
    return 0.35 if _repeating(case) is not None else None


def _rounds(case: Case, _: object = None) -> list[Claim]:
    """The recursion, as the stack's memory or its listing shows it."""
    if leapt(case):
        return []
    return _recursion(case, case.shape) if case.shape is not None else _repeated(case)


def _mend(case: Case, _: object) -> str:
    return _RECURSES if _rounds(case) else _LARGE


def _frame(case: Case, _: object) -> Frame | None:
    return _culprit(case)


STACK_OVERFLOW = Cause(
    Category.STACK_OVERFLOW,
    "The stack pointer or the access lies in the guard below the stack.",
    statement="The thread ran out of stack.",
    sign=_likely,
    tests=lambda case, _: (*commands.source(_culprit(case)), *commands.variables(_culprit(case)),
                           *commands.code(case.fault.pc if case.fault else None)),
    cites=lambda case, _: of(signs.ran_out_of_stack(case)) + of(case.fault)
    + (of_ending(case) if _overran(case) else ()),
    findings=(
        Proof(_overran, "The system reports that the stack is exhausted.", 0.95,
              told=lambda case, _: [*_goes_round(case), *_rounds(case)],
              support=lambda case, _: of(case.fault) + of(case.shape) + of_ending(case),
              frame=_frame, advice=_mend),
        Proof(signs.guard_was_told, "The runtime's handler of stack overflows ended the process.",
              0.8, Rung.STACK, "guard",
              lambda case, handler: [*_repeated(case), *on_stack(case, handler)], frame=_frame,
              advice=lambda case, _: _RECURSES if _repeated(case) else _LARGE, signal=False),
        Proof(lambda case: signs.lost_stack(case) if signs.ran_out_of_stack(case) is None else None,
              "The stack pointer lies in memory that is no stack.", how="over",
              told=lambda case, fault: [
                  say("told", of(fault), how="no-stack", number=fault.stack_pointer),
                  *accessed(case, fault),
              ], support=lambda case, fault: case.cite_region(case.region(fault.stack_pointer)),
              advice="Move large arrays from the stack to the heap, or give the thread a larger "
              "stack."),
        Open(lambda case: case.shape is None, "The stack's bounds are not known.",
             missing="the mapping of the stack"),
        Proof(signs.ran_out_of_stack,
              "The stack pointer or the access lies below the thread's stack.", 0.95, how=_how,
              told=lambda case, shape: [*_goes_round(case), *_seen(case, shape)],
              support=of_fault, frame=_frame, advice=_mend),
    ),
    absent="The thread had stack left.",
    unseen=lambda case: of(case.shape),
)  # fmt: skip
