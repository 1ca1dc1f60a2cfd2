"""A managed program that ended itself, or ran out of stack: told by its managed stack."""

from collections import Counter

from msgspec.structs import replace

from analyzers.patterns.managed import commands
from analyzers.patterns.managed.case import ManagedCase
from analyzers.patterns.managed.frames import application
from analyzers.patterns.words import (
    confirmed,
    in_frame,
    in_place,
    of,
    rejected,
    shown,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Frame, ManagedMethod, Stack
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


class ManagedAbort:
    """Environment.FailFast, or a Debug.Assert that does not hold."""

    def __init__(self, category: Category) -> None:
        self.category = category

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a thread stands in the call."""
        case = ManagedCase(facts)
        found = ending(case)
        if found is None or _ENDS.get(found[1].function or "") is not self.category:
            return None
        return Proposal(
            category=self.category,
            statement="The program ended itself.",
            confidence=0.95,
            tests=(commands.STACKS,),
            citations=case.cite_frame(*found),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Nothing more."""
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the call on the stack."""
        case = ManagedCase(facts)
        found = ending(case)
        if found is None or _ENDS.get(found[1].function or "") is not self.category:
            heads = [c for t in list(case.managed_stacks)[:4] for c in case.cite_thread(t)]
            return rejected("No thread ends the process itself.", heads, rung=Rung.STACK)
        stack, call = found
        caller = application(stack.frames, call.index)
        return confirmed(
            case,
            Rung.STACK,
            0.8,
            [
                in_place(
                    case, self.category, caller, how="managed", cites=case.cite_frame(stack, call)
                ),
                *_called(case, stack, call),
                *signal_claim(case),
            ],
            reason="The call that ends the process is on the stack.",
            frame=caller,
            recommendations=("Read the message that it printed: it says what did not hold.",),
            missing=("the message that was given to it",),
        )


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


class ManagedRecursion:
    """A method that calls itself until the stack ends."""

    category = Category.STACK_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When one method fills a stack."""
        case = ManagedCase(facts)
        found, native = recursion(case), repeated(case)
        if found is None and native is None:
            return None
        cites = case.cite_thread(found[0].thread or 0) if found is not None else ()
        if native is not None:
            cites += case.cite_frame(native[0], native[1][0])
        return Proposal(
            category=self.category,
            statement="A managed method called itself until the stack was full.",
            confidence=0.95 if case.died else 0.6,
            tests=(commands.STACKS,),
            citations=cites,
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Which method the code is that has no name."""
        native = repeated(ManagedCase(facts))
        if native is None or native[1][0].address is None:
            return ()
        known = {method.address for method in facts.all(ManagedMethod)}
        address = native[1][0].address
        return () if address in known else (commands.method(address),)

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the frames, where the process died of it."""
        case = ManagedCase(facts)
        found, native = recursion(case), repeated(case)
        if found is not None:
            stack, name, _ = found
            mine = [frame for frame in stack.frames if frame.function == name]
            lines = [c for frame in mine[:4] for c in case.cite_frame(stack, frame)]
            claims = [
                in_place(case, self.category, mine[0], how="managed"),
                say("repeats", lines, function=name),
            ]
            frame: Frame | None = mine[0]
        elif native is not None:
            claims, frame = _named(case, *native)
        else:
            heads = [c for t in list(case.managed_stacks)[:4] for c in case.cite_thread(t)]
            return rejected("No method fills a managed stack.", heads, rung=Rung.STACK)
        return confirmed(
            case,
            Rung.STACK,
            0.8 if case.died else 0.6,
            [*claims, *signal_claim(case)],
            reason="One method fills the stack.",
            frame=frame,
            recommendations=(
                "Bound the depth of the recursion, or walk the data with a loop: what it follows "
                "may be a cycle.",
            ),
        )


def _named(
    case: ManagedCase, stack: Stack, frames: list[Frame]
) -> tuple[list[Claim], Frame | None]:
    """What is said of nameless frames, by the name that SOS has for their code."""
    address = frames[0].address or 0
    lines = [c for frame in frames[:4] for c in case.cite_frame(stack, frame)]
    claims = [
        in_place(case, Category.STACK_OVERFLOW, frames[0], how="managed"),
        say("repeats", lines, address=address),
    ]
    method = next((m for m in case.facts.all(ManagedMethod) if m.address == address), None)
    if method is None:
        return claims, None
    name = method.name.split("(", 1)[0]
    claims.insert(1, say("symbol", of(method), address=address, name=name))
    return claims, replace(frames[0], function=name)
