"""lldb's ``frame variable``."""

import re

from analyzers.base import Analysis, Document, Reader, moderate
from analyzers.lldb.text import MAX_ITEMS, answers, bare_command, selected
from workbench.model.facts import Locals, Printed, Variable
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:fr\w* v\w*|v|var)(?:\s|$)")
# "(TYPE) NAME = VALUE"; a type may hold brackets of its own, as a function's does.
_ROW = re.compile(
    r"^\((?P<type>[^=]{1,2000}?)\) (?P<name>[A-Za-z_$][\w$.:]{0,200}) = (?P<value>.+)$"
)
_ASKED = re.compile(r"^fr\w* v\w* (?P<expression>&?[A-Za-z_][\w.\[\]>-]{0,200})$")
_MAX_VALUE = 1024


def read(document: Document) -> Analysis:
    """One `Locals` of the frame, of a variable over several lines the first; or the `Printed`
    expression that was asked for."""
    asked = _ASKED.match(bare_command(document.command))
    if asked is not None:
        return _printed(document, asked["expression"])
    rows = [
        Variable(name=row["name"], value=row["value"][:_MAX_VALUE], line=number)
        for number, line in document.lines()
        if (row := _ROW.match(line))
    ][:MAX_ITEMS]
    if not rows:
        return Analysis("No variables")
    fact = Locals(cite=document.span(rows), function=None, variables=tuple(rows))
    return Analysis(counted(len(rows), "variable"), (fact,))


def _printed(document: Document, expression: str) -> Analysis:
    _, frame = selected(document.command)
    for number, line in document.lines():
        typed, found, value = line.partition(f") {expression} = ")
        if found and typed.startswith("("):
            fact = Printed(cite=document.cite(number), frame=frame or 0, expression=expression,
                           value=value[:_MAX_VALUE])  # fmt: skip
            return Analysis(f"{expression} = {value[:80]}", (fact,))
    return Analysis("no value was printed")


READER = Reader(read, answers(_COMMAND), moderate)
