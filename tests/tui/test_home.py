"""Home: newest first, Enter resumes, advice when there is nothing."""

from datetime import timedelta

import pytest

from tests.tui.session import ScriptedSession
from workbench.store.catalog import SessionRow
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.outline import Outline
from workbench.tui.sample import START, gate_events
from workbench.tui.screens.home import HomeScreen, age
from workbench.tui.screens.workbench import WorkbenchScreen

LATER = START + timedelta(hours=3)

ROWS = [
    SessionRow(
        session_id="s1",
        target="/a/old.core",
        created_at=START.isoformat(),
        updated_at=START.isoformat(),
        phase="done",
        signal="SIGABRT",
        category="double-free",
        confidence=0.9,
        status="concluded",
    ),
    SessionRow(
        session_id="s2",
        target="/a/[red]new\x1b.core",
        created_at=START.isoformat(),
        updated_at=LATER.isoformat(),
        phase="hypotheses",
        signal="SIGSEGV",
        category=None,
        confidence=None,
        status="open",
    ),
]


def app_with(rows: list[SessionRow], session: ScriptedSession) -> WorkbenchApp:
    opened: list[str] = []

    async def open_session(id: str) -> ScriptedSession:
        opened.append(id)
        return session

    app = WorkbenchApp(
        sessions=lambda: rows, open_session=open_session, clock=lambda: START + timedelta(hours=4)
    )
    app.opened = opened  # type: ignore[attr-defined]
    return app


async def test_newest_first_and_enter_resumes() -> None:
    app = app_with(ROWS, ScriptedSession(gate_events()))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause(0.1)
        rows = app.screen.query_one("#sessions", Outline)
        texts = [rows.render_line(y).text for y in range(3)]
        assert "[red]new␛.core" in texts[0] or "[red]new␛.core" in texts[1]
        assert rows.cursor == "s2"
        await pilot.press("down", "enter")
        await pilot.pause(0.2)
        assert app.opened == ["s1"]  # type: ignore[attr-defined]
        assert isinstance(app.screen, WorkbenchScreen)
        assert app.screen.query_one("#tree", Outline).has_focus


async def test_empty_list_says_what_to_do() -> None:
    app = app_with([], ScriptedSession([]))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        assert isinstance(app.screen, HomeScreen)
        assert app.screen.query_one("#home-empty").display
        await pilot.press("enter")
        assert isinstance(app.screen, HomeScreen)
        await pilot.press("q")
    assert app.return_code == 0


async def test_a_session_that_cannot_be_opened_ends_with_its_error() -> None:
    async def make() -> ScriptedSession:
        raise FileNotFoundError("no such core")

    app = WorkbenchApp(make)
    async with app.run_test() as pilot:
        await pilot.pause(0.2)
    assert isinstance(app.return_value, FileNotFoundError)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-5, "just now"),
        (60, "1 min ago"),
        (7200, "2 h ago"),
        (90000, "yesterday"),
        (400000, "4 days ago"),
    ],
)
def test_age(seconds: float, text: str) -> None:
    assert age(seconds) == text
