"""A running workbench on recorded events, with a fixed clock."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual.css.model import RuleSet
from textual.css.stylesheet import CSSLocation, Stylesheet
from textual.pilot import Pilot
from textual.screen import Screen

from tests.tui.sample import START
from tests.tui.session import ScriptedSession
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.console import ConsolePane
from workbench.tui.panes.evidence import EvidencePane
from workbench.tui.panes.hypotheses import HypothesesPane
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.outline import Outline
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.workbench import WorkbenchScreen


@dataclass
class Running:
    """A workbench under a pilot."""

    session: ScriptedSession
    app: WorkbenchApp
    pilot: Pilot[BaseException]

    @property
    def screen(self) -> WorkbenchScreen:
        found = self.app.workbench
        assert found is not None
        return found

    @property
    def tree(self) -> Outline:
        return self.screen.query_one("#tree", Outline)

    @property
    def hypotheses(self) -> HypothesesPane:
        return self.screen.query_one(HypothesesPane)

    @property
    def evidence(self) -> EvidencePane:
        return self.screen.query_one(EvidencePane)

    @property
    def text(self) -> LineView:
        return self.screen.query_one("#evidence-text", LineView)

    @property
    def console(self) -> ConsolePane:
        return self.screen.query_one(ConsolePane)

    @property
    def terminal(self) -> TerminalView:
        return self.screen.query_one(TerminalView)

    def shown(self) -> str:
        """The screen's cells as they are, not as its widgets would draw them if they were asked."""
        return "\n".join(strip.text for strip in self.app.screen._compositor.render_strips())

    def app_help(self) -> str:
        """What stands in the box of the help."""
        rows = [row for row in self.shown().split("\n") if "│" in row]
        return "\n".join(row.partition("│")[2].rpartition("│")[0] for row in rows)

    async def report(self, markdown: str) -> None:
        """Open a report of these words."""

        async def make() -> str:
            return markdown

        await self.app.push_screen(ReportScreen(make, "one"))

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, true: Callable[[], object], seconds: float = 20.0) -> None:
        """Wait for something that a tick of the bridge or a flush brings."""
        for _ in range(int(seconds / 0.02)):
            if true():
                return
            await self.pilot.pause(0.02)
        raise AssertionError("it did not happen")


async def _idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """`textual._wait.wait_for_idle`, which sleeps 20 ms at a time and may end while callbacks
    wait for a busy processor: looks after 4 ms whether the loop has nothing left to do."""
    loop = asyncio.get_running_loop()
    began = time.monotonic()
    while (waited := time.monotonic() - began) < max_sleep:
        used = time.process_time()
        await asyncio.sleep(0.004)
        busy = loop._ready or time.process_time() - used > 0.0004  # type: ignore[attr-defined]
        if waited >= min_sleep and not busy:
            return


@pytest.fixture(autouse=True, scope="session")
def _soon() -> None:
    """Nothing in the package waits longer for a pilot than it has to."""
    textual.app.wait_for_idle = textual.pilot.wait_for_idle = _idle  # type: ignore[attr-defined]


@pytest.fixture(autouse=True, scope="session")
def _parsed_once() -> None:
    """A style sheet is parsed once for all apps whose theme has the same colours: a tenth of what
    starting one costs. An app itself takes the same rules again for each of its screens."""
    parse, known = Stylesheet._parse_rules, dict[tuple[object, ...], list[RuleSet]]()

    def parsed(sheet: Stylesheet, css: str, read_from: CSSLocation, *rest: Any, **more: Any) -> Any:
        key = (css, read_from, rest, *more.items(), *sheet._variables.items())
        if key not in known:
            known[key] = parse(sheet, css, read_from, *rest, **more)
        return known[key]

    Stylesheet._parse_rules = parsed  # type: ignore[method-assign]


@pytest.fixture(autouse=True, scope="session")
def _drawn_when_it_pauses() -> None:
    """A pilot's terminal shows nothing: what its ticks leave to draw is drawn when a test pauses,
    and not at each tick."""
    refresh, pause = Screen._compositor_refresh, Pilot.pause

    def later(screen: Screen[Any]) -> None:
        if screen.app.is_headless and screen is screen.app.screen:
            screen._dirty_widgets.clear()
        else:
            refresh(screen)

    async def paused(pilot: Pilot[Any], delay: float | None = None) -> None:
        await pause(pilot, delay)
        if pilot.app.is_headless and pilot.app._running:
            refresh(pilot.app.screen)

    Screen._compositor_refresh, Pilot.pause = later, paused  # type: ignore[method-assign]


Workbench = Callable[..., AbstractAsyncContextManager[Running]]


@pytest.fixture
def workbench() -> Workbench:
    @asynccontextmanager
    async def run(
        session: ScriptedSession, size: tuple[int, int] = (120, 40)
    ) -> AsyncIterator[Running]:
        async def make() -> ScriptedSession:
            return session

        app = WorkbenchApp(make, clock=lambda: START + timedelta(seconds=42))
        async with app.run_test(size=size) as pilot:
            running = Running(session, app, pilot)
            await running.until(lambda: app.workbench and running.screen.port)
            await pilot.pause()
            yield running

    return run
