"""What all readers of gdb output share: commands without their prefixes, bounds, small parsers."""

import re
from collections.abc import Iterator

from analyzers.base import Document

MAX_LINE = 32_768
"""Longer lines are cut before any pattern looks at them."""
MAX_ITEMS = 20_000
"""No fact holds more frames, threads, registers or variables than this."""

_WITH = re.compile(r"^with\s+.*?\s--\s+")
_APPLY = re.compile(
    r"^(?:thread\s+apply\s+(?:all|[\d.\s*-]+?)|frame\s+apply\s+(?:all|level\s+[\d-]+|-?\d+)|taas|tfaas|faas)"
    r"(?:\s+-[a-z]+)*\s+(?=[a-z/])"
)
_LEVEL = re.compile(r"\bframe\s+apply\s+level\s+(\d+)(?![\d-])")
_FILE_LINE = re.compile(r"^list\s+(?P<file>[^\s,*()'\"]+):\d+")


def bare_command(command: str) -> str:
    """A command without the prefixes that only say where it runs.

    ``thread apply all -q bt 8`` and ``frame apply level 2 -q info locals`` become ``bt 8`` and
    ``info locals``; spaces are folded and the case is kept.
    """
    text = " ".join(command[:MAX_LINE].split())
    for _ in range(4):
        shorter = _APPLY.sub("", _WITH.sub("", text, count=1), count=1)
        if shorter == text:
            break
        text = shorter
    return text


def selected_level(command: str) -> int | None:
    """The one frame level that a ``frame apply level N`` prefix selects, else None."""
    match = _LEVEL.search(command[:MAX_LINE])
    return int(match[1][:9]) if match else None


def listed_file(command: str) -> str | None:
    """The file of ``list FILE:LINE``, else None."""
    match = _FILE_LINE.match(bare_command(command))
    return match["file"] if match else None


def lines_of(document: Document) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 with their lines, each cut at `MAX_LINE` characters."""
    for number, line in document.numbered():
        yield number, line[:MAX_LINE].rstrip("\r")


def hex_value(digits: str) -> int:
    """The value of hexadecimal digits, wider than any register cut off."""
    return int(digits[-32:], 16)
