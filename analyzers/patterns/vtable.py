"""Virtual calls of objects whose first word is no table of virtual functions."""

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.stated import accessed
from analyzers.patterns.words import confirmed, in_place, line_of, of, rejected, signal_claim
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.facts import FactBook, Fault, VirtualCall
from workbench.model.hypothesis import Proposal, Rung, Verdict


def bad_table(case: Case) -> tuple[Fault, VirtualCall] | None:
    """The virtual call that the fault is in, where the object's first word leads to no table."""
    fault = case.fault
    if fault is None or fault.virtual is None or not signs.raised_by_instruction(case):
        return None
    return (fault, fault.virtual) if fault.virtual.table >= NEAR_NULL else None


class InvalidVtable(OneRound):
    """The object's first word is data, or the address of memory that can be written."""

    category = Category.INVALID_VTABLE

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the faulting instruction belongs to a virtual call."""
        case = Case(facts)
        found = bad_table(case)
        if found is None:
            return None
        called = found[1]
        return Proposal(
            category=self.category,
            statement="A virtual function was called on what is no object of its class any more.",
            confidence=0.75,
            tests=(*commands.source(case.frame), *commands.variables(case.frame),
                   *commands.words(called.object, "the object's first words"),
                   *commands.heap(called.object, *signs.addresses(case))),
            citations=line_of(found[0], called.line),
        )  # fmt: skip

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed by the object's first word, unless its memory had been freed."""
        case = Case(facts)
        found = bad_table(case)
        if found is None:
            return rejected("The fault is in no virtual call of an object with a bad table.",
                            of(case.fault))  # fmt: skip
        freed = signs.freed(case)
        if freed is not None:
            return rejected("The object's memory had been freed.", freed.cites,
                            rung=Rung.STRUCTURE)  # fmt: skip
        fault, called = found
        lines = line_of(fault, called.line)
        claims = [
            in_place(case, self.category, case.frame),
            say("virtual_call", lines, object=called.object, table=called.table),
            *accessed(case, fault),
            *signal_claim(case),
        ]
        return confirmed(
            case,
            Rung.MACHINE,
            0.85,
            claims,
            reason="An object begins with the address of its class's table, which lies in memory "
            "that cannot be written; this one's does not.",
            support=of(case.memory),
            missing=(
                "whether the object was overwritten, or never was of this class (a wrong cast)",
            ),
            recommendations=(
                "See what the object's memory holds and who wrote it: a copy or memset over it, a "
                "buffer in front of it, or a pointer cast to a class that it is not of.",
                "Build with -fsanitize=address,undefined (vptr) and run the same path.",
            ),
        )
