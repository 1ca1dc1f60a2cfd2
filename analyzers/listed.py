"""Source text that a debugger listed, into one `SourceLine` a line."""

import re
from collections.abc import Callable

from analyzers.base import Analysis, Document
from workbench.model.facts import SourceLine
from workbench.model.listing import listed_line, named_file
from workbench.model.text import counted

_MOST = 200
_LONGEST = 400
_AROUND = re.compile(r"^(0x[0-9a-f]{1,16}) is in .* \(.+:(\d{1,9})\)\.$")
"""gdb, above ``list *0xADDRESS``."""


def read_source(
    document: Document, shown: Callable[[str, str | None], str | None], file: str | None = None
) -> Analysis:
    """Every listed line, at most some hundreds. ``shown`` tells the file of a frame's line; on any
    other line it gives back the file that it is given."""
    facts: list[SourceLine] = []
    asked: tuple[int, int, int] | None = None
    for number, line in document.lines():
        row = listed_line(line)
        file = shown(line, file)
        if row is None:
            file = named_file(line) or file
            around = _AROUND.match(line)
            asked = (int(around[2]), int(around[1], 16), number) if around is not None else asked
        elif len(facts) < _MOST:
            text = row[1][:_LONGEST]
            told = asked is not None and asked[0] == row[0]
            _, address, first = asked if asked is not None and told else (0, None, number)
            cite = document.cite(first, number)
            facts.append(SourceLine(cite=cite, file=file, line=row[0], text=text, address=address))
    return Analysis(counted(len(facts), "source line") if facts else "No source text", tuple(facts))
