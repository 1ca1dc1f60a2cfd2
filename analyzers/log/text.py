"""What all readers of logs share: bounded lines, numbers, and how a finding is put together."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from analyzers.base import Document
from workbench.model.facts import Note

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


def blocks_of(
    lines: list[tuple[int, str]], begins: Callable[[str], object], most: int = MAX_FINDINGS
) -> list[list[tuple[int, str]]]:
    """The lines of each report, from the one that begins it to the next one that does."""
    starts = [at for at, (_, line) in enumerate(lines) if begins(line)]
    return [lines[at:end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=False)][
        :most
    ]


def notes_of(
    lines: Iterable[tuple[int, str]], pattern: re.Pattern[str], most: int = 12, without: int = 0
) -> tuple[Note, ...]:
    """The lines that tell more, in order, but for the one that is told already."""
    told = (n for n in lines if n[0] != without and pattern.search(n[1]))
    return tuple(Note(text=sentence(text), line=number) for number, text in islice(told, most))


def hex_value(digits: str) -> int:
    """The value of hexadecimal digits, with or without ``0x``, wider ones cut to 128 bits."""
    return int(digits.removeprefix("0x").removeprefix("0X")[-32:] or "0", 16)


def address_of(text: str | None) -> int | None:
    """An address as printed, also a null one's words."""
    if text is None:
        return None
    return 0 if text in ("NULL", "(nil)") else hex_value(text)


def small(digits: str | None) -> int | None:
    """A decimal number, or None for none and for one that is too long to mean anything."""
    if digits is None or len(digits) > 20 or not digits.isdecimal():
        return None
    return int(digits)


def sentence(text: str) -> str:
    """A line as a report may quote it: one line, bounded, no control characters."""
    return " ".join(_CONTROL.sub(" ", text).split())[:MAX_TEXT]
