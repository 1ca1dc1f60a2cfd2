"""What the variables of the top frames point to: evidence, and the field with the bad value.

Few frames, two levels, a few pointers each: what a developer prints first. On the way that the
loads of the bad word took it goes on as far as they do.
"""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from analyzers.patterns import commands
from analyzers.patterns.case import Case
from workbench.claims.expressions import ENDING
from workbench.claims.printed import arguments_of
from workbench.claims.say import at as shown_as
from workbench.claims.say import say
from workbench.claims.values import HOLDS, leaves, referred_to, scalar
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim
from workbench.model.evidence import Command
from workbench.model.facts import Frame, Locals, Printed, SourceLine, Typed

_NAME = re.compile(r"[A-Za-z_]\w{0,60}")
# A pointer as a debugger prints it: its type in front of it, the variable that it leads to behind.
_POINTER = re.compile(
    r"(?:\([^()]{1,200}[*&]\) )?(?P<at>0x[0-9a-f]{1,16})(?: <[A-Za-z_][\w:]{0,200}(?:\+\d+)?>)?$"
)
_POINTERS = 3
"""Pointers of a frame, and pointers in what one of them points to, that are followed."""
_FRAMES = 6
"""Frames, of which most were inlined."""
REACH = 1 << 12
"""Bytes of a structure."""
_REFERENCE = re.compile(r"@0x|<error reading variable.*at address 0x")
"""How gdb gives a reference, and what it says of one that leads to no object."""
_LEADS = re.compile(r"@?(0x[0-9a-f]{1,16})")
"""Where a reference leads; lldb has it in front of what is there, and at times nowhere else."""
POINTS = re.compile(r"(?:\(.{1,400}\*\) )?0x")
_NULL = re.compile(r"(?:0x0+|NULL|nullptr)(?: |$)")
RESERVED_WAY = re.compile(r"(?:\._(?:_|[A-Z])\w*)+")
STANDS_FOR = re.compile(
    r"(?:\._(?:_|[A-Z])\w*)*\._(?:M_(?:ptr|head_impl|current|cur|node)|_ptr_|_i_)"
)
"""The way to the pointer that a smart pointer or an iterator of libstdc++ or libc++ is."""
_OWN = re.compile(r"(?:^|\.|->)_(?:_|[A-Z])\w*$")
"""Members with names that a program may not give: the library's (C++, [lex.name])."""
_LLDBS = ".pointer"
"""What lldb calls the pointer in a smart one of the library's, for which the source has no name."""
_THROUGH = re.compile(r"\[|->")
_LIBRARYS = re.compile(r"(?:@0x[0-9a-f]+: )?\{(?:<std::_(?!_cxx11)|static npos|_M_)")
"""How libstdc++'s own begin, and no class that is derived of them."""
_DISTINCT = 1 << 16
"""Smaller numbers stand in too many fields to tell which one was used."""


class Whole(NamedTuple):
    """An object that was printed with its members, what it is called, and the lines."""

    said: str
    value: str
    cites: tuple[Citation, ...]


def look(case: Case) -> tuple[Command, ...]:
    """Asks for what the pointers of the frame at fault and of its caller point to, then for what
    the pointers in that point to."""
    asked: list[Command] = []
    for frame in frames(case):
        refers = references(case, frame)
        variables = [each for each in _variables(case, frame) if each[0] not in refers]
        asked += _followed(case, frame, variables, "what the variable points to")
        told = [(name, text) for name, (text, _) in known(case, frame).items()
                if name[0] not in "&*" and name not in refers]  # fmt: skip
        asked += _followed(case, frame, told, "the structure that was read", 1)
        if frame.args and not (frame.file or "").endswith((".c", ".rs")):
            asked += commands.variables(frame)[:1]  # with their types, of which some are references
        for name in _elements(case, frame):
            asked += commands.value(frame, name, "the element that was read")
        asked += [
            ask
            for name in refers
            for ask in (
                *commands.value(frame, f"&{name}", "where the reference leads"),
                *(
                    commands.value(frame, name, "what it refers to")
                    if "{" not in known(case, frame)[name][0][:-1]
                    else ()
                ),
                Command(f"frame apply level {frame.index} -q whatis {name}", "its type"),
            )
        ]
        asked += commands.heap(*led(case, frame).values())
        for whole in structures(case, frame):
            if (steps := whole.said.count("->")) <= len(_loads(case)):
                fields = fields_of(frame, whole)
                asked += _followed(case, frame, fields, "what the field points to", steps)
    return tuple(asked)


def _followed(
    case: Case, frame: Frame, named: Iterable[tuple[str, str]], why: str, steps: int = 0
) -> Iterator[Command]:
    """Asks for what pointers lead to, behind some steps of those alone by way of which the bad word
    was loaded; for where elements lie of one that elements are taken of."""
    named = list(named)
    on_way = _pointers(case, named, way=True)
    for path in on_way if steps else _pointers(case, named):
        yield from commands.value(frame, f"*{path}", why)
        if path in on_way and _indexed(case, path):
            yield from commands.value(frame, f"&{path}[1]", "how large an element is")


def _indexed(case: Case, path: str) -> bool:
    """True for a pointer that the source that was listed takes elements of, or a library does."""
    name = re.escape(path.rpartition(".")[2].rpartition("->")[2])
    return _read_as(path) != path or any(
        re.search(rf"\b{name}\s*\[", line.text) for line in case.facts.all(SourceLine)
    )


def _elements(case: Case, frame: Frame) -> Iterator[str]:
    """The elements that the bad word was loaded by way of, of the arrays of which it was asked
    where the second one lies and which begin where the memory of a block of the heap does."""
    lies = {one.expression: one for one in case.facts.all(Printed) if one.frame == frame.index}
    for path, (value, _) in (known(case, frame) | members(case, frame)).items():
        second = lies.get(f"&{_read_as(path)}[1]")
        at, size = scalar(value) or 0, 0
        if second is not None:
            size = (scalar(second.value) or 0) - at
        for cell in _loads(case) if size > 0 else ():
            chunk = case.chunk(cell)
            held = chunk is not None and chunk.state == "in-use" and cell - chunk.offset == at
            if held and (at < cell or path != _read_as(path)):
                yield f"{path}[{(cell - at) // size}]"


def _read_as(path: str) -> str:
    """A pointer in what the library's object is, as elements of that are written."""
    return HOLDS.sub("", f"{path}[")[:-1]


def frames(case: Case) -> list[Frame]:
    """The program's frame, those that it was inlined into, and the one that called the function."""
    found: list[Frame] = []
    frame, called = case.frame, 0
    while frame is not None and called < 2 and len(found) < _FRAMES:
        found.append(frame)
        called += not frame.inlined
        frame = case.caller_of(frame)
    return [each for each in found if each.line is not None]


def _loads(case: Case) -> list[int]:
    """The cells that the bad word was loaded by way of, nearest first."""
    return [load.source for load in case.fault.origin] if case.fault is not None else []


def field(case: Case, values: set[int], words: set[str]) -> list[Claim]:
    """The one field of what the frames' variables are, or point to, that holds one of the values;
    of several the one that the words of the line name."""
    wanted = {value for value in values if value >= _DISTINCT}
    for frame in frames(case):
        told = structures(case, frame)
        if case.calls_out:  # given to a library by what a variable holds
            told += [Whole(name, *each) for name, each in known(case, frame).items()
                     if "{" in each[0] and name.isidentifier()]  # fmt: skip
        found = {
            path: say("value", whole.cites, expression=path, value=value)
            for whole in told
            for path, value in fields_of(frame, whole)
            if failed(case, value) in wanted
        }
        if found:
            said = [claim for path, claim in found.items() if re.split(r"\W", path)[0] in words]
            return said if len(said) == 1 else [*found.values()] if len(found) == 1 else []
    return []


def failed(case: Case, value: str) -> int | None:
    """What a field holds that may have failed: a pointer; a number that is as large where no
    library was given it; 0 where it was the divisor."""
    number = scalar(value)
    pointer = POINTS.match(value) is not None or _NULL.match(value) is not None
    divides = case.fault is not None and case.fault.divisor is not None
    return number if pointer or divides or (number and not case.calls_out) else None


def table(case: Case, frame: Frame, to: list[Claim], word: int | None) -> list[Claim]:
    """The table of virtual functions, by gdb's name, of the object that one of the pointers leads
    to and that begins with a word."""
    names = {f"*{claim.get('expression')}" for claim in to}
    return [
        say("value", one.cites, expression=path, value=value)
        for one in structures(case, frame) if one.said in names
        for path, value in fields_of(frame, one)
        if "->_vptr." in path and scalar(value) == word
    ][:1]  # fmt: skip


def stored(case: Case, frame: Frame, text: str) -> str:
    """An expression as gdb can print it, which calls no function: the elements of the library's
    arrays and what its pointers point to by the pointer that they hold."""
    for path in members(case, frame):
        text = text.replace(f"{_read_as(path)}[", f"{path}[")
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
    iterator), behind the way to it; else the value itself, of a reference what it refers to; null
    as gdb writes it."""
    value = referred_to(value)
    found = [each for each in leaves(value) if "._vptr." not in each[0]]
    way, pointer = next((e for e in found if POINTS.match(e[1]) or _NULL.match(e[1])), ("", ""))
    wraps = len(found) == 1 or RESERVED_WAY.fullmatch(way)
    way = way.removesuffix(_LLDBS)
    way, value = (way, pointer) if pointer and wraps else ("", value)
    return way, "0x0" if _NULL.match(value) else value


def reached(text: str, way: str, cites: tuple[Citation, ...]) -> Arg | None:
    """An expression with the way to the pointer in it, which goes untold inside of what stands for
    that pointer alone: null elements of a container are no null container."""
    return shown_as(f"{text}{way}", cites, text if STANDS_FOR.fullmatch(way) else "")


def known(case: Case, frame: Frame) -> dict[str, tuple[str, tuple[Citation, ...]]]:
    """What was told of a frame's arguments, variables and other expressions, with the lines."""
    found = {name: (value, case.cite(frame)) for name, value in arguments_of(frame.args)
             if value != "..."}  # fmt: skip
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
        path: (value, one.cites)
        for one in structures(case, frame)
        for path, value in fields_of(frame, one)
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
        or (operand and 0 <= operand - at < REACH and re.search(rf"\b{name}\b", line))
    ]  # fmt: skip
    return found if len(found) == 1 else []


def led(case: Case, frame: Frame) -> dict[str, int]:
    """Where a frame's references lead, by their names."""
    return {name: address for name, address, _ in _led(case, frame)}


def _led(case: Case, frame: Frame) -> Iterator[tuple[str, int, Claim]]:
    names = {f"&{name}": name for name in references(case, frame)}
    for one in case.facts.all(Printed):
        address = scalar(one.value) if one.frame == frame.index else None
        if address is not None and one.expression in names:
            claim = say("value", (one.cite,), expression=one.expression, value=one.value)
            yield names.pop(one.expression), address, claim
    for name in names.values():
        value, cites = known(case, frame)[name]
        if (leads := _LEADS.match(value)) is not None:
            shown = shown_as(value, cites, leads[1])
            yield name, int(leads[1], 16), say("value", cites, expression=name, value=shown)


def references(case: Case, frame: Frame) -> list[str]:
    """The names of a frame's references, by their types, or by how gdb prints them."""
    types = {one.expression: one.type for one in case.facts.all(Typed) if one.frame == frame.index}
    own = (one for one in _variables(case, frame) if _NAME.fullmatch(one[0]))
    found = {
        name: None
        for name, value in own
        if not _OWN.search(name)
        and (types[name].endswith("&") if name in types else _REFERENCE.match(value))
    }
    return list(found)[:_POINTERS]


def structures(case: Case, frame: Frame) -> list[Whole]:
    """What the frame's pointers and references lead to, as it was printed."""
    refers = references(case, frame)
    return [
        Whole(said, value, cites)
        for said, (value, cites) in known(case, frame).items()
        if "{" in value and (said[0] == "*" or said[-1] == "]" or said in refers)
    ]


def fields_of(frame: Frame, whole: Whole) -> Iterator[tuple[str, str]]:
    """The members of what was printed, as the source of its frame writes them."""
    said, arrow = whole.said, "." if (frame.file or "").endswith(".rs") else "->"
    for way, value in leaves(whole.value):
        reached = (said[0], way[0]) == ("*", ".")
        yield f"{said[1:]}{arrow}{way[1:]}" if reached else f"{said}{way}", value


def _variables(case: Case, frame: Frame) -> Iterator[tuple[str, str]]:
    """Arguments as the stack shows them, and the locals that were listed for this frame."""
    yield from arguments_of(frame.args)
    for listed in case.facts.all(Locals):
        if listed.frame == frame.index:
            yield from ((one.name, one.value) for one in listed.variables)


def _pointers(case: Case, variables: Iterable[tuple[str, str]], *, way: bool = False) -> list[str]:
    """Names of those that point somewhere: first those that lead to what a cell lies in by way of
    which the bad word was loaded, the nearest first, then those that were first met, but for the
    library's own; with ``way`` the first alone."""
    spans = []
    for cell in _loads(case):
        chunk = case.chunk(cell)
        spans.append((cell, chunk.offset if chunk is not None and chunk.offset >= 0 else REACH))
    found = {
        name: min((cell - at for cell, far in spans if 0 <= cell - at <= far), default=None)
        for name, value in variables
        if (match := _POINTER.match(value)) is not None
        and (at := int(match["at"], 16)) >= _DISTINCT
    }
    led = {name: far for name, far in found.items() if far is not None}
    rest = [name for name in found if name not in led and not _OWN.search(name) and not way]
    return [*sorted(led, key=lambda name: led[name]), *rest][:_POINTERS]
