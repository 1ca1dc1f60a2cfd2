"""A return to an address that is none: the return address on the stack was overwritten."""

from analyzers.patterns import signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase
from analyzers.patterns.words import confirmed, in_frame, in_place, of, rejected
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import FactBook, Fault, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict

_RETURNS = frozenset({"ret", "retn", "retf", "iret", "iretq"})


def _faulted(case: WindowsCase) -> Fault | None:
    """The fault, when control was to return, or went, where no code is."""
    fault, record = case.fault, case.record
    if fault is None or record is None or record.code != ACCESS_VIOLATION:
        return None
    if fault.mnemonic in _RETURNS:
        return fault
    if fault.access == "execute" and _is_data(fault.pc) and _on_stack(case, fault.pc):
        return fault
    return None


def _is_data(value: int | None) -> bool:
    """True for four or eight bytes of text, or of one byte repeated."""
    return signs.text_in(value) is not None or signs.repeated_byte(value) is not None


def _on_stack(case: WindowsCase, value: int) -> list[Frame]:
    """Frames whose return address is data, as the stack's listing shows it."""
    frames = case.stack.frames if case.stack is not None else ()
    return [f for f in frames if f.function is None and f.address and _is_data(f.address)]


class SmashedReturn(OneRound):
    """A return address that was overwritten with data."""

    category = Category.STACK_BUFFER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a return faulted, or control is in data that the stack holds as well."""
        case = WindowsCase(facts)
        fault = _faulted(case)
        if fault is None:
            return None
        return Proposal(
            category=self.category,
            statement="A return address on the stack was overwritten.",
            confidence=0.9,
            tests=(),
            citations=of(fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the return that cannot be, or by the data in return addresses."""
        case = WindowsCase(facts)
        fault = _faulted(case)
        if fault is None:
            return rejected("No return went astray.", of(case.fault))
        spoilt = _on_stack(case, fault.pc)
        how = "return" if fault.mnemonic in _RETURNS else "data"
        ran = say("access", of(fault), pc=fault.pc, instruction=fault.instruction)
        claims = [
            in_place(case, self.category, case.frame, how=how, cites=of(fault)),
            *(c for frame in spoilt[:1] for c in in_frame(case.stack, frame)),
            *([ran] if how == "return" and fault.instruction else [
                say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand)
            ] if fault.operand is not None else []),
            *case.raised(),
        ]  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.85 if spoilt else 0.75,
            claims,
            reason="Control was to go where only overwritten data leads.",
            missing=("which buffer was overrun",),
            recommendations=(
                "Look at the arrays of this function and at what is copied into them.",
            ),
        )
