"""gdb's ``whatis`` of an expression, and ``ptype /o`` of what one points to: offsets and sizes."""

import re

from analyzers.base import Analysis, Document, Reader, moderate
from analyzers.gdb.text import answers
from workbench.model.facts import Layout, LayoutField, Typed
from workbench.model.gdb_commands import bare_command, selected_level
from workbench.model.text import counted

_ASKED = re.compile(r"^(?P<how>whatis|ptype /o) (?P<expression>\S.{0,300})$")
_TYPE = re.compile(r"^(?:/\* offset +\| +size \*/ +)?type = (?P<type>.{1,300}?)(?: \{)?$")
# A member of the structure itself: four blanks; those of a nested one stand farther in. Rust's has
# its name in front.
_FIELD = re.compile(
    r"^/\* *(?P<offset>\d{1,9}) +\| +(?P<size>\d{1,9}) \*/ {4}(?:(?P<first>[A-Za-z_]\w*): \S.*,|"
    r"\S.*?(?P<name>[A-Za-z_]\w*)(?:\[[\d\]\[]+)?(?:\)\(.*\))?;)$"
)
_TOTAL = re.compile(r"/\* total size \(bytes\): +(\d{1,9}) \*/")
_MOST = 500


def read(document: Document) -> Analysis:
    """The type of an expression, or the members of the structure that is asked for."""
    asked = _ASKED.match(bare_command(document.command))
    lines = list(document.lines())
    shown = next((match for _, line in lines if (match := _TYPE.match(line))), None)
    if asked is None or shown is None:
        return Analysis("no type was printed")
    first = next(number for number, line in lines if _TYPE.match(line))
    level, expression = selected_level(document.command) or 0, asked["expression"]
    if asked["how"] == "whatis":
        fact = Typed(cite=document.cite(first), frame=level, expression=expression,
                     type=shown["type"])  # fmt: skip
        return Analysis(f"{expression} is of type {shown['type'][:80]}", (fact,))
    fields = tuple(
        LayoutField(
            name=match["first"] or match["name"],
            offset=int(match["offset"]),
            size=int(match["size"]),
            line=number,
        )
        for number, line in lines
        if (match := _FIELD.match(line)) is not None
    )[:_MOST]
    totals = [(n, int(match[1])) for n, line in lines if (match := _TOTAL.search(line))]
    if not fields or not totals:
        return Analysis("no structure")
    last, size = totals[-1]
    layout = Layout(cite=document.cite(first, last), frame=level, expression=expression,
                    type=shown["type"], size=size, fields=fields)  # fmt: skip
    return Analysis(f"{shown['type'][:80]} has {counted(len(fields), 'member')}", (layout,))


READER = Reader(read, answers(_ASKED), moderate)
