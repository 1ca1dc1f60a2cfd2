"""Times that words name, and times that lines begin with."""

from datetime import date

import pytest

from workbench.agents.conversation.whens import fits, whens
from workbench.targets.transcript.stamps import Stamp, stamp_of


@pytest.mark.parametrize(
    ("line", "second", "day"),
    [
        ("2026-11-12 02:01:20,310 ERROR x", 7280, date(2026, 11, 12)),
        ("2026-11-12T02:01:20Z x", 7280, date(2026, 11, 12)),
        ("[12/Nov/2026:02:01:20 +0000] GET /", 7280, date(2026, 11, 12)),
        ("Nov 12 02:01:20 host app[3]: x", 7280, date(2000, 11, 12)),
        ("Thu Nov 12 02:01:20 2026 x", 7280, date(2026, 11, 12)),
        ("11-12 02:01:20.310  1  2 E x", 7280, date(2000, 11, 12)),
        ("02:01:20 INFO x", 7280, None),
        ("[02:01:20.5] x", 7280, None),
    ],
)
def test_the_time_of_a_line(line: str, second: int, day: date | None) -> None:
    found = stamp_of(line)
    assert found is not None
    assert (found.second, found.day) == (second, day)


@pytest.mark.parametrize(
    "line", ["", "no time", "ratio 3:4", "a.c:31:18", "2026-13-45 02:01:20", "99:99:99 x", "::1"]
)
def test_what_is_no_time(line: str) -> None:
    found = stamp_of(line)
    assert found is None or found.day is None


def _at(hour: float, day: date | None = None) -> Stamp:
    return Stamp(int(hour * 3600), day)


@pytest.mark.parametrize(
    ("said", "inside", "outside"),
    [
        ("why at night?", _at(2), _at(12)),
        ("it fails overnight", _at(23.5), _at(9)),
        ("in the morning", _at(8), _at(2)),
        ("at 2 am", _at(2.5), _at(14.5)),
        ("around 14:00", _at(14.2), _at(2)),
        ("at 2pm", _at(14), _at(2)),
        ("on 2026-11-12", _at(1, date(2026, 11, 12)), _at(1, date(2026, 11, 11))),
        ("on November 12th", _at(1, date(2026, 11, 12)), _at(1, date(2026, 11, 2))),
        ("every Thursday", _at(1, date(2026, 11, 12)), _at(1, date(2026, 11, 13))),
        ("at the weekend, at night", _at(2, date(2026, 11, 14)), _at(12, date(2026, 11, 14))),
    ],
)
def test_a_stamp_is_of_a_time_that_was_named(said: str, inside: Stamp, outside: Stamp) -> None:
    named = whens(said)
    assert named
    assert fits(named, inside)
    assert not fits(named, outside)


@pytest.mark.parametrize("said", ["why does it fail?", "line 12 of a.c", "it used 5 GB", "tonic"])
def test_words_that_name_no_time(said: str) -> None:
    assert whens(said) == []
