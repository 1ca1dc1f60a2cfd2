"""lldb's ``register read``."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.lldb.text import MAX_ITEMS, is_of, lines_of, selected
from workbench.model.facts import Register, Registers
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:re|reg\w*) r\w*(?:\s|$)")
_ROW = re.compile(r"^ {1,16}(?P<name>[A-Za-z][\w.]{0,15}) = 0x(?P<value>[0-9a-f]{1,32})(?:\s|$)")


class LldbRegisters(Settled):
    """Reads register rows into one `Registers`."""

    name = "lldb-registers"

    def can_analyze(self, document: Document) -> bool:
        """True for ``register read``."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """``thread`` is 0, the selected thread; the frame is the one that the command selects."""
        registers = read_registers(document)
        if registers is None:
            return Analysis("No registers")
        return Analysis(
            f"{counted(len(registers.values), 'register')} of frame {registers.frame}", (registers,)
        )


def read_registers(document: Document) -> Registers | None:
    """The rows of one frame; None where there are none, or another thread's are shown."""
    thread, frame = selected(document.command)
    rows: list[Register] = []
    for number, line in lines_of(document):
        row = _ROW.match(line)
        if row and len(rows) < MAX_ITEMS:
            rows.append(Register(row["name"], int(row["value"], 16), number))
    if not rows or thread is not None:
        return None
    cite = document.cite(rows[0].line, rows[-1].line)
    return Registers(cite=cite, thread=0, frame=frame or 0, values=tuple(rows))
