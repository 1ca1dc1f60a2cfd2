"""lldb's ``frame variable``."""

import re

from analyzers.base import Analysis, Document, Unsettled
from analyzers.lldb.text import MAX_ITEMS, bare_command, is_of, lines_of, selected
from workbench.model.facts import Locals, Printed, Variable

_COMMAND = re.compile(r"^(?:fr\w* v\w*|v|var)(?:\s|$)")
# "(TYPE) NAME = VALUE"; a type may hold brackets of its own, as a function's does.
_ROW = re.compile(
    r"^\((?P<type>[^=]{1,2000}?)\) (?P<name>[A-Za-z_$][\w$.:]{0,200}) = (?P<value>.+)$"
)
_ASKED = re.compile(r"^fr\w* v\w* (?P<expression>[A-Za-z_][\w.\[\]>-]{0,200})$")
_MAX_VALUE = 1024


class LldbVariables(Unsettled):
    """Reads named values into one `Locals`."""

    name = "lldb-variables"

    def can_analyze(self, document: Document) -> bool:
        """True for ``frame variable``."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """The frame's variables, of one over several lines the first; or the expression that was
        asked for."""
        asked = _ASKED.match(bare_command(document.command))
        if asked is not None:
            return _printed(document, asked["expression"])
        found = read_variables(document)
        if found is None:
            return Analysis("No variables")
        count = len(found.variables)
        return Analysis(f"{count} variable" + ("" if count == 1 else "s"), (found,))


def _printed(document: Document, expression: str) -> Analysis:
    _, frame = selected(document.command)
    for number, line in lines_of(document):
        typed, found, value = line.partition(f") {expression} = ")
        if found and typed.startswith("("):
            fact = Printed(cite=document.cite(number), frame=frame or 0, expression=expression,
                           value=value[:_MAX_VALUE])  # fmt: skip
            return Analysis(f"{expression} = {value[:80]}", (fact,))
    return Analysis("no value was printed")


def read_variables(document: Document) -> Locals | None:
    """The rows that begin a variable; None where there are none."""
    rows: list[Variable] = []
    for number, line in lines_of(document):
        row = _ROW.match(line)
        if row and len(rows) < MAX_ITEMS:
            rows.append(Variable(name=row["name"], value=row["value"][:_MAX_VALUE], line=number))
    if not rows:
        return None
    cite = document.cite(rows[0].line, rows[-1].line)
    return Locals(cite=cite, function=None, variables=tuple(rows))
