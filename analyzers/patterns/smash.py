"""Buffers on the stack that were written past their end."""

from analyzers.patterns import commands, messages, signs
from analyzers.patterns.case import Case
from analyzers.patterns.fortify import (
    ADVICE,
    canary_frame,
    checked_call,
    destination,
    fortified,
)
from analyzers.patterns.frames import has_libraries, is_application, located
from analyzers.patterns.heap_overflow import off_the_end
from analyzers.patterns.words import (
    claim,
    confirmed,
    inconclusive,
    name_of,
    of,
    place,
    rejected,
    signal_claim,
)
from workbench.model.category import Category
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Fault, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict


def _returned_from(case: Case) -> Frame | None:
    """The function whose return went astray: it still runs at a non-canonical return; after any
    other its callees' return addresses stand below the stack pointer."""
    fault = case.fault
    if fault is not None and fault.mnemonic is not None:
        return case.frame
    for frame in case.shape.below if case.shape is not None and has_libraries(case.memory) else ():
        if is_application(frame, case.memory, case.process):
            return located(frame, case.memory)
    return None


class StackBufferOverflow:
    """A canary that changed, a return address that was overwritten, a write off the stack."""

    category = Category.STACK_BUFFER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the runtime or the stack itself shows an overwritten frame."""
        case = Case(facts)
        smashed = messages.says(case, messages.STACK_SMASHING) or canary_frame(case) is not None
        returned = signs.bad_return(case) is not None
        walked = _walked(case) is not None
        shaped = case.shape is not None and case.shape.smashed
        if not (smashed or returned or walked or shaped or fortified(case)):
            return None
        sure = smashed or returned or walked
        return Proposal(
            category=self.category,
            statement="A write ran past the end of an array on the stack.",
            confidence=0.9 if sure else 0.5,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.registers(case.frame if fortified(case) else None),
                   Command("@stack", "whether return addresses were overwritten")),
            citations=messages.cites(case) + of(case.fault) + of(case.shape),
        )  # fmt: skip

    def followup(self, facts: FactBook) -> tuple[Command, ...]:
        """Where a refused call was to write; else what stands on the stack."""
        case = Case(facts)
        if fortified(case):
            return commands.call(case, case.frame)
        if signs.bad_return(case) is not None and case.fault is not None:
            return commands.words(case.fault.stack_pointer, "what was written on the stack", 8)
        return ()

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by canary, return address or the stack's end; open for a refused call whose
        destination is not known."""
        case = Case(facts)
        stack = signs.ran_out_of_stack(case)
        if stack is not None:
            return rejected("The thread ran out of stack.", of(stack))
        canary = canary_frame(case)
        if messages.says(case, messages.STACK_SMASHING) or canary is not None:
            return self._smashed(case, canary)
        returned = signs.bad_return(case)
        if returned is not None:
            return self._returned(case, returned)
        walked = _walked(case)
        if walked is not None:
            return self._walked_off(case, walked)
        if fortified(case):
            return self._refused(case)
        shape = case.shape
        if shape is not None and shape.smashed:
            return self._by_shape(case)
        return rejected(
            "No return address on the stack was overwritten.", of(shape) + of(case.fault)
        )

    def _smashed(self, case: Case, canary: Frame | None) -> Verdict:
        frame = case.caller_of(canary) if canary is not None else case.frame
        where = place(case, frame)
        if messages.says(case, messages.STACK_SMASHING):
            text = (
                f"{where.capital} wrote past the end of an array on its "
                f"stack: its guard word had changed when it returned, "
                f"{messages.quoted(messages.text(case))}."
            )
        else:
            text = (
                f"{where.capital} wrote past the end of an array on its "
                f"stack: it ended in {name_of((canary.function if canary else '') or '')}."
            )
        claims = [
            claim(text, messages.cites(case), where.cites, case.cite(canary)),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.95,
            claims,
            reason="The guard word between the function's arrays and its return address changed.",
            frame=frame,
            support=case.cite(canary) + of(case.fault),
            recommendations=ADVICE,
        )

    def _returned(self, case: Case, fault: Fault) -> Verdict:
        frame = _returned_from(case)
        where = place(case, frame)
        target = fault.operand if fault.operand is not None else fault.pc
        text = signs.text_in(target)
        claims = [
            claim(
                f"The return address on the stack was overwritten: a return went to {target:#x}, "
                "where no code is.",
                of(fault),
            )
        ]
        if where.cites:
            claims.append(claim(f"The function that returned is {where.text}.", where.cites))
        shape = case.shape
        if shape is not None and shape.smashed and shape.smash_word is not None:
            claims.append(
                claim(
                    f"One run of the word {shape.smash_word:#x} covers return addresses.",
                    of(shape),
                )
            )
        return confirmed(
            case,
            Rung.MACHINE,
            0.9 if text or (shape is not None and shape.smashed) else 0.85,
            [*claims, *signal_claim(case)],
            reason="A return took an address from the stack that no call had put there.",
            frame=frame,
            support=of(shape),
            recommendations=ADVICE,
        )

    def _walked_off(self, case: Case, fault: Fault) -> Verdict:
        where = place(case, case.frame)
        shape = case.shape
        end = shape.end if shape is not None else None
        claims = [
            claim(
                f"{where.capital} writes past the top of the stack: the "
                f"instruction at {fault.pc:#x} writes to {fault.operand:#x}"
                + (f", and the stack ends at {end:#x}." if end is not None else "."),
                of(fault),
                of(shape),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.9,
            claims,
            reason="The write ran upwards through every frame to the stack's end.",
            recommendations=ADVICE,
        )

    def _refused(self, case: Case) -> Verdict:
        argument = destination(case)
        if argument is None:
            return inconclusive(
                case,
                "A fortified function refused to write past its destination; where that lies is "
                "not known.",
                ("the destination's address: the caller's registers at the call",),
                confidence=0.45,
                rung=Rung.TEXT,
                supporting=messages.cites(case),
            )
        region = case.region(argument.value)
        if argument.region != "stack" and (region is None or region.kind != "stack"):
            return rejected("The destination does not lie on a stack.", of(argument))
        where = place(case, case.frame)
        claims = [
            claim(
                f"{where.capital} was about to write past the end of an "
                f"array on the stack at {argument.value:#x}: "
                f"{messages.quoted(messages.text(case))}.",
                messages.cites(case),
                of(argument),
                where.cites,
            ),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.92,
            claims,
            reason="A fortified function refused to write past an array on the stack.",
            support=case.cite(checked_call(case)),
            recommendations=ADVICE,
        )

    def _by_shape(self, case: Case) -> Verdict:
        shape = case.shape
        word = shape.smash_word if shape is not None else None
        if word is None or not word:
            return inconclusive(
                case,
                "Return addresses on the stack look overwritten.",
                ("the write that did it",),
                confidence=0.4,
                rung=Rung.STRUCTURE,
                supporting=of(shape),
            )
        where = place(case, case.frame)
        claims = [
            claim(
                f"Return addresses on the stack were overwritten: one run of the word {word:#x} "
                "covers them.",
                of(shape),
            ),
            claim(f"The fault is in {where.text}.", where.cites, of(case.fault)),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.82,
            claims,
            reason="Filler stands where return addresses belong.",
            support=of(case.fault),
            recommendations=ADVICE,
        )


def _walked(case: Case) -> Fault | None:
    """The fault, when a write ran off the upper end of a stack."""
    found = off_the_end(case, "stack")
    if found is not None and found[0].access == "write":
        return found[0]
    return None
