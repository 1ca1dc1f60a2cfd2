"""Type confusion: memory of one type that was used as another."""

import re
import struct
from typing import NamedTuple

from analyzers.patterns import commands, signs
from analyzers.patterns.base import OneRound
from analyzers.patterns.case import Case
from analyzers.patterns.words import (
    Cites,
    confirmed,
    in_place,
    inconclusive,
    line_of,
    of,
    rejected,
    signal_claim,
)
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import FactBook, Fault, Frame, Member
from workbench.model.hypothesis import Proposal, Rung, Verdict

_THIS = re.compile(r"\bthis=(0x[0-9a-f]{1,16})")
_LEAST, _MOST = 1e-6, 1e12
_LOW_BITS = (1 << 24) - 1


class Foreign(NamedTuple):
    """A method of ``method_of`` that runs on an object of a class which does not derive from it."""

    fault: Fault
    member: Member
    frame: Frame
    method_of: str


def other_member(case: Case) -> tuple[Fault, Member] | None:
    """The object of a known class out of which the fault's bad pointer was read."""
    fault = case.fault
    if fault is None or fault.member is None or not signs.raised_by_instruction(case):
        return None
    return fault, fault.member


def foreign(case: Case) -> Foreign | None:
    """The method at fault, when its object is of no class that has this method."""
    found, frame = other_member(case), case.frame
    if found is None or frame is None or frame.function is None:
        return None
    this = _THIS.search(frame.args)
    fault, member = found
    if this is None or int(this[1], 16) != member.object:
        return None
    if member.method_of is None or member.method_of in (member.kind, *member.bases):
        return None
    return Foreign(fault, member, frame, member.method_of)


def floating(case: Case) -> tuple[Fault, float] | None:
    """The fault's pointer read as a number with a fraction, when it is a short one and no address:
    what a double leaves where a pointer was expected."""
    fault = case.fault
    value = fault.base_value if fault is not None else None
    if fault is None or not value or case.region(value) is not None or value & _LOW_BITS:
        return None
    (number,) = struct.unpack("<d", value.to_bytes(8, "little"))
    short = number == number and _LEAST <= abs(number) <= _MOST
    return (fault, number) if short and value >> 47 not in (0, (1 << 17) - 1) else None


class TypeConfusion(OneRound):
    """A cast, or a union's other member, gave memory a type that it is not of."""

    category = Category.TYPE_CONFUSION

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the bad pointer is a number, or a member of an object of a known class."""
        case = Case(facts)
        wrong, number, found = foreign(case), floating(case), other_member(case)
        if wrong is None and number is None and found is None:
            return None
        cites: Cites = of(case.fault)
        if found is not None:
            cites = line_of(*_line(found))
        return Proposal(
            category=self.category,
            statement="Memory of one type was used as if it were of another.",
            confidence=0.8 if wrong is not None else 0.3 if number is not None else 0.15,
            tests=(*commands.source(case.frame), *commands.variables(case.frame)),
            citations=cites,
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when a method runs on an object of another class; else open."""
        case = Case(facts)
        freed = signs.freed(case)
        if freed is not None:
            return rejected("The memory had been freed: what it holds is of no type any more.",
                            freed.cites, rung=Rung.STRUCTURE)  # fmt: skip
        wrong, number, found = foreign(case), floating(case), other_member(case)
        if wrong is not None:
            return _foreign(case, wrong)
        claims = []
        if number is not None:
            told = say("told", of(number[0]), how="double-bits", number=number[0].base_value)
            claims.append(told)
        if found is not None:
            claims.append(_member(*found))
        if not claims:
            return rejected("Nothing shows a type that the memory is not of.", of(case.fault))
        return inconclusive(
            case,
            "Which type the code took the memory for is not in the dump.",
            ("the type of the pointer in the source: does the class or the union's tag fit?",),
            confidence=0.3,
            rung=Rung.STRUCTURE,
            claims=claims,
            supporting=of(case.fault),
            recommendations=(
                "Check the tag before a union's member is read, and use dynamic_cast where the "
                "class is not known.",
            ),
        )


def _line(found: tuple[Fault, Member]) -> tuple[Fault, int]:
    return found[0], found[1].line


def _member(fault: Fault, member: Member, method_of: str | None = None) -> Claim:
    return say("member", line_of(fault, member.line), cell=member.cell, object=member.object,
               offset=member.offset, type=member.kind, method_of=method_of)  # fmt: skip


def _foreign(case: Case, wrong: Foreign) -> Verdict:
    return confirmed(
        case,
        Rung.STRUCTURE,
        0.85,
        [
            in_place(case, Category.TYPE_CONFUSION, wrong.frame),
            _member(wrong.fault, wrong.member, wrong.method_of),
            *signal_claim(case),
        ],
        reason="The object's table is that of a class which does not have this method.",
        frame=wrong.frame,
        support=of(case.memory),
        recommendations=(
            "Find the cast that led here: static_cast checks nothing, dynamic_cast does.",
        ),
    )
