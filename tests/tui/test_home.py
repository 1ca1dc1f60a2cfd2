"""Home: newest first, Enter resumes, advice when there is nothing."""

import asyncio
import re
from datetime import timedelta
from pathlib import Path

import pytest

from tests.tui.sample import START, gate_events
from tests.tui.session import ScriptedSession
from workbench.engine.gates import GateMode
from workbench.fronts.acquire import demo_request
from workbench.fronts.home import _Shelf
from workbench.model.models import OFFLINE
from workbench.model.target import Options
from workbench.opening import open_session
from workbench.settings import Settings
from workbench.store.catalog import list_sessions
from workbench.store.errors import StoreError
from workbench.store.session_row import SessionRow
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.outline import Outline
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
        state="concluded",
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
        state="open",
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


async def test_q_goes_back_to_the_list_and_then_quits() -> None:
    session = ScriptedSession(gate_events())
    app = app_with(ROWS, session)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause(0.1)
        title = app.screen.query_one("#home-title").render_line(0).text
        assert "q in a session leads back here, q here quits" in title
        for _ in range(2):
            await pilot.press("enter")
            await pilot.pause(0.3)
            assert isinstance(app.screen, WorkbenchScreen)
            await pilot.press("q")
            await pilot.pause(0.3)
            assert isinstance(app.screen, HomeScreen)
            assert session.asked.pop() == ("close",)
        assert app.is_running
        await pilot.press("q")
    assert app.return_code == 0


async def test_leaving_while_it_opens_closes_the_session_later() -> None:
    session, ready = ScriptedSession(gate_events()), asyncio.Event()

    async def slow(id: str) -> ScriptedSession:
        await ready.wait()
        return session

    app = WorkbenchApp(sessions=lambda: ROWS, open_session=slow)
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        await pilot.press("enter")
        await pilot.pause(0.2)
        await pilot.press("q")
        await pilot.pause(0.2)
        assert isinstance(app.screen, HomeScreen)
        ready.set()
        await pilot.pause(0.1)
        assert session.asked == [("close",)]


async def test_a_listed_session_that_cannot_be_opened_is_said_in_the_list() -> None:
    async def broken(id: str) -> ScriptedSession:
        raise StoreError(f"session {id} is [red]damaged[/]")

    app = WorkbenchApp(sessions=lambda: ROWS, open_session=broken)
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        await pilot.press("enter")
        await pilot.pause(0.3)
        assert isinstance(app.screen, HomeScreen)
        [notice] = list(app._notifications)
        assert notice.message == "Not opened: session s2 is [red]damaged[/]"


async def test_r_reads_the_list_again() -> None:
    rows = list(ROWS[:1])
    app = app_with(rows, ScriptedSession([]))
    async with app.run_test() as pilot:
        await pilot.pause(0.1)
        rows.append(ROWS[1])
        await pilot.press("R")
        await pilot.pause(0.1)
        assert app.screen.query_one("#sessions", Outline).path_to("s2")


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
        for _ in range(100):
            if app.return_value is not None:
                break
            await pilot.pause(0.02)
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


class NotedShelf:
    """What is done with saved sessions, noted."""

    def __init__(self) -> None:
        self.done: list[tuple[object, ...]] = []

    async def rename(self, id: str, name: str) -> None:
        self.done.append(("rename", id, name))

    async def pin(self, id: str, pinned: bool) -> None:
        self.done.append(("pin", id, pinned))

    async def delete(self, id: str) -> bool:
        self.done.append(("delete", id))
        return True


@pytest.mark.parametrize(
    ("keys", "done"),
    [
        (("n", *"mine", "enter"), [("rename", "s2", "mine")]),
        (("n", "escape"), []),
        (("P",), [("pin", "s2", True)]),
        (("d", "enter"), []),
        (("d", *"delete", "enter"), [("delete", "s2")]),
        (("down", "P"), [("pin", "s1", True)]),
    ],
)
async def test_sessions_are_named_pinned_and_deleted(
    keys: tuple[str, ...], done: list[tuple[object, ...]]
) -> None:
    shelf = NotedShelf()

    async def never(id: str) -> ScriptedSession:
        raise AssertionError(id)

    app = WorkbenchApp(sessions=lambda: ROWS, open_session=never, shelf=shelf)
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause(0.1)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        await pilot.pause(0.1)
        assert shelf.done == done


async def test_the_list_has_headings_and_is_filtered() -> None:
    app = app_with(ROWS, ScriptedSession(gate_events()))
    async with app.run_test(size=(120, 30)) as pilot:
        await pilot.pause(0.1)

        def seen() -> str:
            return "\n".join(strip.text for strip in app.screen._compositor.render_strips())

        assert all(word in seen() for word in ("target", "signal", "cause", "state", "session"))
        await pilot.press("f", *"double", "enter")
        await pilot.pause(0.1)
        assert "1 of 2; f and no text: all" in seen()
        assert "s1" in seen()
        assert "SIGSEGV" not in seen()
        await pilot.resize_terminal(80, 24)
        await pilot.pause(0.1)
        assert re.search(r"double-free +90%  \S+ (?:h|min|s|days) ago", seen())  # else cut off


async def test_the_shelf_is_the_folder_of_sessions(tmp_path: Path) -> None:
    session = await open_session(demo_request(Options(), tmp_path, Settings()), GateMode.HEADLESS)
    shelf = _Shelf(tmp_path, Settings(), OFFLINE)
    assert await shelf.delete(session.session_id) is False  # it is open
    await session.close()
    await shelf.rename(session.session_id, "mine")
    await shelf.pin(session.session_id, True)
    [row] = list_sessions(tmp_path)
    assert (row.name, row.pinned) == ("mine", True)
    assert await shelf.delete(session.session_id)
    assert list_sessions(tmp_path) == []
