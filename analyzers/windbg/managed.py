"""CLR exceptions as a native debugger announces them; what SOS prints has readers of its own."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import Line
from workbench.model.facts import ManagedException

_TYPE = re.compile(r"^\s*CLR exception type: (?P<type>[\w.+`<>\[\],]{3,300})\s*$")
_QUOTED = re.compile(r'^\s+"(?P<message>.{0,1000})"\s*$')
_SECOND = "second chance"
_MOST = 200


def read_managed(document: Document, lines: Sequence[Line]) -> list[ManagedException]:
    """Managed exceptions, each with its type and, where it stands there, message and stack. One
    that came as a second chance is uncaught."""
    found: list[ManagedException] = []
    second = False
    event = 0
    for at, line in enumerate(lines):
        if " - code e0434352 " in line.text or " - code e0434f4d " in line.text:
            second, event = _SECOND in line.text, line.number
        kind = _TYPE.match(line.text)
        if kind is not None:
            quoted = _QUOTED.match(lines[at + 1].text) if at + 1 < len(lines) else None
            found.append(
                ManagedException(
                    cite=document.cite(event or line.number, line.number + (quoted is not None)),
                    type=kind["type"],
                    message=quoted["message"] if quoted else None,
                    uncaught=True if second else None,
                )
            )
            if len(found) >= _MOST:
                break
    return found
