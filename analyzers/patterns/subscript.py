"""An index that the line at fault takes an array's element by, where the array has none of it."""

import re
from typing import NamedTuple

from analyzers.patterns import commands, pointed, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Typed

_NAME = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"
_ELEMENT = re.compile(rf"(?P<array>{_NAME})\[(?P<index>{_NAME})\]")
_LENGTH = re.compile(r"[^\[\]()]*\[(\d{1,9})\]")


class Missed(NamedTuple):
    """The bad value is that of ``array[index]``, which is none of the array's elements."""

    told: tuple[Claim, ...]
    cites: Cites


def look(case: Case) -> tuple[Command, ...]:
    """Asks how long the array is that the bad value is named as an element of, and the index."""
    frame, found = case.frame, _element(case)
    if frame is None or found is None:
        return ()
    text = f"frame apply level {frame.index} -q whatis {found['array']}"
    return (Command(text, "how many elements the array has"),
            *commands.value(frame, found["index"], "the index"))  # fmt: skip


def missed(case: Case) -> Missed | None:
    """An index below 0 or not below the length that the array's type has. Arrays of one element or
    none stand for as many as were allocated behind them (C, flexible array members)."""
    frame, found = case.frame, _element(case)
    if frame is None or found is None:
        return None
    value, cites = pointed.known(case, frame).get(found["index"], ("", ()))
    typed = _typed(case, frame, found["array"])
    length = _LENGTH.match(typed.type) if typed is not None else None
    number = scalar(value)
    if typed is None or length is None or number is None:
        return None
    if int(length[1]) < 2 or 0 <= number < int(length[1]):
        return None
    if number > 0 and _in_its_block(case):
        return None
    told = (
        say("value", cites, expression=found["index"], value=value),
        say("typed", of(typed), expression=typed.expression, type=typed.type),
    )
    return Missed(told, (*cites, *of(typed)))


def _in_its_block(case: Case) -> bool:
    """True where the element lies in the block of the heap that its object lies in: the array may
    be the object's end, and have as many as were allocated, whatever its length (GCC manual,
    -fstrict-flex-arrays)."""
    origin = case.fault.origin if case.fault is not None else ()
    cell = case.chunk(origin[0].source) if origin else None
    around = [chunk.start for at in spoken.pointers(case) if (chunk := case.chunk(at)) is not None]
    return cell is not None and cell.state == "in-use" and cell.start in around


def _typed(case: Case, frame: Frame, array: str) -> Typed | None:
    here = (one for one in case.facts.all(Typed) if one.frame == frame.index)
    return next((one for one in here if one.expression == array), None)


def _element(case: Case) -> re.Match[str] | None:
    """The element that the bad value is named as, at the instruction that used it."""
    if not case.faulted:
        return None
    names = (str(one.get("expression")) for one in spoken.named(case) if one.kind == "value")
    return next((found for name in names if (found := _ELEMENT.match(name))), None)
