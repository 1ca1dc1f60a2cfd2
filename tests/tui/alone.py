"""Runs one pane alone on the sample's state: ``python -m tests.tui.alone evidence``."""

import sys

from textual.app import App, ComposeResult

from tests.tui.sample import sample_state, sample_text
from tests.tui.sample_texts import SAMPLE_CONSOLE
from workbench.tui.panes.base import Pane
from workbench.tui.panes.console import ConsolePane
from workbench.tui.panes.critic import CriticPane
from workbench.tui.panes.evidence import EvidencePane
from workbench.tui.panes.hypotheses import HypothesesPane
from workbench.tui.panes.stack import StackPane
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.panes.threads import ThreadsPane

PANES = {
    "console": ConsolePane,
    "critic": CriticPane,
    "evidence": lambda: EvidencePane(sample_text),
    "hypotheses": lambda: HypothesesPane(sample_text),
    "stack": lambda: StackPane(sample_text),
    "threads": ThreadsPane,
}


class PaneApp(App[None]):
    CSS_PATH = "../../workbench/tui/screens/workbench.tcss"
    AUTO_FOCUS = None

    def __init__(self, pane: Pane) -> None:
        super().__init__()
        self._pane = pane

    def compose(self) -> ComposeResult:
        yield self._pane

    def on_mount(self) -> None:
        self._pane.show(sample_state())
        self._pane.activate(True)
        self._pane.entrance().focus()
        for view in self.query(TerminalView):
            view.write(SAMPLE_CONSOLE)


if __name__ == "__main__":
    PaneApp(PANES[sys.argv[1]]()).run()
