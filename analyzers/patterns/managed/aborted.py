"""A managed program that ended itself, or ran out of stack: told by its managed stack."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.patterns.cause import Cause, Proof, nothing
from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import application
from analyzers.patterns.words import Cites, in_frame, of, shown
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, ManagedMethod, Stack
from workbench.model.hypothesis import Rung

_ENDS = {
    "System.Environment.FailFast": Category.EXPLICIT_ABORT,
    "System.Environment._FailFast": Category.EXPLICIT_ABORT,
    "System.Diagnostics.Debug.Fail": Category.ASSERTION_FAILURE,
    "System.Diagnostics.Debug.Assert": Category.ASSERTION_FAILURE,
}
_NEAR = 10
_DEEP, _REPEATED = 200, 24
"""So many managed frames of one method, or native ones of one address, are no recursion that was
meant; native stacks are listed in part."""


def ending(case: ManagedCase) -> tuple[Stack, Frame] | None:
    """The frame in which a thread ends the process on purpose; the outermost one that says so."""
    for stack in case.managed_stacks.values():
        found = [f for f in stack.frames[:_NEAR] if f.function in _ENDS]
        if found:
            return stack, found[-1]
    return None


def _called(case: ManagedCase, stack: Stack, call: Frame) -> list[Claim]:
    outer = next((f for f in stack.frames if f.index == call.index + 1 and f.function), None)
    if outer is None:
        return in_frame(stack, call)
    lines = (*case.cite_frame(stack, call), *case.cite_frame(stack, outer))
    given = {"function": call.function, "caller": outer.function}
    return [say("caller", lines, **given, thread=shown(stack.thread))]


class Filled(NamedTuple):
    """A stack that one method fills, and the frames of that, innermost first."""

    stack: Stack
    frames: list[Frame]


def recursion(case: ManagedCase) -> Filled | None:
    """The deepest managed stack on which one method stands far too often."""
    return _filled(case.managed_stacks.values(), lambda frame: frame.function, _DEEP)


def repeated(case: ManagedCase) -> Filled | None:
    """Frames without a name, at one address, that fill a native stack: compiled code that calls
    itself, which SOS cannot walk once the runtime aborts in its handler of the signal."""
    native = [s for s in case.facts.all(Stack) if not s.managed] if case.managed else []
    return _filled(native, lambda frame: None if frame.function else frame.address, _REPEATED)


def _filled(
    stacks: Iterable[Stack], place: Callable[[Frame], str | int | None], least: int
) -> Filled | None:
    filled = []
    for stack in stacks:
        found: dict[str | int, list[Frame]] = {}
        for frame in stack.frames:
            if (at := place(frame)) is not None:
                found.setdefault(at, []).append(frame)
        filled.append(Filled(stack, max(found.values(), key=len, default=[])))
    most = max(filled, key=lambda one: len(one.frames), default=None)
    return most if most is not None and len(most.frames) >= least else None


_Call = tuple[Stack, Frame]


def _heads(case: ManagedCase) -> list[Citation]:
    return [c for thread in list(case.managed_stacks)[:4] for c in case.cite_thread(thread)]


def _abort(category: Category) -> Cause[_Call]:
    """Environment.FailFast, or a Debug.Assert that does not hold."""

    def ends(case: ManagedCase) -> _Call | None:
        found = ending(case)
        return found if found and _ENDS.get(found[1].function or "") is category else None

    return Cause(
        category,
        "A call that ends the process is on a managed stack.",
        statement="The program ended itself.",
        sign=ends,
        prior=0.95,
        tests=lambda *_: (commands.STACKS,),
        cites=lambda case, found: case.cite_frame(*found),
        ask=nothing,
        view=ManagedCase,
        findings=(
            Proof(ends, "The call that ends the process is on the stack.", 0.8, Rung.STACK,
                  "managed", lambda case, found: _called(case, *found),
                  frame=lambda _, found: application(found[0].frames, found[1].index),
                  lines=lambda case, found: case.cite_frame(*found),
                  missing="the message that was given to it",
                  advice="Read the message that it printed: it says what did not hold."),
        ),
        absent="No thread ends the process itself.",
        unseen=_heads,
        rung=Rung.STACK,
    )  # fmt: skip


ABORTS = tuple(map(_abort, dict.fromkeys(_ENDS.values())))


def _filling(case: ManagedCase) -> Filled | None:
    return recursion(case) or repeated(case)


def _method(case: ManagedCase, found: Filled) -> ManagedMethod | None:
    """What SOS calls the code of frames that have no name."""
    address = found.frames[0].address
    return next((m for m in case.facts.all(ManagedMethod) if m.address == address), None)


def _rounds(case: ManagedCase, found: Filled) -> list[Claim]:
    first = found.frames[0]
    lines = [c for frame in found.frames[:4] for c in case.cite_frame(found.stack, frame)]
    if first.function is not None:
        return [say("repeats", lines, function=first.function)]
    method, address = _method(case, found), first.address or 0
    code = [say("repeats", lines, address=address)]
    if method is None:
        return code
    name = method.name.split("(", 1)[0]
    return [say("symbol", of(method), address=address, name=name), *code]


def _blamed(case: ManagedCase, found: Filled) -> Frame | None:
    first, method = found.frames[0], _method(case, found)
    if first.function is not None:
        return first
    return replace(first, function=method.name.split("(", 1)[0]) if method else None


def _ask(case: ManagedCase) -> tuple[Command, ...]:
    """Which method the code is that has no name."""
    native = repeated(case)
    if native is None or native.frames[0].address is None or _method(case, native) is not None:
        return ()
    return (commands.method(native.frames[0].address),)


def _cites(case: ManagedCase, _: object) -> Cites:
    found, native = recursion(case), repeated(case)
    cites = case.cite_thread(found.stack.thread or 0) if found is not None else ()
    return cites + (case.cite_frame(native.stack, native.frames[0]) if native is not None else ())


_BOUND = (
    "Bound the depth of the recursion, or walk the data with a loop: what it follows may be a "
    "cycle."
)

MANAGED_RECURSION = Cause(
    Category.STACK_OVERFLOW,
    "A method that calls itself until the stack ends.",
    statement="A managed method called itself until the stack was full.",
    sign=_filling,
    prior=lambda case, _: 0.95 if case.died else 0.6,
    tests=lambda *_: (commands.STACKS,),
    cites=_cites,
    ask=_ask,
    view=ManagedCase,
    findings=(
        Proof(_filling, "One method fills the stack.", lambda case, _: 0.8 if case.died else 0.6,
              Rung.STACK, "managed", _rounds, frame=lambda _, found: found.frames[0],
              blames=_blamed, advice=_BOUND),
    ),
    absent="No method fills a managed stack.",
    unseen=_heads,
    rung=Rung.STACK,
)  # fmt: skip
