"""The index of the array's element that the bad value was, where the array has none of it."""

import itertools
import re
from typing import NamedTuple

from analyzers.names import INDEXED
from analyzers.patterns import commands, dangling, given, pointed, spoken
from analyzers.patterns.case import Case
from analyzers.patterns.words import Cites, of
from workbench.claims.expressions import without_texts
from workbench.claims.printed import arguments_of
from workbench.claims.say import say
from workbench.claims.values import scalar
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Load, SourceLine, Typed

_NAME = r"[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*"
_PART = rf"(?:{_NAME}|\d{{1,9}})"
_ELEMENT = re.compile(
    rf"&?(?P<array>{_NAME})\[(?P<index>(?!\d+\]){_PART}(?: ?[+*-] ?{_PART}){{0,4}})\]"
)
_LENGTH = re.compile(r"[^\[\]()]*\[(\d{1,9})\]|(?:const )?std::array<.{1,400}, (\d{1,9})u?l*>")
_CONTAINER = re.compile(rf"(?:const )?std::(?:__\w+::)?{INDEXED}<")


_OF_OTHERS = frozenset({"tcache", "fastbin", "header", "in-use"})


class Missed(NamedTuple):
    """The bad value is that of ``array[index]``, which is none of the array's elements."""

    told: tuple[Claim, ...]
    cites: Cites


def look(case: Case) -> tuple[Command, ...]:
    """Asks how long the array is that the bad value is named as an element of, and the index."""
    element = _element(case)
    if element is None:
        return _look_back(case)
    frame, found = element
    text = f"frame apply level {frame.index} -q whatis {found['array']}"
    held, _ = pointed.known(case, frame).get(found["array"], ("", ()))
    counted = commands.value(frame, _elements(found["array"])) if "_M_finish = " in held else ()
    number, _ = pointed.known(case, frame).get(found["index"], ("", ()))
    of_enum = re.fullmatch(r"[A-Za-z_]\w*", number) is not None and number not in ("true", "false")
    cast = commands.value(frame, f"(int){found['index']}", "the index") if of_enum else ()
    return (Command(text, "how many elements the array has"), *counted,
            *commands.value(frame, found["index"], "the index"), *cast)  # fmt: skip


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
    known = pointed.known(case, frame)
    name = next((one for one in (f"(int){found['index']}", found["index"]) if one in known), "")
    value, cites = known.get(name, ("", ()))
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
    told.insert(0, (name, value, cites))
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
    cites = (*told[0].citations, *of(typed))
    if element is not None and (kept := _read_before(case)) is not None:
        read, lines = pointed.known(case, kept[0])[kept[1][0]]
        told.insert(0, say("value", lines, expression=kept[1][0], value=pointed.held(read)[1]))
    return Missed(tuple(told), cites)


def led_past(case: Case) -> dangling.LedOut | None:
    """The load by which the bad value was read from another chunk than the block that a distance
    was added to, handed on since by its functions' own variables alone."""
    out = next(iter(dangling.led_out(case, _OF_OTHERS)), None)
    if out is None or not case.faulted or case.fault is None:
        return None
    loads = case.fault.origin
    handed_on = (one.own and one.value == out.load.value for one in loads[: loads.index(out.load)])
    return out if all(handed_on) else None


def past(case: Case) -> dangling.LedOut | None:
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
    return next(((at, match) for at, match in found if match is not None), _read_before(case))


def _kept(case: Case) -> tuple[Frame, Load] | None:
    """The load by which a variable of the frame at fault, and none of its arguments, got the bad
    value that it is named for, with nothing but the function's own variables in between."""
    frame, loads = case.frame, case.fault.origin if case.fault is not None else ()
    behind = [*itertools.dropwhile(lambda one: one.own, loads)]
    named = [str(one.get("expression")) for one in spoken.named(case)
             if one.kind == "value" and one.get("function") is None]  # fmt: skip
    if frame is None or not loads or not loads[0].own or not behind or len(named) != 1:
        return None
    if not named[0].isidentifier() or named[0] in dict(arguments_of(frame.args)):
        return None
    kept = {one.value for one in loads[: len(loads) - len(behind) + 1]}
    return (frame, behind[0]) if kept == {loads[0].value} and None not in kept else None


def _line(case: Case) -> tuple[Frame, Load, SourceLine | None] | None:
    """That load, and the line of it where it has been listed."""
    if (kept := _kept(case)) is None:
        return None
    lines = (one for one in case.facts.all(SourceLine) if one.address == kept[1].at)
    line = next(lines, None)
    return None if line is not None and line.file != kept[0].file else (*kept, line)


def _elements_of(line: SourceLine) -> list[re.Match[str]]:
    text = without_texts(line.text)
    return [one for one in _ELEMENT.finditer(text) if text[one.start() - 1] not in ".>)]*"]


def _look_back(case: Case) -> tuple[Command, ...]:
    """Asks for the line by which such a variable got its value, and whether the only element on it
    has that value."""
    if not case.faulted or (found := _line(case)) is None:
        return ()
    frame, load, line = found
    if line is None:
        return (Command(f"list *{load.at:#x}", "the line that read it"),)
    elements = _elements_of(line)
    return commands.value(frame, elements[0][0], "what it read") if len(elements) == 1 else ()


def _read_before(case: Case) -> tuple[Frame, re.Match[str]] | None:
    """The element that such a variable was read from, where it still has that value."""
    found = _line(case)
    elements = _elements_of(found[2]) if found is not None and found[2] is not None else []
    if found is None or len(elements) != 1:
        return None
    frame, load, _ = found
    value, _ = pointed.known(case, frame).get(elements[0][0], ("", ()))
    held = spoken.printed_number(pointed.held(value)[1], "through")
    return (frame, elements[0]) if held is not None and held == load.value else None
