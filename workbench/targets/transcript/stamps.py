"""When a line of a log was written, as the usual ways of writing a time have it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice

from msgspec import Struct

from workbench.model.evidence import Section

_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec"
_MONTHS = {name: number for number, name in enumerate(_NAMES.split(), 1)}
_MONTH = "(?P<mon>Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_CLOCK = r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::(?P<second>[0-6]\d))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b(?P<year>\d{{4}})[-/.](?P<month>\d{{1,2}})[-/.](?P<day>\d{{1,2}})[T ,]\s?{_CLOCK}",
        rf"\b(?P<day>\d{{1,2}})[-/. ]{_MONTH}[-/. ,]+(?P<year>\d{{4}})[:T ,]\s?{_CLOCK}",
        rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:,?\s+(?P<year>\d{{4}}))?,?\s+{_CLOCK}"
        r"(?:\.\d+)?(?:\s+(?:[A-Z]{2,5}\s+)?(?P<later>\d{4})\b)?",
        rf"\b(?P<month>\d{{1,2}})/(?P<day>\d{{1,2}})/(?P<year>\d{{4}})[ ,]\s?{_CLOCK}",
        rf"^\W{{0,3}}(?P<month>\d\d)-(?P<day>\d\d)\s{_CLOCK}",
        rf"^\W{{0,3}}{_CLOCK}(?![\d:]*\])(?=[\s.,\]|)]|$)",
    )
)
TIMES = "@times "
"""Begins the name of what tells when the lines of a file were written."""
MOST_TIMES = 5000
LONGEST = 60
"""Characters of a time that are kept."""
_SEEN = 200
"""Characters at the beginning of a line among which its time stands."""


class Stamp(Struct, frozen=True):
    """``second`` of the day; ``day`` where the date is told, without a year (``yearless``) in a
    leap year."""

    second: int
    day: date | None = None
    yearless: bool = False

    @property
    def hour(self) -> float:
        """The hour of the day."""
        return self.second / 3600

    def after(self, other: "Stamp") -> int | None:
        """Seconds from another one to this; None where one has a date and the other has none."""
        if (self.day is None) is not (other.day is None):
            return None
        days = (self.day - other.day).days if self.day and other.day else 0
        return days * 86_400 + self.second - other.second


def stamp_of(line: str) -> Stamp | None:
    """The time in front of a line; None where none stands there. Never raises."""
    head = line[:_SEEN]
    if ":" not in head:
        return None
    for form in _FORMS:
        match = form.search(head)
        if match is not None:
            found = _stamp(match)
            if found is not None:
                return found
    return None


def _stamp(match: "re.Match[str]") -> Stamp | None:
    parts = match.groupdict()
    second = int(parts["hour"]) * 3600 + int(parts["minute"]) * 60 + int(parts["second"] or 0)
    number = parts.get("day")
    if number is None:
        return Stamp(second)
    name = parts.get("mon")
    month = _MONTHS[name.lower()] if name else int(parts["month"])
    year = parts.get("year") or parts.get("later")
    try:
        return Stamp(second, date(int(year) if year else 2000, month, int(number)), not year)
    except ValueError:
        return None


def taken_off(lines: Sequence[str], sections: Iterable[Section]) -> Iterator[tuple[int, str]]:
    """The times that stand in front of a file's lines (from 1) and not in its sections, where what
    a collector writes is taken off: each as it stands in the file."""
    for section in sections:
        for offset, text in enumerate(section.text.removesuffix("\n").split("\n")):
            number = section.line_at(offset)
            whole = lines[number - 1] if 0 < number <= len(lines) else ""
            front = whole[: len(whole) - len(text)]
            if front.strip() and whole.endswith(text) and stamp_of(front) is not None:
                yield number, front.strip()[:LONGEST]


def times_of(lines: Sequence[str], sections: Sequence[Section], name: str) -> list[Section]:
    """A section of the times that a file's lines have lost with what a collector wrote; empty where
    none has."""
    told = islice(taken_off(lines, sections), MOST_TIMES)
    text = "".join(f"line {number}: {time}\n" for number, time in told)
    return [Section(command=f"{TIMES}{name}", host="dump", text=text, first_line=1)] if text else []
