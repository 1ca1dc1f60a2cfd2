"""Damage to the heap's own headers whose writer is not known."""

from analyzers.patterns import commands, messages, released, signs
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.case import Case
from analyzers.patterns.heap_overflow import overrun_heap, suspected
from analyzers.patterns.released import releasing
from analyzers.patterns.stated import accessed, stopped
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
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict


class HeapCorruption:
    """The allocator's headers make no sense, and the writer is not known."""

    category = Category.HEAP_CORRUPTION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the allocator complains of its headers or dies of them."""
        case = Case(facts)
        doubled = messages.says(case, *messages.DOUBLE_FREE)
        if not suspected(case) and not doubled:
            return None
        pointer = messages.says(case, *messages.BAD_POINTER)
        return Proposal(
            category=self.category,
            statement="The heap's own data was overwritten.",
            confidence=0.2 if doubled or pointer else 0.45 if in_allocator(case) else 0.6,
            tests=(Command("@heap", "whether the heap's headers make sense"),
                   *commands.source(case.frame), *commands.registers(releasing(case))),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, if one was; the memory around the damage."""
        case = Case(facts)
        if released.free_frame(case) is not None:
            return released.ask_for_pointer(case)
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by damaged headers or by a message that only they explain."""
        case = Case(facts)
        better = _better_explained(case)
        if better is not None:
            return better
        broken = signs.broken_heap(case)
        if broken is None and not messages.is_heap(case):
            return inconclusive(
                case,
                "The fault is inside the allocator, but its headers make sense where they can be "
                "read.",
                ("the allocator's lists", "a run with -fsanitize=address"),
                confidence=0.4,
                supporting=of(case.fault),
            )
        claims = [
            in_place(case, self.category, case.frame),
            *([say("headers", of(broken), state="damaged", start=broken.start,
                   chunk=broken.broken_at, why=broken.broken, before=broken.before)]
              if broken is not None else []),
            *(stopped(case) if messages.is_heap(case) else accessed(case, case.fault)),
            *signal_claim(case),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85 if broken is not None else 0.7,
            claims,
            reason="The allocator's own data makes no sense, and nothing shows who wrote it.",
            support=of(case.fault),
            missing=("who wrote over the header, and when",),
            recommendations=(
                "Build with -fsanitize=address, or run under valgrind: either stops at the write, "
                "not at the later call that trips over it.",
            ),
        )


def _better_explained(case: Case) -> Verdict | None:
    if messages.says(case, *messages.DOUBLE_FREE):
        return rejected("The allocator found the memory on its own list: it was freed twice.",
                        messages.cites(case), rung=Rung.STRUCTURE)  # fmt: skip
    argument = released.given(case)
    sound = [heap for heap in case.heaps if heap.broken_at is None]
    whole = bool(sound) and len(sound) == len(case.heaps)
    about_pointer = (*messages.PERHAPS_DOUBLE_FREE, *messages.BAD_SIZE, *messages.BAD_POINTER)
    if whole and messages.says(case, *about_pointer):
        return inconclusive(
            case,
            "No header of the heap is damaged where it can be walked.",
            ("the writer: a run with -fsanitize=address",),
            confidence=0.1,
            rung=Rung.STRUCTURE,
        )
    if argument is not None and released.doubted(case, argument) is None:
        why = released.not_the_allocators(case, argument)
        if why is not None:
            against = (c for each in why for c in each.citations)
            return rejected("The pointer that was freed was never the allocator's.",
                            (*of(argument), *against))  # fmt: skip
        chunk = case.chunk(argument.value)
        if messages.says(case, *messages.PERHAPS_DOUBLE_FREE) and chunk is not None:
            is_free = chunk.state in signs.FREE_STATES or chunk.state == "top"
            if chunk.offset == 0 and is_free:
                return rejected("The chunk was free already: it was freed twice.",
                                of(argument) + of(chunk), rung=Rung.STRUCTURE)  # fmt: skip
    elif messages.says(case, *messages.BAD_POINTER) and signs.broken_heap(case) is None:
        return inconclusive(
            case,
            "The allocator refused the pointer itself; its headers make sense where they can be "
            "read.",
            ("the pointer that was freed",),
            confidence=0.2,
            rung=Rung.TEXT,
        )
    overrun = overrun_heap(case)
    if overrun is not None:
        return rejected("The writer shows: data runs on from the chunk in front.", of(overrun),
                        rung=Rung.STRUCTURE)  # fmt: skip
    if not suspected(case):
        return rejected("The allocator did not complain.", of(case.signal) + of(case.fault))
    return None
