"""Every key of the workbench does what the registry says, and the console keeps the others."""

import asyncio
import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace
from textual import events
from textual.command import CommandPalette
from textual.widgets import DataTable, Input, Static

from tests.soak import SOAK
from tests.tui.conftest import Workbench
from tests.tui.sample import H1, concluded_events, gate_events
from tests.tui.session import REPORT, ScriptedSession
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.events import (
    AnyEvent,
    ApproveAll,
    GateAnswered,
    GateOpened,
    HypothesisEdited,
    HypothesisMoved,
    TestRan,
)
from workbench.model.evidence import Command
from workbench.model.hypothesis import Status, TestResult
from workbench.tui import clipboard
from workbench.tui.panes.base import PaneTitle
from workbench.tui.panes.critic import judgement_node
from workbench.tui.panes.hypotheses import GateCard
from workbench.tui.panes.outline import Outline
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.report import ReportScreen
from workbench.tui.screens.symbols import SymbolsScreen

ASKED = GateOpened(id="G2", kind="policy", subjects=("call f()",), question="Run this?")


async def test_focus_starts_in_the_tree(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        assert run.tree.has_focus
        assert run.hypotheses.current() == H1


@pytest.mark.parametrize(("made", "said"), [(gate_events, True), (concluded_events, False)])
async def test_that_all_are_approved_is_said_to_the_end(
    workbench: Workbench, made: Callable[[], list[AnyEvent]], said: bool
) -> None:
    async with workbench(ScriptedSession([*made(), ApproveAll(by="user")])) as run:
        title = str(run.hypotheses.query_one(PaneTitle).render())
        assert ("approving all" in title) is said


async def test_decision_keys(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for keys, asked in (
            (("a",), ("approve", "H1")),
            (("down", "down", "down", "down", "a"), ("approve", "H2")),
            (("t",), ("test_now", "H1")),
            (("A",), ("approve_all",)),
            (("r", "enter"), ("reject", "H1", "")),
            (("r", *"no", "enter"), ("reject", "H1", "no")),
            (("w",), ("write_report",)),
            (("g",), ("report", "md")),
        ):
            run.tree.select("H1")
            run.session.asked.clear()
            await run.press(*keys)
            await run.until(lambda: run.session.asked)
            assert run.session.asked == [asked], keys


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (("2", "A"), "A (approve all) works in the pane Hypotheses."),
        (
            ("2", "R"),
            "R (run again) works on a core of a Linux program, once the investigation is over.",
        ),
        (("2", "u", "escape", "y", "f5", "R"), ""),
    ],
)
async def test_a_key_that_does_nothing_here_says_so(
    workbench: Workbench, keys: tuple[str, ...], said: str
) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press(*keys[:-1])
        await run.pilot.pause()
        before = len(run.app._notifications)
        await run.press(keys[-1])
        await run.pilot.pause()
        assert [one.message for one in run.app._notifications][before:] == ([said] if said else [])
        assert run.session.asked == []


async def test_escape_keeps_the_hypothesis(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("r", *"x", "escape")
        assert run.session.asked == []
        assert run.tree.has_focus


async def test_edit_changes_words_and_tests(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("e")
        await run.press(*"!", "tab", "enter", *"info frame", "ctrl+s")
        await run.until(lambda: run.session.asked)
        [(name, id, statement, category, tests)] = run.session.asked
        assert (name, id, statement) == ("edit", "H1", H1.statement + "!")
        assert category is Category.USE_AFTER_FREE
        assert tests == (*H1.planned, Command("info frame", "asked by you"))


async def test_new_hypothesis_needs_words(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("n", "ctrl+s")
        assert run.session.asked == []
        await run.press(*"mine", "ctrl+s")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("propose", "mine", Category.UNKNOWN, ())]


async def test_the_tree_shows_what_is_left_what_was_edited_and_what_a_test_was_for(
    workbench: Workbench,
) -> None:
    async with workbench(ScriptedSession(gate_events()), size=(160, 48)) as run:

        def rows() -> str:
            tree = run.tree
            return "\n".join(tree.render_line(y).text for y in range(tree.size.height))

        card = run.hypotheses.query_one(GateCard)
        assert "left to decide" not in str(card.render())
        run.session.feed(
            HypothesisEdited(id="H2", statement="mine", category=Category.UNKNOWN, planned=()),
            HypothesisMoved(id="H1", status=Status.APPROVED, by="user"),
        )
        await run.until(lambda: "2 of 3 left to decide" in str(card.render()))
        assert rows().count("edited by you") == 1
        result = TestResult(command="prnt x", evidence="E5", verdict="Undefined command")
        run.session.feed(TestRan(id="H1", result=result))
        await run.until(lambda: "• prnt x" in rows())
    async with workbench(ScriptedSession(concluded_events()), size=(160, 48)) as run:
        await run.until(lambda: "✓ @heap" in rows())


async def test_a_forbidden_test_is_said_before_it_is_saved(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("n", *"mine", "tab", *"call f()", "ctrl+s")
        assert run.session.asked == []
        assert "`call f()` cannot be a test: it calls a function" in run.shown()


async def test_new_hypothesis_brings_its_tests(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("n", *"mine", "tab", *"bt 3", "enter", "enter", *"p x", "ctrl+s")
        await run.until(lambda: run.session.asked)
        [(_, _, _, tests)] = run.session.asked
        assert tests == (Command("bt 3", "asked by you"), Command("p x", "asked by you"))


async def test_decided_hypotheses_have_no_decision_keys(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("a", "r", "e", "t")
        assert run.session.asked == []
        assert run.app.screen is run.screen


async def test_policy_gate_is_answered_and_leaves_the_console_alone(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", *"info ")
        run.session.feed(ASKED)
        await run.until(lambda: run.hypotheses.state.gate and run.hypotheses.state.gate.id == "G2")
        await run.press(*"a")
        assert run.terminal.has_focus
        assert run.terminal.editor.text == "info a"
        await run.press("f2", "a")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("answer", "G2", "approve", "")]


@pytest.mark.soak
@pytest.mark.parametrize("size", [(80, 24), (120, 40)] if SOAK else [(80, 24)])
async def test_a_command_is_asked_about_in_every_pane(
    workbench: Workbench, size: tuple[int, int]
) -> None:
    async with workbench(ScriptedSession(gate_events()), size=size) as run:
        question = run.screen.query_one("#question", GateCard)
        card = run.screen.query_one("#gate", GateCard)
        for keys, answer in (
            (("2", "a"), ("approve", "")),
            (("3", "r", *"no", "enter"), ("reject", "no")),
            (("f5", "f7"), ("approve", "")),
            (("f5", "shift+f7", "enter"), ("reject", "")),
            (("f2", "r", "enter"), ("reject", "")),
        ):
            run.tree.select("H1")
            run.session.asked.clear()
            await run.press(keys[0])
            assert not question.display
            run.session.feed(ASKED)
            await run.until(lambda: question.display)
            await run.pilot.pause()
            assert "call f()" in "".join(question.render_line(y).text for y in range(3))
            assert "F7" in "".join(question.render_line(y).text for y in range(3))
            await run.press(*keys[1:])
            await run.until(lambda: run.session.asked)
            assert run.session.asked == [("answer", "G2", *answer)], keys
            run.session.feed(GateAnswered(id="G2", answer=answer[0], by="user"))
            await run.until(lambda: not question.display)
            await run.press("f2")
            assert card.display
            assert "Which hypotheses" in card.render_line(0).text
            await run.press("a")
            await run.until(lambda: len(run.session.asked) > 1)
            assert run.session.asked[-1] == ("approve", "H1")


async def test_citation_opens_the_lit_lines(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        run.tree.select("H1/for/E6:3-5")
        await run.press("enter")
        await run.until(lambda: run.text.lit == (3, 5))
        assert run.text.has_focus
        assert run.text.line(3).startswith("address  0x4c7310")


async def test_panes_by_tab_digits_and_function_keys(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        names = []
        for _ in range(3):
            await run.press("tab")
            names.append(run.screen.active_pane.id)
        assert names == ["evidence", "stack", "console"]
        await run.press("f6")
        assert run.tree.has_focus
        await run.press("shift+tab")
        assert run.terminal.has_focus
        for key, pane in (
            ("f2", "hypotheses"),
            ("2", "evidence"),
            ("3", "critic"),
            ("5", "stack"),
            ("6", "threads"),
            ("4", "console"),
        ):
            await run.press(key)
            assert run.screen.active_pane.id == pane


async def test_shift_f6_goes_to_the_pane_before_also_from_the_console(
    workbench: Workbench,
) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", "shift+f6")
        assert run.screen.active_pane.id == "stack"
        await run.press("shift+f6")
        assert run.screen.active_pane.id == "evidence"


async def test_f8_zooms_the_console(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", "f8")
        assert run.terminal.size.width == 120
        await run.press("f8")
        assert run.terminal.size.width < 120
        assert run.terminal.has_focus


async def test_f9_opens_the_palette_from_the_console(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", "f9")
        await run.until(lambda: CommandPalette.is_open(run.app))
        await run.press("escape")
        await run.until(lambda: run.terminal.has_focus)


async def test_the_palette_finds_titles_and_help(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f9")
        await run.until(lambda: CommandPalette.is_open(run.app))
        for typed, found in (("theme", "Theme"), ("crash", "Ask  c")):
            await run.press("home", "ctrl+k", *typed)
            await run.until(lambda found=found: found in run.shown())


async def test_f10_quits_from_the_console(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5", "f10")
        assert ("close",) in run.session.asked
        assert run.app.left is run.session


async def test_enter_in_the_critic_opens_the_citation_or_folds(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        checks = run.screen.query_one("#checks", Outline)
        await run.press("3")
        checks.select("round/2")
        before = checks.virtual_size.height
        await run.press("enter")
        assert checks.virtual_size.height < before
        checks.select("claim/0")
        node = checks.selected
        assert node is not None
        assert node.citation is not None
        await run.press("enter")
        await run.until(lambda: run.text.lit == (node.citation.first, node.citation.last))
        assert run.text.has_focus


async def test_what_was_not_chosen_is_told_as_it_stands(workbench: Workbench) -> None:
    events = concluded_events()
    async with workbench(ScriptedSession(events)) as run:
        state = run.session.state
        assert state.judgement is not None
        for lost in state.judgement.rejected:
            became = {Status.REJECTED: "ruled out because"}.get(
                state.hypotheses[lost.id].status, "stays open"
            )
            nodes = judgement_node(state.judgement, state).children
            assert any(f"{lost.id} {became}: " in node.content.plain for node in nodes)
        for one in state.hypotheses.values():
            state.hypotheses[one.id] = replace(one, status=Status.INCONCLUSIVE)
        text = [node.content.plain for node in judgement_node(state.judgement, state).children]
        assert not any("ruled out" in one for one in text)


async def test_of_a_citation_from_the_first_line_on_the_summary_is_shown(
    workbench: Workbench,
) -> None:
    """Its first line says whose it is: "thread 4711"."""
    cited = Citation("E2", 1, 6), Citation("E2", 5, 6)
    session = ScriptedSession(gate_events())
    session.state.hypotheses["H1"] = replace(session.state.hypotheses["H1"], citations=cited)
    summary = session.state.evidence["E2"].summary
    async with workbench(session) as run:
        tree = run.screen.query_one("#tree", Outline)
        await run.until(lambda: any(summary in row for row in _plain(tree, cited[0])))
        assert not any(summary in row for row in _plain(tree, cited[1]))


def _plain(tree: Outline, citation: Citation) -> list[str]:
    return [one.content.plain for one in tree.path_to(f"H1/seen in/{citation}")[:1]]


async def test_y_copies_the_report(workbench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "copy_tool", lambda: None)
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("g")
        await run.until(lambda: isinstance(run.app.screen, ReportScreen))
        await run.press("y")
        assert run.app.clipboard == REPORT


async def test_zoom_gives_the_pane_the_screen(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("2", "z")
        assert run.evidence.size.width == 120
        assert not run.hypotheses.display or run.hypotheses.size.width == 0
        await run.press("z")
        assert run.hypotheses.size.width > 0


async def test_help_and_report_open_and_close(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        for key in ("question_mark", "f1"):
            await run.press(key)
            assert isinstance(run.app.screen, HelpScreen)
            await run.press("escape")
        await run.press("g")
        await run.until(lambda: isinstance(run.app.screen, ReportScreen))
        await run.press("w")
        await run.until(lambda: ("write_report",) in run.session.asked)
        await run.press("escape")
        assert run.app.screen is run.screen


async def test_symbols_show_what_to_do_first(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("s")
        await run.until(lambda: isinstance(run.app.screen, SymbolsScreen))
        table = run.app.screen.query_one(DataTable)
        rows = [[str(cell) for cell in table.get_row_at(row)] for row in range(table.row_count)]
        assert rows[0] == ["missing", "unknown", "/lib/libc.so.6", "copy it", "-"]
        assert rows[1][2] == "/srv/[bold]relayd"
        await run.press("escape")
        assert run.app.screen is run.screen


async def test_the_whole_advice_for_a_module_fits_a_small_screen(workbench: Workbench) -> None:
    long = "copy it from the machine that crashed (workbench collect there, or --sysroot DIR)"
    session = ScriptedSession(concluded_events())
    session.todo = long
    async with workbench(session, size=(80, 24)) as run:
        await run.press("s")
        await run.until(lambda: isinstance(run.app.screen, SymbolsScreen))
        advice = run.app.screen.query_one("#symbols-todo", Static)
        await run.until(lambda: long in str(advice.render()))
        assert advice.size.height == 2
        assert advice.region.bottom < 24
        await run.press("down")
        await run.until(lambda: "nothing to do" in str(advice.render()))


async def test_quit_closes_the_session(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("q")
        assert ("close",) in run.session.asked
        assert run.app.left is run.session


async def test_a_refusal_is_a_line(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    session.refusal = RuntimeError("the journal is [red]read-only[/red]")
    async with workbench(session) as run:
        await run.press("a")
        await run.until(lambda: run.app._notifications)
        [notification] = list(run.app._notifications)
        assert notification.message == ("Could not approve H1: the journal is [red]read-only[/red]")


async def test_state_follows_the_events(workbench: Workbench) -> None:
    events = concluded_events()
    session = ScriptedSession(events[:5])
    async with workbench(session) as run:
        for event in events[5:]:
            session.feed(event)
        await run.until(lambda: run.hypotheses.current())
        current = run.hypotheses.current()
        assert current is not None
        assert current.status is Status.CONFIRMED


async def test_the_report_wraps_long_lines_of_output(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session, size=(80, 24)) as run:
        quoted = " ".join(f"word{number}" for number in range(30))
        await run.report(f"```\n{quoted}\n```\n")
        await run.until(lambda: "word0" in run.shown())
        assert "word29" in run.shown()


@pytest.mark.soak
@pytest.mark.parametrize("size", [(80, 24), (120, 40)] if SOAK else [(80, 24)])
async def test_no_id_of_a_report_is_cut(workbench: Workbench, size: tuple[int, int]) -> None:
    rows = "\n".join(
        f"| E{n} | frame apply level 0 -q info locals | {'0x' + 'f' * 40} {'why ' * 30} |"
        for n in range(8, 12)
    )
    session = ScriptedSession(gate_events())
    async with workbench(session, size=size) as run:
        await run.report(f"| id | command | what it showed |\n| --- | --- | --- |\n{rows}\n")
        await run.until(lambda: "E11" in run.shown())
        assert {"E8 ", "E9 ", "E10 ", "E11 "} <= set(re.findall(r"E\d+ ", run.shown()))
        assert "…" not in run.shown()
        assert all(len(row) <= size[0] for row in run.shown().split("\n"))


async def test_the_report_is_painted_before_it_is_written(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        written = asyncio.Event()

        async def slow() -> str:
            await written.wait()
            return REPORT

        run.app.push_screen(ReportScreen(slow, "one"))
        await run.until(lambda: "Writing the report" in run.shown())
        written.set()
        await run.until(lambda: "Use after free" in run.shown())
        assert "Writing" not in run.shown()


async def test_the_first_press_shows_the_keys_of_the_focused_pane(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        for key, heading in (("1", "Hypotheses"), ("2", "Evidence"), ("3", "Critic")):
            await run.press(key, "question_mark")
            assert isinstance(run.app.screen, HelpScreen)
            lines = [line.strip("│ ▊▎█▆▄▁") for line in run.app_help().split("\n")]
            assert lines[0] == heading
            assert any(line.startswith("y ") for line in lines[1:24])
            assert "Workbench" in lines
            await run.press("escape")


async def test_the_bar_is_where_the_keys_go(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for key in (
            "2",
            "3",
            "4",
            "f2",
            "tab",
            "f2",
            "f6",
            "f5",
            "f6",
            "2",
            "shift+tab",
            "f3",
            "f2",
        ):
            await run.press(key)
            heavy = re.findall(r"━ (\d) [A-Z]", run.shown())
            assert heavy == [str(run.screen.active_pane.number)], key
            assert run.screen.focused in run.screen.active_pane.query("*")


_NAMES = {"/": "slash", "?": "question_mark", " ": "space"}


@pytest.mark.parametrize(
    ("keys", "box"), [("cquit now?", "#ask"), ("/reap", "#search-text"), ("2/nappe", "#search")]
)
async def test_what_is_typed_in_one_burst_is_none_of_the_keys_before(
    workbench: Workbench, keys: str, box: str
) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        for key in keys:
            run.app.post_message(events.Key(_NAMES.get(key, key), key))
        text = keys.lstrip("2")[1:]
        await run.until(lambda: [one.value for one in run.app.screen.query(Input)] == [text], 5)
        assert run.app.screen.query_one(box).has_focus
        assert not run.session.asked
