"""Text of any length with numbered, lit, searchable lines; only what shows is drawn (Line API)."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual

from workbench.store.errors import StoreError
from workbench.tui.clipboard import show_selection
from workbench.tui.panes.scrolled import CursorView
from workbench.tui.text import visible

_MOST_WRAPPED = 20_000
"""Lines of a text up to which long ones are wrapped; in a longer one they are scrolled sideways."""
MOST_COPIED = 100_000
"""Lines that a selection gives at most."""


@runtime_checkable
class Searching(Protocol):
    """Lines of a huge text, which search themselves (`workbench.store.texts`)."""

    def find(self, needle: str, start: int, direction: int) -> int | None:
        """The index of the next line after ``start`` that holds a text, or None. Slow."""


class LineView(CursorView):
    """Shows lines from 1 on. ``lit`` spans are what a citation names, ``marked`` lines are cited
    somewhere; both carry a sign in the gutter, not only a colour."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES = {"lines--cursor", "lines--lit", "lines--number", "lines--match"}
    DEFAULT_CSS = """
    LineView {
        & > .lines--cursor { background: $primary 30%; }
        & > .lines--lit { background: $warning 18%; }
        & > .lines--number { color: $foreground 40%; }
        & > .lines--match { background: $accent; color: $background; text-style: bold; }
    }
    """
    BINDINGS = [
        Binding("left,h", "pan(-8)", "Left", show=False),
        Binding("right,l", "pan(8)", "Right", show=False),
    ]

    cursor: reactive[int] = reactive(1, init=False)

    class Moved(Message):
        """The cursor is on another line."""

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines: Sequence[str] = []
        self.lit: tuple[int, int] = (0, 0)
        """The lit span; (0, 0) when there is none."""
        self._marked: frozenset[int] = frozenset()
        self.needle = ""
        """What was searched for last."""
        self._gutter = 3
        self._left = 0
        self._widest = 0
        self._rows = Rows((), None)

    # --- content ---------------------------------------------------------------------------------

    @property
    def line_count(self) -> int:
        return len(self._lines)

    def line(self, number: int) -> str:
        """One line, from 1, as it is stored; empty beyond the end."""
        if not 0 < number <= len(self._lines):
            return ""
        try:
            return self._lines[number - 1]
        except StoreError as error:  # pages of a huge text are read as they are looked at
            return str(error)

    def load(self, text: str | Sequence[str], marked: frozenset[int] = frozenset()) -> None:
        """Show a text, or its lines. Lines end at LF only, as citations count them."""
        lines = text.split("\n") if isinstance(text, str) else text
        if isinstance(lines, list) and len(lines) > 1 and not lines[-1]:
            lines.pop()
        self._lines = lines
        self._gutter = len(str(len(self._lines))) + 2
        self._marked = marked
        self.lit = (0, 0)
        self._left = 0
        paged = isinstance(lines, Searching)
        self._widest = WIDEST if paged else min(WIDEST, max(map(len, lines), default=0))
        self._lay_out()
        self.set_reactive(LineView.cursor, 1)
        self.scroll_to(0, 0, animate=False, immediate=True)
        self.refresh()

    def _room(self) -> int:
        """Cells of a row for a line's text."""
        width = self.scrollable_content_region.width or self.size.width
        return max(8, width - self._gutter)

    def _lay_out(self) -> None:
        wrapped = not isinstance(self._lines, Searching) and len(self._lines) <= _MOST_WRAPPED
        self._rows = Rows(self._lines, self._room() if wrapped else None)
        self.virtual_size = Size(self.size.width, self._rows.height)
        self.refresh()

    def on_resize(self) -> None:
        """Wrap again at the new width; the cursor stays in view."""
        self._lay_out()
        self._show_cursor()

    def mark(self, marked: frozenset[int]) -> None:
        if marked != self._marked:
            self._marked = marked
            self.refresh()

    def light(self, first: int, last: int) -> None:
        """Light a span, both ends included, and bring it into view; 0, 0 lights nothing."""
        self.lit = (first, last)
        if first:
            self.cursor = max(1, min(first, len(self._lines)))
            height = self.scrollable_content_region.height or self.size.height
            top, _ = self._rows.of(min(first, len(self._lines)))
            end, rows = self._rows.of(min(last, len(self._lines)))
            span = min(end + rows - top, height)
            self.scroll_to(
                y=max(0, top - (height - span) // 2), animate=False, force=True, immediate=True
            )
        self.refresh()

    def next_marked(self) -> bool:
        """Go to the next cited line, around the end; False when there is none."""
        spots = sorted(self._marked | set(range(self.lit[0], self.lit[1] + 1)) - {0})
        if not spots:
            return False
        self.cursor = next((spot for spot in spots if spot > self.cursor), spots[0])
        return True

    async def find(self, needle: str, direction: int = 1) -> bool:
        """Go to the next line that holds a text (case ignored), around the end. Raises
        `StoreError` when a huge text cannot be read."""
        self.needle = needle.casefold()
        self.refresh()
        lines = self._lines
        if not needle or not lines:
            return False
        if isinstance(lines, Searching):
            found = await asyncio.to_thread(lines.find, needle, self.cursor - 1, direction)
        else:
            found = self._find(lines, direction)
        if found is None or self._lines is not lines:
            return False
        self.cursor = found + 1
        return True

    def _find(self, lines: Sequence[str], direction: int) -> int | None:
        for step in range(1, len(lines) + 1):
            index = (self.cursor - 1 + direction * step) % len(lines)
            if self.needle in lines[index].casefold():
                return index
        return None

    # --- drawing ---------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        row = y + self.scroll_offset.y
        width = self.size.width
        base = self.visual_style
        if row >= self._rows.height:
            return Strip.blank(width, base.rich_style)
        index = self._rows.index_at(row)
        number = index + 1
        top, rows = self._rows.of(number)
        part = row - top
        lit = self.lit[0] <= number <= self.lit[1]
        if lit:
            base = base + self.get_visual_style("lines--lit", partial=True)
        here = number == self.cursor and self.has_focus
        if here:
            base = base + self.get_visual_style("lines--cursor", partial=True)
        sign = "▌" if lit else ("•" if number in self._marked else " ")
        gutter = Content.assemble(
            (sign, "$text-warning"),
            (
                f"{'' if part else number:>{self._gutter - 2}} ",
                "" if lit or here else "$foreground 40%",
            ),
        )
        text = drawn(self.line(number))
        content = Content(text)
        if self.needle:
            low, at = text.casefold(), -1
            if len(low) == len(text):
                while (at := low.find(self.needle, at + 1)) >= 0:
                    content = content.stylize("bold reverse", at, at + len(self.needle))
        content = show_selection(self, content, index)
        body = Visual.to_strips(
            self,
            content or Content(" "),
            max(1, content.cell_length),
            1,
            base,
            apply_selection=False,
        )[0]
        room = self._rows.room or self._room()
        left, cells = (
            (self._left, room) if self._rows.room is None else self._rows.span(index, part)
        )
        cut = part == rows - 1 and body.cell_length > left + room
        body = body.crop_extend(left, left + cells - cut, base.rich_style)
        body = body.extend_cell_length(room - cut, base.rich_style).apply_offsets(left, index)
        number_strip = Visual.to_strips(self, gutter, self._gutter, 1, base, apply_selection=False)[
            0
        ]
        ends = [Segment("›", (base + Style(dim=True)).rich_style)] if cut else []  # noqa: RUF001
        strip = Strip([*number_strip, *body, *ends])
        return strip.extend_cell_length(width, base.rich_style)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        start, end = selection
        first = start.y if start is not None else 0
        last = min(len(self._lines), end.y + 1 if end is not None else len(self._lines))
        last = min(last, first + MOST_COPIED)
        text = "\n".join(visible(self.line(number + 1)) for number in range(first, last))
        within = Selection(
            None if start is None else Offset(start.x, 0),
            None if end is None or end.y >= last else Offset(end.x, end.y - first),
        )
        return within.extract(text), "\n"

    # --- keys ------------------------------------------------------------------------------------

    def watch_cursor(self) -> None:
        self._show_cursor()
        self.refresh()
        self.post_message(self.Moved())

    def _show_cursor(self) -> None:
        top, rows = self._rows.of(self.cursor)
        self.scroll_to_region(Region(0, top, 1, rows), animate=False, force=True)

    def _go(self, number: int) -> None:
        self.cursor = max(1, min(max(1, len(self._lines)), number))

    def action_move(self, count: int) -> None:
        self._go(self.cursor + count)

    def action_page(self, direction: int) -> None:
        top, _ = self._rows.of(self.cursor)
        row = max(0, min(self._rows.height - 1, top + direction * max(1, self.size.height - 1)))
        number = self._rows.index_at(row) + 1
        self._go(number if number != self.cursor else number + direction)

    def action_edge(self, direction: int) -> None:
        self._go(len(self._lines) if direction > 0 else 1)

    def action_pan(self, cells: int) -> None:
        furthest = max(0, self._widest - self.size.width + self._gutter + 1)
        self._left = max(0, min(furthest, self._left + cells))
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        self._go(self._rows.index_at(event.y + self.scroll_offset.y) + 1)


def span_text(lines: Sequence[str], evidence: str, first: int, last: int) -> str:
    """Lines with their citation, as they are copied: ``E3:4: text`` or a block under ``E3:4-6``."""
    if last <= first:
        return f"E{evidence.removeprefix('E')}:{first}: {lines[0] if lines else ''}"
    body = "\n".join(lines)
    return f"{evidence}:{first}-{last}\n{body}"


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
