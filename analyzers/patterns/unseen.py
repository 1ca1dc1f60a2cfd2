"""Bad pointers of which the dump does not hold the instruction: only the system's record tells what
was touched, which is little, and says neither the register nor whether it was read or written."""

from analyzers.patterns import commands, signs
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import Cause, Open, Proof, of_end_and_fault, of_ending, of_fault
from analyzers.patterns.ending import Kind
from analyzers.patterns.stated import mapped
from analyzers.patterns.words import of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault

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


def _recorded(case: Case) -> list[Claim]:
    """What the system recorded of the access: what is not mapped, or no address."""
    ending = case.ending
    if ending is None or _unseen(case) is None:
        return []
    if ending.address is not None:
        region = case.region(ending.address)
        if region is not None and region.kind != "none":
            return []
        told = say("fault_address", of(ending.fact), address=ending.address)
        return [told, *mapped(case, ending.address)]
    if case.signal is not None and case.signal.code == _SI_KERNEL:
        # The processor gives no address for a non-canonical one (sigaction(2), SI_KERNEL).
        return [say("signal", of(ending.fact), name=ending.name, code_name="SI_KERNEL")]
    return []


def _looks(case: Case, _: object) -> tuple[Command, ...]:
    return (*commands.source(case.frame), *commands.siginfo())


UNSEEN_NULL_POINTER = Cause(
    Category.NULL_POINTER_DEREFERENCE,
    "si_addr lies below 64 KiB, and the code that touched it is not there.",
    statement="A null pointer was dereferenced.",
    sign=_near_null,
    prior=0.6,
    tests=_looks,
    cites=of_end_and_fault,
    findings=(
        Proof(_near_null, "The address that the system recorded is null or close to it; the "
              "instruction that used it is not known.", 0.6, how="recorded",
              told=lambda case, address: [say("fault_address", of_ending(case), address=address)],
              support=of_fault, missing=_MISSING,
              advice="Give the program that crashed with --exe: the instruction then tells which "
              "pointer was null, and whether it was read or written."),
    ),
    absent="No address near null was recorded.",
)  # fmt: skip

UNSEEN_WILD_POINTER = Cause(
    Category.WILD_POINTER,
    "Another address, or none: a pointer to no memory, of which nothing more can be told.",
    statement="A pointer was used that leads to no memory for this access.",
    sign=lambda case: _unseen(case) if _near_null(case) is None else None,
    prior=0.4,
    tests=_looks,
    cites=of_end_and_fault,
    findings=(
        # With the instruction it may be a use of freed memory, an index, or data: a cause that is
        # left when all is known is not proved by knowing less.
        Open(_recorded, "The system's record is all that is known of the access.", 0.45,
             how="recorded", told=lambda _, told: told, support=of_ending, missing=_MISSING,
             advice="Give the program that crashed with --exe, and look again."),
        Open(_unseen, "The recorded address lies in mapped memory.", missing=_MISSING,
             support=of_ending),
    ),
    absent="The faulting instruction is known.",
)  # fmt: skip
