"""The evidence browser: list, lit lines, search, copying, any size."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from textual.content import Content
from textual.geometry import Offset
from textual.selection import Selection
from textual.widgets import Static

from tests.tui.conftest import Running, Workbench
from tests.tui.sample import START, TEXTS, concluded_events, sample_state
from tests.tui.session import ScriptedSession
from workbench.model.chunks import OverallFindings
from workbench.model.citation import Citation
from workbench.model.events import EvidenceRecorded
from workbench.store.texts import Pages
from workbench.tui import clipboard
from workbench.tui.panes.evidence import cited_lines
from workbench.tui.panes.outline import Outline


@pytest.fixture
def no_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clipboard, "copy_tool", lambda: None)


def message(run: Running) -> str:
    return list(run.app._notifications)[-1].message


async def test_an_item_that_came_just_now_is_opened(workbench: Workbench) -> None:
    events = concluded_events()
    at = max(n for n, one in enumerate(events) if isinstance(one, EvidenceRecorded))
    session = ScriptedSession(events[:at])
    async with workbench(session) as run:
        event = events[at]
        assert isinstance(event, EvidenceRecorded)
        session.state.apply(event, START)  # the panes are told with the next tick
        run.evidence.open(Citation(event.evidence.id, 1, 1))
        session.feed(*events[at + 1 :])
        await run.until(lambda: run.evidence._list.cursor == event.evidence.id)


async def test_list_shows_what_was_asked(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events()), size=(160, 48)) as run:
        rows = run.evidence.query_one("#evidence-list", Outline)
        text = "\n".join(rows.render_line(y).text for y in range(rows.size.height))
        for number in range(1, 8):
            assert f"E{number} " in text
        assert "you  list conn_close" in text
        assert "file @heap 0x4c7310" in text


async def test_enter_reads_and_escape_returns(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("2", "home", "down", "enter")
        await run.until(lambda: run.text.line(1) == TEXTS["E2"].split("\n")[0])
        assert run.text.has_focus
        await run.press("escape")
        assert run.evidence.query_one("#evidence-list").has_focus


async def test_cited_lines_are_marked_and_walked(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events()), size=(240, 48)) as run:
        run.evidence.open(Citation("E6", 3, 4))
        await run.until(lambda: run.text.lit == (3, 4))
        lines = [run.text.render_line(y).text for y in range(5)]
        assert lines[0].startswith("•1")
        assert [line.startswith("▌") for line in lines] == [False, False, True, True, False]
        await run.press("2", "enter", "right_square_bracket")
        assert run.text.cursor == 4
        assert cited_lines(sample_state(), "E6") == {1, 3, 4, 5}


async def test_search(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        run.evidence.open(Citation("E3"))
        await run.until(lambda: run.text.line_count == 40)
        await run.press("2", "enter", "slash", *"WORKER_main", "enter")
        first = run.text.cursor
        assert "worker_main" in run.text.line(first)
        await run.press("n")
        assert run.text.cursor > first
        await run.press("N")
        assert run.text.cursor == first
        await run.press("slash", "escape")
        assert run.text.has_focus
        await run.press("slash", *"nowhere", "enter")
        await run.until(lambda: run.app._notifications)
        assert "is not in E3" in message(run)


@pytest.mark.usefixtures("no_tool")
async def test_copy_says_what_is_known(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        run.evidence.open(Citation("E6", 4, 4))
        await run.until(lambda: run.text.lit == (4, 4))
        await run.press("2", "enter", "y")
        assert run.app.clipboard == "E6:4: " + TEXTS["E6"].split("\n")[3]
        await run.until(lambda: run.app._notifications)
        assert message(run) == "E6:4 copied (via terminal)."


async def test_copy_through_a_tool_is_claimed(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard, "copy_tool", lambda: ("cat",))
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("2", "home", "enter", "y")
        await run.until(lambda: run.app._notifications)
        assert message(run) == "E1:1 copied."
    monkeypatch.setattr(clipboard, "copy_tool", lambda: ("false",))
    async with workbench(ScriptedSession(concluded_events())) as run:
        await run.press("2", "home", "enter", "y")
        await run.until(lambda: run.app._notifications)
        assert message(run) == "E1:1 copied (via terminal)."


async def test_fifty_megabytes_open_at_once(workbench: Workbench) -> None:
    texts = {**TEXTS, "E1": "0123456789abcdef " * 3 + "\n"}
    texts["E1"] *= 1_000_000
    async with workbench(ScriptedSession(concluded_events(), texts=texts)) as run:
        await run.press("2", "home", "enter", "end")
        await run.until(lambda: run.text.cursor == 1_000_000)
        height = run.text.scrollable_content_region.height
        assert "1000000" in run.text.render_line(height - 1).text
        await run.press("home")
        assert run.text.cursor == 1


async def test_unreadable_evidence_is_said_in_the_pane(workbench: Workbench) -> None:
    texts = {key: text for key, text in TEXTS.items() if key != "E4"}
    session = ScriptedSession(concluded_events(), texts=texts)
    async with workbench(session) as run:
        run.evidence.open(Citation("E4", 1, 2))
        await run.until(lambda: run.text.line(1) == "evidence E4 cannot be read: no such file")
        caption = run.evidence.query_one("#evidence-caption", Static)
        assert caption.render_line(0).text.strip() == "E4 cannot be read"
        assert run.text.lit == (0, 0)
        await run.press("2", "enter", "y", "slash", *"x", "enter", "right_square_bracket")
        assert run.app.clipboard == ""
        session.texts = TEXTS
        await run.press("2", "up", "down")
        await run.until(lambda: run.text.line(1) == TEXTS["E4"].split("\n")[0])
        run.evidence.open(Citation("E99"))
        await run.until(lambda: run.app._notifications)
        assert "E99 is not in the ledger" in message(run)


async def test_what_was_found_in_pieces_stands_above_the_text(workbench: Workbench) -> None:
    events = concluded_events()
    for at, event in enumerate(events):
        if isinstance(event, EvidenceRecorded) and event.evidence.id == "E1":
            overall = OverallFindings(summary="2 pieces")
            found = ("[red]Jam: slot 7 [E1:3]", "Calls that wait: poll [E1:4-9]")
            item = replace(event.evidence, overall_findings=overall, findings=found)
            events[at] = replace(event, evidence=item)
    async with workbench(ScriptedSession(events)) as run:
        shown = run.evidence.query_one("#evidence-found", Static)
        await run.press("2", "home")
        await run.until(lambda: shown.size.height == len(found))
        assert [shown.render_line(n).text.strip() for n in (0, 1)] == list(found)
        await run.press("end")
        await run.until(lambda: not shown.display)


async def test_very_long_and_hostile_lines(workbench: Workbench) -> None:
    texts = {**TEXTS, "E1": "x" * 1_000_000 + "\n\x1b[31m[red]\x00\u202e\u200b\ttab\n日本\n"}
    async with workbench(ScriptedSession(concluded_events(), texts=texts)) as run:
        await run.press("2", "home", "enter")
        await run.until(lambda: run.text.line_count == 3)
        width = run.text.size.width
        assert all(
            run.text.render_line(y).cell_length == width for y in range(run.text.size.height)
        )
        await run.press("end")  # over the first line's rows: it is shown to its 4000th cell
        lines = [run.text.render_line(y) for y in range(run.text.size.height)]
        assert all(line.cell_length == width for line in lines)
        cut, hostile = (line.text for line in lines[-3:-1])
        assert cut.rstrip().endswith("x›")  # noqa: RUF001
        assert "␛[31m[red]␀<202e><200b>" in hostile
        assert isinstance(Content(hostile), Content)


async def test_long_lines_are_wrapped_and_walked_as_one(workbench: Workbench) -> None:
    long = " ".join(f"word{number}" for number in range(60))
    texts = {**TEXTS, "E1": f"first\n{long}\nlast\n"}
    async with workbench(ScriptedSession(concluded_events(), texts=texts)) as run:
        await run.press("2", "home", "enter")
        await run.until(lambda: run.text.line_count == 3)
        shown = "".join(
            run.text.render_line(y).text[3:].rstrip("\n") for y in range(run.text.size.height)
        )
        assert "word59" in " ".join(shown.split())
        await run.press("down", "down")
        assert run.text.cursor == 3
        await run.pilot.resize_terminal(80, 24)
        await run.until(lambda: run.text.size.width >= 78)
        rows = [run.text.render_line(y).text for y in range(run.text.size.height)]
        assert any(row.lstrip().startswith("3 last") for row in rows), rows


async def test_tree_says_which_cited_item_cannot_be_read(workbench: Workbench) -> None:
    texts = {key: text for key, text in TEXTS.items() if key != "E6"}
    async with workbench(ScriptedSession(concluded_events(), texts=texts), size=(160, 48)) as run:
        await run.until(
            lambda: any(
                "E6:3-5  not readable: evidence E6" in run.tree.render_line(y).text
                for y in range(run.tree.size.height)
            )
        )


async def test_a_huge_text_is_read_a_page_at_a_time(workbench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "E1.txt"
    path.write_text("".join(f"line {number}\n" for number in range(1, 300_001)))
    session = ScriptedSession(concluded_events())
    pages = session.pages["E1"] = Pages(path, packed=False)
    async with workbench(session) as run:
        await run.press("2", "home", "enter")
        await run.until(lambda: run.text.line_count == 300_000)
        await run.press("end")
        assert run.text.cursor == 300_000
        await run.press("slash", *"LINE 77777", "enter")
        await run.until(lambda: run.text.cursor == 77_777)
        text = run.text.get_selection(Selection(Offset(5, 77_776), Offset(4, 77_778)))
        assert text == ("77777\nline 77778\nline", "\n")
        text = run.text.get_selection(Selection(None, None))
        assert text is not None
        assert text[0].endswith("line 100000")
        await run.press("slash", *"nowhere", "enter")
        await run.until(lambda: bool(run.app._notifications))
        pages.close()
        pages._cache.clear()
        await run.press("home")
        assert "cannot be read" in run.text.line(1)
