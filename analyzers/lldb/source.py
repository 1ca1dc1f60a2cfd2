"""Lines of source text with their numbers: ``source list`` and what selecting a frame shows."""

import re

from analyzers.base import Analysis, Document, Unsettled
from analyzers.lldb.frames import is_frame, parse_frame
from analyzers.lldb.text import is_of, lines_of
from workbench.model.facts import SourceLine
from workbench.model.listing import listed_line, named_file

_COMMAND = re.compile(
    r"^(?:sou?\w* l\w*|l|list|_regexp-list|fr\w* (?:s\w*|i\w*)|f|up|down|(?:th\w*|t) se\w*)(?:\s|$)"
)
_MAX_LINES = 200
_MAX_TEXT = 400


class LldbSource(Unsettled):
    """Reads listed source into one `SourceLine` a line."""

    name = "lldb-source"

    def can_analyze(self, document: Document) -> bool:
        """True for ``source list`` and for the commands that show one frame."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """The file is known where a line above names it."""
        facts = read_source(document)
        plural = "" if len(facts) == 1 else "s"
        said = f"{len(facts)} source line{plural}" if facts else "No source text"
        return Analysis(said, tuple(facts))


def read_source(document: Document) -> list[SourceLine]:
    """Every listed line, at most some hundreds."""
    file: str | None = None
    facts: list[SourceLine] = []
    for number, line in lines_of(document):
        row = listed_line(line)
        if row is None:
            file = _named(line) or file
        elif len(facts) < _MAX_LINES:
            text = row[1][:_MAX_TEXT]
            facts.append(SourceLine(cite=document.cite(number), file=file, line=row[0], text=text))
    return facts


def _named(line: str) -> str | None:
    """The source file that a line above a listing names."""
    if is_frame(line):
        frame = parse_frame(line)
        return frame.file if frame else None
    return named_file(line)
