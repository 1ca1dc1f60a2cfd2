"""Where the lines of a text lie when long ones are wrapped: line by row, rows by line."""

from bisect import bisect_right
from collections.abc import Sequence

from rich.cells import cell_len

from workbench.tui.text import visible

WIDEST = 4000
"""Cells of a line that are shown; what is longer is shown as cut."""


class Rows:
    """The rows of a text's lines, counted from 0; lines count from 1, as citations do.

    Without ``room`` (cells of a row) nothing is wrapped and each line is a row.
    """

    def __init__(self, lines: Sequence[str], room: int | None) -> None:
        self.height = 0
        self.room = room
        self._tops: list[int] | None = None
        if room is None:
            self.height = len(lines)
            return
        self._tops = []
        for line in lines:
            self._tops.append(self.height)
            cells = len(line) if line.isascii() and line.isprintable() else cell_len(drawn(line))
            self.height += max(1, -(-min(cells, WIDEST) // room))

    def index_at(self, row: int) -> int:
        """The index (from 0) of the line that a row belongs to."""
        return row if self._tops is None else bisect_right(self._tops, row) - 1

    def of(self, number: int) -> tuple[int, int]:
        """The first row of a line, and how many it takes."""
        tops = self._tops
        if tops is None or not 0 < number <= len(tops):
            return max(0, number - 1), 1
        end = tops[number] if number < len(tops) else self.height
        return tops[number - 1], end - tops[number - 1]


def drawn(raw: str) -> str:
    """A line as it is drawn."""
    return visible(raw[: WIDEST * 2]).expandtabs(8)
