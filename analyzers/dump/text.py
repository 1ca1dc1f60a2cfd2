"""What the readers of our own probes share: ``key: value`` lines and bounded numbers."""

import re

from analyzers.base import Document

MAX_LINE = 16_384
MAX_LINES = 250_000

_ADDRESS = re.compile(r"0x([0-9a-f]{1,16})")
_NUMBER = re.compile(r"-?[0-9]{1,18}")


def is_probe(document: Document, name: str) -> bool:
    """True for the answer to that probe, with or without arguments."""
    words = document.command.split(None, 1)
    return document.host == "dump" and bool(words) and words[0] == name


def lines(document: Document) -> list[tuple[int, str]]:
    """Numbered lines, from 1, bounded in number and length."""
    return [(number, line[:MAX_LINE]) for number, line in document.numbered()[:MAX_LINES]]


def keyed(document: Document) -> dict[str, tuple[int, str]]:
    """The first line of each key: its number and value."""
    found: dict[str, tuple[int, str]] = {}
    for number, line in lines(document):
        key, colon, value = line.partition(": ")
        if colon and not line.startswith(" "):
            found.setdefault(key, (number, value))
    return found


def address(text: str) -> int | None:
    """The value of ``0x…``, at most 64 bits wide."""
    match = _ADDRESS.fullmatch(text)
    return int(match[1], 16) if match else None


def number(text: str) -> int | None:
    """The value of a decimal number of at most 18 digits."""
    return int(text) if _NUMBER.fullmatch(text) else None


def known(text: str) -> str | None:
    """A text value, None for ``unknown``."""
    return None if text in ("", "unknown") else text
