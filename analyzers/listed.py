"""Source text that a debugger listed, into one `SourceLine` a line."""

from collections.abc import Callable

from analyzers.base import Analysis, Document
from workbench.model.facts import SourceLine
from workbench.model.listing import listed_line, named_file
from workbench.model.text import counted

_MOST = 200
_LONGEST = 400


def read_source(
    document: Document, shown: Callable[[str, str | None], str | None], file: str | None = None
) -> Analysis:
    """Every listed line, at most some hundreds. ``shown`` tells the file of a frame's line; on any
    other line it gives back the file that it is given."""
    facts: list[SourceLine] = []
    for number, line in document.lines():
        row = listed_line(line)
        file = shown(line, file)
        if row is None:
            file = named_file(line) or file
        elif len(facts) < _MOST:
            text = row[1][:_LONGEST]
            facts.append(SourceLine(cite=document.cite(number), file=file, line=row[0], text=text))
    return Analysis(counted(len(facts), "source line") if facts else "No source text", tuple(facts))
