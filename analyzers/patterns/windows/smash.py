"""A return to an address that is none: the return address on the stack was overwritten."""

from analyzers.patterns import signs
from analyzers.patterns.cause import Cause, Proof, nothing
from analyzers.patterns.windows.case import ACCESS_VIOLATION, WindowsCase
from analyzers.patterns.words import in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Frame

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


def _shown(case: WindowsCase, fault: Fault) -> list[Claim]:
    returns = fault.mnemonic in _RETURNS and fault.instruction
    ran = say("access", of(fault), pc=fault.pc, instruction=fault.instruction)
    went = say("access", of(fault), pc=fault.pc, access=fault.access, address=fault.operand)
    return [
        *(c for frame in _on_stack(case, fault.pc)[:1] for c in in_frame(case.stack, frame)),
        *([ran] if returns else [went] if fault.operand is not None else []),
        *case.raised(),
    ]


SMASHED_RETURN = Cause(
    Category.STACK_BUFFER_OVERFLOW,
    "A return address that was overwritten with data.",
    statement="A return address on the stack was overwritten.",
    sign=_faulted,
    prior=0.9,
    tests=nothing,
    view=WindowsCase,
    findings=(
        Proof(
            _faulted,
            "Control was to go where only overwritten data leads.",
            lambda case, fault: 0.85 if _on_stack(case, fault.pc) else 0.75,
            how=lambda _, fault: "return" if fault.mnemonic in _RETURNS else "data",
            told=_shown,
            missing="which buffer was overrun",
            advice="Look at the arrays of this function and at what is copied into them.",
            signal=False,
        ),
    ),
    absent="No return went astray.",
)
