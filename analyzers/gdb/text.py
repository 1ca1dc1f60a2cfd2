"""What all readers of gdb output share: bounds, small parsers."""

from collections.abc import Iterator

from analyzers.base import Document
from workbench.model.gdb_commands import MAX_LINE

MAX_ITEMS = 20_000
"""No fact holds more frames, threads, registers or variables than this."""


def lines_of(document: Document) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 with their lines, each cut at `MAX_LINE` characters."""
    for number, line in document.numbered():
        yield number, line[:MAX_LINE].rstrip("\r")


def hex_value(digits: str) -> int:
    """The value of hexadecimal digits, wider than any register cut off."""
    return int(digits[-32:], 16)
