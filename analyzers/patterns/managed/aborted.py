"""A managed program that ended itself, or ran out of stack: told by its managed stack."""

from collections import Counter

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


def recursion(case: ManagedCase) -> tuple[Stack, str, int] | None:
    """The deepest managed stack on which one method stands far too often, and how often."""
    best: tuple[Stack, str, int] | None = None
    for stack in case.managed_stacks.values():
        names = Counter(frame.function for frame in stack.frames if frame.function)
        for name, count in names.most_common(1):
            if count >= _DEEP and (best is None or count > best[2]):
                best = stack, name, count
    return best


def repeated(case: ManagedCase) -> tuple[Stack, list[Frame]] | None:
    """Frames without a name, at one address, that fill a native stack: compiled code that calls
    itself, which SOS cannot walk once the runtime aborts in its handler of the signal."""
    if not case.managed:
        return None
    for stack in case.facts.all(Stack):
        nameless = [f for f in stack.frames if f.function is None and f.address is not None]
        for address, count in Counter(f.address for f in nameless).most_common(1):
            if count >= _REPEATED and not stack.managed:
                return stack, [f for f in nameless if f.address == address]
    return None


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


def _filling(case: ManagedCase) -> _Call | None:
    """The stack that one method fills, and its innermost frame of that."""
    found = recursion(case)
    if found is None:
        return None
    return found[0], next(frame for frame in found[0].frames if frame.function == found[1])


def _rounds(case: ManagedCase, found: _Call) -> list[Claim]:
    stack, first = found
    mine = [frame for frame in stack.frames if frame.function == first.function]
    lines = [c for frame in mine[:4] for c in case.cite_frame(stack, frame)]
    return [say("repeats", lines, function=first.function)]


_Nameless = tuple[Stack, list[Frame]]


def _method(case: ManagedCase, found: _Nameless) -> ManagedMethod | None:
    """What SOS calls the code of frames that have no name."""
    address = found[1][0].address
    return next((m for m in case.facts.all(ManagedMethod) if m.address == address), None)


def _code(case: ManagedCase, found: _Nameless) -> list[Claim]:
    stack, frames = found
    lines = [c for frame in frames[:4] for c in case.cite_frame(stack, frame)]
    method, address = _method(case, found), frames[0].address or 0
    name = [] if method is None else [
        say("symbol", of(method), address=address, name=method.name.split("(", 1)[0])
    ]  # fmt: skip
    return [*name, say("repeats", lines, address=address)]


def _blamed(case: ManagedCase, found: _Nameless) -> Frame | None:
    method = _method(case, found)
    return replace(found[1][0], function=method.name.split("(", 1)[0]) if method else None


def _ask(case: ManagedCase) -> tuple[Command, ...]:
    """Which method the code is that has no name."""
    native = repeated(case)
    if native is None or native[1][0].address is None or _method(case, native) is not None:
        return ()
    return (commands.method(native[1][0].address),)


def _cites(case: ManagedCase, _: object) -> Cites:
    found, native = recursion(case), repeated(case)
    cites = case.cite_thread(found[0].thread or 0) if found is not None else ()
    return cites + (case.cite_frame(native[0], native[1][0]) if native is not None else ())


def _died(case: ManagedCase, _: object) -> float:
    return 0.8 if case.died else 0.6


_BOUND = (
    "Bound the depth of the recursion, or walk the data with a loop: what it follows may be a "
    "cycle."
)

MANAGED_RECURSION = Cause(
    Category.STACK_OVERFLOW,
    "A method that calls itself until the stack ends.",
    statement="A managed method called itself until the stack was full.",
    sign=lambda case: recursion(case) is not None or repeated(case) is not None,
    prior=lambda case, _: 0.95 if case.died else 0.6,
    tests=lambda *_: (commands.STACKS,),
    cites=_cites,
    ask=_ask,
    view=ManagedCase,
    findings=(
        Proof(_filling, "One method fills the stack.", _died, Rung.STACK, "managed", _rounds,
              frame=lambda _, found: found[1], advice=_BOUND),
        Proof(repeated, "One method fills the stack.", _died, Rung.STACK, "managed", _code,
              frame=lambda _, found: found[1][0], blames=_blamed, advice=_BOUND),
    ),
    absent="No method fills a managed stack.",
    unseen=_heads,
    rung=Rung.STACK,
)  # fmt: skip
