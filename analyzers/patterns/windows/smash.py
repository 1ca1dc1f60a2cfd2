"""A return to an address that is none: the return address on the stack was overwritten."""

from analyzers.patterns import signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase
from analyzers.patterns.words import Cites, claim, confirmed, of, rejected
from workbench.model.category import Category
from workbench.model.claims import Claim
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
        where, raised = case.where(), case.raised()
        spoilt = _on_stack(case, fault.pc)
        if fault.mnemonic in _RETURNS:
            text = (
                f"{where.capital} returns to an address that is none: the `{fault.mnemonic}` "
                f"instruction at {fault.pc:#x} faults, so the return address on the stack was "
                f"overwritten. It raised {raised.text}."
            )
        else:
            text = (
                f"Control went to {fault.pc:#x}, which is data: the return address on the stack of "
                f"{where.text} was overwritten. It raised {raised.text}."
            )
        claims = [claim(text, of(fault), where.cites, raised.cites), *_spoilt(case, spoilt)]
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


def _spoilt(case: WindowsCase, frames: list[Frame]) -> list[Claim]:
    """The first frame that shows what stands in place of a return address."""
    for frame in frames[:1]:
        cites: Cites = case.cite(frame)
        if cites and frame.address is not None:
            text = f"The stack holds {frame.address:#x} where a return address belongs."
            return [claim(text, cites)]
    return []
