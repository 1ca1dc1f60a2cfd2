"""The index of the array's element that the bad value was, where the array has none of it."""

import re
from typing import NamedTuple

from analyzers.patterns import commands, given, pointed, signs, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, of
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Typed

_NAME = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"
_PART = rf"(?:{_NAME}|\d{{1,9}})"
_ELEMENT = re.compile(
    rf"&?(?P<array>{_NAME})\[(?P<index>(?!\d+\]){_PART}(?: ?[+*-] ?{_PART}){{0,4}})\]"
)
_LENGTH = re.compile(r"[^\[\]()]*\[(\d{1,9})\]|(?:const )?std::array<.{1,400}, (\d{1,9})u?l*>")
_CONTAINER = re.compile(
    r"(?:const )?std::(?:__\w+::)?(?:vector|deque|span|basic_string|basic_string_view|valarray)<"
)
"""Whose operator takes elements from the first one on."""


_OF_OTHERS = frozenset({"tcache", "fastbin", "header", "in-use"})


class Missed(NamedTuple):
    """The bad value is that of ``array[index]``, which is none of the array's elements."""

    told: tuple[Claim, ...]
    cites: Cites


def look(case: Case) -> tuple[Command, ...]:
    """Asks how long the array is that the bad value is named as an element of, and the index."""
    element = _element(case)
    if element is None:
        return ()
    frame, found = element
    text = f"frame apply level {frame.index} -q whatis {found['array']}"
    held, _ = pointed.known(case, frame).get(found["array"], ("", ()))
    counted = commands.value(frame, _elements(found["array"])) if "_M_finish = " in held else ()
    return (Command(text, "how many elements the array has"), *counted,
            *commands.value(frame, found["index"], "the index"))  # fmt: skip


def _elements(vector: str) -> str:
    """How many elements a vector of libstdc++'s has (bits/stl_vector.h)."""
    return f"{vector}._M_impl._M_finish - {vector}._M_impl._M_start"


def index(case: Case) -> list[Claim]:
    """The index that the bad value was taken by, where the debugger told it, and the number beside
    the array that it has come to: one that it is equal to, or the largest of an object that has
    none as large."""
    element = _element(case)
    if element is None:
        return []
    frame, found = element
    value, cites = pointed.known(case, frame).get(found["index"], ("", ()))
    if (number := scalar(value)) is None:
        return []
    owner = re.sub(r"\w+$", "", found["array"])
    beside = {name: (count, lines) for name, (text, lines) in pointed.members(case, frame).items()
              if owner and name.removeprefix(owner).isidentifier() and name != found["index"]
              and text.isdecimal() and (count := int(text))}  # fmt: skip
    most = max((count for count, _ in beside.values()), default=0)
    bound = number if number in (count for count, _ in beside.values()) else min(most, number)
    outer = frame.function if frame is not case.frame else None
    told = [(name, str(count), lines) for name, (count, lines) in beside.items() if count == bound]
    told.insert(0, (found["index"], value, cites))
    return [say("value", lines, expression=name, function=outer, value=text)
            for name, text, lines in told]  # fmt: skip


def missed(case: Case) -> Missed | None:
    """An index below 0, or not below the length that the array's type has. Arrays of one element or
    none stand for as many as were allocated behind them (C, flexible array members)."""
    element, told = _element(case), index(case)[:1]
    typed = _typed(case, element[0], element[1]["array"]) if element is not None else None
    number = scalar(str(told[0].get("value"))) if told else None
    if typed is None or number is None:
        return None
    length, container = _LENGTH.match(typed.type), _CONTAINER.match(typed.type)
    most = int(length[1] or length[2]) if length is not None else 0
    if container is not None and element is not None:
        counted = _elements(element[1]["array"])
        has, lines = pointed.known(case, element[0]).get(counted, ("", ()))
        most = scalar(has) or 0
        if number >= most > 0:
            outer = told[0].get("function")
            told.append(say("value", lines, expression=counted, function=outer, value=has))
        elif number >= 0:
            return None
    elif most < 2 or 0 <= number < most:
        return None
    if container is None and number > 0 and element and _in_its_block(case, element[1]["array"]):
        return None
    told.append(say("typed", of(typed), expression=typed.expression, type=typed.type))
    return Missed(tuple(told), (*told[0].citations, *of(typed)))


def led_past(case: Case) -> signs.LedOut | None:
    """The load by which the bad value was read from another chunk than the block that a distance
    was added to, handed on since by its functions' own variables alone."""
    out = next(iter(signs.led_out(case, _OF_OTHERS)), None)
    if out is None or not case.faulted or case.fault is None:
        return None
    loads = case.fault.origin
    handed_on = (one.own and one.value == out.load.value for one in loads[: loads.index(out.load)])
    return out if all(handed_on) else None


def past(case: Case) -> signs.LedOut | None:
    """Where that distance was an index: into a header or a block of its own, or that of an element
    which the source names. Memory behind a block may have been one with it when the pointer was
    made, which is stale then (malloc.c, split of a chunk's remainder): an index has to lead in
    front of it, or be none of the count's beside."""
    out = led_past(case)
    if out is None or out.chunk.state in ("tcache", "fastbin"):
        return out
    told = index(case)
    in_front = out.load.source < (out.load.led or 0) and (told or out.chunk.state == "header")
    return out if in_front or len(told) > 1 else None


def _in_its_block(case: Case, array: str) -> bool:
    """True where the element may lie in the block that its object lies in: the array may be the
    object's end, and have as many as were allocated, whatever its length (GCC manual,
    -fstrict-flex-arrays). Of an object that a pointer leads to, unless that is a variable or the
    heap shows another block."""
    origin = case.fault.origin if case.fault is not None else ()
    cell = case.chunk(origin[0].source) if origin else None
    pointers = spoken.pointers(case)
    around = [chunk.start for at in pointers if (chunk := case.chunk(at)) is not None]
    if cell is not None and around:
        return cell.state == "in-use" and cell.start in around
    kinds = {region.kind for at in pointers if (region := case.region(at)) is not None}
    return "->" in array and not kinds & {"stack", "file"}


def _typed(case: Case, frame: Frame, array: str) -> Typed | None:
    here = (one for one in case.facts.all(Typed) if one.frame == frame.index)
    return next((one for one in here if one.expression == array), None)


def _element(case: Case) -> tuple[Frame, re.Match[str]] | None:
    """The element that the bad value is named as at the instruction that used it, or where a caller
    gave it, and the frame of that."""
    frame = case.frame
    if frame is None or not case.faulted:
        return None
    outer = given.came_from(case)
    claims = [(frame if one.get("function") is None else case.caller_of(frame) or frame, one)
              for one in spoken.named(case) if one.kind == "value"]  # fmt: skip
    if outer is not None and outer.said is not None:
        claims.append((outer.frame, outer.said))
    found = ((at, _ELEMENT.match(str(one.get("expression")))) for at, one in claims)
    return next(((at, match) for at, match in found if match is not None), None)
