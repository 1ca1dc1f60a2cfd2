"""Where a bad argument came from: what the callers' source gave, frame by frame up.

The argument's place among the parameters tells which expression of the call it is; the debugger
then says whether that has the bad value.
"""

import re
from typing import NamedTuple

from analyzers.patterns import commands, frame_lines, pointed, spoken
from analyzers.patterns.case import NEAR_NULL, Case
from workbench.claims.printed import arguments_of
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Printed

_LEVELS = 4
_PLAIN = re.compile(r"-?\d+")
_NAME = re.compile(r"[A-Za-z_]\w*")
_CONSTANTS = frozenset({"NULL", "nullptr", "true", "false"})


class Given(NamedTuple):
    """What ``frame`` gave its callee: ``asked`` are commands whose answers are missing, ``said``
    the argument that has the bad value; ``number`` where that is of an integer's type."""

    frame: Frame
    asked: tuple[Command, ...] = ()
    said: Claim | None = None
    number: bool = False


def look(case: Case) -> tuple[Command, ...]:
    """Asks what the operand is called, then for the lines of the calls that gave it, and for the
    argument that is it."""
    return (*spoken.look(case), *(command for given in _levels(case) for command in given.asked))


def came_from(case: Case) -> Given | None:
    """The outermost caller that the bad value was seen at, and what its source calls it there."""
    return next((given for given in reversed(_levels(case)) if given.said is not None), None)


def number(case: Case) -> Given | None:
    """The caller that gave a number where a pointer belongs."""
    given = came_from(case)
    return given if given is not None and given.number else None


def _by_itself(case: Case, name: str) -> Given | None:
    """The frame at fault, where it was given a number as one, and gave a library that for a
    pointer."""
    frame = case.frame
    printed = dict(arguments_of(frame.args)).get(name) if frame is not None else None
    if frame is None or printed is None or not case.calls_out or not _PLAIN.fullmatch(printed):
        return None
    said = next(one for one in spoken.named(case) if one.kind == "value")
    return Given(frame, (), said, True)


def _levels(case: Case) -> list[Given]:
    frame, handed = case.frame, _handed_in(case)
    found: list[Given] = []
    if handed is not None and (own := _by_itself(case, handed[0])) is not None:
        return [own]
    while frame is not None and handed is not None and len(found) < _LEVELS:
        caller = case.caller_of(frame)
        if caller is None or caller.line is None:
            break
        found.append(given := _given(case, caller, frame, *handed))
        if given.number:
            break  # as which it was right before
        name = str(given.said.get("expression")) if given.said is not None else ""
        if name not in dict(arguments_of(caller.args)):
            break
        frame, handed = caller, (name, handed[1])
    return found


def _handed_in(case: Case) -> tuple[str, int] | None:
    """The argument that the frame at fault was given, and its bad value; without a name where the
    frame handed on to a library what none of its variables holds."""
    frame, fault, stack = case.frame, case.fault, case.stack
    if frame is None or fault is None or stack is None or not case.faulted:
        return None
    if fault.access not in ("read", "write") or case.region(fault.operand) is not None:
        return None
    near = (fault.operand or 0) < NEAR_NULL
    if claim := next((one for one in spoken.named(case) if one.kind == "value"), None):
        name, arguments = str(claim.get("expression")), dict(arguments_of(frame.args))
        value = spoken.printed_number(arguments.get(name, ""), "other")
        if value is not None:
            return (name, value) if near else None
        held = spoken.printed_number(pointed.held(str(claim.get("value")))[1], "through")
        rest = held == fault.base_value and _NAME.fullmatch(name) is not None
        return ("", held) if held and rest and name not in arguments else None
    called = frame.index > stack.frames[0].index
    return ("", fault.base_value) if called and fault.base_value else None


def _given(case: Case, frame: Frame, callee: Frame, name: str, value: int) -> Given:
    line = frame_lines.line_of(case, frame)
    if line is None:
        text = f"frame apply level {frame.index} -q frame"  # of several files none is shown
        others = (("lldb", f"frame select {frame.index}"),)
        return Given(frame, (Command(text, "the call that led here", others),))
    known = {text: (held, case.cite(frame)) for text, held in arguments_of(frame.args)}
    for one in case.facts.all(Printed):
        if one.frame == frame.index:
            known[one.expression] = (one.value, (one.cite,))
    for each in frame_lines.given_to(line, callee, name):
        given = [text for text in each if text not in _CONSTANTS]
        known |= {text: (text, (line.cite,)) for text in given if _PLAIN.fullmatch(text)}
        asked = [command for text in given if text not in known
                 for command in commands.value(frame, text)]  # fmt: skip
        numbers = {text: spoken.printed_number(pointed.held(known[text][0])[1], "other")
                   for text in given if text in known}  # fmt: skip
        fitting = [text for text, held in numbers.items() if held == value]
        if asked or fitting:
            break
    else:
        return Given(frame)
    if asked or len(fitting) != 1:
        return Given(frame, tuple(asked))
    held, cites = known[fitting[0]]
    if _PLAIN.fullmatch(fitting[0]):
        rows = frame_lines.calls_of(line, callee)
        at = next((row for row in rows if row.get("expression") == fitting[0]), {})
        said = say("calls", cites, function=frame.function, callee=at.get("callee"),
                   index=int(at.get("index", 0)), expression=fitting[0])  # fmt: skip
        return Given(frame, (), said, True)
    way, pointer = pointed.held(held)
    expression = pointed.reached(fitting[0], way, (*cites, line.cite))
    said = say("value", cites, expression=expression, function=frame.function, value=pointer)
    return Given(frame, (), said, _PLAIN.fullmatch(pointer) is not None)
