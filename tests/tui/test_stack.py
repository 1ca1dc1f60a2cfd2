"""Stack, source, variables and threads: what stands there, and what the keys ask of the engine."""

import re

import pytest
from textual.app import App, ComposeResult
from textual.content import Content

from tests.tui.conftest import Running, Workbench
from tests.tui.others import log_events
from tests.tui.sample import concluded_events, gate_events
from tests.tui.session import ScriptedSession
from workbench.model.citation import Citation
from workbench.model.events import ConclusionDrafted, FrameSelected
from workbench.model.facts import Frame
from workbench.tui.panes.bars import frame_text
from workbench.tui.panes.outline import Node, Outline

SIZES = [(80, 24), (120, 40), (160, 48)]


def rows(run: Running, id: str) -> list[str]:
    outline = run.screen.query_one(id, Outline)
    return [outline.render_line(y).text.rstrip() for y in range(outline.size.height)]


@pytest.mark.parametrize("size", SIZES)
async def test_the_first_screen_of_a_crash(workbench: Workbench, size: tuple[int, int]) -> None:
    async with workbench(ScriptedSession(gate_events()), size=size) as run:
        if size[0] < 100:
            await run.press("5")
        seen = run.shown()
        assert re.search(r"▸#0 +conn_expire +src/relayd.c:212|▸#0 +conn_expire +relayd.c:212", seen)
        assert re.search(r"#2 +start_thread", seen)
        assert re.search(r"▶ 212 +if \(c->next->deadline < now\)", seen)
        assert re.search(r"c +(= )?.*0x4c7310", seen)
        assert "thread 1 (LWP 4711)" in seen
        assert "conn_expire relayd.c:212" in seen.split("\n")[0]


def test_a_file_of_windows_is_shown_by_its_name() -> None:
    frame = Frame(index=0, function="JobQueue::Take", file="D:\\src\\queue.cpp", line=88)
    assert frame_text(frame) == "JobQueue::Take queue.cpp:88"


async def test_the_critic_takes_the_place_once_there_is_a_conclusion(workbench: Workbench) -> None:
    events = concluded_events()
    at = next(n for n, event in enumerate(events) if isinstance(event, ConclusionDrafted))
    session = ScriptedSession(events[:at])
    async with workbench(session) as run:
        assert "5 Stack" in run.shown()
        session.feed(*events[at:])
        await run.until(lambda: "3 Critic" in run.shown())
        assert "5 Stack" not in run.shown()
        await run.press("5")
        assert "5 Stack" in run.shown()
        await run.press("3")
        assert "3 Critic" in run.shown()


async def test_who_looks_at_the_stack_keeps_it(workbench: Workbench) -> None:
    events = concluded_events()
    session = ScriptedSession(events[:20])
    async with workbench(session) as run:
        await run.press("5")
        session.feed(*events[20:])
        await run.until(lambda: run.screen.query_one("#critic").state.conclusion)  # type: ignore[attr-defined]
        assert "━ 5 Stack" in run.shown()


async def test_enter_selects_the_frame_then_goes_into_its_source(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        await run.press("5", "down", "enter")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("select_frame", 4711, 1)]
        session.feed(FrameSelected(thread=4711, index=1))
        await run.until(lambda: "▸#1" in "".join(rows(run, "#frames")))
        await run.press("enter")
        assert run.screen.query_one("#frame").has_focus
        await run.press("escape")
        assert run.screen.query_one("#frames").has_focus


async def test_a_line_of_source_opens_its_evidence(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("5", "enter")
        await run.until(lambda: run.screen.query_one("#frame").has_focus)
        await run.press("enter")
        await run.until(lambda: run.text.lit == (7, 7))
        assert run.text.line(7).startswith("212")
        await run.press("5", "v")
        assert run.screen.query_one("#variables").has_focus
        node = run.screen.query_one("#variables", Outline).selected
        assert node is not None
        assert node.citation == Citation("E5", 1, 1)


async def test_the_frame_is_looked_at_once_by_itself(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        await run.until(lambda: session.looked)
        session.feed(*concluded_events()[len(gate_events()) : -1])
        await run.pilot.pause(0.1)
        assert session.looked == [(4711, 0)]


async def test_threads_tell_number_lwp_and_state_and_enter_switches(workbench: Workbench) -> None:
    session = ScriptedSession(gate_events())
    async with workbench(session) as run:
        await run.press("6")
        lines = rows(run, "#thread-list")
        assert re.match(r"▌▸1 4711 relayd +crashed", lines[0])
        assert re.match(r"  2 4712 worker-0", lines[1])
        await run.press("down", "enter")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("select_frame", 4712, None)]
        assert run.screen.active_pane.id == "stack"
        session.feed(FrameSelected(thread=4712, index=2))
        await run.until(lambda: any("▸#2   worker_main" in row for row in rows(run, "#frames")))
        assert "thread 2 (LWP 4712)" in run.shown()


@pytest.mark.parametrize(("count", "yet"), [(3, " yet"), (None, "")])
async def test_threads_that_will_not_come_are_not_awaited(
    workbench: Workbench, count: int | None, yet: str
) -> None:
    events, texts = log_events()
    async with workbench(ScriptedSession(events[:count], texts=texts)) as run:
        await run.press("6")
        assert rows(run, "#thread-list")[0].strip(" ▌") == f"No thread is in the evidence{yet}."


async def test_the_line_at_fault_stays_in_view_when_the_lines_around_it_come() -> None:
    def lines(first: int, last: int) -> list[Node]:
        return [Node(f"source/{n}", Content(f"{n}"), wrap=False) for n in range(first, last + 1)]

    class Around(App[None]):
        CSS = "Outline { height: 3; }"

        def compose(self) -> ComposeResult:
            yield Outline(signs=False, centred=True)

    app = Around()
    async with app.run_test(size=(40, 10)) as pilot:
        outline = app.query_one(Outline)
        for first, last in ((228, 228), (223, 233)):  # a frame's own line, then the listing
            outline.show(lines(first, last))
            outline.select("source/228")
            await pilot.pause()
        assert "228" in outline.render_line(1).text
