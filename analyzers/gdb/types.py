"""gdb's ``whatis`` of an expression, and ``ptype /o`` of what one points to: offsets and sizes."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Reader, answers, moderate
from workbench.model.facts import Layout, LayoutField, Typed
from workbench.model.gdb_commands import bare_command, runs_in_several, selected_level
from workbench.model.text import counted, cut

_ASKED = re.compile(r"^(?P<how>whatis|ptype /o) (?P<expression>\S.{0,300})$")
_TYPE = re.compile(r"^(?:/\* offset +\| +size \*/ +)?type = (?P<type>.{1,300}?)(?: \{)?$")
# Rust's members have their names in front; behind those of other languages there may be more.
_PLACE = r"^/\* *(?P<offset>\d{1,9}) +\| +(?P<size>\d{1,9}) \*/ {4,}"
_FIELD = re.compile(
    _PLACE + r"(?:(?P<first>[A-Za-z_]\w*): \S.*,|"
    r"[^\s}].*?(?P<name>[A-Za-z_]\w*)(?:\[[\d\]\[]+)?(?:\)\(.*\))?;)$"
)
_OPENS = re.compile(r"^/\*(?: *(?P<offset>\d{1,9}) +\|)? +(?P<size>\d{1,9}) \*/ {4,}\S.*\{$")
"""What begins a nested structure; one in a union has no offset of its own."""
_ARRAY = re.compile(r" *\} \[")
"""What ends an array, behind the members of an element."""
_CLOSES = re.compile(r"^ +\} ?(?P<name>[A-Za-z_]\w*)?(?P<several>\[[\d\]\[]+)?;$")
_TOTAL = re.compile(r"/\* total size \(bytes\): +(\d{1,9}) \*/")
_MOST = 500


def read(document: Document) -> Analysis:
    """The type of an expression, or the members of the structure that is asked for."""
    asked = _ASKED.match(bare_command(document.command))
    lines = list(document.lines())
    shown = next((match for _, line in lines if (match := _TYPE.match(line))), None)
    if asked is None or shown is None:
        return Analysis("no type was printed")
    if runs_in_several(document.command):
        return Analysis("types of several frames or threads")
    first = next(number for number, line in lines if _TYPE.match(line))
    level, expression = selected_level(document.command) or 0, asked["expression"]
    if asked["how"] == "whatis":
        fact = Typed(
            cite=document.cite(first), frame=level, expression=expression, type=shown["type"]
        )
        return Analysis(f"{expression} is of type {cut(shown['type'])}", (fact,))
    fields = tuple(_fields(lines))[:_MOST]
    totals = [(n, int(match[1])) for n, line in lines if (match := _TOTAL.search(line))]
    if not fields or not totals or any(_ARRAY.match(line) for _, line in lines):
        return Analysis("no structure")
    last, size = totals[-1]
    layout = Layout(
        cite=document.cite(first, last),
        frame=level,
        expression=expression,
        type=shown["type"],
        size=size,
        fields=fields,
    )
    return Analysis(f"{cut(shown['type'])} has {counted(len(fields), 'member')}", (layout,))


def _fields(lines: list[tuple[int, str]]) -> list[LayoutField]:
    """The members, those of nested structures in front of what holds them: ``in.lock``, ``in``."""
    found: list[LayoutField] = []
    opened: list[tuple[LayoutField, int]] = []
    for number, line in lines:
        if (match := _FIELD.match(line)) is not None:
            name, at, size = match["first"] or match["name"], match["offset"], match["size"]
            found.append(LayoutField(name=name, offset=int(at), size=int(size), line=number))
        elif (match := _OPENS.match(line)) is not None:
            begin = int(match["offset"] or (opened[-1][0].offset if opened else 0))
            outer = LayoutField(name="", offset=begin, size=int(match["size"]), line=number)
            opened.append((outer, len(found)))
        elif (match := _CLOSES.match(line)) is not None and opened:
            outer, first = opened.pop()
            name, inner = match["name"], found[first:]
            if name is not None:  # else its members are the outer one's
                inner = [] if match["several"] else inner
                inner = [replace(one, name=f"{name}.{one.name}") for one in inner]
                found[first:] = [*inner, replace(outer, name=name)]
    return found


READER = Reader(read, answers("gdb", _ASKED), moderate)
