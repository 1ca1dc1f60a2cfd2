"""Lines of source text with their numbers: gdb's ``list`` and what ``frame`` shows."""

import re

from analyzers.base import Analysis, Document, Unsettled
from analyzers.gdb.frames import parse_frame
from analyzers.gdb.text import bare_command, lines_of, listed_file
from workbench.model.facts import AnyFact, SourceLine

_COMMAND = re.compile(r"^(?:list|lis|li|l|frame|f|up|down|select-frame)(?:\s|$)")
_ROW = re.compile(r"^(?P<line>\d{1,9})(?:\t(?P<text>.*)|\s+in\s+(?P<file>\S.*))?$")
# What gdb prints above the lines of "list *0xADDRESS".
_IS_IN = re.compile(r"^0x[0-9a-fA-F]+ is in .* \((?P<file>.+):\d+\)\.$")
# What gdb prints in the place of a line whose file it does not find.
_NOT_FOUND = re.compile(r"^in \S+\.\w+$|: No such file or directory\.$")
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
            place = _IS_IN.match(line)
            if place is not None:
                file = place["file"]
            row = _ROW.match(line)
            if row is None or row["text"] is None or len(facts) >= _MAX_LINES:
                continue
            if _NOT_FOUND.search(row["text"]):
                continue
            facts.append(
                SourceLine(
                    cite=document.cite(number),
                    file=file,
                    line=int(row["line"]),
                    text=row["text"][:_MAX_TEXT],
                )
            )
        summary = f"{len(facts)} source lines" if facts else "No source text"
        return Analysis(summary, tuple(facts))
