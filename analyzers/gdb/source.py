"""Lines of source text with their numbers: gdb's ``list`` and what ``frame`` shows."""

import re

from analyzers.base import Analysis, Document, Reader, answers, moderate
from analyzers.gdb.frames import parse_frame
from analyzers.listed import read_source
from workbench.model.gdb_commands import listed_file

_COMMAND = re.compile(r"^(?:list|lis|li|l|frame|f|up|down|select-frame)(?:\s|$)")


def _shown(line: str, file: str | None) -> str | None:
    """The file that a frame's line names, also none; else the one before."""
    frame = parse_frame(line) if line.startswith("#") else None
    return file if frame is None else frame.file


def read(document: Document) -> Analysis:
    """The file is known where the command or a frame's line names it."""
    return read_source(document, _shown, listed_file(document.command))


READER = Reader(read, answers("gdb", _COMMAND), moderate)
