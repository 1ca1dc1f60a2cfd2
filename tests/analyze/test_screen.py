"""The conversation's screen, on the real engine."""

from pathlib import Path

from textual.containers import VerticalScroll
from textual.widgets import Static

from tests.analyze.test_conversation import APP_LOG
from tests.chat.conftest import GDB_LOG
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.conversation import TurnKind
from workbench.model.events import Phase
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings
from workbench.tui.conversation import AnswerBox, ConversationApp


async def session_on(tmp_path: Path, text: str) -> Session:
    folder = tmp_path / "case"
    folder.mkdir()
    (folder / "a.log").write_text(text)
    request = Request(
        target=str(folder), options=Options(issue="why [bold]now[/bold]?"),
        base=tmp_path / "sessions", settings=Settings(), documents=True,
    )  # fmt: skip
    return await open_session(request, GateMode.CONVERSE)


def shown(app: ConversationApp) -> str:
    return "\n".join(str(widget.render()) for widget in app.query(Static))


async def until(pilot: object, true: object) -> None:
    for _ in range(400):
        if true():  # type: ignore[operator]
            return
        await pilot.pause(0.05)  # type: ignore[attr-defined]
    raise AssertionError("it did not come")


async def test_a_question_is_answered_a_paste_read_and_the_key_ends_it(tmp_path: Path) -> None:
    session = await session_on(tmp_path, APP_LOG)
    try:
        app = ConversationApp(session)
        async with app.run_test(size=(100, 40)) as pilot:
            await until(pilot, lambda: "Question: " in shown(app))
            assert "[bold]now[/bold]" in shown(app)
            box = app.query_one(AnswerBox)
            box.insert(GDB_LOG)
            await pilot.press("enter")
            await until(pilot, lambda: "Proposed solution: Null pointer" in shown(app))
            assert box.text == ""
            assert "more lines" in shown(app)
            await pilot.press("f2")
            await until(pilot, lambda: session.state.phase is Phase.DONE)
        assert app.return_value is True
        turns = session.state.conversation
        assert [turn.kind for turn in turns] == [
            TurnKind.QUESTION, TurnKind.SOLUTION, TurnKind.FINAL,
        ]  # fmt: skip
        assert turns[1].answer == "SOLUTION APPROVED"
    finally:
        await session.close()


async def test_leaving_keeps_the_pause(tmp_path: Path) -> None:
    session = await session_on(tmp_path, APP_LOG)
    try:
        app = ConversationApp(session)
        async with app.run_test() as pilot:
            await until(pilot, lambda: "Question: " in shown(app))
            await pilot.press("n", "o", "ctrl+j", "x", "ctrl+q")
        assert app.return_value is False
        assert session.state.phase is Phase.CONVERSING
        assert session.state.conversation[0].answer is None
    finally:
        await session.close()


async def test_a_long_turn_is_read_from_its_beginning_and_pages(tmp_path: Path) -> None:
    session = await session_on(tmp_path, GDB_LOG)
    try:
        app = ConversationApp(session)
        async with app.run_test(size=(60, 12)) as pilot:
            await until(pilot, lambda: "Proposed solution: " in shown(app))
            box = app.query_one("#turns", VerticalScroll)
            await until(pilot, lambda: box.max_scroll_y > 0)
            await pilot.pause()
            assert box.scroll_y <= 1
            await pilot.press("pagedown")
            await until(pilot, lambda: box.scroll_y > 1)
            await pilot.press("pageup")
            await until(pilot, lambda: box.scroll_y <= 1)
            turn = app.query_one("#T1", Static)
            lines = str(turn.render()).split("\n")
            points = [n for n, line in enumerate(lines) if line.startswith("- ")]
            assert all(len(lines[n]) <= 60 for n in points)
            assert any(lines[n + 1].startswith("  ") for n in points)
    finally:
        await session.close()
