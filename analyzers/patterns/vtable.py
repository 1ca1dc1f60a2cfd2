"""Virtual calls of objects whose first word is no table of virtual functions."""

from analyzers.patterns import commands, signs
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.cause import FREED, Cause, Proof, at_frame, of_memory
from analyzers.patterns.stated import accessed
from analyzers.patterns.words import line_of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import Fault, VirtualCall


def bad_table(case: Case) -> tuple[Fault, VirtualCall] | None:
    """The virtual call that the fault is in, where the object's first word leads to no table."""
    fault = case.fault
    if fault is None or fault.virtual is None or not case.faulted:
        return None
    return (fault, fault.virtual) if fault.virtual.table >= NEAR_NULL else None


INVALID_VTABLE = Cause(
    Category.INVALID_VTABLE,
    "The object's first word is data, or the address of memory that can be written.",
    statement="A virtual function was called on what is no object of its class any more.",
    sign=bad_table,
    prior=0.75,
    tests=lambda case, found: (
        *at_frame(case),
        *commands.words(found[1].object, "the object's first words"),
        *commands.heap(found[1].object, *signs.addresses(case)),
    ),
    cites=lambda _, found: line_of(found[0], found[1].line),
    findings=(
        FREED,
        Proof(
            bad_table,
            "An object begins with the address of its class's table, which lies in memory that "
            "cannot be written; this one's does not.",
            told=lambda case, found: [
                say("virtual_call", line_of(found[0], found[1].line), object=found[1].object,
                    table=found[1].table),
                *accessed(case, found[0]),
            ],
            support=of_memory,
            missing="whether the object was overwritten, or never was of this class (a wrong cast)",
            advice=(
                "See what the object's memory holds and who wrote it: a copy or memset over it, a "
                "buffer in front of it, or a pointer cast to a class that it is not of.",
                "Build with -fsanitize=address,undefined (vptr) and run the same path.",
            ),
        ),
    ),
    absent="The fault is in no virtual call of an object with a bad table.",
)  # fmt: skip
