"""Text comes out of every pane: dragged over and Ctrl+C, or y."""

import pytest
from textual.widget import Widget

from tests.tui.conftest import Running, Workbench
from tests.tui.sample import concluded_events
from tests.tui.session import ScriptedSession
from workbench.tui import clipboard


@pytest.fixture(autouse=True)
def no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "copy_tool", lambda: None)


async def drag(run: Running, over: Widget, start: tuple[int, int], end: tuple[int, int]) -> None:
    await run.pilot.mouse_down(over, offset=start)
    await run.pilot.hover(over, offset=end)
    await run.pilot.mouse_up(over, offset=end)
    await run.pilot.pause()


async def test_what_is_dragged_over_is_copied(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events(), b"conn_expire at src/relayd.c\r\n" * 9)
    async with workbench(session) as run:
        for key, widget in (
            ("1", "#tree"),
            ("2", "#evidence-list"),
            ("2", "#evidence-text"),
            ("3", "#checks"),
            ("4", "#terminal"),
            ("f2", "#header"),
        ):
            await run.press(key)
            over = run.screen.query_one(widget)
            await run.pilot.pause(0.1)
            row = run.shown().split("\n")[over.region.y]
            run.app.copy_to_clipboard(widget)
            await drag(run, over, (4, 0), (16, 0))
            await run.press("ctrl+c")
            copied = run.app.clipboard
            left = over.content_region.x
            assert copied.strip(), widget
            assert copied.rstrip() in (
                row[left + 4 : left + 17].rstrip(),
                row[left + 4 : left + 16].rstrip(),
                row[left + 3 : left + 16].rstrip(),
            ), widget
            assert run.session.asked == []


async def test_a_drag_over_nothing_leaves_the_clipboard(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        run.app.copy_to_clipboard("kept")
        for key in "1234":
            await run.press(key)
            gap = run.screen.query_one("#footer")
            await drag(run, gap, (gap.size.width - 2, 0), (gap.size.width - 1, 0))
            await run.press("ctrl+c")
            assert run.app.clipboard == "kept", key


async def test_y_copies_what_the_cursor_is_on(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        for key, copied in (("1", "H1 ● confirmed"), ("3", "Judgement H1")):
            await run.press(key, "y")
            assert run.app.clipboard.startswith(copied)
