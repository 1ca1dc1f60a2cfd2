"""gdb's ``info registers`` of one frame or of several."""

import re

from analyzers.base import MAX_ITEMS, Analysis, Document, Reader, answers, hexadecimal
from workbench.model.facts import Register, Registers
from workbench.model.gdb_commands import selected_level
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:info|inf|i) (?:registers|r|reg\w*|all-registers)\b")
_ROW = re.compile(r"^(?P<name>[A-Za-z][\w.]{0,15})\s+0x(?P<value>[0-9a-fA-F]{1,32})(?:\s|$)")
_FRAME = re.compile(r"^#(\d{1,9})\s")
_THREAD = re.compile(r"^Thread [\d.]{1,12} \((?:.*?\b(?:LWP|process) (\d{1,10})\b)?")
_EACH = re.compile(r"^\s*thread\s+apply\b")


def read(document: Document) -> Analysis:
    """One `Registers` a frame. ``thread`` is 0 where the output does not name one: the selected
    thread. Rows under a header that names none, or without one where every thread has one, are
    nobody's."""
    found: list[Registers] = []
    rows: dict[str, Register] = {}
    named = _EACH.match(document.command[:200]) is not None
    thread, frame = None if named else 0, selected_level(document.command) or 0

    def close() -> None:
        if rows and thread is not None:
            values = tuple(rows.values())
            cite = document.span(values)
            found.append(Registers(cite=cite, thread=thread, frame=frame, values=values))
        rows.clear()

    total = 0
    for number, line in document.lines():
        header, level = _THREAD.match(line), _FRAME.match(line)
        if header or level:
            close()
            if header is not None:
                thread = int(header[1]) if header[1] else None
            frame = int(level[1]) if level else frame
            continue
        row = _ROW.match(line)
        if row and row["name"] in rows:  # another thread's or frame's, whose header is lost
            close()
            thread = None
        if row and total < MAX_ITEMS:
            rows[row["name"]] = Register(row["name"], hexadecimal(row["value"]), number)
            total += 1
    close()
    if not found:
        return Analysis("No registers")
    which = "frame " + ", ".join(str(fact.frame) for fact in found[:8])
    return Analysis(f"{counted(total, 'register')} of {which}", tuple(found))


READER = Reader(read, answers("gdb", _COMMAND))
