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
        self._starts: dict[int, list[int]] = {}
        if room is None:
            self.height = len(lines)
            return
        self._tops = []
        for index, line in enumerate(lines):
            self._tops.append(self.height)
            plain = line.isascii() and line.isprintable()
            cells = len(line) if plain else cell_len(drawn(line))
            if cells <= room:
                self.height += 1
            elif plain:
                starts = self._starts[index] = _starts(line[:WIDEST], room)
                self.height += len(starts)
            else:
                self.height += -(-min(cells, WIDEST) // room)

    def span(self, index: int, part: int) -> tuple[int, int]:
        """The first cell of a row of a line, and how many it has."""
        room = self.room or WIDEST
        starts = self._starts.get(index)
        if starts is None:
            return part * room, room
        end = starts[part + 1] if part + 1 < len(starts) else starts[part] + room
        return starts[part], min(room, end - starts[part])

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


def _starts(line: str, room: int) -> list[int]:
    """Where the rows of a line begin: behind a space where one stands in the last two thirds of a
    row, so that no number is cut in two."""
    starts = [0]
    while len(line) - starts[-1] > room:
        at = starts[-1]
        space = line.rfind(" ", at + room // 3, at + room)
        starts.append(space + 1 if space > 0 else at + room)
    return starts


def drawn(raw: str) -> str:
    """A line as it is drawn."""
    return visible(raw[: WIDEST * 2]).expandtabs(8)
