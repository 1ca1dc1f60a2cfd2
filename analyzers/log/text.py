"""What all readers of logs share: bounded lines, numbers, and how a finding is put together."""

import re
from collections.abc import Iterator

from analyzers.base import Document

MAX_LINE = 8192
MAX_LINES = 60_000
MAX_FRAMES = 20_000
MAX_FINDINGS = 200
MAX_TEXT = 400

_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


def lines_of(document: Document) -> Iterator[tuple[int, str]]:
    """Line numbers from 1 with their lines, each cut at `MAX_LINE` characters."""
    for number, line in document.numbered()[:MAX_LINES]:
        yield number, line[:MAX_LINE].rstrip("\r")


def hex_value(digits: str) -> int:
    """The value of hexadecimal digits, with or without ``0x``, wider ones cut to 128 bits."""
    return int(digits.removeprefix("0x").removeprefix("0X")[-32:] or "0", 16)


def small(digits: str | None) -> int | None:
    """A decimal number, or None for none and for one that is too long to mean anything."""
    if digits is None or len(digits) > 20 or not digits.isdecimal():
        return None
    return int(digits)


def sentence(text: str) -> str:
    """A line as a report may quote it: one line, bounded, no control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())[:MAX_TEXT]
