"""The registry: every action has its owner and handler, binding, help, palette and README row."""

from pathlib import Path

import pytest
from textual.events import Key

from tests.tui.conftest import Workbench
from tests.tui.sample import concluded_events, gate_events
from tests.tui.session import ScriptedSession
from workbench.tui.action import Action, Place, is_function_key, key_name
from workbench.tui.action_table import ACTIONS, bindings, key_table
from workbench.tui.app import WorkbenchApp
from workbench.tui.palette import palette_commands
from workbench.tui.panes.console import ConsolePane
from workbench.tui.panes.critic import CriticPane
from workbench.tui.panes.evidence import EvidencePane
from workbench.tui.panes.hypotheses import HypothesesPane
from workbench.tui.panes.stack import StackPane
from workbench.tui.panes.threads import ThreadsPane
from workbench.tui.screens.chat import ChatScreen
from workbench.tui.screens.help import help_content
from workbench.tui.screens.home import HomeScreen
from workbench.tui.screens.models import ModelsScreen
from workbench.tui.screens.payloads import PayloadsScreen
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.search import SearchScreen
from workbench.tui.screens.symbols import SymbolsScreen
from workbench.tui.screens.workbench import WorkbenchScreen

OWNERS: dict[Place, type] = {
    Place.EVERYWHERE: WorkbenchApp,
    Place.HOME: HomeScreen,
    Place.WORKBENCH: WorkbenchScreen,
    Place.TREE: HypothesesPane,
    Place.EVIDENCE: EvidencePane,
    Place.CRITIC: CriticPane,
    Place.STACK: StackPane,
    Place.THREADS: ThreadsPane,
    Place.CONSOLE: ConsolePane,
    Place.REPORT: ReportScreen,
    Place.SYMBOLS: SymbolsScreen,
    Place.PAYLOADS: PayloadsScreen,
    Place.CHAT: ChatScreen,
    Place.MODELS: ModelsScreen,
    Place.SEARCH: SearchScreen,
}


@pytest.mark.parametrize(
    ("key", "name"),
    [("left_curly_bracket", "{"), ("question_mark", "?"), ("slash", "/"), ("f6", "F6"), ("A", "A"),
     ("shift+tab", "Shift+Tab"), ("ctrl+c", "Ctrl+C"), ("right_square_bracket", "]"),
     ("escape", "Esc"), ("pageup", "PgUp"), ("escape escape", "Esc Esc")],
)  # fmt: skip
def test_keys_are_written_as_they_are_typed(key: str, name: str) -> None:
    assert key_name(key) == name


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_action_has_everything(action: Action) -> None:
    assert action.title
    assert action.help
    assert action.keys
    handler = action.handler.partition("(")[0]
    assert callable(getattr(OWNERS[action.where], f"action_{handler}"))
    assert action.help in help_content().plain
    assert f"| {action.where} | {action.help} |" in key_table()
    assert key_name(action.keys[0]) in help_content().plain
    if action.where is not Place.CONSOLE:
        bound = {binding.id: binding for binding in bindings(action.where)}  # type: ignore[union-attr]
        first = bound.get(f"{action.id}.first")
        keys = bound[action.id].key.split(",") + (first.key.split(",") if first else [])
        assert keys == list(action.keys)
        assert not bound[action.id].priority
        assert (first is not None) is action.moves


def test_ids_are_unique_and_keys_do_not_clash_within_a_place() -> None:
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for place in Place:
        keys = [key for action in ACTIONS if action.where is place for key in action.keys]
        assert len(keys) == len(set(keys)), place


def test_every_class_binds_its_place() -> None:
    for place, owner in OWNERS.items():
        if place is Place.CONSOLE:
            continue
        ids = {getattr(binding, "id", None) for binding in owner.BINDINGS}
        assert {action.id for action in ACTIONS if action.where is place} <= ids


def test_the_document_of_keys_is_the_key_table() -> None:
    text = (Path(__file__).parents[2] / "docs" / "keys.md").read_text(encoding="utf-8")
    assert key_table().strip() in text


async def test_no_priority_binding_steals_from_the_console(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        for _, table in run.screen._binding_chain:
            for bound in table.key_to_bindings.values():
                assert all(is_function_key(binding.key) for binding in bound if binding.priority)


async def test_keys_right_after_a_pane_key_are_that_panes(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for key in ("f5", *"ptn"):  # t and n would act on the tree
            run.app.post_message(Key(key, key if len(key) == 1 else None))
        await run.until(lambda: run.terminal.editor.text == "ptn")
        assert run.session.asked == []
        assert run.app.screen is run.screen


async def test_palette_offers_what_works_now(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        titles = {command.title for command in palette_commands(run.app, run.screen)}
        assert {"Approve  a", "Report  g", "Quit  q"} <= titles
        assert not any(title.startswith("Resume") for title in titles)
    async with workbench(ScriptedSession(concluded_events())) as run:
        titles = {command.title for command in palette_commands(run.app, run.screen)}
        assert "Approve  a" not in titles
        [report] = [
            one for one in palette_commands(run.app, run.screen) if one.title == "Report  g"
        ]
        await report.callback()
        await run.until(lambda: isinstance(run.app.screen, ReportScreen))


async def test_footer_labels_are_whole_at_every_width(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for width in (160, 120, 100, 80, 60, 40):
            await run.pilot.resize_terminal(width, 24)
            await run.pilot.pause()
            footer = run.screen.query_one("#footer")
            text = footer.render_line(0).text.strip()
            for label in text.split("  "):
                assert any(
                    label == f"{key_name(key)} {action.title}"
                    for action in ACTIONS
                    for key in action.keys
                ), label
            assert text.endswith("q quit")


def test_the_help_wraps_within_its_own_column() -> None:
    lines = help_content(64).plain.split("\n")
    assert all(len(line) <= 64 for line in lines)
    assert any(line.startswith(" " * 23) and line.strip() for line in lines)
