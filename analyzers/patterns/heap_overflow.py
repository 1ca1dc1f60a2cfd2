"""Heap memory that was written past its end, as headers and the fault's address show it."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.case import Case
from analyzers.patterns.fortify import destination, is_heap
from analyzers.patterns.stated import accessed, passed, stopped
from analyzers.patterns.words import confirmed, in_place, inconclusive, of, signal_claim
from analyzers.patterns.written import across_header
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Argument, FactBook, Fault, Heap, Region
from workbench.model.hypothesis import Proposal, Rung, Verdict


def suspected(case: Case) -> bool:
    """True when the allocator itself complains of its headers, or dies of them."""
    if messages.is_heap(case) and not messages.says(case, *messages.DOUBLE_FREE):
        return True
    return in_allocator(case)


def overrun_heap(case: Case) -> Heap | None:
    """The heap in which a chunk's data runs on over the next header, or None."""
    return next((h for h in case.heaps if h.broken_at is not None and h.overrun), None)


def off_the_end(case: Case, kind: str) -> tuple[Fault, Region] | None:
    """The fault and the mapping of a kind right below the address that was touched, be it nothing
    or memory that no access is allowed to: an access that walked off its end."""
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or fault.operand is None:
        return None
    there = case.region(fault.operand)
    if there is not None and not there.perms.startswith("---"):
        return None
    if not signs.raised_by_instruction(case):
        return None
    memory = case.memory
    for region in memory.regions if memory is not None else ():
        if region.kind == kind and 0 <= fault.operand - region.end < 64:
            return fault, region
    return None


def bounds_of(case: Case, region: Region) -> list[Claim]:
    """Where a mapping begins and ends."""
    cites = case.cite_region(region)
    return [
        say(
            "mapped",
            cites,
            address=region.start,
            start=region.start,
            end=region.end,
            kind=region.kind,
        )
    ]


class HeapBufferOverflow:
    """The bytes of a chunk run on over the next chunk's header, or a write runs off the heap."""

    category = Category.HEAP_BUFFER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When headers are damaged, or a write ends where the heap ends."""
        case = Case(facts)
        walked = off_the_end(case, "heap")
        if walked is not None and walked[0].access != "write":
            walked = None
        run_over = across_header(case) is not None
        if not (suspected(case) or walked or run_over or _fortified_heap(case)):
            return None
        sure = overrun_heap(case) is not None or walked is not None
        return Proposal(
            category=self.category,
            statement="A write ran past the end of its heap memory.",
            confidence=0.85 if sure else 0.25 if in_allocator(case) else 0.45,
            tests=(Command("@heap", "whether a chunk's data runs on over the next header"),
                   *commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(case.frame if _fortified_heap(case) else None)),
            citations=messages.cites(case) + of(case.fault),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The memory around the damage."""
        case = Case(facts)
        if messages.says(case, *messages.FORTIFY):
            argument = destination(case)
            if argument is None:
                return commands.call(case, case.frame)
            return commands.heap(argument.value) if is_heap(case, argument) else ()
        broken = signs.broken_heap(case)
        if broken is None or broken.broken_at is None:
            return ()
        return commands.words(broken.before or broken.broken_at, "the bytes around the damage", 16)

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by one run of data across a header, or by a write at the heap's end."""
        case = Case(facts)
        walked = off_the_end(case, "heap")
        if walked is not None and walked[0].access == "write":
            return self._walked(case, *walked)
        overrun = overrun_heap(case)
        if overrun is None or overrun.broken_at is None:
            refused = destination(case) if messages.says(case, *messages.FORTIFY) else None
            if refused is not None and is_heap(case, refused):
                return self._refused(case, refused)
            return self._not_shown(case)
        claims = [
            in_place(case, self.category, case.frame, how="noticed"),
            say("headers", of(overrun), state="overrun", start=overrun.start,
                chunk=overrun.broken_at, before=overrun.before),
            *stopped(case),
            *signal_claim(case),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.9,
            claims,
            reason="The data of one chunk runs on over the header of the next.",
            support=of(case.fault),
            recommendations=(
                "Find who writes to the chunk in front of the damage: its size against the length "
                "of what is copied into it.",
                "Build with -fsanitize=address and run the same path: it stops at the write.",
            ),
        )

    def _refused(self, case: Case, argument: Argument) -> Verdict:
        claims = [
            in_place(case, self.category, case.frame, how="refused"),
            *passed(argument, region=True),
            *stopped(case),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.9,
            claims,
            reason="A fortified function refused to write past heap memory.",
            support=of(case.chunk(argument.value)) + of(case.process),
            recommendations=("Bound the copy by the size that was allocated.",),
        )

    def _walked(self, case: Case, fault: Fault, region: Region) -> Verdict:
        claims = [
            in_place(case, self.category, case.frame),
            *accessed(case, fault),
            *bounds_of(case, region),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.88,
            claims,
            reason="The write ran through the heap to its end.",
            recommendations=(
                "Bound the loop or the copy by the size of the memory that it fills.",
            ),
        )

    def _not_shown(self, case: Case) -> Verdict:
        broken = signs.broken_heap(case)
        if case.heaps and broken is None:
            return inconclusive(
                case,
                "No header of the heap is damaged: a write past a block may have hit data only.",
                ("what was written, and from where: a run with -fsanitize=address",),
                confidence=0.1,
                rung=Rung.STRUCTURE,
            )
        return inconclusive(
            case,
            "Headers are damaged, but nothing shows that the data in front of them did it."
            if broken is not None
            else "The heap could not be walked.",
            ("what was written, and from where: a run with -fsanitize=address",),
            confidence=0.35,
            rung=Rung.STRUCTURE if broken is not None else Rung.TEXT,
            supporting=of(broken) + messages.cites(case),
        )


def _fortified_heap(case: Case) -> bool:
    return messages.says(case, *messages.FORTIFY)
