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
from analyzers.patterns.heap_overflow import bounds_of, off_the_end
from analyzers.patterns.stated import accessed, copied, passed, stopped
from analyzers.patterns.words import (
    confirmed,
    in_frame,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import FactBook, Fault, Frame, Region
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
        returned = signs.bad_return(case) or signs.restored_text(case)
        walked = _walked(case) is not None
        shaped = case.shape is not None and case.shape.smashed
        sure = smashed or returned is not None or walked
        if not (sure or shaped or fortified(case)):
            return None
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
        restored = signs.restored_text(case)
        if restored is not None:
            return self._restored(case, restored)
        walked = _walked(case)
        if walked is not None:
            return self._walked_off(case, *walked)
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
        said = messages.says(case, messages.STACK_SMASHING)
        claims = [
            in_place(case, self.category, frame),
            *(stopped(case) if said else in_frame(case.stack, canary)),
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
        target = fault.operand if fault.operand is not None else fault.pc
        shape = case.shape
        claims = [
            in_place(case, self.category, frame, how="return"),
            *accessed(case, fault),
            *copied(fault),
            *_filled(case),
            *signal_claim(case),
        ]
        data = signs.text_in(target) or (shape is not None and shape.smashed)
        return confirmed(
            case,
            Rung.MACHINE,
            0.9 if data else 0.85,
            claims,
            reason="A return took an address from the stack that no call had put there.",
            frame=frame,
            support=of(shape),
            recommendations=ADVICE,
        )

    def _restored(self, case: Case, fault: Fault) -> Verdict:
        claims = [
            in_place(case, self.category, case.frame, how="pointer"),
            say("told", of(fault), how="text-value", number=fault.stack_pointer),
            *accessed(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.88,
            claims,
            reason="The stack pointer that a function restored from its stack is data.",
            support=of(case.shape),
            recommendations=ADVICE,
        )

    def _walked_off(self, case: Case, fault: Fault, region: Region) -> Verdict:
        claims = [
            in_place(case, self.category, case.frame, how="top"),
            *accessed(case, fault),
            *bounds_of(case, region),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.9,
            claims,
            reason="The write ran upwards through every frame to the stack's end.",
            support=of(case.shape),
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
        claims = [
            in_place(case, self.category, case.frame, how="refused"),
            *passed(argument, region=True),
            *stopped(case),
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
        if shape is None or not shape.smash_word:
            return inconclusive(
                case,
                "Return addresses on the stack look overwritten.",
                ("the write that did it",),
                confidence=0.4,
                rung=Rung.STRUCTURE,
                supporting=of(shape),
            )
        claims = [
            in_place(case, self.category, case.frame, how="shape"),
            *_filled(case),
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


def _filled(case: Case) -> list[Claim]:
    """The filler that covers return addresses."""
    shape = case.shape
    if shape is None or not shape.smashed or shape.smash_word is None:
        return []
    return [say("stack", of(shape), state="smashed", thread=shape.thread, word=shape.smash_word)]


def _walked(case: Case) -> tuple[Fault, Region] | None:
    """The fault, when a write ran off the upper end of a stack, and that stack's mapping."""
    found = off_the_end(case, "stack")
    return found if found is not None and found[0].access == "write" else None
