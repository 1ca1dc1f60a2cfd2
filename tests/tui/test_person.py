"""What a person decides: verdicts, pins, what the evidence list shows; and what follows them."""

import pytest
from msgspec.structs import replace

from tests.tui.conftest import Running, Workbench
from tests.tui.sample import START, concluded_events, gate_events, sample_state
from tests.tui.session import ScriptedSession
from workbench.model.citation import Citation
from workbench.model.events import (
    ConclusionDrafted,
    EvidenceMarked,
    HypothesisDecided,
    HypothesisMoved,
    Noticed,
    OriginFound,
)
from workbench.model.facts import Frame
from workbench.model.hypothesis import Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind
from workbench.tui.panes import bars
from workbench.tui.panes.evidence import short_command
from workbench.tui.panes.outline import Outline
from workbench.tui.screens.editors import RunEditor, VerdictEditor
from workbench.tui.screens.help import HelpScreen
from workbench.tui.screens.report import ReportScreen


def listed(run: Running) -> list[str]:
    outline = run.evidence.query_one("#evidence-list", Outline)
    rows = [outline.render_line(y).text for y in range(outline.size.height)]
    return [row.strip("▌ ◆✕").split()[0] for row in rows if row.strip()]


@pytest.mark.parametrize("events", [gate_events, concluded_events])
async def test_v_sets_a_verdict_on_any_hypothesis(workbench: Workbench, events: object) -> None:
    async with workbench(ScriptedSession(events())) as run:  # type: ignore[operator]
        for key, status in (("up", Status.CONFIRMED), ("down", Status.REJECTED)):
            run.tree.select("H1")
            run.session.asked.clear()
            await run.press("v", *"seen it", "enter")  # nothing is the default
            assert isinstance(run.app.screen, VerdictEditor)
            assert run.session.asked == []
            await run.press(key, "enter")
            await run.until(lambda: run.session.asked)
            assert run.session.asked == [("decide", "H1", status, "seen it")]
            await run.press("v", "up", "escape")
            assert len(run.session.asked) == 1


async def test_a_persons_verdict_is_said_and_stands(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        moved = HypothesisMoved(id="H2", status=Status.CONFIRMED, by="user", reason="seen it")
        expert = Verdict(status=Status.REJECTED, confidence=0.1, rung=Rung.STACK, reason="no")
        session.feed(moved, HypothesisDecided(id="H2", verdict=expert))
        await run.until(lambda: "H2 ● confirmed  by you" in run.shown())
        own = session.state.hypotheses["H2"]
        assert (own.status, own.reason, own.decided_by) == (Status.CONFIRMED, "seen it", "user")
        assert own.verdict == expert


async def test_the_footer_offers_to_run_again_at_any_size(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events()), size=(80, 24)) as run:
        for pane in "123":  # the console takes letters
            await run.press(pane)
            assert run.screen.active_pane.number == int(pane)
            await run.until(lambda: "R run again" in run.shown() and "q quit" in run.shown())


async def test_each_pane_has_its_tab_at_60_columns(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events()), size=(60, 20)) as run:
        await run.until(lambda: "1 Hypo   2 Evid   3 Crit" in run.shown())
        assert "5 Stac   6 Thre" in run.shown()


async def test_R_shows_what_would_run_runs_it_and_stops_it(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    async with workbench(session) as run:
        await run.press("R")
        await run.until(lambda: isinstance(run.app.screen, RunEditor))
        await run.press("escape")
        assert session.asked == []
        await run.press("R")
        await run.until(lambda: isinstance(run.app.screen, RunEditor))
        await run.until(lambda: "# PYTHONPATH=/tmp/x" in run.shown())  # offered, not set
        await run.press("end", *" -v", "tab", "tab", "down", "delete", "delete", "enter")
        await run.until(lambda: session.asked)
        assert session.asked == [("run again", "MODE=fast ./app --list 'a b' -v", "/srv/app")]
        await run.until(lambda: "run 1: until it fails" in run.shown())
        assert "◐ running again" in run.shown()
        assert "R stop the runs" in run.shown()
        await run.press("R")
        await run.until(lambda: not session.runs)
        cite = (Citation("E2", 3, 3),)
        stack = (Frame(index=0, function="drop", file="a.c", line=9, trust="unwound"),)
        found = Origin(
            kind=OriginKind.FREED, function="drop", file="a.c", line=9, evidence=cite, stack=stack
        )
        session.feed(OriginFound(origin=found))
        await run.until(lambda: "began (observed): `drop` at `a.c:9` freed" in run.shown())
        await run.press("5")
        await run.until(lambda: run.shown().count("began (observed):") == 2)
        concluded = session.state.conclusion
        assert concluded is not None
        session.feed(ConclusionDrafted(conclusion=replace(concluded, hypothesis=None)))
        await run.until(lambda: 0 < run.shown().find("began (observed)") < run.shown().find("H1 "))


async def test_R_in_the_report_shows_what_would_run(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("g")
        await run.until(lambda: isinstance(run.app.screen, ReportScreen))
        await run.until(lambda: "R run again" in run.shown())
        await run.press("R")
        await run.until(lambda: isinstance(run.app.screen, RunEditor))
        await run.press("escape")
        await run.until(lambda: run.app.screen is run.screen)


async def test_R_runs_nothing_of_which_a_part_was_out_of_sight(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    session.command = " ".join(f"S{n}={'x' * 60}" for n in range(20)) + " ./app"
    async with workbench(session, size=(80, 24)) as run:
        await run.press("R")
        await run.until(lambda: isinstance(run.app.screen, RunEditor))
        seen = set()
        for _ in range(9):
            await run.until(lambda: run.app.screen.query_one("#command").region.height == 8)
            seen |= {n for n in range(20) if f"S{n}=x" in run.shown()}
            await run.press("enter")
            await run.pilot.pause()
            if not isinstance(run.app.screen, RunEditor):
                break
        assert seen == set(range(20))
        await run.until(lambda: session.asked)
        assert session.asked == [("run again", session.command, "/srv/app")]


async def test_after_a_decision_the_cursor_is_on_the_next_one(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        await run.press("a", "a")
        await run.until(lambda: len(session.asked) == 2)
        assert session.asked == [("approve", "H1"), ("approve", "H2")]
        await run.press("left_square_bracket", "left_square_bracket")
        assert run.hypotheses.current() == session.state.hypotheses["H1"]
        await run.press("right_square_bracket")
        assert run.hypotheses.current() == session.state.hypotheses["H2"]


async def test_the_evidence_follows_the_tree_until_it_is_read(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.until(lambda: run.text.lit == (3, 5))
        assert run.text.line(3).startswith("address  0x4c7310")
        await run.press("2", "home")
        await run.until(lambda: run.text.lit == (0, 0))
        await run.press("1", "right_square_bracket")
        await run.pilot.pause(0.1)
        assert run.text.lit == (0, 0)


async def test_pins_and_hidden_items(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    async with workbench(session) as run:
        await run.press("2", "home", "x", "down", "P")
        await run.until(lambda: len(session.asked) == 2)
        assert session.asked == [
            ("mark_evidence", "E1", "hidden"),
            ("mark_evidence", "E2", "pinned"),
        ]
        session.feed(EvidenceMarked(id="E1", mark="hidden"), EvidenceMarked(id="E6", mark="pinned"))
        await run.until(lambda: listed(run)[0] == "E6")
        assert "E1" not in listed(run)
        assert "1 hidden" in run.shown()
        chosen = run.evidence.query_one(Outline)
        assert chosen.cursor == "E2"
        for hidden, next_one in (("E2", "E3"), ("E3", "E4")):
            session.feed(EvidenceMarked(id=hidden, mark="hidden"))
            await run.until(lambda: chosen.cursor == next_one)  # noqa: B023
        await run.press("X")
        assert "E1" in listed(run)
        await run.press("home", "P")
        await run.until(lambda: len(session.asked) == 3)
        assert session.asked[-1] == ("mark_evidence", "E6", "")


async def test_slash_in_the_list_filters_all_evidence(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("2", "slash", *"tcache", "enter")
        await run.until(lambda: listed(run) == ["E6"])
        assert "/tcache" in run.shown()
        assert "1 of 7 items" in run.shown()
        await run.until(lambda: "tcache" in run.text.line(run.text.cursor))
        await run.press("slash", *"tcachex", "enter")
        await run.until(lambda: "No item holds “tcachex”" in run.shown())
        await run.press("slash", "backspace", "enter")
        await run.until(lambda: " 7 items" in run.shown())


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("frame apply level 0 -q info locals", "#0 info locals"),
        ("thread apply 4 -q frame apply level 2 -q print x", "#2 print x"),
        ("thread apply all bt 32", "thread apply all bt 32"),
        ("x/4gx 0x4c7310", "x/4gx 0x4c7310"),
    ],
)
def test_commands_are_told_apart_in_the_list(command: str, shown: str) -> None:
    assert short_command(command, 40) == shown


async def test_a_notice_gives_the_target_its_line_back(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(bars, "monotonic", lambda: now)
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        assert "x86-64 · Linux" in run.shown()
        session.feed(Noticed(text="something happened"))
        await run.until(lambda: "something happened" in run.shown())
        now += bars.NOTICED + 1
        await run.until(lambda: "x86-64 · Linux" in run.shown())


@pytest.mark.parametrize("size", [(80, 24), (160, 48)])
async def test_a_label_of_the_footer_is_clicked(
    workbench: Workbench, size: tuple[int, int]
) -> None:
    async with workbench(ScriptedSession(gate_events()), size=size) as run:
        at = run.shown().split("\n")[-1].index("? help")
        await run.pilot.click("#footer", offset=(at + 3, 0))
        await run.until(lambda: isinstance(run.app.screen, HelpScreen))
        await run.press("escape")
        at = run.shown().split("\n")[-1].index("a approve")
        await run.pilot.click("#footer", offset=(at, 0))
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("approve", "H1")]


def test_what_a_person_marked_survives_a_resume() -> None:
    state: Investigation = sample_state()
    state.apply(EvidenceMarked(id="E3", mark="pinned"), START)
    assert state.marks == {"E3": "pinned"}


async def test_a_session_that_is_only_looked_at_offers_no_key_that_it_refuses(
    workbench: Workbench,
) -> None:
    session = ScriptedSession(gate_events())
    session.read_only = True
    async with workbench(session) as run:
        assert "report" in run.shown().split("\n")[-1]
        assert "read-only" in run.shown().split("\n")[0]  # long after the notice that says why
        for label in ("approve", "reject", "verdict", "new"):
            assert label not in run.shown().split("\n")[-1]
        await run.press("a", "A", "2", "P")
        assert not session.asked


async def test_what_is_concluded_comes_into_sight(workbench: Workbench) -> None:
    events = concluded_events()
    at = next(n for n, event in enumerate(events) if isinstance(event, ConclusionDrafted))
    session = ScriptedSession(events[:at])
    async with workbench(session, size=(80, 24)) as run:
        await run.press("right_square_bracket", "right_square_bracket")
        assert run.tree.cursor != "H1"
        session.feed(*events[at:])
        await run.until(lambda: "H1 ● confirmed" in run.shown())
        await run.until(lambda: run.tree.cursor == "H1" and run.tree.scroll_offset.y == 0)


async def test_i_writes_a_note(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("i", *"seen on 3", "enter")
        assert run.session.asked == [("keep_note", "seen on 3")]
        await run.press("i", "enter")
        assert len(run.session.asked) == 1
