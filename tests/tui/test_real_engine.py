"""The workbench on the real engine, the real gdb and the demo crash."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from workbench.agents import looking
from workbench.engine.gates import GateMode
from workbench.engine.making import saved_session
from workbench.engine.session import Session
from workbench.fronts.acquire import demo_request
from workbench.fronts.sessions import label
from workbench.model.category import Category
from workbench.model.events import FrameSelected
from workbench.model.evidence import Command, Source
from workbench.model.hypothesis import Status
from workbench.model.target import Options
from workbench.opening import debugger_factory, open_session
from workbench.settings import Settings
from workbench.store.catalog import list_sessions
from workbench.store.errors import SessionBusy
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.outline import Outline
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.screens.editors import LineEditor
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.workbench import WorkbenchScreen


class Driver:
    """The app under a pilot."""

    def __init__(self, app: WorkbenchApp, pilot: Pilot[BaseException]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def screen(self) -> WorkbenchScreen:
        found = self.app.workbench
        assert found is not None
        return found

    @property
    def session(self) -> Session:
        assert isinstance(self.screen.port, Session)
        return self.screen.port

    @property
    def console(self) -> TerminalView:
        return self.screen.query_one(TerminalView)

    async def until(self, true: Callable[[], object], seconds: float = 60) -> None:
        for _ in range(int(seconds / 0.05)):
            if true():
                return
            await self.pilot.pause(0.05)
        raise AssertionError("it did not happen")

    async def gate(self) -> None:
        await self.until(lambda: self.app.workbench is not None)
        await self.until(lambda: self.screen.port is not None)
        await self.until(lambda: self.session.state.gate is not None)
        await self.until(lambda: "H1" in self.screen.query_one("#tree", Outline).cursor)


@asynccontextmanager
async def running(make: Callable[[], Awaitable[Session]]) -> AsyncIterator[Driver]:
    app = WorkbenchApp(make)
    async with app.run_test(size=(140, 42)) as pilot:
        driver = Driver(app, pilot)
        try:
            yield driver
        finally:
            if app.left is None and app.workbench is not None and app.workbench.port is not None:
                await app.workbench.port.close()


@pytest.fixture
def new_session(tmp_path: Path) -> Callable[[], Awaitable[Session]]:
    request = demo_request(Options(), tmp_path, Settings())

    async def make() -> Session:
        return await open_session(request, GateMode.ASK)

    return make


async def test_from_the_gate_to_the_report(new_session: Callable[[], Awaitable[Session]]) -> None:
    async with running(new_session) as run:
        await run.gate()
        assert len(run.session.state.hypotheses) in (1, 2, 3, 4)
        await run.pilot.press("r", *"unlikely", "enter")
        first = next(iter(run.session.state.hypotheses))
        await run.until(lambda: run.session.state.hypotheses[first].status is Status.REJECTED)
        assert run.session.state.hypotheses[first].reason == "unlikely"
        assert run.session.state.hypotheses[first].decided_by == "user"
        await run.pilot.press("A")
        await run.until(lambda: run.session.state.stopped)
        await run.pilot.press("g")
        await run.until(lambda: isinstance(run.app.screen, ReportScreen))
        await run.pilot.press("escape")


async def test_a_typed_command_becomes_evidence(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        await run.pilot.press("f5", *"info thr", "tab")
        await run.until(lambda: run.console.editor.text.startswith("info threads"))
        await run.pilot.press("enter")
        await run.until(
            lambda: [e for e in run.session.state.evidence.values() if e.source is Source.USER]
        )
        [item] = [e for e in run.session.state.evidence.values() if e.source is Source.USER]
        assert item.command.strip() == "info threads"
        await run.until(lambda: "(gdb) info threads" in run.console.terminal.text())
        await run.pilot.press("f3", "end", "enter")
        text = run.screen.query_one("#evidence-text", LineView)
        await run.until(lambda: "Thread" in text.line(2))
        assert run.session.state.gate is not None


async def test_a_citation_opens_real_lines(new_session: Callable[[], Awaitable[Session]]) -> None:
    async with running(new_session) as run:
        await run.gate()
        tree = run.screen.query_one("#tree", Outline)
        hypothesis = next(one for one in run.session.state.hypotheses.values() if one.citations)
        citation = next(one for one in hypothesis.citations if one.first)
        await run.until(lambda: tree.path_to(f"{hypothesis.id}/seen in/{citation}"))
        tree.select(f"{hypothesis.id}/seen in/{citation}")
        await run.pilot.press("enter")
        text = run.screen.query_one("#evidence-text", LineView)
        await run.until(lambda: text.lit == (citation.first, citation.last))
        stored = (await run.session.evidence_text(citation.evidence)).split("\n")
        assert text.line(citation.first) == stored[citation.first - 1]


async def test_leaving_and_resuming_at_the_same_gate(
    new_session: Callable[[], Awaitable[Session]], tmp_path: Path
) -> None:
    async with running(new_session) as run:
        await run.gate()
        gate = run.session.state.gate
        variables = run.screen.query_one("#variables", Outline)
        await run.until(lambda: variables.path_to("variable/out->queued"))
        known = set(run.session.state.evidence)
        await run.pilot.press("q")
        await run.until(lambda: run.app.left is not None)
    [row] = list_sessions(tmp_path)

    async def resume() -> Session:
        return await saved_session(
            tmp_path / row.session_id, GateMode.ASK, debugger_factory(Settings())
        )

    async with running(resume) as run:
        await run.gate()
        await asyncio.sleep(0.2)
        assert run.session.state.gate == gate
        assert set(run.session.state.evidence) == known
        assert run.screen.query_one("#tree", Outline).has_focus


async def test_what_two_ask_at_once_is_run_once(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        command = Command("info line 228", "where the line's code is")
        first, second = await asyncio.gather(run.session.ask(command), run.session.ask(command))
        assert first is not None
        assert first == second


async def test_a_frame_is_selected_for_source_console_and_own_tests(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        frame = run.screen.query_one("#frame", Outline)
        await run.until(lambda: "out->limit" in str(frame.selected and frame.selected.content))
        run.screen.query_one("#frames", Outline).select("#2")
        await run.pilot.press("5", "enter")
        await run.until(lambda: "topic_publish(" in str(frame.selected and frame.selected.content))
        variables = run.screen.query_one("#variables", Outline)
        await run.until(
            lambda: "job->topic" in str(variables.selected and variables.selected.content)
        )
        await run.until(lambda: "(gdb) frame 2" in run.console.terminal.text())
        await run.session.gates.propose(
            "mine", Category.UNKNOWN, (Command("print job->message", "mine"),)
        )
        own = next(one for one in run.session.state.hypotheses.values() if one.statement == "mine")
        assert own.planned[0].text == "frame apply level 2 -q print job->message"
        crashed = looking.first_thread(run.session.state)
        await run.pilot.press("6", "down", "enter")
        await run.until(
            lambda: run.session.state.selected and run.session.state.selected.thread != crashed
        )
        await run.until(lambda: "(gdb) thread 2" in run.console.terminal.text())


async def test_the_console_stands_where_the_stack_looks_and_the_stack_follows_it(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        session = run.session
        await session.record(FrameSelected(thread=looking.first_thread(session.state), index=2))
        await session.user_command("info symbol $pc")  # the first line: the panes look at #2
        asked = [e for e in session.state.evidence.values() if e.source is Source.USER]
        assert "run_job" in await session.evidence_text(asked[-1].id)
        await session.user_command("up")
        assert session.state.selected is not None
        assert session.state.selected.index == 3
        await session.user_command("thread 2")
        assert session.state.selected.thread == looking.tid(session.state, 2)


async def test_a_probe_is_answered_in_the_console(
    new_session: Callable[[], Awaitable[Session]],
) -> None:
    async with running(new_session) as run:
        await run.gate()
        said: list[str] = []
        run.console.write = lambda data: said.append(data.decode())  # type: ignore[method-assign]
        await run.pilot.press("f5", *"@notes", "enter")
        await run.until(lambda: any("@notes" in one for one in said))
        assert "command line: ./server" in "".join(said).partition("file ▸")[2]
        await run.session.keep_note("as on 3")
        assert run.session.state.about.notes == ["as on 3"]
        with pytest.raises(SessionBusy, match="i on its screen writes a note"):
            await label(run.session.folder.parent, run.session.session_id, note="too")
        await run.session.user_command("@nothing")
        assert "cannot answer that" in said[-1]
        for typed, wanted in (
            ("here", "usage: @memory ADDR"),
            ("0x6161", "0x6161: not in the dump"),
        ):
            await run.session.user_command(f"@memory {typed}")
            assert wanted in said[-1]
        variables = run.screen.query_one("#variables", Outline)
        await run.until(lambda: variables.selected is not None)
        at = next(n.key for n in variables._entries if "0x" in n.content.plain)
        variables.select(at)
        await run.pilot.press("f6", "5", "v", "x")
        await run.until(lambda: isinstance(run.app.screen, LineEditor))
        typed = run.app.screen.query_one(Input).value
        await run.pilot.press("enter")
        text = run.screen.query_one("#evidence-text", LineView)
        await run.until(lambda: text.line_count and text.line(1).startswith(f"{typed}: "))
