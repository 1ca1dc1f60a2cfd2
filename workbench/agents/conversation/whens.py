"""Times of the day, days and dates that a person's words name, to be held against a log's."""

import re
from collections.abc import Callable, Iterator
from datetime import date

from msgspec import Struct

from workbench.agents.chat.words import in_digits
from workbench.targets.transcript.stamps import Stamp

_HOURS: tuple[tuple[str, float, float], ...] = (
    (r"nights?|nightly|overnight", 21.0, 6.0),
    (r"midnights?", 23.0, 1.5),
    (r"early mornings?|small hours", 0.0, 7.0),
    (r"mornings?", 5.0, 12.0),
    (r"noons?|midday|lunch(?:time)?", 11.0, 14.0),
    (r"afternoons?", 12.0, 18.0),
    (r"evenings?", 17.0, 23.5),
    (r"daytime|during the day|by day|office hours|working hours", 7.0, 20.0),
)
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_CLOCK = re.compile(
    r"(?i)(?<![\d.:/-])(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::[0-5]\d)?\s*(?P<half>[ap]\.?m\b)?"
    r"|\s*(?P<only>[ap]\.?m\b|h\b|o[\u2019']?\s?clock))"
)
_ISO = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b")
_NAMED = re.compile(
    rf"(?i)\b(?:(?P<month>{_MONTHS})[a-z]*\.?\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?|(?P<day2>\d{{1,2}})(?:st|nd|rd|th)?"
    rf"(?:\s+of)?\s+(?P<month2>{_MONTHS})[a-z]*)\b"
)
_BEFORE, _AFTER = 0.25, 1.0
"""Hours around a time of the clock that is named."""


class When(Struct, frozen=True):
    """``word`` as it was said; ``fits`` tells whether a stamp is of then."""

    word: str
    fits: Callable[[Stamp], bool]
    of_day: bool


def whens(text: str) -> list[When]:
    """What a text names; nothing where it names no time. Never raises."""
    text = text[:4000]
    found = [*_parts_of_the_day(text), *_clocks(in_digits(text)), *_dates(text)]
    return list({one.word: one for one in found}.values())


def fits(named: list[When], stamp: Stamp) -> bool:
    """True when a stamp is of a time of day that was named, and of a day that was: where several
    were named, of any of them."""
    for kind in (False, True):
        of_kind = [one for one in named if one.of_day is kind]
        if of_kind and not any(one.fits(stamp) for one in of_kind):
            return False
    return True


def _parts_of_the_day(text: str) -> Iterator[When]:
    taken: list[tuple[int, int]] = []
    for words, first, last in _HOURS:
        for match in re.finditer(rf"\b(?:{words})\b", text, re.IGNORECASE):
            if not any(start <= match.start() < end for start, end in taken):
                taken.append(match.span())
                yield When(match[0], _between(first, last), False)


def _clocks(text: str) -> Iterator[When]:
    for match in _CLOCK.finditer(text):
        hour = int(match["hour"]) % 24 + int(match["minute"] or 0) / 60
        half = (match["half"] or match["only"] or "").lower().replace(".", "")
        if half == "pm" and hour < 12:
            hour += 12
        elif half == "am" and hour >= 12:
            hour -= 12
        yield When(match[0].strip(), _between((hour - _BEFORE) % 24, (hour + _AFTER) % 24), False)


def _between(first: float, last: float) -> Callable[[Stamp], bool]:
    """Hours of the day, over midnight where the last is less than the first."""
    if first <= last:
        return lambda stamp: first <= stamp.hour <= last
    return lambda stamp: stamp.hour >= first or stamp.hour <= last


def _dates(text: str) -> Iterator[When]:
    for number, name in enumerate(_DAYS):
        if re.search(rf"\b{name}s?\b", text, re.IGNORECASE):
            yield When(name, _on_weekdays(frozenset({number})), True)
    if re.search(r"\bweek-?ends?\b", text, re.IGNORECASE):
        yield When("weekend", _on_weekdays(frozenset({5, 6})), True)
    for match in _ISO.finditer(text):
        try:
            day = date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            continue
        yield When(match[0], _on(day.month, day.day), True)
    for match in _NAMED.finditer(text):
        month = _MONTHS.split("|").index((match["month"] or match["month2"]).lower()) + 1
        yield When(match[0], _on(month, int(match["day"] or match["day2"])), True)


def _on_weekdays(days: frozenset[int]) -> Callable[[Stamp], bool]:
    return lambda stamp: (
        stamp.day is not None and not stamp.yearless and stamp.day.weekday() in days
    )


def _on(month: int, day: int) -> Callable[[Stamp], bool]:
    return lambda stamp: stamp.day is not None and (stamp.day.month, stamp.day.day) == (month, day)
