"""What the workbench looks like, on recorded events, a fixed clock and fixed ids."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Input, TextArea

from tests.tui.others import log_events, minidump_events
from tests.tui.sample import START, concluded_events, gate_events
from tests.tui.sample_texts import SAMPLE_CONSOLE
from tests.tui.session import ScriptedSession
from tests.tui.test_home import ROWS
from workbench.model.events import GateOpened
from workbench.tui.app import WorkbenchApp
from workbench.tui.panes.lines import LineView
from workbench.tui.panes.outline import Outline
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.screens.home import HomeScreen
from workbench.tui.screens.workbench import WorkbenchScreen

SIZES = {"80x24": (80, 24), "120x40": (120, 40), "160x48": (160, 48)}
Compare = Callable[..., bool]


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """No cursor blinks: at what moment a picture is taken depends on the machine."""
    for kind in (Input, TextArea):
        monkeypatch.setattr(kind.cursor_blink, "_default", False)


def app_on(
    events: Sequence[Any], console: bytes = SAMPLE_CONSOLE, texts: dict[str, str] | None = None
) -> WorkbenchApp:
    session = ScriptedSession(events, console, texts)

    async def make() -> ScriptedSession:
        return session

    return WorkbenchApp(make, clock=lambda: START + timedelta(hours=1))


def after(*keys: str, select: str = "") -> Callable[[Pilot[Any]], Any]:
    async def run(pilot: Pilot[Any]) -> None:
        app: App[Any] = pilot.app
        for _ in range(1000):
            await pilot.pause(0.02)
            if isinstance(app.screen, HomeScreen) or is_shown(app):
                break
        if select:
            app.screen.query_one("#tree", Outline).select(select)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        before, same = None, 0
        while same < 3:
            await pilot.pause(0.05)
            now = app.export_screenshot()
            before, same = now, same + 1 if now == before else 0

    return run


def is_shown(app: App[Any]) -> bool:
    """Whether the session, what it printed and the evidence that is looked at have come."""
    screen = app.screen
    if not isinstance(screen, WorkbenchScreen) or screen.port is None:
        return False
    told = "free(" in screen.query_one(TerminalView).terminal.text()
    return told and bool(screen.query_one("#evidence-text", LineView)._lines)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_gate(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_on(gate_events()), terminal_size=size, run_before=after())


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_concluded(snap_compare: Compare, size: tuple[int, int]) -> None:
    assert snap_compare(app_on(concluded_events()), terminal_size=size, run_before=after())


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
def test_lit_lines(snap_compare: Compare, size: tuple[int, int]) -> None:
    run = after("enter", select="H1/for/E6:3-5")
    assert snap_compare(app_on(concluded_events()), terminal_size=size, run_before=run)


@pytest.mark.parametrize(
    "keys",
    [("3",), ("4", *"info lo"), ("question_mark",), ("g",), ("e",), ("r",)],
    ids=["critic", "console", "help", "report", "edit", "reject"],
)
def test_narrow_panes(snap_compare: Compare, keys: tuple[str, ...]) -> None:
    events = concluded_events() if keys in (("3",), ("g",)) else gate_events()
    assert snap_compare(app_on(events), terminal_size=SIZES["80x24"], run_before=after(*keys))


@pytest.mark.parametrize("size", [SIZES["80x24"], SIZES["120x40"]], ids=["80x24", "120x40"])
def test_command_asked_about(snap_compare: Compare, size: tuple[int, int]) -> None:
    question = "`call conn_dump(c)` may change state (it runs code). Run it?"
    asked = GateOpened(id="G2", kind="policy", subjects=("call conn_dump(c)",), question=question)
    app = app_on([*gate_events(), asked])
    assert snap_compare(app, terminal_size=size, run_before=after("4"))


def test_light(snap_compare: Compare) -> None:
    run = after("f12")
    assert snap_compare(app_on(gate_events()), terminal_size=SIZES["120x40"], run_before=run)


@pytest.mark.parametrize("size", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("recorded", [minidump_events, log_events], ids=["minidump", "log"])
def test_what_is_no_core(
    snap_compare: Compare, recorded: Callable[[], Any], size: tuple[int, int]
) -> None:
    events, texts = recorded()
    app = app_on(events, b"heap state before free():\r\n", texts)
    assert snap_compare(app, terminal_size=size, run_before=after())


@pytest.mark.parametrize("rows", [ROWS, []], ids=["list", "empty"])
def test_home(snap_compare: Compare, rows: list[Any]) -> None:
    async def never(id: str) -> ScriptedSession:
        raise AssertionError(id)

    app = WorkbenchApp(
        sessions=lambda: rows, open_session=never, clock=lambda: START + timedelta(hours=4)
    )
    assert snap_compare(app, terminal_size=SIZES["120x40"], run_before=after())
