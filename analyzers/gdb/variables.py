"""gdb's ``info locals``, ``info args`` and ``bt full``."""

import re

from analyzers.base import MAX_ITEMS, Analysis, Document, Reader, answers, moderate
from analyzers.gdb.frames import parse_frame
from workbench.claims.values import HOLDS
from workbench.model.facts import AnyFact, Locals, Printed, Variable
from workbench.model.gdb_commands import (
    bare_command,
    runs_in_several,
    selected_level,
    without_error,
)
from workbench.model.text import counted, cut

_COMMAND = re.compile(r"^(?:(?:info|inf|i) (?:locals|args|lo\w*|ar\w*)\b)")
_CAST = r"\([\w ]{1,40}\)"
_REST = rf"(?:[\w.\[\]+*/> -]|::|{_CAST}){{0,200}}"
_PRINT = re.compile(rf"^(?:print|p) (?P<expression>(?:[*&]|{_CAST})?[A-Za-z_]{_REST})$")
_VALUE = re.compile(r"^\$\d{1,9} = (?P<value>.+)$")
_ROW = re.compile(r"^\s{0,16}(?P<name>[A-Za-z_$][\w$#@:<>, ]{0,200}?) = (?P<value>.+)$")
# Newer ones say where a variable of several of its name is declared (print_variable_and_value).
_DECLARED = re.compile(r"\t<[^<>\t]{1,400}>$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'')
_MAX_VALUE = 1024


def read_variables(document: Document) -> list[AnyFact]:
    """One `Locals` per frame that has any; ``function`` from a frame line above, where printed."""
    found: list[AnyFact] = []
    rows: list[Variable] = []
    function: str | None = None
    level = selected_level(document.command)

    def close() -> None:
        if rows:
            variables = tuple(rows)
            found.append(
                Locals(
                    cite=document.span(rows), function=function, variables=variables, frame=level
                )
            )
            rows.clear()

    total = 0
    depth = 0  # braces that are open: a value of several lines
    for number, line in document.lines():
        if line.startswith(("#", "Thread ")):
            depth = 0
            close()
            frame = parse_frame(line, number)
            function = frame.function if frame else None
            continue
        row = _ROW.match(line) if not depth else None
        if depth or row is not None:
            bare = _QUOTED.sub("", line)
            depth = max(0, depth + bare.count("{") - bare.count("}"))
        if row is not None and total < MAX_ITEMS:
            value = without_error(_DECLARED.sub("", row["value"]))
            rows.append(Variable(name=row["name"], value=value[:_MAX_VALUE], line=number))
            total += 1
    close()
    return found


def read(document: Document) -> Analysis:
    """One `Locals` per frame, or one `Printed`."""
    printed = _PRINT.match(bare_command(document.command))
    if printed is not None:
        return _printed(document, HOLDS.sub("", printed["expression"]))
    facts = read_variables(document)
    count = sum(len(fact.variables) for fact in facts if isinstance(fact, Locals))
    return Analysis(counted(count, "variable") if count else "No variables", tuple(facts))


def _printed(document: Document, expression: str) -> Analysis:
    if runs_in_several(document.command):
        return Analysis("values of several frames or threads")
    level = selected_level(document.command) or 0
    for number, line in document.lines():
        found = _VALUE.match(line)
        if found is not None:
            value = without_error(found["value"])[:_MAX_VALUE]
            fact = Printed(
                cite=document.cite(number), frame=level, expression=expression, value=value
            )
            return Analysis(f"{expression} = {cut(value)}", (fact,))
    return Analysis("no value was printed")


READER = Reader(read, answers("gdb", _COMMAND, _PRINT), moderate)
