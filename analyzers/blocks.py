"""Tables and records that an output prints over several lines: rows of patterns, no loops.

A pattern's groups name the fields of a fact: ``x_NAME`` is hexadecimal (with WinDbg's grave accent
or without), ``d_NAME`` decimal (grouped or not), any other a text without blanks around it. A
second spelling of a field in one pattern ends in ``_``. A group that took no part gives None.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct, field

from analyzers.base import MAX_ITEMS, Document, hexadecimal
from workbench.model.citation import Citation

CUT = "\0"
"""Stands for a debugger's prompt: whatever was open ends at it."""
V = TypeVar("V")
Patterns = tuple[re.Pattern[str], ...]
Lines = Iterable[tuple[int, str]]


def decimal(digits: str) -> int:
    """The value of decimal digits, grouped or not; absurdly long ones cut."""
    return int(re.sub(r"\D", "", digits)[:18] or "0")


_READ = {"x_": hexadecimal, "d_": decimal}


def fields(match: re.Match[str]) -> dict[str, Any]:
    """What the groups of a match say, by the field that they name."""
    found: dict[str, Any] = {}
    for group, text in match.groupdict().items():
        read = _READ.get(group[:2])
        name = (group if read is None else group[2:]).rstrip("_")
        if text is not None:
            found[name] = text.strip() if read is None else read(text)
        else:
            found.setdefault(name)
    return found


class Form(NamedTuple):
    """How something is printed. ``heads`` begin one; ``fields`` say something of it, the last word
    counts; each line of ``rows`` is an item; ``more`` adds to the item above what that has not.
    ``end`` is a line behind it, ``last`` the one of its fields that is the last. ``strict``: any
    other line that is not empty ends it."""

    heads: Patterns
    fields: Patterns = ()
    rows: Patterns = ()
    more: Patterns = ()
    end: re.Pattern[str] | None = None
    last: re.Pattern[str] | None = None
    strict: bool = False
    most: int = MAX_ITEMS


class Block(Struct):
    """One that was printed: what its lines say, and which line says what (``where``). An item of
    ``rows`` has its own ``line``."""

    first: int
    last: int
    values: dict[str, Any]
    where: dict[str, int] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)

    def cite(self, document: Document) -> Citation:
        """From the line of the first item to that of the last."""
        return document.cite(self.rows[0]["line"], self.rows[-1]["line"])


Table = tuple[tuple[str, V], ...]
"""Patterns, and what each one's words stand for."""


@cache
def _compiled(table: Table[Any]) -> tuple[tuple[re.Pattern[str], Any], ...]:
    return tuple((re.compile(pattern), value) for pattern, value in table)


def first_of(table: Table[V], words: str) -> V | None:
    """What the first pattern of a table stands for that words hold; None where they hold none."""
    rows: tuple[tuple[re.Pattern[str], V], ...] = _compiled(table)
    return next((value for pattern, value in rows if pattern.search(words)), None)


def first(patterns: Patterns, text: str) -> re.Match[str] | None:
    """The match of the first pattern that a line has."""
    return next((found for pattern in patterns if (found := pattern.match(text))), None)


def read_blocks(form: Form, lines: Lines) -> list[Block]:
    """Every one of a form, in order."""
    found: list[Block] = []
    now: Block | None = None
    for number, text in lines:
        head = first(form.heads, text)
        if head is not None:
            now = Block(number, number, fields(head))
            found.append(now)
        elif now is None:
            continue
        elif text == CUT or (form.end is not None and form.end.match(text)):
            now = None
        elif (row := first(form.rows, text)) is not None:
            if len(now.rows) < form.most:
                now.rows.append({**fields(row), "line": number})
                now.last = number
        elif (said := first(form.fields, text)) is not None:
            told = {name: value for name, value in fields(said).items() if value is not None}
            now.values.update(told)
            now.where.update(dict.fromkeys(told, number))
            now.last = number
            now = None if form.last is said.re else now
        elif (beside := first(form.more, text)) is not None and now.rows:
            for name, value in fields(beside).items():
                now.rows[-1].setdefault(name, value)
                now.rows[-1].setdefault(f"{name}_line", number)
            now.last = number
        elif form.strict and text.strip():
            now = None
    return found


def read_rows(pattern: re.Pattern[str], lines: Lines) -> Iterator[dict[str, Any]]:
    """The items of a table that needs no head."""
    for number, text in lines:
        row = pattern.match(text)
        if row is not None:
            yield {**fields(row), "line": number}
