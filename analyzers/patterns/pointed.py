"""What the variables of the top frames point to: evidence, and the field with the bad value.

Two frames, two levels, a few pointers each: what a developer prints first.
"""

import re
from collections.abc import Iterable, Iterator

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.claims.expressions import ENDING
from workbench.claims.printed import arguments_of
from workbench.claims.say import at as shown_as
from workbench.claims.say import say
from workbench.claims.values import HOLDS, leaves, scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Locals, Printed, Typed

_NAME = re.compile(r"[A-Za-z_]\w{0,60}")
# A pointer as a debugger prints it: its type in front of it, the variable that it leads to behind.
_POINTER = re.compile(
    r"(?:\([^()]{1,200}[*&]\) )?(?P<at>0x[0-9a-f]{1,16})(?: <[A-Za-z_][\w:]{0,200}(?:\+\d+)?>)?$"
)
_POINTERS = 3
"""Pointers of a frame, and pointers in what one of them points to, that are followed."""
_CANDIDATES = 8
_REACH = 1 << 12
"""Bytes of a structure."""
_REFERENCE = re.compile(r"@0x|<error reading variable.*at address 0x")
"""How gdb gives a reference, and what it says of one that leads to no object."""
_LEADS = re.compile(r"(0x[0-9a-f]{1,16})(?::| size=| \()")
"""How lldb gives where a reference leads, in front of what is there."""
POINTS = re.compile(r"(?:\(.{1,400}\*\) )?0x")
_NULL = re.compile(r"(?:0x0+|NULL|nullptr)(?: |$)")
RESERVED_WAY = re.compile(r"(?:\._(?:_|[A-Z])\w*)+")
"""Members with names that a program may not give: the library's (C++, [lex.name])."""
_THROUGH = re.compile(r"\[|->")
_LIBRARYS = re.compile(r"(?:@0x[0-9a-f]+: )?\{(?:<std::_(?!_cxx11)|static npos|_M_)")
"""How libstdc++'s own begin, and no class that is derived of them."""
_DISTINCT = 1 << 16
"""Smaller numbers stand in too many fields to tell which one was used."""


def look(case: Case) -> tuple[Command, ...]:
    """Asks for what the pointers of the frame at fault and of its caller point to, then for what
    the pointers in that point to."""
    asked: list[Command] = []
    for frame in frames(case):
        for name in _pointers(each for each in _variables(case, frame) if _NAME.fullmatch(each[0])):
            asked += commands.value(frame, f"*{name}", "what the variable points to")
        asked += [
            ask
            for name in _references(case, frame)
            for ask in (
                *commands.value(frame, f"&{name}", "where the reference leads"),
                Command(f"frame apply level {frame.index} -q whatis {name}", "its type"),
            )
        ]
        asked += commands.heap(*led(case, frame).values())
        for printed in _structures(case, frame):
            if _NAME.fullmatch(printed.expression[1:]):
                for path in _pointers(_fields(frame, printed)):
                    asked += commands.value(frame, f"*{path}", "what the field points to")
    return tuple(asked)


def frames(case: Case) -> list[Frame]:
    """The program's frame and the one that called it."""
    frame = case.frame
    caller = case.caller_of(frame) if frame is not None else None
    return [each for each in (frame, caller) if each is not None and each.line is not None]


def field(case: Case, values: set[int]) -> list[Claim]:
    """The one field of what the frames' variables point to that holds one of the values."""
    wanted = {value for value in values if value >= _DISTINCT}
    for frame in frames(case):
        found = {
            value: say("value", (printed.cite,), expression=path, value=value)
            for printed in _structures(case, frame)
            for path, value in _fields(frame, printed)
            if _failed(case, value) in wanted
        }
        if found:
            return list(found.values()) if len(found) == 1 else []
    return []


def _failed(case: Case, value: str) -> int | None:
    """What a field holds that may have failed; a library was given a pointer, and a number that is
    as large is none."""
    return scalar(value) if not case.calls_out or POINTS.match(value) else None


def table(case: Case, frame: Frame, to: list[Claim], word: int | None) -> list[Claim]:
    """The table of virtual functions, by gdb's name, of the object that one of the pointers leads
    to and that begins with a word."""
    names = {f"*{claim.get('expression')}" for claim in to}
    return [
        say("value", (one.cite,), expression=path, value=value)
        for one in _structures(case, frame) if one.expression in names
        for path, value in _fields(frame, one)
        if "->_vptr." in path and scalar(value) == word
    ][:1]  # fmt: skip


def look_at_cell(case: Case, values: set[int], said: list[str]) -> tuple[Command, ...]:
    """Asks for the structures that the bad word may have been read in, and where their members lie
    that have its value, and what the line names."""
    return tuple(
        ask
        for frame in frames(case)
        for text, why in (
            *((f"*{owner}", "the structure that was read") for owner in _owners(case, frame)),
            *((f"&{path}", "where this member lies")
              for path in _candidates(case, frame, values, said)),
        )
        for ask in commands.value(frame, text, why)
    )  # fmt: skip


def _owners(case: Case, frame: Frame) -> list[str]:
    """What leads to the cell of the bad word, or to little in front of it."""
    load = case.fault.origin[0] if case.fault is not None and case.fault.origin else None
    found = [
        name
        for name, (value, _) in known(case, frame).items()
        if load is not None and name[0] not in "&*" and (match := _POINTER.match(value))
        and 0 <= load.source - int(match["at"], 16) < _REACH
    ]  # fmt: skip
    return found[:_POINTERS]


def at_cell(case: Case, values: set[int], said: list[str]) -> list[Claim]:
    """The member that lies where the bad word was read from."""
    for frame in frames(case):
        lies = {one.expression: one for one in case.facts.all(Printed) if one.frame == frame.index}
        for path, (value, cell, cite) in _candidates(case, frame, values, said).items():
            if (at := lies.get(f"&{path}")) is None or scalar(at.value) != cell:
                continue
            outer = frame.function if frame is not case.frame else None
            if scalar(value) is not None:
                return [say("value", (cite,), expression=path, function=outer, value=value)]
            return [say("operand", (at.cite,), expression=path, value=0)]
    return []


def _candidates(
    case: Case, frame: Frame, values: set[int], said: list[str]
) -> dict[str, tuple[str, int, Citation]]:
    """What may lie where the bad word was read from, with its value and the line: the members of
    what was printed in a frame that have that value, and what the line at fault goes through, of
    which a debugger may show no value."""
    load = case.fault.origin[0] if case.fault is not None and case.fault.origin else None
    if load is None or load.own or load.value not in values:
        return {}
    printed = [one for one in case.facts.all(Printed) if one.frame == frame.index]
    shown = [one for one in printed if one.expression in said and frame is case.frame]
    found = {
        path: (value, load.source, one.cite)
        for one in printed if "{" in one.value
        for path, value in _fields(frame, one)
        if _failed(case, value) == load.value
    }  # fmt: skip
    found |= {
        one.expression: (one.value, load.source, one.cite) for one in shown
        if scalar(one.value) == load.value or (scalar(one.value) is None and load.value == 0)
    }  # fmt: skip
    if load.value == 0:  # the source has no name for what a smart pointer holds
        found |= {
            name: ("", load.source, cites[0]) for name, (value, cites) in known(case, frame).items()
            if name in _references(case, frame) and held(value)[1] == "0x0"
        }  # fmt: skip
    return dict([*found.items()][:_CANDIDATES])


def stored(case: Case, frame: Frame, text: str) -> str:
    """An expression as gdb can print it, which calls no function: the elements of the library's
    arrays and what its pointers point to by the pointer that they hold."""
    values, found, place = known(case, frame), "", 0
    for step in _THROUGH.finditer(text):
        found += text[place : step.start()]
        before = ENDING.search(text[: step.start()])
        value = values.get(before[0], ("", ()))[0] if before is not None else ""
        way = held(value)[0] if _LIBRARYS.match(value) else ""
        holds = HOLDS.match(way + step[0])
        found += way if holds is not None and holds[0] == way else ""
        place = step.start()
    return found + text[place:]


def held(value: str) -> tuple[str, str]:
    """The pointer in an object of the library that is one in a wrapper (``std::unique_ptr``, an
    iterator), behind the way to it; else the value itself; null as gdb writes it."""
    found = [each for each in leaves(value) if "._vptr." not in each[0]]
    way, pointer = next((each for each in found if POINTS.match(each[1])), ("", ""))
    wraps = len(found) == 1 or RESERVED_WAY.fullmatch(way)
    way, value = (way, pointer) if pointer and wraps else ("", value)
    return way, "0x0" if _NULL.match(value) else value


def known(case: Case, frame: Frame) -> dict[str, tuple[str, tuple[Citation, ...]]]:
    """What was told of a frame's arguments, variables and other expressions, with the lines."""
    found = {name: (value, case.cite(frame)) for name, value in arguments_of(frame.args)}
    for listed in case.facts.all(Locals):
        for one in listed.variables if listed.frame == frame.index else ():
            cite = Citation(listed.cite.evidence, one.line, one.line)
            found.setdefault(one.name, (one.value, (cite,)))
    printed = {one.expression: (one.value, (one.cite,)) for one in case.facts.all(Printed)
               if one.frame == frame.index}  # fmt: skip
    return found | printed


def members(case: Case, frame: Frame) -> dict[str, tuple[str, tuple[Citation, ...]]]:
    """The members of what the frame's pointers lead to, as far as they were printed."""
    return {
        path: (value, (one.cite,))
        for one in _structures(case, frame)
        for path, value in _fields(frame, one)
    }


def referred(case: Case, values: set[int], line: str) -> list[Claim]:
    """The one reference of the frame at fault to what failed, into the freed block that was read,
    or, where the line names it, to the unmapped object that was accessed."""
    frame, fault = case.frame, case.fault
    if frame is None:
        return []
    cell = fault.origin[0].source if fault is not None and fault.origin else None
    chunk, stale = case.chunk(cell), range(0)
    if chunk is not None and cell is not None and chunk.state not in ("in-use", "header"):
        stale = range(chunk.start, cell + 1)
    operand = fault.operand if fault is not None and case.region(fault.operand) is None else None
    found = [
        claim for name, at, claim in _led(case, frame)
        if at in values or at in stale
        or (operand and 0 <= operand - at < _REACH and re.search(rf"\b{name}\b", line))
    ]  # fmt: skip
    return found if len(found) == 1 else []


def led(case: Case, frame: Frame) -> dict[str, int]:
    """Where a frame's references lead, by their names."""
    return {name: address for name, address, _ in _led(case, frame)}


def _led(case: Case, frame: Frame) -> Iterator[tuple[str, int, Claim]]:
    names = {f"&{name}": name for name in _references(case, frame)}
    for one in case.facts.all(Printed):
        address = scalar(one.value) if one.frame == frame.index else None
        if address is not None and one.expression in names:
            claim = say("value", (one.cite,), expression=one.expression, value=one.value)
            yield names[one.expression], address, claim
    for name, (value, cites) in known(case, frame).items():
        if (leads := _LEADS.match(value)) is not None and _NAME.fullmatch(name):
            shown = shown_as(value, cites, leads[1])
            yield name, int(leads[1], 16), say("value", cites, expression=name, value=shown)


def _references(case: Case, frame: Frame) -> list[str]:
    found = dict.fromkeys(n for n, value in _variables(case, frame) if _REFERENCE.match(value))
    plain = {one.expression for one in case.facts.all(Typed)
             if one.frame == frame.index and "&" not in one.type}  # fmt: skip
    return [name for name in found if _NAME.fullmatch(name) and name not in plain][:_POINTERS]


def _structures(case: Case, frame: Frame) -> list[Printed]:
    return [
        one
        for one in case.facts.all(Printed)
        if one.frame == frame.index and one.expression.startswith("*") and "{" in one.value
    ]


def _fields(frame: Frame, printed: Printed) -> Iterator[tuple[str, str]]:
    """The members of what was printed, as the source of its frame writes them."""
    said, arrow = printed.expression, "." if (frame.file or "").endswith(".rs") else "->"
    for way, value in leaves(printed.value):
        reached = (said[0], way[0]) == ("*", ".")
        yield f"{said[1:]}{arrow}{way[1:]}" if reached else f"{said}{way}", value


def _variables(case: Case, frame: Frame) -> Iterator[tuple[str, str]]:
    """Arguments as the stack shows them, and the locals that were listed for this frame."""
    yield from arguments_of(frame.args)
    for listed in case.facts.all(Locals):
        if listed.frame == frame.index:
            yield from ((one.name, one.value) for one in listed.variables)


def _pointers(variables: Iterable[tuple[str, str]]) -> list[str]:
    """Names of those that point somewhere, first met first."""
    found = {
        name: None
        for name, value in variables
        if (match := _POINTER.match(value)) is not None and int(match["at"], 16) >= _DISTINCT
    }
    return list(found)[:_POINTERS]
