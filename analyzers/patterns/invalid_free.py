"""Memory given back that was never the allocator's."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.mismatch import mismatch
from analyzers.patterns.released import (
    Sought,
    arena_sought,
    ask_for_pointer,
    died_in_free,
    doubted,
    given,
    is_free,
    not_the_allocators,
    releasing,
)
from analyzers.patterns.stated import mapped, passed, stopped, whole
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


class InvalidFree:
    """free() was given an address that the allocator never gave out."""

    category = Category.INVALID_FREE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When free() refused its argument or died of it."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER)
        sized = messages.says(case, *messages.BAD_SIZE, *messages.PERHAPS_DOUBLE_FREE)
        died = died_in_free(case)
        if not refused and not sized and not died:
            return None
        return Proposal(
            category=self.category,
            statement="free() was given an address that malloc() had not returned.",
            confidence=0.8 if refused else 0.5 if died else 0.4,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(releasing(case))),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by where the pointer lies."""
        case = Case(facts)
        refused = messages.says(case, *messages.BAD_POINTER)
        argument = given(case)
        if argument is None:
            return self._without_pointer(case, refused=refused)
        why = not_the_allocators(case, argument)
        if why is None:
            return self._in_heap(case, argument)
        damaged = doubted(case, argument)
        if damaged is not None:
            return inconclusive(
                case,
                "The heap's headers are damaged, and what the call passed is not known to be what "
                "was freed.",
                ("the pointer that free() was given",),
                contradicting=of(damaged),
            )
        if mismatch(case, argument) is not None:
            return rejected(
                "The pointer is off by the size of an array's count: new and delete do not match.",
                of(argument) + of(case.chunk(argument.value)),
            )
        claims = [
            in_place(case, self.category, case.frame),
            *passed(argument, region=not why),
            *why,
            *stopped(case),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            claims,
            reason="The pointer that was freed is not one that the allocator gave out.",
            recommendations=(
                "Free only what malloc() returned, by the very pointer that it returned: look for "
                "pointers to arrays, string literals or fields, and for pointers that were moved.",
            ),
        )

    def _without_pointer(self, case: Case, *, refused: bool) -> Verdict:
        sought = arena_sought(case)
        if sought is not None:
            return _of_no_arena(case, sought)
        sized = messages.says(case, "free(): invalid size", "free(): invalid next size")
        intact = bool(case.heaps) and signs.broken_heap(case) is None
        if (refused and signs.broken_heap(case) is None) or (sized and intact):
            claims = [
                in_place(case, self.category, case.frame, how="refused"),
                *stopped(case),
                *whole(case),
                *signal_claim(case),
            ]
            return confirmed(
                case,
                Rung.STRUCTURE if intact else Rung.TEXT,
                0.78 if intact else 0.65,
                claims,
                reason="The allocator refused the pointer.",
                missing=("the pointer itself, to see where it lies",),
                recommendations=("Free only what malloc() returned.",),
            )
        return inconclusive(
            case,
            "The pointer that was freed could not be recovered.",
            ("the caller's registers, or debug information for its variables",),
            confidence=0.3,
            rung=Rung.TEXT,
            supporting=messages.cites(case),
        )

    def _in_heap(self, case: Case, argument: Argument) -> Verdict:
        chunk = case.chunk(argument.value)
        if chunk is not None and is_free(chunk):
            return rejected("The memory was the allocator's, and is free already.",
                            of(argument) + of(chunk), rung=Rung.STRUCTURE)  # fmt: skip
        if chunk is not None and chunk.offset == 0:
            return rejected("The pointer is one that the allocator gave out.",
                            of(argument) + of(chunk), rung=Rung.STRUCTURE)  # fmt: skip
        broken = signs.broken_heap(case)
        if broken is not None:
            return rejected("The heap's headers are damaged.", of(broken), rung=Rung.STRUCTURE)
        return inconclusive(
            case,
            "The pointer lies in a heap, but which chunk it belongs to is not known.",
            ("a walk of the heap that holds it",),
            confidence=0.4,
            supporting=of(argument) + messages.cites(case),
        )


def _of_no_arena(case: Case, sought: Sought) -> Verdict:
    fault, register = sought.fault, sought.register
    claims = [
        in_place(case, Category.INVALID_FREE, case.frame),
        say("register", sought.cites[:1], frame=0, register=register.name, value=register.value),
        *mapped(case, register.value),
        say("told", of(fault), how="arena", address=fault.operand),
        *signal_claim(case),
    ]
    return confirmed(
        case,
        Rung.MACHINE,
        0.85,
        claims,
        reason="What was released lies in memory that no arena of the allocator has.",
        recommendations=(
            "Free or grow only what malloc() returned: look for a pointer to an array of its own, "
            "which was to be replaced when it became too small.",
        ),
    )
