"""Lines of source text with their numbers: ``source list`` and what selecting a frame shows."""

import re

from analyzers.base import Analysis, Document, Reader, moderate
from analyzers.listed import read_source
from analyzers.lldb.frames import is_frame, parse_frame
from analyzers.lldb.text import answers

_COMMAND = re.compile(
    r"^(?:sou?\w* l\w*|l|list|_regexp-list|fr\w* (?:s\w*|i\w*)|f|up|down|(?:th\w*|t) se\w*)(?:\s|$)"
)


def _shown(line: str, file: str | None) -> str | None:
    frame = parse_frame(line) if is_frame(line) else None
    return file if frame is None else frame.file or file


def read(document: Document) -> Analysis:
    """The file is known where a line above names it."""
    return read_source(document, _shown)


READER = Reader(read, answers(_COMMAND), moderate)
