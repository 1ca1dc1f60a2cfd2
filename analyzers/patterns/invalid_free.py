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
    free_frame,
    given,
    is_free,
    not_the_allocators,
    releasing,
)
from analyzers.patterns.words import (
    claim,
    confirmed,
    inconclusive,
    name_of,
    of,
    place,
    region_words,
    rejected,
    signal_claim,
)
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
        where = place(case, case.frame)
        release = free_frame(case)
        by = f" {name_of(release.function)}" if release and release.function else ""
        cites = case.cite(release) if release and release.function else of(argument)
        claims = [
            claim(
                f"{where.capital} gave{by} an address "
                f"that the allocator never returned: {argument.value:#x} {why[0]}.",
                of(argument),
                why[1],
                where.cites,
                cites,
            )
        ]
        if case.message is not None:
            claims.append(
                claim(
                    f"The allocator stopped with {messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                )
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.93,
            [*claims, *signal_claim(case)],
            reason="The pointer that was freed is not one that the allocator gave out.",
            recommendations=(
                "Free only what malloc() returned, by the very pointer that it returned: look for "
                "pointers to arrays, string literals or fields, and for pointers that were moved.",
            ),
        )

    def _without_pointer(self, case: Case, *, refused: bool) -> Verdict:
        where = place(case, case.frame)
        sought = arena_sought(case)
        if sought is not None:
            return _of_no_arena(case, sought)
        sized = messages.says(case, "free(): invalid size", "free(): invalid next size")
        whole = bool(case.heaps) and signs.broken_heap(case) is None
        if (refused and signs.broken_heap(case) is None) or (sized and whole):
            heap_claims = [
                claim(
                    "The heap's headers are whole: the pointer itself was bad.",
                    *(of(heap) for heap in case.heaps),
                )
            ]
            claims = [
                claim(
                    f"{where.capital} gave back an address that the allocator refused: "
                    f"{messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                    where.cites,
                ),
                *signal_claim(case),
            ]
            return confirmed(
                case,
                Rung.STRUCTURE if whole else Rung.TEXT,
                0.78 if whole else 0.65,
                [*claims, *(heap_claims if whole else [])],
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
    where = place(case, case.frame)
    fault, register = sought.fault, sought.register
    claims = [
        claim(
            f"{where.capital} gave back memory that the allocator never returned: the chunk at "
            f"{register.value:#x}, in `{register.name}`, lies in {region_words(sought.region)}.",
            sought.cites,
            where.cites,
        ),
        claim(
            f"The allocator read the bytes in front of it as a size, and looked for its arena at "
            f"{fault.operand:#x}, where none is.",
            of(fault),
        ),
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
