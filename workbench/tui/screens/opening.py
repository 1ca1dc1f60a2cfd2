"""The workbench's frame, painted at once; the panes come with the next frame.

It draws by itself what the panes will draw: their imports, style sheets and layout would hold the
first paint back by as much again as an empty Textual app takes.
"""

from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

NARROW = 100
"""Columns from which the panes stand side by side."""

PANES = ("1 Hypotheses", "2 Evidence", "5 Stack", "4 Debugger")
TABS = (*PANES[:2], "3 Critic", PANES[3], PANES[2], "6 Threads")


class Frame(Widget):
    """Header, what goes on, the panes' titles, footer; as wide and high as the workbench."""

    DEFAULT_CSS = "Frame { width: 1fr; height: 1fr; }"

    def render(self) -> Content:
        width, height = self.size
        bar = (" " * width + "\n", "on $panel")
        lines: list[tuple[str, str]] = [bar, (" Opening \u2026".ljust(width) + "\n", "")]
        rest = height - 3
        if width < NARROW:
            tabs = "".join(f"  {title} " for title in TABS)
            lines += [(tabs[:width].ljust(width) + "\n", ""), ("\n" * max(0, rest - 1), "")]
        else:
            upper = round(rest / 2)
            for row, space in ((0, upper), (2, rest - upper)):
                lines += [(self._rules(width, row), "$foreground 55%"), ("\n" * max(0, space), "")]
        return Content.assemble(*lines, (" " * width, "on $panel"))

    def _rules(self, width: int, row: int) -> str:
        left = int(width * 0.44)
        first, second = (f"\u2500 {title} " for title in PANES[row : row + 2])
        rules = first.ljust(left, "\u2500"), second.ljust(width - left - 1, "\u2500")
        return " ".join(rules)


class OpeningScreen(Screen[None]):
    """Stands until the workbench is mounted."""

    def compose(self) -> list[Widget]:
        return [Frame()]
