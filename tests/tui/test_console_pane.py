"""The console: every key is the line's, output never disturbs it, floods never hold keys up."""

import asyncio
import threading
from time import monotonic, sleep

import pytest
from msgspec.structs import replace
from textual.events import Key, Paste
from textual.geometry import Region
from textual.widget import Widget

from tests.tui.conftest import Workbench
from tests.tui.sample import gate_events
from tests.tui.sample_texts import SAMPLE_CONSOLE
from tests.tui.session import ScriptedSession
from workbench.debuggers.display import DisplayStream
from workbench.model.events import CommandStarted, HypothesisMoved, Noticed, SessionOpened
from workbench.model.evidence import Command, Source
from workbench.model.hypothesis import Status
from workbench.tui.panes import terminal_view
from workbench.tui.panes.bars import ActivityBar
from workbench.tui.panes.console import ConsolePane
from workbench.tui.panes.hypotheses import GateCard
from workbench.tui.panes.outline import Outline
from workbench.tui.panes.terminal_view import TerminalView


async def test_typed_line_goes_to_the_debugger(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("4", *"bt 3", "enter")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("user_command", "bt 3")]
        assert run.terminal.editor.text == ""
        await run.press("up")
        assert run.terminal.editor.text == "bt 3"


async def test_what_is_typed_right_after_enter_is_kept(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        for key in (*"bt", "enter", *"in"):
            run.app.post_message(Key(key, key if len(key) == 1 else None))
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("user_command", "bt")]
        await run.until(lambda: run.terminal.editor.text == "in")


async def test_every_letter_and_control_key_stays_in_the_console(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        letters = "aAregntwqzy1234?/"
        await run.press(*letters)
        assert run.terminal.editor.text == letters
        await run.press("ctrl+q", "ctrl+p", "shift+tab", "ctrl+n")
        assert run.terminal.has_focus
        assert run.app.screen is run.screen
        assert run.session.asked == []


async def test_editing_keys(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", *"print x", "ctrl+a", *"e", "ctrl+e", *"y", "left", "backspace")
        assert run.terminal.editor.text == "eprint y"
        await run.press("ctrl+e", "ctrl+w")
        assert run.terminal.editor.text == "eprint "
        await run.press("ctrl+a", "ctrl+k")
        assert run.terminal.editor.text == ""
        await run.press("ctrl+y", "home", "delete", "end", "ctrl+u")
        assert run.terminal.editor.text == ""


async def test_ctrl_c_clears_or_interrupts(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", *"half", "ctrl+c")
        assert run.terminal.editor.text == ""
        assert run.session.asked == []
        run.session.feed(CommandStarted(command=Command("bt", "x"), source=Source.DEBUGGER))
        await run.until(lambda: run.terminal.busy)
        await run.press(*"half", "ctrl+c")
        assert run.session.asked == [("interrupt",)]
        assert run.terminal.editor.text == "half"


async def test_what_has_not_changed_is_not_drawn_again(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A layout of the whole screen would hold up the key that comes next."""
    drawn: list[Widget] = []
    refresh = Widget.refresh

    def noted(self: Widget, *regions: Region, **how: bool) -> Widget:
        if not regions or how.get("layout"):
            drawn.append(self)
        return refresh(self, *regions, **how)

    async with workbench(ScriptedSession(gate_events())) as run:
        monkeypatch.setattr(Widget, "refresh", noted)
        run.session.feed(Noticed(text="once, so that all is as it stays"))
        await run.until(lambda: "once" in str(run.screen.query_one(ActivityBar).content))
        quiet = 0
        while quiet < 10:  # until what is fetched for the panes has come
            drawn.clear()
            await run.pilot.pause(0.02)
            quiet = 0 if drawn else quiet + 1
        run.session.feed(CommandStarted(command=Command("bt", "x"), source=Source.DEBUGGER))
        await run.until(lambda: run.terminal.busy)
        await run.pilot.pause()
        assert {type(widget) for widget in drawn} <= {ActivityBar}
        run.session.feed(Noticed(text="and again"))
        await run.until(lambda: len(run.console.state.notices) == 2)
        await run.pilot.pause()
        assert not {type(widget) for widget in drawn} & {GateCard, Outline, TerminalView}
        run.session.feed(HypothesisMoved(id="H1", status=Status.APPROVED, by="user"))
        await run.until(lambda: run.tree in drawn)


async def test_double_escape_and_f6_leave(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", "escape", "x", "escape")
        assert run.terminal.has_focus
        await run.press("escape")
        await run.until(lambda: run.tree.has_focus)
        await run.press("f5", "f6")
        assert run.tree.has_focus


async def test_completion_asks_the_debugger(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    session.completions = ["info line", "info locals"]
    async with workbench(session) as run:
        await run.press("f5", *"info l", "tab")
        await run.until(lambda: "line  locals" in run.terminal.terminal.text())
        assert run.terminal.editor.text == "info l"
        await run.press("o", "tab")
        await run.until(lambda: run.terminal.editor.text == "info locals ")


async def test_quit_asks_once(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", *"quit", "enter")
        said = "“quit” ends the debugger or leaves the dump. Enter again does it; another line"
        await run.until(lambda: said in " ".join(run.terminal.terminal.text().split()))
        lines = [line.rstrip() for line in run.terminal.terminal.text().split("\n")]
        assert any(line.split()[-1:] == [word] for line in lines for word in said.split()[3:])
        assert run.session.asked == []
        await run.press("x")
        assert run.terminal.editor.text == "x"  # typed in place of what was not run
        await run.press("backspace", *"quit", "enter")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("user_command", "quit")]


async def test_output_does_not_touch_the_half_typed_line(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events(), SAMPLE_CONSOLE)) as run:
        await run.press("f5", *"info fr")
        run.session.print(b"engine \xe2\x96\xb8 bt 32\r\n#0 main ()\r\n")
        await run.until(lambda: "#0 main ()" in run.terminal.terminal.text())
        assert run.terminal.editor.text == "info fr"


async def test_paste_does_not_run_and_enter_runs_it_line_by_line(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        run.app.post_message(Paste("bt\r\np\tx\x1b[201~\n"))
        await run.until(lambda: run.terminal.editor.text)
        assert run.terminal.editor.text == "bt\np x[201~"
        assert run.session.asked == []
        assert any(
            "bt↵p x[201~" in run.terminal.render_line(y).text
            for y in range(run.terminal.size.height)
        )
        await run.press("enter")
        await run.until(lambda: len(run.session.asked) == 2)
        assert run.session.asked == [("user_command", "bt"), ("user_command", "p x[201~")]
        await run.press("up", "up")
        assert run.terminal.editor.text == "bt"


async def test_size_reaches_the_debugger(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.until(lambda: run.session.size != (0, 0))
        before = run.session.size
        await run.pilot.resize_terminal(160, 48)
        await run.until(lambda: run.session.size != before)
        width, height = run.terminal.size
        assert run.session.size == (height, width)


async def test_scrollback(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        lines = b"".join(b"line %d\r\n" % number for number in range(200))
        run.session.print(lines)
        await run.until(lambda: "line 199" in run.terminal.terminal.text())
        await run.press("f5", "pageup", "pageup")
        shown = [strip.text.rstrip() for strip in map(run.terminal.render_line, range(3))]
        assert shown[0].startswith("line 1")
        assert "line 199" not in "".join(
            run.terminal.render_line(y).text for y in range(run.terminal.size.height)
        )
        await run.press("x")
        assert "line 199" in "".join(
            run.terminal.render_line(y).text for y in range(run.terminal.size.height)
        )


async def test_four_thousand_lines_can_be_scrolled_back_to(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for number in range(4050):
            run.session.print(b"line %d\r\n" % number)
        await run.press("f5")
        for _ in range(500):
            run.terminal.post_message(Key("pageup", None))
        await run.until(lambda: run.terminal.render_line(0).text.rstrip() == "line 0")
        run.session.print(b"one more\r\n" * 3)
        assert run.terminal.render_line(0).text.rstrip() == "line 0"
        await run.pilot.resize_terminal(160, 40)
        await run.pilot.pause()
        run.terminal.scroll_back(10_000)
        assert run.terminal.render_line(0).text.rstrip() == "line 0"


async def test_output_is_selected_with_the_mouse(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events(), b"first line\r\nsecond line\r\n")) as run:
        await run.until(lambda: "second" in run.terminal.terminal.text())
        await run.pilot.mouse_down(run.terminal, offset=(6, 0))
        await run.pilot.hover(run.terminal, offset=(6, 1))
        await run.pilot.mouse_up(run.terminal, offset=(6, 1))
        await run.pilot.pause()
        assert run.screen.get_selected_text() in ("line\nsecond", "line\nsecond ")


async def test_keys_are_answered_while_20_mb_go_by(workbench: Workbench) -> None:
    line = (
        b"#0  0x0000000000401c3e in \x1b[33mconn_expire\x1b[m (list=0x4c6080) at relayd.c:212\r\n"
    )
    chunk = line * 700
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")

        stream = DisplayStream(asyncio.get_running_loop())
        stream.sink = run.session.print

        typed = threading.Event()

        def flood() -> None:
            put = 0
            while put < 20_000_000 or not typed.is_set():  # keys that starve never end it
                stream.put(chunk)
                put += len(chunk)
                sleep(0.002)
            stream.put(b"the end\n")

        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        await run.pilot.press(*"backtrace")
        assert run.terminal.editor.text == "backtrace"
        typed.set()
        await asyncio.to_thread(thread.join)
        rows = range(run.terminal.size.height)
        await run.until(
            lambda: any("the end" in run.terminal.render_line(row).text for row in rows)
        )
        assert "skipped" in run.terminal.terminal.text()


async def test_output_waits_for_the_key_that_came_before_it_but_not_for_ever(
    workbench: Workbench,
) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        drawn = []
        real = run.terminal.terminal.feed
        run.terminal.terminal.feed = lambda data: (drawn.append(monotonic()), real(data))  # type: ignore[assignment]
        began = monotonic()
        while not drawn and monotonic() - began < 5:
            run.app.post_message(Key("x", "x"))  # keys without end
            await asyncio.sleep(0)
            if run.terminal.editor.text:
                run.session.print(b"in between\r\n")
        assert run.terminal.editor.text.startswith("x")
        run.session.print(b"the last\r\n")  # the last key's paint, or time, brings it
        await run.until(lambda: "the last" in run.terminal.terminal.text())
        assert "in between" in run.terminal.terminal.text()


async def test_a_key_is_painted_before_the_output_that_waits(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        run.session.print(b"first\r\n")  # nobody types
        assert "first" in run.terminal.terminal.text()
        at = monotonic()
        monkeypatch.setattr(terminal_view, "monotonic", lambda: at)
        run.app.post_message(Key("x", "x"))
        await run.until(lambda: run.terminal.editor.text == "x")
        run.session.print(b"second\r\n")  # at the key's own moment
        assert "second" not in run.terminal.terminal.text()
        await run.until(lambda: "second" in run.terminal.terminal.text())
        assert run.terminal.editor.text == "x"


async def test_the_prompt_is_the_debuggers_own(workbench: Workbench) -> None:
    opened, *others = gate_events()
    assert isinstance(opened, SessionOpened)
    for debugger, prompt in (("gdb", "(gdb) "), ("lldb", "(lldb) "), ("replay", "(log) ")):
        events = [replace(opened, debugger=debugger), *others]
        async with workbench(ScriptedSession(events)) as run:
            await run.until(lambda prompt=prompt, run=run: run.terminal.prompt == prompt)


async def test_the_prompt_tells_a_busy_debugger_from_one_that_waits(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        await run.press("f5", "b")
        await run.until(lambda: "(gdb) b" in run.shown())
        session.feed(CommandStarted(command=Command("bt", "x"), source=Source.DEBUGGER))
        await run.until(lambda: "(gdb) busy b" in run.shown())
        session.awaiting_input = True
        await run.until(lambda: "> b" in run.shown())
        assert "busy" not in run.shown()


def test_a_screen_that_was_left_has_no_subtitle_to_change() -> None:
    ConsolePane()._subtitle(0)  # called after a refresh, when its widgets are gone
