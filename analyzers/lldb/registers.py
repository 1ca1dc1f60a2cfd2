"""lldb's ``register read``."""

import re

from analyzers.base import Analysis, Document, Reader
from analyzers.lldb.text import MAX_ITEMS, answers, selected
from workbench.model.facts import Register, Registers
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:re|reg\w*) r\w*(?:\s|$)")
_ROW = re.compile(r"^ {1,16}(?P<name>[A-Za-z][\w.]{0,15}) = 0x(?P<value>[0-9a-f]{1,32})(?:\s|$)")


def read(document: Document) -> Analysis:
    """The `Registers` of the frame that the command selects; none of another thread's. ``thread``
    is 0, the selected thread."""
    thread, frame = selected(document.command)
    rows = [
        Register(row["name"], int(row["value"], 16), number)
        for number, line in document.lines()
        if (row := _ROW.match(line))
    ][:MAX_ITEMS]
    if not rows or thread is not None:
        return Analysis("No registers")
    fact = Registers(cite=document.span(rows), thread=0, frame=frame or 0, values=tuple(rows))
    return Analysis(f"{counted(len(rows), 'register')} of frame {fact.frame}", (fact,))


READER = Reader(read, answers(_COMMAND))
