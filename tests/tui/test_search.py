"""`/`: the evidence of this session and of all others, each hit with its line."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

from textual.pilot import Pilot
from textual.widgets import Input

from tests.store.test_session_store import NOW, evidence, opened
from tests.tui.conftest import Workbench
from tests.tui.sample import concluded_events
from tests.tui.session import ScriptedSession
from workbench.engine.finding import Hit, Searched
from workbench.fronts.home import _Shelf
from workbench.model.models import OFFLINE
from workbench.settings import Settings
from workbench.store.catalog import list_sessions
from workbench.store.session_store import SessionStore
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.evidence import EvidencePane
from workbench.tui.panes.lines import LineView
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.workbench import WorkbenchScreen


def hit(session: str, citation: str, text: str) -> Hit:
    return Hit(session_id=session, citation=citation, command="bt", text=text, score=-1.0)


def seen(app: WorkbenchApp) -> str:
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


async def test_a_hit_opens_here_or_in_its_own_session(workbench: Workbench) -> None:
    session, other = ScriptedSession(concluded_events()), ScriptedSession(concluded_events())
    mine = session.state.session_id
    other.state.session_id = "other"
    session.before = other
    id = next(iter(session.state.evidence))
    session.found = [
        Searched(mine, (hit(mine, f"{id}:2", "[red]conn_expire"),)),
        Searched("gone", trouble="[b]it is \x1bdamaged"),
        Searched("other", (hit("other", f"{id}:1", "another conn_expire"),)),
    ]
    async with workbench(session) as run:
        await run.press("slash", *"conn_expire", "enter")
        await run.until(lambda: "2 hits for conn_expire, 3 sessions searched" in seen(run.app))
        assert session.asked == [("find", "conn_expire")]
        assert "[red]conn_expire" in seen(run.app)
        assert "1 could not all be: [b]it is" in seen(run.app)
        await run.press("enter")
        await run.until(lambda: run.app.screen is run.screen)
        text = run.screen.query_one("#evidence-text", LineView)
        await run.until(lambda: text.lit == (2, 2))
        run.screen.query_one("#tree").focus()
        await run.press("slash", *"conn_expire", "enter")
        await run.until(lambda: isinstance(run.app.screen, SearchScreen))
        await run.until(lambda: "another conn_expire" in seen(run.app))
        await run.press("down", "enter")
        await run.until(lambda: getattr(run.app.screen, "port", None) is other)
        opened = run.app.screen
        await run.until(lambda: opened.query_one("#evidence-text", LineView).lit == (1, 1))
        assert opened.query_one(EvidencePane).has_class("-active")


async def test_at_80_columns_hits_of_several_sessions_tell_whose_they_are(
    workbench: Workbench,
) -> None:
    session = ScriptedSession(concluded_events())
    names = [f"session_20260{month}01_101500_core" for month in (1, 2)]
    session.found = [Searched(name, (hit(name, "E1:1", "conn_expire" * 9),)) for name in names]
    async with workbench(session, size=(80, 24)) as run:
        await run.press("slash", *"conn", "enter")
        await run.until(lambda: "2 hits" in seen(run.app))
        assert all(f"{name[8:]} " in seen(run.app) for name in names)


async def test_what_models_add_comes_last(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    mine, id = session.state.session_id, next(iter(session.state.evidence))
    one, two = hit(mine, f"{id}:1", "first by words"), hit(mine, f"{id}:2", "first by a model")
    session.found = [Searched(mine, (one, two)), Searched("", (two, one), "", "a model")]
    async with workbench(session) as run:
        await run.press("slash", *"first", "enter")
        await run.until(lambda: "1 session searched; ordered by a model" in seen(run.app))
        shown = seen(run.app)
        assert shown.index("first by a model") < shown.index("first by words")
        session.found[1] = Searched("", (one, two), "by words alone: [b]gone")
        await run.press("slash", "enter")
        await run.until(lambda: "searched; by words alone: [b]gone" in seen(run.app))


async def test_nothing_found_and_back(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    session.found = [Searched(session.state.session_id)]
    async with workbench(session) as run:
        await run.press("slash", *"zebra", "enter")
        await run.until(lambda: "0 hits for zebra, 1 session searched" in seen(run.app))
        assert isinstance(run.app.screen.focused, Input)  # other words can be typed at once
        await run.press("enter", "escape")
        await run.until(lambda: run.app.screen is run.screen)


async def test_a_search_that_goes_on_says_so(workbench: Workbench) -> None:
    done = asyncio.Event()

    async def find(_: str) -> AsyncIterator[Searched]:
        await done.wait()
        yield Searched("one")

    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("slash")
        await run.until(lambda: isinstance(run.app.screen, SearchScreen))
        run.app.screen._find = find
        await run.press(*"zebra", "enter")
        await run.until(lambda: "for zebra, 0 sessions searched, searching" in seen(run.app))
        done.set()
        await run.until(lambda: "for zebra, 1 session searched " in seen(run.app))


async def test_all_sessions_of_the_folder_from_home(tmp_path: Path) -> None:
    for name in ("one", "two"):
        store = await SessionStore.create(tmp_path, Path(f"/c/{name}"), NOW)
        text = f"#0 f ()\n#1 {name}_worker () at {name}.c:7\n".encode()
        await store.append([opened(store.session_id), evidence(1, text)], NOW, {"E1": text})
        await store.close()
    asked: list[str] = []

    async def open_session(id: str) -> ScriptedSession:
        asked.append(id)
        session = ScriptedSession(concluded_events())
        session.texts = dict.fromkeys(session.state.evidence, "a\nb\nc")
        return session

    app = WorkbenchApp(
        sessions=lambda: list_sessions(tmp_path),
        open_session=open_session,
        shelf=_Shelf(tmp_path, Settings(), OFFLINE),
        clock=lambda: NOW,
    )
    async with app.run_test(size=(120, 30)) as pilot:
        await shown(pilot, app, "2026")
        await pilot.press("slash", *"two.c:7", "enter")
        await shown(pilot, app, "1 hit for two.c:7, 2 sessions searched")
        await pilot.press("enter")
        while not isinstance(app.screen, WorkbenchScreen) or not asked:
            await pilot.pause(0.02)
        assert asked[0].endswith("two")
        while app.screen.query_one("#evidence-text", LineView).lit != (2, 2):
            await pilot.pause(0.02)


async def shown(pilot: Pilot[None], app: WorkbenchApp, text: str) -> None:
    while text not in seen(app):
        await pilot.pause(0.02)
