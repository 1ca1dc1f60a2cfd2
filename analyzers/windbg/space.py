"""``!address -summary``: what takes the address space."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import HEX, Line, number
from workbench.model.facts import AddressSpace, SpaceRow

_HEAD = re.compile(
    r"^-{3,40} ?(?P<table>Usage|Type|State|Protect|Largest Region)\b.{0,120}-{3,}", re.I
)
_AMOUNT = r"(?P<shown>[\d.]{1,12} (?:[kMGTPE]B|bytes?))"
# "Heap          43          0`0a4e4000 ( 164.891 MB)   3.57%    0.00%"
_ROW = re.compile(
    rf"^(?P<name>\S(?:.{{0,40}}\S)?)\s+(?P<regions>\d{{1,9}})\s+(?P<bytes>{HEX}) \(\s*{_AMOUNT}\)"
)
# Until 6.12: "   2896a000 (  665000) : 31.71%    40.86%    : RegionUsageHeap"
_OLD_ROW = re.compile(
    rf"^\s*(?P<bytes>{HEX}) \(\s*(?P<shown>\d{{1,15}})\) :\s*[\d.]{{1,9}}%.{{0,40}}: ?"
    r"(?P<name>[<\w>]{2,60})(?P<rest>\s.{0,200})?$"
)
# "Free                    274`ad5a0000     7d7f`94a70000 ( 125.498 TB)"
_LARGEST = re.compile(rf"^(?P<name>\S(?:.{{0,40}}\S)?)\s+{HEX}\s+(?P<bytes>{HEX}) \(\s*{_AMOUNT}\)")
_OLD_LARGEST = re.compile(
    rf"Largest free region: Base {HEX} - Size (?P<bytes>{HEX}) \((?P<shown>\d{{1,15}} KB)\)"
)
_MOST = 200


def read_space(document: Document, lines: Sequence[Line]) -> list[AddressSpace]:
    """One fact for each summary of the output."""
    found: list[AddressSpace] = []
    now = _Open()
    for line in lines:
        head = _HEAD.match(line.text)
        if head is not None:
            table = head["table"].lower()
            if table == "usage":
                now.close(document, found)
                now = _Open()
            now.table, now.last = table, line.number
        elif line.prompt:
            now.close(document, found)
            now = _Open()
        elif now.table:
            now.take(line)
    now.close(document, found)
    return found


class _Open:
    """The tables of one summary, as far as they were read."""

    def __init__(self) -> None:
        self.table = ""
        self.rows: dict[str, list[SpaceRow]] = {"usage": [], "state": []}
        self.largest: SpaceRow | None = None
        self.last = 0

    def take(self, line: Line) -> None:
        """Take one line of a table."""
        row = _ROW.match(line.text) or _OLD_ROW.match(line.text)
        largest = _OLD_LARGEST.search(line.text)
        if largest is None and self.table == "largest region":
            row, largest = None, _LARGEST.match(line.text)
            largest = largest if largest is not None and largest["name"] == "Free" else None
        if largest is not None:
            self.largest = _row("Free", largest, line.number)
            self.last = line.number
        if row is None or self.table not in self.rows or len(self.rows[self.table]) >= _MOST:
            return
        self.rows[self.table].append(_row(row["name"], row, line.number))
        self.last = line.number

    def close(self, document: Document, found: list[AddressSpace]) -> None:
        """Keep what was read, if anything was."""
        usage, states = self.rows["usage"], self.rows["state"]
        if not usage and not states:
            return
        first = min(row.line for row in (*usage, *states))
        found.append(
            AddressSpace(
                cite=document.cite(first, max(first, self.last)),
                usage=tuple(usage),
                states=tuple(states),
                largest_free=self.largest,
            )
        )


def _row(name: str, match: re.Match[str], line: int) -> SpaceRow:
    regions = match.groupdict().get("regions")
    return SpaceRow(
        name=name,
        bytes=number(match["bytes"]),
        regions=int(regions) if regions else None,
        shown=match["shown"],
        line=line,
    )
