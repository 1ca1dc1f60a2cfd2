"""A table of a report: columns as wide as they need, the long ones sharing what is left."""

from collections.abc import Sequence
from itertools import zip_longest

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget
from textual.widgets import Markdown
from textual.widgets._markdown import MarkdownBlock, MarkdownTable

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
        """As many lines as wrapping makes."""
        return self._content(width).plain.count("\n") + 1

    def render(self) -> Content:
        """The table at the width at hand."""
        return self._content(self.content_size.width)

    def _content(self, width: int) -> Content:
        headers, rows = self._cells
        return table_content(headers, rows, width)


class ReportTable(MarkdownTable):
    """Textual's own gives the first column as little as its longest word, and cuts that."""

    def compose(self) -> list[Widget]:
        """One drawn table."""
        self._headers, self._rows = self._get_headers_and_rows()
        return [_Drawn(self._headers, self._rows)]


class ReportMarkdown(Markdown):
    """A report's Markdown; its links, which came with the dump, open nothing."""

    def __init__(self, markdown: str) -> None:
        super().__init__(markdown, open_links=False)

    def get_block_class(self, block_name: str) -> type[MarkdownBlock]:
        """Textual's blocks, with tables of our own."""
        return ReportTable if block_name == "table_open" else super().get_block_class(block_name)
