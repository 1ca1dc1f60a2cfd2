"""lldb's ``frame variable``."""

import re

from analyzers.base import Analysis, Document, Unsettled
from analyzers.lldb.text import MAX_ITEMS, is_of, lines_of
from workbench.model.facts import Locals, Variable

_COMMAND = re.compile(r"^(?:fr\w* v\w*|v|var)(?:\s|$)")
# "(TYPE) NAME = VALUE"; a type may hold brackets of its own, as a function's does.
_ROW = re.compile(
    r"^\((?P<type>[^=]{1,2000}?)\) (?P<name>[A-Za-z_$][\w$.:]{0,200}) = (?P<value>.+)$"
)
_MAX_VALUE = 1024


class LldbVariables(Unsettled):
    """Reads named values into one `Locals`."""

    name = "lldb-variables"

    def can_analyze(self, document: Document) -> bool:
        """True for ``frame variable``."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """The frame's variables; of one over several lines the first."""
        found = read_variables(document)
        if found is None:
            return Analysis("No variables")
        count = len(found.variables)
        return Analysis(f"{count} variable" + ("" if count == 1 else "s"), (found,))


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
