"""`{` and `}`: every pane as it was, and back to now."""

from typing import Any

from textual.screen import Screen

from tests.tui.conftest import Workbench
from tests.tui.sample import concluded_events
from tests.tui.session import ScriptedSession
from workbench.model.events import Noticed
from workbench.model.investigation import Investigation, fold
from workbench.model.session_events import Earlier, Recognised
from workbench.tui.panes.base import Pane
from workbench.tui.panes.terminal_view import TerminalView
from workbench.tui.travel import Travel


def test_each_moment_is_the_fold_of_its_events() -> None:
    rows = ScriptedSession(concluded_events()).rows
    travel = Travel(rows)
    states: list[Investigation] = []
    while not states or states[-1].seq > 3:
        travel.go(-1)
        then = travel.state()
        assert then is not None
        states.append(then)
    assert len(states) > 10
    for state in states:
        wanted = fold(rows[: state.seq])
        assert (state.phase, state.evidence, state.hypotheses, state.rounds) == (
            wanted.phase,
            wanted.evidence,
            wanted.hypotheses,
            wanted.rounds,
        )
    assert [one.seq for one in states] == sorted({one.seq for one in states}, reverse=True)
    travel.go(1000)
    assert travel.state() is None


def drawn(screen: Screen[Any]) -> str:
    """What the console's terminal shows."""
    view = screen.query_one(TerminalView)
    return "\n".join(view.render_line(y).text for y in range(view.size.height))


async def test_all_panes_go_back_and_come_again(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    async with workbench(session) as run:
        now = session.state
        shown = run.screen.query(Pane)
        assert {id(pane.state) for pane in shown} == {id(now)}
        await run.press("left_curly_bracket")
        await run.until(lambda: all(pane.state is not now for pane in shown))
        states = {pane.state.seq for pane in shown}
        assert len(states) == 1
        before = states.pop()
        assert before < now.seq
        ran = [one for one in shown.first().state.evidence.values() if one.source != "file"]
        session.print(b"printed now\n")
        console = drawn(run.screen)
        assert "engine ▸" in console
        assert ran[-1].command in console
        assert "printed now" not in console
        session.feed(Noticed(text="it goes on"))
        await run.press("left_curly_bracket")
        await run.until(lambda: all(pane.state.seq < before for pane in shown))
        await run.press("w")
        assert session.asked == []
        steps = Travel(ScriptedSession(concluded_events()).rows)
        steps.go(-22)
        wanted = steps.state()
        for _ in range(20):  # no time for one to be drawn
            run.screen.action_travel(-1)
        await run.until(lambda: wanted and {p.state.seq for p in shown} == {wanted.seq})
        run.screen.action_travel(20)
        for _ in range(3):
            await run.press("right_curly_bracket")
        await run.until(lambda: all(pane.state is now for pane in shown))
        assert "engine ▸" not in drawn(run.screen)
        assert "printed now" in drawn(run.screen)
        await run.press("w")
        await run.until(lambda: session.asked)


async def test_the_earlier_session_of_a_signature_opens_and_closes(workbench: Workbench) -> None:
    session = ScriptedSession(concluded_events())
    session.before = ScriptedSession(concluded_events())
    async with workbench(session) as run:
        first = run.screen
        await run.press("b")
        assert run.app.screen is first  # nothing had this signature
        earlier = Earlier(session_id="session_1", at="", category=None)
        session.feed(Recognised(signature="f", stack_hash="0", count=1, earlier=(earlier,)))
        await run.until(lambda: first.situation().state.about.recognised)
        await run.press("b")
        await run.until(lambda: getattr(run.app.screen, "port", None) is session.before)
        await run.press("q")
        await run.until(lambda: run.app.screen is first)
        assert first.port is session
