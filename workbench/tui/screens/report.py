"""The report as it stands, rendered from Markdown."""

from collections.abc import Awaitable, Callable, Sequence
from itertools import zip_longest
from typing import Any

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Markdown, Static
from textual.widgets._markdown import MarkdownBlock, MarkdownTable

from workbench.tui.action import Place, Situation
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.base import Intent
from workbench.tui.port import SessionPort
from workbench.tui.screens.base import PlaceScreen
from workbench.tui.text import one_line, visible

_GAP = 2


def column_widths(natural: Sequence[int], room: int) -> list[int]:
    """Cells of each column, given what each would like. Short columns get all of it; those that
    want more than an equal share divide what is left, at least one cell each."""
    widths = [0] * len(natural)
    left, wanting = room, sorted(range(len(natural)), key=natural.__getitem__)
    while wanting:
        column = wanting.pop(0)
        widths[column] = max(1, min(natural[column], left // (len(wanting) + 1)))
        left -= widths[column]
    return widths


def table_content(
    headers: Sequence[Content], rows: Sequence[Sequence[Content]], room: int
) -> Content:
    """Headers over a rule over rows, wrapped within their columns."""
    columns = list(zip_longest(headers, *rows, fillvalue=Content("")))
    natural = [max(cell.cell_length for cell in column) for column in columns]
    widths = column_widths(natural, room - _GAP * (len(columns) - 1))
    lines = _row([header.stylize("bold") for header in headers], widths)
    lines.append(Content.styled("─" * min(room, sum(widths) + _GAP * (len(widths) - 1)), "dim"))
    for row in rows:
        lines += _row(row, widths)
    return Content("\n").join(lines)


def _row(cells: Sequence[Content], widths: Sequence[int]) -> list[Content]:
    wrapped = [cell.wrap(width) for cell, width in zip(cells, widths, strict=False)]
    gap = Content(" " * _GAP)
    return [
        gap.join(
            part.pad_right(width - part.cell_length)
            for part, width in zip(parts, widths, strict=False)
        )
        for parts in zip_longest(*wrapped, fillvalue=Content(""))
    ]


class _Drawn(Widget):
    DEFAULT_CSS = "_Drawn { height: auto; }"

    def __init__(self, headers: Sequence[Content], rows: Sequence[Sequence[Content]]) -> None:
        super().__init__()
        self._cells = headers, rows

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._content(width).plain.count("\n") + 1

    def render(self) -> Content:
        return self._content(self.content_size.width)

    def _content(self, width: int) -> Content:
        headers, rows = self._cells
        return table_content(headers, rows, width)


class ReportTable(MarkdownTable):
    """Textual's own gives the first column as little as its longest word, and cuts that."""

    def compose(self) -> list[Widget]:
        self._headers, self._rows = self._get_headers_and_rows()
        return [_Drawn(self._headers, self._rows)]


class ReportMarkdown(Markdown):
    """A report's Markdown; its links, which came with the dump, open nothing."""

    def __init__(self, markdown: str) -> None:
        super().__init__(markdown, open_links=False)

    def get_block_class(self, block_name: str) -> type[MarkdownBlock]:
        """Textual's blocks, with tables of our own."""
        return ReportTable if block_name == "table_open" else super().get_block_class(block_name)


def write_report(screen: Screen[Any]) -> Intent:
    """The wish to write the report and to be told where."""

    async def write(port: SessionPort) -> None:
        path = await port.write_report()
        screen.notify(f"Report written to {one_line(str(path))}", markup=False)

    return Intent("write the report", write)


class ReportScreen(PlaceScreen[str | None], place=Place.REPORT):
    """Paints at once, then shows the Markdown that ``make`` gives; w writes it to a file, y copies
    it, and R leaves it with ``"again"``."""

    def __init__(
        self, make: Callable[[], Awaitable[str]], title: str, opened: Situation | None = None
    ) -> None:
        super().__init__()
        self._opened = opened or Situation()
        self._make = make
        self._markdown = ""
        self._title = title

    def compose(self) -> ComposeResult:
        yield Static(f"Report  {one_line(self._title)}", id="report-title", markup=False)
        with VerticalScroll(id="report"):
            yield Static("Writing the report …", id="report-waits")
        yield FooterBar(id="footer")

    def situation(self) -> Situation:
        return self._opened

    def on_mount(self) -> None:
        self.query_one("#report").focus()
        self.show_keys()
        self.call_after_refresh(self._fill)

    @work
    async def _fill(self) -> None:
        waits = self.query_one("#report-waits", Static)
        try:
            self._markdown = await self._make()
        except Exception as error:  # noqa: BLE001  # whatever it is, the person sees it here
            waits.update(Content(f"No report: {one_line(str(error)) or type(error).__name__}"))
            return
        # Imported here: most sessions start without it.

        await self.query_one("#report").mount(ReportMarkdown(visible(self._markdown)))
        await waits.remove()

    def action_write(self) -> None:
        self.app.post_message(write_report(self))

    def action_again(self) -> None:
        self.dismiss("again")

    def action_copy(self) -> None:
        copy_text(self.app, self._markdown, "Report")
