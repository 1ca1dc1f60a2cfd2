"""The report as it stands, rendered from Markdown."""

from collections.abc import Awaitable, Callable

from textual import work
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from workbench.tui.action import Place
from workbench.tui.actions import actions_of, bindings
from workbench.tui.clipboard import copy_text
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.base import Intent
from workbench.tui.panes.table import ReportMarkdown
from workbench.tui.port import SessionPort
from workbench.tui.text import one_line, visible


def write_report(screen: Screen[None]) -> Intent:
    """The wish to write the report and to be told where."""

    async def write(port: SessionPort) -> None:
        path = await port.write_report()
        screen.notify(f"Report written to {one_line(str(path))}", markup=False)

    return Intent("write the report", write)


class ReportScreen(Screen[None]):
    """Paints at once, then shows the Markdown that ``make`` gives; w writes it to a file, y copies
    it."""

    CSS_PATH = "report.tcss"
    place = Place.REPORT
    BINDINGS = bindings(Place.REPORT)

    def __init__(self, make: Callable[[], Awaitable[str]], title: str) -> None:
        super().__init__()
        self._make = make
        self._markdown = ""
        self._title = title

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield Static(f"Report  {one_line(self._title)}", id="report-title", markup=False)
        with VerticalScroll(id="report"):
            yield Static("Writing the report …", id="report-waits")
        yield FooterBar(id="footer")

    def on_mount(self) -> None:
        """Keys at once; the text once this is painted."""
        self.query_one("#report").focus()
        shown = [one for one in actions_of(Place.REPORT, Place.EVERYWHERE) if one.shown]
        self.query_one(FooterBar).show(shown)
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
        """Write it to a file."""
        self.app.post_message(write_report(self))

    def action_copy(self) -> None:
        """Copy the Markdown."""
        copy_text(self.app, self._markdown, "Report")

    def action_close(self) -> None:
        """Back."""
        self.dismiss()
