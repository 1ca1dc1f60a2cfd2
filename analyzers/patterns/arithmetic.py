"""Arithmetic that the processor refuses: division by zero, and a quotient that does not fit."""

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from analyzers.patterns.cause import (
    Cause,
    Open,
    Proof,
    Rival,
    anything,
    at_frame,
    of_end_and_fault,
    of_ending,
    of_fault,
)
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import returned
from analyzers.patterns.words import in_frame, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Frame
from workbench.model.hypothesis import Rung

# libgcc's checked arithmetic, which -ftrapv calls and which aborts (libgcc/libgcc2.c).
_CHECKED = frozenset(
    f"__{name}v{mode}" for name in ("add", "sub", "mul", "neg", "abs") for mode in (
        "si2", "di2", "ti2", "si3", "di3", "ti3")
)  # fmt: skip


_ZERO = (Kind.ARITHMETIC, Kind.DIVISION, Kind.FLOAT_DIVISION)
_TOO_LARGE = (Kind.ARITHMETIC, Kind.OVERFLOW)


# What compilers call where a processor without division meets a zero; it raises SIGFPE
# (Run-time ABI for the Arm Architecture, 4.3.2).
DIVIDED_BY_ZERO = ("__aeabi_idiv0", "__aeabi_ldiv0", "__div0")
"""Functions that raise SIGFPE for a zero divisor."""


def _is_division(case: Case, kinds: tuple[Kind, ...]) -> bool:
    if not case.faulted or not case.ended(*kinds):
        return False
    signal, fault = case.signal, case.fault
    known = fault is not None and fault.divisor is not None
    return signal is None or bool(signal.code) or known


def _helper(case: Case) -> Frame | None:
    """The frame of the function that stands for the processor's own trap."""
    return case.calls(*DIVIDED_BY_ZERO) if case.ended(Kind.ARITHMETIC) else None


def _divided(fault: Fault) -> list[Claim]:
    """The divisor, and the call that returned it."""
    by = say("access", of(fault), pc=fault.pc, mnemonic=fault.mnemonic, divisor=fault.divisor)
    return [by, *returned(fault, fault.divisor_call)]


def _recorded(case: Case) -> list[Claim]:
    """The ending by the system's own code for it, and the instruction that raised it."""
    ending, signal, fault = case.ending, case.signal, case.fault
    if ending is None:
        return []
    code = signal.code_name if signal is not None else None
    told = [say("signal", of(ending.fact), name=ending.name, code_name=code)]
    if fault is not None and fault.instruction:
        told.append(say("access", of(fault), pc=fault.pc, instruction=fault.instruction))
    return told


def checked_arithmetic(case: Case) -> Frame | None:
    """The frame of -ftrapv's checked arithmetic that aborted, or None."""
    return case.calls(*_CHECKED) if case.ended(Kind.ABORT) else None


def _divides_by_zero(case: Case) -> Fault | None:
    return case.fault if case.fault is not None and case.fault.divisor == 0 else None


def _has_divisor(case: Case) -> Fault | None:
    return case.fault if case.fault is not None and case.fault.divisor is not None else None


def _overflows(case: Case) -> Fault | None:
    fault = _has_divisor(case)
    return fault if fault is not None and fault.quotient_overflow else None


def _may_divide(case: Case) -> float | None:
    """How likely a division by zero is, for an arithmetic fault."""
    helper = _helper(case)
    if not _is_division(case, _ZERO) and helper is None:
        return None
    told = case.ended(Kind.DIVISION, Kind.FLOAT_DIVISION) or helper or _divides_by_zero(case)
    return 0.9 if told else 0.5


def _may_overflow(case: Case) -> float | None:
    """How likely a result is too large, for an arithmetic fault or an abort of checked code."""
    checked = checked_arithmetic(case)
    if not _is_division(case, _TOO_LARGE) and checked is None:
        return None
    sure = case.ended(Kind.OVERFLOW) or checked or (case.fault and case.fault.quotient_overflow)
    return 0.9 if sure else 0.2


_UNMASKED = {
    "FPE_FLTINV": "Check the operands of this line for zero by zero, infinities, NaNs and numbers "
    "below zero, and what is converted to an integer for its range.",
    "FPE_FLTOVF": "Check the range of the operands of this line, or keep their logarithms.",
    "FPE_FLTUND": "Take what is too small for zero, or let it be: the result is only less precise.",
    "FPE_FLTRES": "Let rounded results be: most operations have one (feenableexcept(3)).",
}
"""By si_code: what to do where the processor was told to stop at it."""


def _unmasked(case: Case) -> str | None:
    """The signal's code, where floating-point arithmetic raised it and divided nothing by zero."""
    raised = case.signal is not None and case.faulted and case.ended(Kind.FLOATING)
    return case.signal.code_name if case.signal is not None and raised else None


FLOATING_POINT = Cause(
    Category.UNKNOWN,
    "SIGFPE of floating-point arithmetic that the program had told the processor to stop at "
    "(sigaction(2), feenableexcept(3)): the contract has no category for it.",
    statement="A floating-point operation had a result that the program lets end it.",
    sign=_unmasked,
    prior=0.85,
    tests=lambda case, _: (*at_frame(case), *commands.siginfo()),
    cites=lambda case, _: of_end_and_fault(case),
    findings=(
        Proof(_unmasked, "The signal's code says so.", 0.85, how=lambda _, code: code,
              told=lambda case, _: _recorded(case), support=of_fault, signal=False,
              advice=lambda _, code: _UNMASKED[code]),
    ),
)  # fmt: skip

_DIVISOR = "Check the divisor before the division, and decide what the result is without it."
_RANGE = "Check the operands' range before the operation, or use a wider type."

DIVIDE_BY_ZERO = Cause(
    Category.DIVIDE_BY_ZERO,
    "SIGFPE at a division whose divisor is zero.",
    statement="A division by zero.",
    sign=_may_divide,
    tests=lambda case, _: (*at_frame(case), *commands.siginfo()),
    cites=lambda case, _: of_end_and_fault(case),
    findings=(
        Proof(_divides_by_zero, "The divisor is zero.", 0.96,
              told=lambda _, fault: _divided(fault), advice=_DIVISOR),
        Proof(_helper, "The compiler's function for a zero divisor ran.", 0.85, Rung.STACK,
              told=lambda case, helper: in_frame(case.stack, helper), advice=_DIVISOR),
        Proof(
            lambda case: case.ended(Kind.FLOAT_DIVISION, Kind.DIVISION),
            "The system says so.",
            0.9,
            how=lambda case, _: "float" if case.ended(Kind.FLOAT_DIVISION) else "integer",
            told=lambda case, _: _recorded(case),
            support=of_fault,
            advice=_DIVISOR,
            signal=False,
        ),
        Rival(_has_divisor, "The divisor is not zero."),
        # FPE_INTDIV is also that of the smallest number by minus one.
        Open(anything, "The divisor could not be read.", 0.5, Rung.MACHINE, support=of_ending,
             missing="the faulting instruction and its registers"),
    ),
)  # fmt: skip

INTEGER_OVERFLOW = Cause(
    Category.INTEGER_OVERFLOW,
    "A quotient that does not fit, such as the smallest integer by -1; or -ftrapv's abort.",
    statement="The result of an integer operation does not fit its type.",
    sign=_may_overflow,
    tests=lambda case, _: (*commands.code(case.fault.pc if case.fault else None),
                           *commands.variables(case.frame), *commands.siginfo()),
    cites=lambda case, _: of_end_and_fault(case),
    findings=(
        Proof(checked_arithmetic, "Checked arithmetic aborted.", 0.8, Rung.STACK, how="checked",
              told=lambda case, checked: in_frame(case.stack, checked), advice=_RANGE),
        Proof(_overflows, "The quotient overflows.", 0.95, how="division",
              told=lambda _, fault: _divided(fault), advice=_RANGE),
        Proof(lambda case: case.ended(Kind.OVERFLOW), "The system says so.", 0.9, how="result",
              told=lambda case, _: _recorded(case), advice=_RANGE, signal=False),
        Rival(_divides_by_zero, "The divisor is zero, so no quotient exists."),
        Open(_has_divisor, "The divisor is not zero, but the dividend could not be read.", 0.5,
             Rung.MACHINE, support=of_fault, missing="the dividend's registers"),
        Open(anything, "The operands could not be read.", missing="the faulting instruction"),
    ),
)  # fmt: skip
