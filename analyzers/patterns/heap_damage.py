"""Damage to the heap's own headers: who wrote is seen (an overflow) or is not (corruption)."""

from analyzers.patterns import commands, free_misuse, messages, signs
from analyzers.patterns.allocator import in_allocator
from analyzers.patterns.case import Case
from analyzers.patterns.fortify import destination, is_heap
from analyzers.patterns.words import (
    claim,
    confirmed,
    inconclusive,
    of,
    place,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import Argument, FactBook, Fault, Heap, Region
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _suspected(case: Case) -> bool:
    """True when the allocator itself complains of its headers, or dies of them."""
    if messages.is_heap(case) and not messages.says(case, *messages.DOUBLE_FREE):
        return True
    return in_allocator(case)


def _overrun(case: Case) -> Heap | None:
    return next((h for h in case.heaps if h.broken_at is not None and h.overrun), None)


def off_the_end(case: Case, kind: str) -> tuple[Fault, Region] | None:
    """The fault and the mapping of a kind right below the address that was touched: an access that
    walked off its end."""
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or fault.operand is None:
        return None
    if case.region(fault.operand) is not None or not signs.raised_by_instruction(case):
        return None
    memory = case.memory
    for region in memory.regions if memory is not None else ():
        if region.kind == kind and 0 <= fault.operand - region.end < 64:
            return fault, region
    return None


class HeapBufferOverflow:
    """The bytes of a chunk run on over the next chunk's header, or a write runs off the heap."""

    category = Category.HEAP_BUFFER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When headers are damaged, or a write ends where the heap ends."""
        case = Case(facts)
        walked = off_the_end(case, "heap")
        if walked is not None and walked[0].access != "write":
            walked = None
        if not _suspected(case) and walked is None and not _fortified_heap(case):
            return None
        sure = _overrun(case) is not None or walked is not None
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
        if messages.says(case, messages.FORTIFY):
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
        overrun = _overrun(case)
        if overrun is None or overrun.broken_at is None:
            refused = destination(case) if messages.says(case, messages.FORTIFY) else None
            if refused is not None and is_heap(case, refused):
                return self._refused(case, refused)
            return self._not_shown(case)
        where = place(case, case.frame)
        before = (
            f"the chunk at {overrun.before:#x}"
            if overrun.before is not None
            else "the chunk before"
        )
        claims = [
            claim(
                f"A write ran past the end of {before} and over the header of the next one at "
                f"{overrun.broken_at:#x}: the same data stands on both sides.",
                of(overrun),
            )
        ]
        if case.message is not None:
            claims.append(
                claim(
                    f"The allocator noticed it in {where.text} and stopped with "
                    f"{messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                    where.cites,
                )
            )
        elif where.cites:
            claims.append(claim(f"It was noticed in {where.text}.", where.cites))
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.9,
            [*claims, *signal_claim(case)],
            reason="The data of one chunk runs on over the header of the next.",
            support=of(case.fault),
            recommendations=(
                "Find who writes to the chunk in front of the damage: its size against the length "
                "of what is copied into it.",
                "Build with -fsanitize=address and run the same path: it stops at the write.",
            ),
        )

    def _refused(self, case: Case, argument: Argument) -> Verdict:
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} was about to write past the end of the "
                f"heap memory at {argument.value:#x}: {messages.quoted(messages.text(case))}.",
                messages.cites(case),
                of(argument),
                where.cites,
            ),
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
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.text[:1].upper()}{where.text[1:]} writes past the end of the heap: the "
                f"instruction at {fault.pc:#x} writes to {fault.operand:#x}, and the heap ends at "
                f"{region.end:#x}.",
                of(fault),
                case.cite_region(region),
                where.cites,
            ),
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
            return rejected(
                "The heap can be walked to its end: no header is damaged.",
                [c for heap in case.heaps for c in of(heap)],
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
    return messages.says(case, messages.FORTIFY)


class HeapCorruption:
    """The allocator's headers make no sense, and the writer is not known."""

    category = Category.HEAP_CORRUPTION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the allocator complains of its headers or dies of them."""
        case = Case(facts)
        doubled = messages.says(case, *messages.DOUBLE_FREE)
        if not _suspected(case) and not doubled:
            return None
        pointer = messages.says(case, *messages.BAD_POINTER)
        return Proposal(
            category=self.category,
            statement="The heap's own data was overwritten.",
            confidence=0.2 if doubled or pointer else 0.45 if in_allocator(case) else 0.6,
            tests=(Command("@heap", "whether the heap's headers make sense"),
                   *commands.source(case.frame), *commands.registers(case.frame)),
            citations=messages.cites(case) + case.cite(case.frame),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """The pointer that was freed, if one was; the memory around the damage."""
        case = Case(facts)
        if free_misuse.free_frame(case) is not None:
            return free_misuse.ask_for_pointer(case)
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by damaged headers or by a message that only they explain."""
        case = Case(facts)
        better = _better_explained(case)
        if better is not None:
            return better
        broken = signs.broken_heap(case)
        where = place(case, case.frame)
        if broken is None and not messages.is_heap(case):
            return inconclusive(
                case,
                "The fault is inside the allocator, but its headers make sense where they can be "
                "read.",
                ("the allocator's lists", "a run with -fsanitize=address"),
                confidence=0.4,
                supporting=of(case.fault),
            )
        claims = []
        if messages.is_heap(case):
            claims.append(
                claim(
                    f"The heap was overwritten before {where.text} called the allocator, which "
                    f"stopped with {messages.quoted(messages.text(case))}.",
                    messages.cites(case),
                    where.cites,
                )
            )
        elif case.fault is not None:
            claims.append(
                claim(
                    f"The heap was overwritten before {where.text} called the allocator, which "
                    f"died at {case.fault.pc:#x}.",
                    of(case.fault),
                    where.cites,
                )
            )
        if broken is not None and broken.broken_at is not None:
            claims.append(
                claim(f"The chunk header at {broken.broken_at:#x} makes no sense.", of(broken))
            )
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85 if broken is not None else 0.7,
            [*claims, *signal_claim(case)],
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
    argument = free_misuse.given(case)
    sound = [heap for heap in case.heaps if heap.broken_at is None]
    whole = bool(sound) and len(sound) == len(case.heaps)
    about_pointer = (*messages.PERHAPS_DOUBLE_FREE, *messages.BAD_SIZE, *messages.BAD_POINTER)
    if whole and messages.says(case, *about_pointer):
        return rejected(
            "The heap can be walked to its end: no header is damaged.",
            [c for heap in sound for c in of(heap)],
            rung=Rung.STRUCTURE,
        )
    if argument is not None:
        why = free_misuse.not_the_allocators(case, argument)
        if why is not None:
            return rejected("The pointer that was freed was never the allocator's.",
                            of(argument) + why[1])  # fmt: skip
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
    overrun = _overrun(case)
    if overrun is not None:
        return rejected("The writer shows: data runs on from the chunk in front.", of(overrun),
                        rung=Rung.STRUCTURE)  # fmt: skip
    if not _suspected(case):
        return rejected("The allocator did not complain.", of(case.signal) + of(case.fault))
    return None
