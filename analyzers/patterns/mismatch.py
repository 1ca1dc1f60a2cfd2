"""Memory released by another operator than the one that allocates it."""

from analyzers.patterns import commands, messages
from analyzers.patterns.case import Case
from analyzers.patterns.released import ask_for_pointer, died_in_free, given, releasing
from analyzers.patterns.stated import inside, passed
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


def mismatch(case: Case, argument: Argument) -> str | None:
    """What was allocated, an ``array`` or a ``single`` object, where delete is of the other, by
    the eight bytes of an array's count in front of its first element (Itanium C++ ABI, 2.7); None
    where they agree."""
    chunk = case.chunk(argument.value)
    called = _delete(case, argument)
    if chunk is None or called is None:
        return None
    is_array = called.startswith("_Zda") or "[]" in called
    if chunk.offset == 8 and not is_array:
        return "array"
    if chunk.offset == -8 and is_array:
        return "single"
    return None


def _delete(case: Case, argument: Argument) -> str | None:
    """The name of the operator delete that the program called, or None."""
    name = argument.function or ""
    if name.startswith(("_Zdl", "_Zda", "operator delete")):
        return name
    frames = case.stack.frames[:24] if case.stack is not None else ()
    names = [f.function for f in frames if f.function and f.function.startswith("operator delete")]
    return names[-1] if names else None


def _is_cpp(case: Case) -> bool:
    """True when the program is C++ by its libraries, its sources or its frames."""
    frames = case.stack.frames if case.stack is not None else ()
    if any((f.function or "").startswith("operator delete") for f in frames):
        return True
    if any((f.file or "").endswith((".cpp", ".cc", ".cxx", ".C", ".hpp")) for f in frames):
        return True
    regions = case.memory.regions if case.memory is not None else ()
    return any("/libstdc++.so" in (r.path or "") or "/libc++.so" in (r.path or "") for r in regions)


class MismatchedDeallocation:
    """new[] against delete, or new against delete[]."""

    category = Category.MISMATCHED_DEALLOCATION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a delete ended in the allocator's refusal."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER, *messages.BAD_SIZE)
        if not (refused or died_in_free(case)) or not _is_cpp(case):
            return None
        return Proposal(
            category=self.category,
            statement="Memory was released by another operator than the one that allocates it.",
            confidence=0.5,
            tests=(*commands.source(case.frame), *commands.registers(releasing(case))),
            citations=messages.cites(case) + case.cite(case.frame),
        )

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by the pointer's distance from its chunk."""
        case = Case(facts)
        argument = given(case)
        if argument is None:
            return inconclusive(
                case, "The pointer that was freed could not be recovered.",
                ("the caller's registers",), confidence=0.2,
            )  # fmt: skip
        how = mismatch(case, argument)
        chunk = case.chunk(argument.value)
        if how is None or chunk is None:
            return rejected("The pointer is not off by an array's count.",
                            of(argument) + of(chunk))  # fmt: skip
        claims = [
            in_place(case, self.category, case.frame, how=how),
            *inside(case, argument.value, offset=True),
            *passed(argument),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85,
            claims,
            reason="The pointer is off by exactly the array's count.",
            support=messages.cites(case),
            recommendations=("Release new[] with delete[], and new with delete.",),
        )
