"""Lines of source text with their numbers: gdb's ``list`` and what ``frame`` shows."""

import re

from analyzers.base import Analysis, Document, Unsettled
from analyzers.gdb.frames import parse_frame
from analyzers.gdb.text import lines_of
from workbench.model.facts import AnyFact, SourceLine
from workbench.model.gdb_commands import bare_command, listed_file
from workbench.model.listing import listed_line, named_file

_COMMAND = re.compile(r"^(?:list|lis|li|l|frame|f|up|down|select-frame)(?:\s|$)")
_MAX_LINES = 200
_MAX_TEXT = 400


class GdbSource(Unsettled):
    """Reads listed source into one `SourceLine` a line."""

    name = "gdb-source"

    def can_analyze(self, document: Document) -> bool:
        """True for ``list`` and for the commands that show one frame."""
        return document.host == "gdb" and bool(_COMMAND.match(bare_command(document.command)))

    def analyze(self, document: Document) -> Analysis:
        """The file is known where the command or a frame's line names it."""
        file = listed_file(document.command)
        facts: list[AnyFact] = []
        for number, line in lines_of(document):
            frame = parse_frame(line) if line.startswith("#") else None
            if frame is not None:
                file = frame.file
            row = listed_line(line)
            if row is None:
                file = named_file(line) or file
            elif len(facts) < _MAX_LINES:
                text = row[1][:_MAX_TEXT]
                facts.append(
                    SourceLine(cite=document.cite(number), file=file, line=row[0], text=text)
                )
        plural = "" if len(facts) == 1 else "s"
        summary = f"{len(facts)} source line{plural}" if facts else "No source text"
        return Analysis(summary, tuple(facts))
