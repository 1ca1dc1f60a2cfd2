"""Arithmetic that the processor refuses: division by zero, and a quotient that does not fit."""

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.words import (
    Cites,
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
from workbench.model.facts import FactBook, Fault, Frame
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


def _ending(case: Case) -> Cites:
    return of(case.ending.fact) if case.ending is not None else ()


def _divisor(fault: Fault) -> Claim:
    return say("access", of(fault), pc=fault.pc, mnemonic=fault.mnemonic, divisor=fault.divisor)


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


class DivideByZero(OneRound):
    """SIGFPE at a division whose divisor is zero."""

    category = Category.DIVIDE_BY_ZERO

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every arithmetic fault."""
        case = Case(facts)
        helper = _helper(case)
        if not _is_division(case, _ZERO) and helper is None:
            return None
        told = case.ended(Kind.DIVISION, Kind.FLOAT_DIVISION) or helper is not None
        sure = told or (case.fault is not None and case.fault.divisor == 0)
        return Proposal(
            category=self.category,
            statement="A division by zero.",
            confidence=0.9 if sure else 0.5,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.siginfo()),
            citations=_ending(case) + of(case.fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by the divisor's value."""
        case = Case(facts)
        fault, ending = case.fault, case.ending
        advice = (
            "Check the divisor before the division, and decide what the result is without it.",
        )
        if fault is not None and fault.divisor == 0:
            claims = [
                in_place(case, self.category, case.frame),
                _divisor(fault),
                *signal_claim(case),
            ]
            return confirmed(case, Rung.MACHINE, 0.96, claims,
                             reason="The divisor is zero.", recommendations=advice)  # fmt: skip
        helper = _helper(case)
        if helper is not None:
            claims = [
                in_place(case, self.category, case.frame),
                *in_frame(case.stack, helper),
                *signal_claim(case),
            ]
            return confirmed(case, Rung.STACK, 0.85, claims, recommendations=advice,
                             reason="The compiler's function for a zero divisor ran.")  # fmt: skip
        if ending is not None and ending.kind in (Kind.FLOAT_DIVISION, Kind.DIVISION):
            how = "float" if ending.kind is Kind.FLOAT_DIVISION else "integer"
            claims = [in_place(case, self.category, case.frame, how=how), *_recorded(case)]
            return confirmed(
                case,
                Rung.MACHINE,
                0.9,
                claims,
                support=of(fault),
                reason="The system says so.",
                recommendations=advice,
            )
        if fault is not None and fault.divisor is not None:
            return rejected("The divisor is not zero.", of(fault))
        if case.signal is not None and case.signal.code_name == "FPE_INTDIV":
            claims = [in_place(case, self.category, case.frame, how="failed"), *_recorded(case)]
            return confirmed(
                case,
                Rung.MACHINE,
                0.75,
                claims,
                support=of(fault),
                reason="The system says that an integer division failed, and all but the smallest "
                "number by minus one fail by a zero divisor.",
                missing=("the instruction and its divisor",),
                recommendations=advice,
            )
        return inconclusive(
            case,
            "The divisor could not be read.",
            ("the faulting instruction and its registers",),
            confidence=0.5,
            rung=Rung.MACHINE,
            supporting=_ending(case),
        )


class IntegerOverflow(OneRound):
    """A quotient that does not fit, such as the smallest integer by -1; or -ftrapv's abort."""

    category = Category.INTEGER_OVERFLOW

    def propose(self, facts: FactBook) -> Proposal | None:
        """For every arithmetic fault, and for an abort out of checked arithmetic."""
        case = Case(facts)
        checked = checked_arithmetic(case)
        told = case.ended(Kind.OVERFLOW)
        if not _is_division(case, _TOO_LARGE) and checked is None:
            return None
        sure = (
            told or checked is not None or (case.fault is not None and case.fault.quotient_overflow)
        )
        return Proposal(
            category=self.category,
            statement="The result of an integer operation does not fit its type.",
            confidence=0.9 if sure else 0.2,
            tests=(*commands.code(case.fault.pc if case.fault else None),
                   *commands.variables(case.frame), *commands.siginfo()),
            citations=_ending(case) + of(case.fault),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Decided by the divisor and the quotient."""
        case = Case(facts)
        fault = case.fault
        advice = ("Check the operands' range before the operation, or use a wider type.",)
        checked = checked_arithmetic(case)
        if checked is not None:
            claims = [
                in_place(case, self.category, case.frame, how="checked"),
                *in_frame(case.stack, checked),
                *signal_claim(case),
            ]
            return confirmed(case, Rung.STACK, 0.8, claims, reason="Checked arithmetic aborted.",
                             recommendations=advice)  # fmt: skip
        if fault is not None and fault.quotient_overflow and fault.divisor is not None:
            claims = [
                in_place(case, self.category, case.frame, how="division"),
                _divisor(fault),
                *signal_claim(case),
            ]
            return confirmed(case, Rung.MACHINE, 0.95, claims,
                             reason="The quotient overflows.", recommendations=advice)  # fmt: skip
        if case.ended(Kind.OVERFLOW) and case.ending is not None:
            claims = [in_place(case, self.category, case.frame, how="result"), *_recorded(case)]
            return confirmed(case, Rung.MACHINE, 0.9, claims, reason="The system says so.",
                             recommendations=advice)  # fmt: skip
        if fault is not None and fault.divisor == 0:
            return rejected("The divisor is zero, so no quotient exists.", of(fault))
        if fault is not None and fault.divisor is not None:
            return inconclusive(
                case,
                "The divisor is not zero, but the dividend could not be read.",
                ("the dividend's registers",),
                confidence=0.5,
                rung=Rung.MACHINE,
                supporting=of(fault),
            )
        return inconclusive(
            case, "The operands could not be read.", ("the faulting instruction",), supporting=()
        )


def checked_arithmetic(case: Case) -> Frame | None:
    """The frame of -ftrapv's checked arithmetic that aborted, or None."""
    if case.stack is None or not case.ended(Kind.ABORT):
        return None
    for frame in case.stack.frames:
        if frame.function is not None and bare(frame.function) in _CHECKED:
            return frame
    return None
