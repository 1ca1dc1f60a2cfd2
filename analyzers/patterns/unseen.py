"""Accesses whose instruction the dump does not hold: only the system's record tells what was
touched, which is little, and says neither the register nor whether it was read or written."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import mapped
from analyzers.patterns.words import (
    confirmed,
    in_place,
    inconclusive,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault
from workbench.model.hypothesis import Proposal, Rung, Verdict

_SI_KERNEL = 128
_MISSING = ("the instruction at the fault: its code is not in the dump, and the program's file "
            "(--exe, --sysroot) was not found",)  # fmt: skip


def _unseen(case: Case) -> Fault | None:
    """The fault, when an access ended the process and its instruction is not known."""
    fault = case.fault
    if fault is None or not case.faulted or not case.ended(Kind.ACCESS):
        return None
    known = fault.instruction is not None or fault.access != "none"
    return None if known or signs.ran_out_of_stack(case) is not None else fault


def _near_null(case: Case) -> int | None:
    """The address that the system recorded, when it is near null and data was touched there."""
    fault, ending = _unseen(case), case.ending
    if fault is None or ending is None or ending.address is None or fault.pc < NEAR_NULL:
        return None
    return ending.address if ending.address < NEAR_NULL else None


class UnseenNullPointer(OneRound):
    """si_addr lies below 64 KiB, and the code that touched it is not there."""

    category = Category.NULL_POINTER_DEREFERENCE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the recorded address is near null."""
        case = Case(facts)
        if _near_null(case) is None or case.ending is None:
            return None
        return Proposal(
            category=self.category,
            statement="A null pointer was dereferenced.",
            confidence=0.6,
            tests=(*commands.source(case.frame), *commands.siginfo()),
            citations=of(case.ending.fact) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed with the confidence that a record without its instruction allows."""
        case = Case(facts)
        address, fault, ending = _near_null(case), case.fault, case.ending
        if address is None or fault is None or ending is None:
            return rejected("No address near null was recorded.", of(fault))
        claims = [
            in_place(case, self.category, case.frame, how="recorded"),
            say("fault_address", of(ending.fact), address=address),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.6,
            claims,
            reason="The address that the system recorded is null or close to it; the "
            "instruction that used it is not known.",
            missing=_MISSING,
            recommendations=(
                "Give the program that crashed with --exe: the instruction then tells which "
                "pointer was null, and whether it was read or written.",
            ),
        )


class UnseenWildPointer(OneRound):
    """Another address, or none: a pointer to no memory, of which nothing more can be told."""

    category = Category.WILD_POINTER

    def propose(self, facts: FactBook) -> Proposal | None:
        """When an access ended the process whose instruction is not known."""
        case = Case(facts)
        if _unseen(case) is None or case.ending is None or _near_null(case) is not None:
            return None
        return Proposal(
            category=self.category,
            statement="A pointer was used that leads to no memory for this access.",
            confidence=0.4,
            tests=(*commands.source(case.frame), *commands.siginfo()),
            citations=of(case.ending.fact) + of(case.fault),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed where the recorded address is not mapped, or was no address at all."""
        case = Case(facts)
        fault, ending = _unseen(case), case.ending
        if fault is None or ending is None:
            return rejected("The faulting instruction is known.", of(case.fault))
        said = _recorded(case, fault)
        if not said:
            return inconclusive(case, "The recorded address lies in mapped memory.", _MISSING,
                                supporting=of(ending.fact))  # fmt: skip
        return confirmed(
            case,
            Rung.MACHINE,
            0.45,
            [*said, *signal_claim(case)],
            reason="The system's record is all that is known of the access.",
            missing=_MISSING,
            recommendations=("Give the program that crashed with --exe, and look again.",),
        )


def _recorded(case: Case, fault: Fault) -> list[Claim]:
    ending = case.ending
    if ending is None:
        return []
    first = in_place(case, Category.WILD_POINTER, case.frame, how="recorded")
    if ending.address is not None:
        region = case.region(ending.address)
        if region is not None and region.kind != "none":
            return []
        told = say("fault_address", of(ending.fact), address=ending.address)
        return [first, told, *mapped(case, ending.address)]
    if case.signal is not None and case.signal.code == _SI_KERNEL:
        # The processor gives no address for a non-canonical one (sigaction(2), SI_KERNEL).
        return [first, say("signal", of(ending.fact), name=ending.name, code_name="SI_KERNEL")]
    return []
