"""The operand by type and offset, where optimised code keeps the variable nowhere.

The faulting instruction reads so many bytes at so many bytes from its base: of the pointers in the
line of source, one may lead to a member of that offset and size, by debug information.
"""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns import commands
from analyzers.patterns.case import WORD, Case
from workbench.claims.expressions import (
    BRACKETS,
    displacement,
    elsewhere,
    given_on,
    laid,
    pointer_type,
    told,
    unknown,
)
from workbench.claims.printed import arguments_of
from workbench.claims.say import at, say
from workbench.claims.values import scalar
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import Fault, Frame, Layout, Locals, Printed, SourceLine, Typed

_ROOT = re.compile(r"(?P<name>[A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*)(?P<call>\([^()\"']{0,100}\))"
                   r"|(?P<plain>[A-Za-z_]\w*)")  # fmt: skip
_STEP = re.compile(rf"(?P<index>{BRACKETS})?(?P<way>->|\.)(?P<name>[A-Za-z_]\w*)(?!\w*\()")
_AT_ONCE = re.compile(r"(?:^|[=(,;{}!&|?:+\-/%<>~^]|\breturn)\s*\*|(?:->|\.)\w+\[")
"""What reads at a pointer itself, as a member at its beginning does."""
_POINTED = re.compile(r"\(\*([A-Za-z_]\w*(?:(?:->|\.)[A-Za-z_]\w*)*)\)\.")
_STORED = re.compile(r"\s*=(?!=)")
_CHANGED = re.compile(r"\s*(?:(?:[-+*/%&|^]|<<|>>)=|\+\+|--|\[)")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SCALED = re.compile(r"\*|lsl|xt[bhwx]")
"""How an address takes its index times the size of an element (x86-64; A64, shifts, extends)."""
_BELOW = re.compile(r"[%&]\s*(\d{1,9}|0x[0-9a-f]{1,8})\s*\)?(?:\s+as\s+\w+)?\)?$")
"""An expression that ends in a remainder, or a mask."""
_MOST = 6


class Way(NamedTuple):
    """A pointer of the line: from its ``root`` over ``rest`` (an index is ``[]``) to the ``member``
    that is read or written through it, of an element where ``indexed``; ``does`` is what the line
    does with it, or may do, ``text`` how it is written there."""

    root: str
    called: bool
    rest: str
    member: str
    indexed: bool = False
    does: tuple[str, ...] = ("read",)
    text: str = ""

    @property
    def spelled(self) -> str:
        """The pointer: ``p->rec``, ``found()``."""
        return f"{self.root}{'()' if self.called else ''}{self.rest}"

    def within(self, frame: Frame) -> str:
        """The same in the language of a frame: ``(*p).rec``."""
        text = self.spelled
        while _is_rust(frame) and "->" in text:
            text = "(*{0}).{2}".format(*text.partition("->"))
        return text


@lru_cache(256)
def ways(line: str) -> tuple[Way, ...]:
    """The pointers of a line of source that members are reached through."""
    found: dict[Way, tuple[str, ...]] = {}
    place = 0
    line = _with_arrows(line)
    while (root := _ROOT.search(line, place)) is not None:
        name, rest, end = root["name"] or root["plain"], "", root.end()
        last: Way | None = None
        while (step := _STEP.match(line, end)) is not None:
            if step["index"] or step["way"] == "->":
                if last is not None:
                    found[last] = (*found.get(last, ()), "read")
                element = "[]" if step["index"] and step["way"] == "->" else ""
                indexed = bool(step["index"]) and not element
                text = line[root.start() : step.start("way") if element else end]
                last = Way(name, bool(root["call"]), rest + element, step["name"], indexed,
                           text=text)  # fmt: skip
            rest += ("[]" if step["index"] else "") + step["way"] + step["name"]
            end = step.end()
        if last is not None:
            found[last] = (*found.get(last, ()), *_does(line[: root.start()], line[end:]))
        place = end if rest or root["call"] is None else root.end("name")
    return tuple(way._replace(does=does) for way, does in found.items())[:_MOST]


def _with_arrows(line: str) -> str:
    """The line with ``p->x`` for ``(*p).x``."""
    while line != (line := _POINTED.sub(r"\1->", line)):
        pass
    return line


def _does(before: str, behind: str) -> tuple[str, ...]:
    """What a line does with the member that ends a chain; what its address is given to may write
    it."""
    if _STORED.match(behind):
        return ("write",)
    both = _CHANGED.match(behind) or before.rstrip().endswith(("&", "++", "--"))
    return ("read", "write") if both else ("read",)


def look(case: Case, line: SourceLine | None) -> tuple[Command, ...]:
    """Asks for the types of the line's variables and functions, then for what lies where in the
    structures that their pointers lead to."""
    frame = case.frame
    if line is None or frame is None or not _may_tell(case, frame):
        return ()
    types = {one.expression: one.type for one in case.facts.all(Typed) if one.frame == frame.index}
    asked: dict[str, None] = {}
    given = _given(told(case.facts, frame), line.text, case.fault)
    for way in (*ways(line.text), *given):
        pointer = pointer_type(types.get(way.root, ""))
        if _is_rust(frame):  # which has another way to write a null of a type
            asked[f"ptype /o *{way.within(frame)}"] = None
        elif way.root not in types:
            asked[f"whatis {way.root}"] = None
        elif pointer is not None:
            asked[f"ptype /o *(({pointer}) 0){way.rest.replace('[]', '[0]')}"] = None
    level = f"frame apply level {frame.index} -q"
    why = "what lies where in what the operand points to"
    return tuple(Command(f"{level} {text}", why) for text in list(asked)[:_MOST])


def named(case: Case, line: SourceLine | None) -> list[Claim]:
    """The one pointer of the line that leads to a member which lies where the fault's access is."""
    frame, fault = case.frame, case.fault
    if line is None or frame is None or fault is None or not _may_tell(case, frame):
        return []
    if not displacement(fault) and _AT_ONCE.search(_with_arrows(line.text)):
        return []
    if not _is_rust(frame) and unknown(line.text, told(case.facts, frame)):
        return []  # a macro may reach through anything
    values = told(case.facts, frame)
    led = (*ways(line.text), *_given(values, line.text, fault))
    found = [
        (expression, way.text, layout, one)
        for layout in case.facts.all(Layout)
        if layout.frame == frame.index
        for expression in laid(case.facts, layout)
        for one in layout.fields
        for way in led
        if (way.within(frame), fault.operand_size) == (expression, one.size)
        and way.member in (one.name, "")
        and fault.access in way.does
        and not elsewhere(frame, values, expression, fault.base_value or 0)
        and one.lies_at(displacement(fault), layout.size if way.indexed else 0)
    ]
    own = dict(arguments_of(frame.args)) if _came(fault) else {}  # which no call has returned
    found = [each for each in found if each[0] not in own]
    if len(found) > 1:  # a value is told a step late at most
        found = [each for each in found
                 if scalar(values.get(each[0], "")) in (None, fault.base_value)]  # fmt: skip
    if len(found) != 1:
        return []
    expression, text, layout, one = found[0]
    cites = (fault.cite, Citation(layout.cite.evidence, one.line, one.line))
    return [
        say("operand", cites, expression=at(expression, (line.cite,), text), member=one.name,
            register=fault.base_register, value=fault.base_value,
            offset=displacement(fault))
    ]  # fmt: skip


def _given(values: Mapping[str, str], line: str, fault: Fault | None) -> Iterator[Way]:
    for name in given_on(line, values, fault.base_value) if fault is not None else ():
        yield Way(name, called=False, rest="", member="", text=name)


def look_held(case: Case, claim: Claim) -> tuple[Command, ...]:
    """Asks of what a register is said to hold for its type and its size."""
    name, frame = str(claim.get("expression")), case.frame
    if frame is None or claim.get("register") is None or _is_rust(frame):
        return ()
    asked = commands.value(frame, f"sizeof({name})", "whether a register can hold it")
    return (Command(f"frame apply level {frame.index} -q whatis {name}", "its type"), *asked)


def may_hold(case: Case, line: SourceLine, text: str, how: str, value: int | None) -> bool:
    """Whether the register of the access may hold what the line leaves over: as an index, no bytes
    and no more than the expression can be; as a pointer, nothing larger than one, and one from
    which the line's members lie as far as the access does."""
    frame, fault = case.frame, case.fault
    if frame is None or fault is None:
        return False
    if how == "index":
        below = _BELOW.search(text)
        far = min(value or 0, (1 << 64) - (value or 0))
        if below is not None and far > int(below[1], 0):
            return False
        return (fault.operand_size or 0) == 1 or bool(_SCALED.search(fault.instruction or "*"))
    if how != "through":
        return True
    if _came(fault) and text in dict(arguments_of(frame.args)):
        return False  # no call has returned what the function was given
    own = dict(arguments_of(frame.args)).keys() | {
        one.name for each in case.facts.all(Locals) if each.frame == frame.index
        for one in each.variables
    }  # fmt: skip
    if text == "this" and "this" not in line.text and own.issuperset(_NAME.findall(line.text)):
        return False  # none of its names is a member's
    types = {one.expression: one.type for one in case.facts.all(Typed) if one.frame == frame.index}
    sizes = {one.expression: scalar(one.value) for one in case.facts.all(Printed)
             if one.frame == frame.index}  # fmt: skip
    large = (sizes.get(f"sizeof({text})") or 0) > WORD
    if large and not types.get(text, "&").endswith(("&", "]")):
        return False
    if types.get(text, "").endswith("]"):  # which lies where what it is reached through leads
        return False
    through = {way.member for way in ways(line.text) if way.within(frame) == text}
    fields = [
        (layout, one)
        for layout in case.facts.all(Layout)
        if layout.frame == frame.index and text in laid(case.facts, layout)
        for one in layout.fields if one.name in through
    ]  # fmt: skip
    at = displacement(fault)
    own_line = case.top is not None and case.top.index == frame.index
    return not (
        own_line and at is not None and through <= {one.name for _, one in fields} and fields
    ) or any(one.lies_at(at, layout.size) for layout, one in fields)


def _came(fault: Fault) -> str:
    """The function that returned the base register's value straight to where it was used."""
    return bare(fault.origin_call or "").rsplit("::", 1)[-1] if not fault.origin else ""


def _is_rust(frame: Frame) -> bool:
    return (frame.file or "").endswith(".rs")


def _may_tell(case: Case, frame: Frame) -> bool:
    """True where the instruction is of the frame's own line, and its operand one base and a
    number."""
    fault = case.fault
    own = case.top is not None and case.top.index == frame.index
    return (
        own
        and fault is not None
        and fault.access in ("read", "write")
        and displacement(fault) is not None
    )
