"""Type confusion: memory of one type that was used as another."""

import re
import struct
from typing import NamedTuple

from analyzers.patterns.case import Case
from analyzers.patterns.cause import FREED, Cause, Open, Proof, of_fault, of_memory
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import Fault, Frame, Member
from workbench.model.hypothesis import Rung

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
    if fault is None or fault.member is None or not case.faulted:
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


def _reads_as_double(case: Case) -> list[Claim]:
    found = floating(case)
    if found is None:
        return []
    return [say("told", of(found[0]), how="double-bits", number=found[0].base_value)]


def _of_class(case: Case) -> list[Claim]:
    found = other_member(case)
    return [_member(*found)] if found is not None else []


def _member(fault: Fault, member: Member, method_of: str | None = None) -> Claim:
    return say("member", line_of(fault, member.line), cell=member.cell, object=member.object,
               offset=member.offset, type=member.kind, method_of=method_of)  # fmt: skip


def _suspected(case: Case) -> float | None:
    """How likely the memory is of another type, by what the bad pointer is or came out of."""
    if foreign(case) is not None:
        return 0.8
    if floating(case) is not None:
        return 0.3
    return 0.15 if other_member(case) is not None else None


def _cites(case: Case, _: float) -> Cites:
    found = other_member(case)
    return line_of(found[0], found[1].line) if found is not None else of(case.fault)


TYPE_CONFUSION = Cause(
    Category.TYPE_CONFUSION,
    "A cast, or a union's other member, gave memory a type that it is not of.",
    statement="Memory of one type was used as if it were of another.",
    sign=_suspected,
    cites=_cites,
    findings=(
        FREED,
        Proof(foreign, "The object's table is that of a class which does not have this method.",
              rung=Rung.STRUCTURE,
              told=lambda _, wrong: [_member(wrong.fault, wrong.member, wrong.method_of)],
              frame=lambda _, wrong: wrong.frame, support=of_memory,
              advice="Find the cast that led here: static_cast checks nothing, dynamic_cast does."),
        Open(lambda case: [*_reads_as_double(case), *_of_class(case)],
             "Which type the code took the memory for is not in the dump.", rung=Rung.STRUCTURE,
             told=lambda _, claims: claims, support=of_fault,
             missing="the type of the pointer in the source: does the class or the union's tag "
             "fit?",
             advice="Check the tag before a union's member is read, and use dynamic_cast where the "
             "class is not known."),
    ),
    absent="Nothing shows a type that the memory is not of.",
)  # fmt: skip
