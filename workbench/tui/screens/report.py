"""The report as it stands, rendered from Markdown."""

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.screen import Screen
from textual.widgets import Static

from workbench.tui.action import Place
from workbench.tui.actions import actions_of, bindings
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.base import Intent
from workbench.tui.port import SessionPort
from workbench.tui.text import one_line, visible


def write_report(screen: Screen[None]) -> Intent:
    """The wish to write the report and to be told where."""

    async def write(port: SessionPort) -> None:
        path = await port.write_report()
        screen.notify(f"Report written to {one_line(str(path))}", markup=False)

    return Intent("write the report", write)


class ReportScreen(Screen[None]):
    """Shows Markdown; w writes it to a file, y copies it."""

    CSS_PATH = "report.tcss"
    place = Place.REPORT
    BINDINGS = bindings(Place.REPORT)

    def __init__(self, markdown: str, title: str) -> None:
        super().__init__()
        self._markdown = markdown
        self._title = title

    def compose(self) -> ComposeResult:
        """Title, text, keys. Markdown is imported here: most sessions start without it."""
        from textual.widgets import Markdown

        yield Static(f"Report  {one_line(self._title)}", id="report-title", markup=False)
        with VerticalScroll(id="report"):
            yield Markdown(visible(self._markdown), open_links=False)
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        """Keys at once."""
        self.query_one("#report").focus()
        shown = [one for one in actions_of(Place.REPORT, Place.EVERYWHERE) if one.shown]
        self.query_one(FooterBar).show(shown)

    def action_write(self) -> None:
        """Write it to a file."""
        self.app.post_message(write_report(self))

    def action_copy(self) -> None:
        """Copy the Markdown."""
        copy_text(self.app, self._markdown, "Report")

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
