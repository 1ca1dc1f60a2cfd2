"""Memory given back twice."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.released import (
    ADVICE,
    ask_for_pointer,
    died_in_free,
    given,
    is_free,
    releasing,
    was_mapped,
)
from analyzers.patterns.stated import inside, mapped, passed, stopped, whole
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
from workbench.model.facts import Argument, Chunk, FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


class DoubleFree:
    """The allocator found the chunk on its own list, or the walk finds it there."""

    category = Category.DOUBLE_FREE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the allocator's message speaks of it."""
        case = Case(facts)
        sure = messages.says(case, *messages.DOUBLE_FREE)
        perhaps = messages.says(case, *messages.PERHAPS_DOUBLE_FREE)
        if not sure and not perhaps and not died_in_free(case):
            return None
        return Proposal(
            category=self.category,
            statement="The same memory was freed twice.",
            confidence=0.9 if sure else 0.55 if perhaps else 0.3,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(releasing(case))),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, then where it lies."""
        return ask_for_pointer(Case(facts))

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a message that says so, or by a chunk that is free already."""
        case = Case(facts)
        sure = messages.says(case, *messages.DOUBLE_FREE)
        perhaps = messages.says(case, *messages.PERHAPS_DOUBLE_FREE)
        argument = given(case)
        if not sure and not perhaps:
            gone = argument is not None and argument.region == "unmapped" and died_in_free(case)
            if gone and argument is not None and was_mapped(argument):
                return self._unmapped(case, argument)
            return rejected("The allocator found no double free.",
                            messages.cites(case) + of(argument) + of(case.fault),
                            rung=Rung.STRUCTURE)  # fmt: skip
        chunk = case.chunk(argument.value) if argument is not None else None
        freed = is_free(chunk)
        if not sure and not freed:
            return self._unsure(case, argument, chunk)
        claims = [
            in_place(case, self.category, case.frame),
            *stopped(case),
            *([*passed(argument), *inside(case, argument.value)] if argument and freed else []),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.95 if freed else 0.9,
            claims,
            reason="The allocator found the memory on its own list of free chunks.",
            support=of(case.fault),
            recommendations=ADVICE,
        )

    def _unmapped(self, case: Case, argument: Argument) -> Verdict:
        claims = [
            in_place(case, self.category, case.frame, how="unmapped"),
            *passed(argument, region=True),
            *mapped(case, argument.value),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.6,
            claims,
            reason="The address is one where the allocator puts a large block that it maps on its "
            "own, and that block has been unmapped already.",
            missing=("who unmapped this block: an earlier free(), or munmap()",),
            recommendations=ADVICE,
        )

    def _unsure(self, case: Case, argument: Argument | None, chunk: Chunk | None) -> Verdict:
        broken = signs.broken_heap(case)
        if broken is not None and argument is not None:
            return rejected(
                "The heap's headers are damaged, which is why the allocator's check failed.",
                of(broken),
                rung=Rung.STRUCTURE,
            )
        if argument is not None and argument.region not in ("heap", "anonymous", "unknown"):
            return rejected("The pointer lies in no heap.", of(argument))
        if case.heaps and all(heap.broken_at is None for heap in case.heaps) and argument is None:
            claims = [
                in_place(case, self.category, case.frame, how="likely"),
                *stopped(case),
                *whole(case),
                *signal_claim(case),
            ]
            return confirmed(
                case,
                Rung.STRUCTURE,
                0.7,
                claims,
                reason="The message fits, and the headers that it could blame instead are whole.",
                missing=("the pointer that was freed, to find its chunk on a free list",),
                recommendations=ADVICE,
            )
        return inconclusive(
            case,
            "The allocator's message fits a double free, and damaged headers as well.",
            ("the pointer that was freed, and its chunk's state",),
            confidence=0.5,
            rung=Rung.TEXT,
            supporting=messages.cites(case),
            contradicting=of(chunk),
        )
