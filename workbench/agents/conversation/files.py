"""The files of a folder as lines: of which file each item is, and when each line was written."""

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from workbench.model.evidence import Evidence
from workbench.model.investigation import Investigation
from workbench.targets.transcript.stamps import TIMES, Stamp, stamp_of

_RECORDED = re.compile(r"recorded at line (\d+) of (.+)", re.DOTALL)
_SAID = re.compile(r"said to (T\d+)")
_STOP = "@stop "
_TIME = re.compile(r"line (\d{1,9}): (.+)")
MOST_LINES = 400_000


class Line(Struct, frozen=True):
    """Line ``number`` (from 1) of an item, line ``place`` of its file. ``stamp`` is its own time,
    or that of the nearest line in front of it that has one (``own`` False)."""

    evidence: str
    number: int
    place: int
    text: str
    stamp: Stamp | None
    own: bool


def file_of(item: Evidence) -> str:
    """The file that an item was read from, or the turn that it was pasted to; empty for neither."""
    if item.command.startswith(_STOP):
        return item.command.removeprefix(_STOP)
    recorded = _RECORDED.fullmatch(item.intent)
    if recorded is not None:
        return recorded[2]
    said = _SAID.fullmatch(item.intent)
    return said[1] if said is not None and item.host != "text" else ""


def place_of(item: Evidence, number: int) -> int:
    """Where a line of an item (from 1) stands in its file; 0 where it is of none."""
    recorded = _RECORDED.fullmatch(item.intent)
    return int(recorded[1]) + number - 1 if recorded is not None else 0


def lines_by_file(state: Investigation, texts: Mapping[str, str]) -> dict[str, list[Line]]:
    """The lines of each file in order, bounded."""
    items: dict[str, list[tuple[int, Evidence]]] = {}
    times: dict[str, dict[int, Stamp]] = {}
    for item in state.evidence.values():
        if item.command.startswith(TIMES):
            times[item.command.removeprefix(TIMES)] = _times(texts.get(item.id, ""))
            continue
        recorded = _RECORDED.fullmatch(item.intent)
        if recorded is not None:
            items.setdefault(recorded[2], []).append((int(recorded[1]), item))
        elif file_of(item) and not item.command.startswith("@"):
            items.setdefault(file_of(item), []).append((1, item))
    left = MOST_LINES
    found: dict[str, list[Line]] = {}
    for name, of_file in items.items():
        in_order = sorted(of_file, key=lambda one: one[0])
        lines = list(_lines(in_order, texts, times.get(name, {}), left))
        left -= len(lines)
        found[name] = lines
    return found


def _times(text: str) -> dict[int, Stamp]:
    found = {}
    for line in text.split("\n"):
        match = _TIME.match(line)
        stamp = stamp_of(match[2]) if match is not None else None
        if match is not None and stamp is not None:
            found[int(match[1])] = stamp
    return found


def _lines(
    items: list[tuple[int, Evidence]],
    texts: Mapping[str, str],
    times: Mapping[int, Stamp],
    most: int,
) -> Iterator[Line]:
    last: Stamp | None = None
    for first, item in items:
        for number, text in enumerate(texts.get(item.id, "").split("\n"), 1):
            if most <= 0:
                return
            most -= 1
            place = first + number - 1
            stamp = stamp_of(text) or (times.get(place) if text else None)
            last = stamp or last
            yield Line(item.id, number, place, text, last, stamp is not None)
