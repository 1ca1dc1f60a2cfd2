"""Use after free: proved by the allocator's own lists, never guessed."""

from analyzers.patterns import commands, signs
from analyzers.patterns.case import Case
from analyzers.patterns.passed import Stale, look_up, stale
from analyzers.patterns.spoken import look
from analyzers.patterns.stated import accessed, inside
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from analyzers.patterns.written import owner
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook
from workbench.model.hypothesis import Proposal, Rung, Verdict

_ADVICE = (
    "Find the free() of this object and who still keeps a pointer to it; clear that pointer, or "
    "give the object one owner that outlives its users.",
    "Build with -fsanitize=address and run the same path: it names the free and the use.",
)


class UseAfterFree:
    """The chunk that holds the fault's pointer is on a list of free chunks."""

    category = Category.USE_AFTER_FREE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a pointer led to the fault, and the heap may have held it."""
        case = Case(facts)
        fault = case.fault
        if fault is None or not signs.raised_by_instruction(case):
            return None
        if fault.access not in ("read", "write", "execute") or signs.ran_out_of_stack(case):
            return None
        freed = signs.freed_origin(case) or signs.linked(case)
        gone = signs.unmapped_block(case)
        if freed is None and fault.access == "execute" and not fault.origin:
            return None
        if freed is None and fault.operand_region in ("file", "stack"):
            return None
        return Proposal(
            category=self.category,
            statement="The pointer was taken from memory that had been freed.",
            confidence=0.85 if freed is not None else 0.55 if gone is not None else 0.25,
            tests=(*commands.heap(*signs.addresses(case)), *look_up(case),
                   *commands.variables(case.frame)),
            citations=of(fault) if freed is None else freed.cites,
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """What the freed chunk holds now, and what the source calls the pointer to it."""
        case = Case(facts)
        freed = signs.freed_origin(case) or signs.linked(case)
        if freed is None:
            return ()
        return look(case) + commands.words(
            freed.chunk.start, "the freed chunk's header and first words"
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by a free chunk, rejected where every pointer lies in live memory or none lies
        in a heap, else open."""
        case = Case(facts)
        freed = signs.freed_origin(case) or signs.linked(case)
        if freed is not None:
            return _proved(case, freed, 0.95)
        rest = signs.unallocated_origin(case)
        if rest is not None:
            return _proved(case, rest, 0.75)
        gone = signs.unmapped_block(case)
        if gone is not None:
            return _unmapped(case, gone)
        held = stale(case)
        return _held_by_frames(case, held) if held is not None else _not_proved(case)


def _proved(case: Case, freed: signs.Freed, confidence: float) -> Verdict:
    chunk = freed.chunk
    claims = [
        in_place(case, Category.USE_AFTER_FREE, case.frame, how=_use(case, freed)),
        *_role(case, freed),
        say(
            "chunk",
            of(chunk),
            address=freed.address,
            start=chunk.start,
            state=chunk.state,
            thread=chunk.thread,
        ),
        *accessed(case, case.fault),
        *signal_claim(case),
    ]
    return confirmed(
        case,
        Rung.STRUCTURE,
        confidence,
        claims,
        reason=f"The allocator holds the chunk at {chunk.start:#x} as free.",
        support=of(case.fault),
        recommendations=_ADVICE,
    )


def _held_by_frames(case: Case, held: Stale) -> Verdict:
    """What a function in progress was given is free: proved where another thread, which may have
    freed it, has it too; else the function may have freed it itself, and failed at something
    different."""
    mine, chunk, other = held
    claims = [
        in_place(case, Category.USE_AFTER_FREE, mine.frame, how="held"),
        mine.said(case),
        *inside(case, mine.value),
        *([other.said(case)] if other is not None else []),
    ]
    if other is None:
        return inconclusive(
            case,
            "A function in progress was given memory that is free now; the access that failed was "
            "not led there.",
            ("who freed it: a breakpoint on free() for this address",),
            confidence=0.45,
            rung=Rung.STRUCTURE,
            claims=claims,
            supporting=case.cite(mine.frame) + of(mine.stack) + of(chunk),
        )
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85,
        [*claims, *signal_claim(case)],
        reason="The allocator holds as free what two threads are using.",
        support=of(case.fault),
        recommendations=(
            "Let the last user free it: wait for the other threads, or count its owners.",
            *_ADVICE[1:],
        ),
    )


def _unmapped(case: Case, gone: signs.Gone) -> Verdict:
    claims = [
        in_place(case, Category.USE_AFTER_FREE, case.frame, how="unmapped"),
        say("mapped", of(case.memory), kind="unmapped", address=gone.pointer),
        *([say("returned_by", gone.cites, function=gone.call, value=gone.pointer)]
          if gone.call is not None else []),
        *signal_claim(case),
    ]  # fmt: skip
    return confirmed(
        case,
        Rung.MACHINE,
        0.75 if gone.call is not None else 0.65,
        claims,
        reason="What an allocation had returned is not mapped any more."
        if gone.call is not None
        else "The pointer lies two words behind the beginning of a page, where malloc() puts a "
        "block that it maps on its own, and that page is not mapped any more.",
        support=of(case.memory),
        recommendations=_ADVICE,
    )


def _use(case: Case, freed: signs.Freed) -> str:
    """What is done with the freed memory, as far as the fault tells it: a row of the texts."""
    fault = case.fault
    if fault is None or fault.access != "execute":
        return ""
    return "call" if freed.value is not None and freed.value in (fault.pc, fault.operand) else "by"


def _role(case: Case, freed: signs.Freed) -> list[Claim]:
    """How the pointer came to the fault."""
    if freed.role == "source" and freed.register is not None:
        return [say("loaded", freed.cites, register=freed.register, value=freed.value,
                    source=freed.address)]  # fmt: skip
    fault = case.fault
    if freed.role == "base" and freed.register is not None and fault is not None:
        return [
            say("register", of(fault), slot="base", register=freed.register, value=freed.address)
        ]
    return []


def _not_proved(case: Case) -> Verdict:
    fault = case.fault
    if fault is None:
        return inconclusive(
            case, "The fault is not known.", ("the faulting instruction and the heap",)
        )
    stack = signs.ran_out_of_stack(case)
    if stack is not None:
        return rejected("The thread ran out of stack.", of(stack))
    heaps = case.heaps
    poison = next((heap for heap in heaps if heap.poison is not None), None)
    if poison is not None:
        return inconclusive(
            case,
            "The pointer is filled with a byte that some allocators write into freed memory.",
            ("the allocator's lists of free memory",),
            confidence=0.5,
            rung=Rung.TEXT,
            supporting=of(fault) + of(poison),
        )
    block = owner(case)
    if block is not None:
        return inconclusive(
            case,
            "The pointer was read from a block that is in use; whether it was freed and given out "
            "again since does not show in it.",
            ("the free() that gave this block back, or who else has a pointer to it",),
            rung=Rung.STRUCTURE,
            claims=inside(case, block.address),
            supporting=of(fault) + of(block),
        )
    return inconclusive(
        case,
        "Nothing shows the pointer's memory on a list of free chunks.",
        ("a heap that can be walked, or the free() that gave this memory back",),
        confidence=0.15,
        supporting=of(fault),
    )
