"""Foreign text is drawn as it is: no markup, no control characters, wherever it stands."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.soak import SOAK
from tests.tui.conftest import Workbench
from tests.tui.sample import H1, concluded_events, gate_events
from tests.tui.sample_texts import SAMPLE_CONSOLE
from tests.tui.session import ScriptedSession
from workbench.model.events import AnyEvent, EvidenceRecorded, HypothesisProposed, Noticed
from workbench.model.facts import Frame, Stack
from workbench.model.hypothesis import Hypothesis
from workbench.model.text import human_size
from workbench.tui.text import elapsed, one_line, short_path, visible

EVIL = "[red]evil[/]\x1b[31m\x00\u202ertl\u200b\ufeff\ud800[@click=app.quit]x[/]\r\n\tend"
SHOWN = "[red]evil[/]"


def poisoned() -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for event in gate_events():
        match event:
            case EvidenceRecorded():
                facts = tuple(
                    replace(fact, frames=(Frame(index=0, function=EVIL, file=EVIL, line=1),))
                    if isinstance(fact, Stack)
                    else fact
                    for fact in event.facts
                )
                evidence = replace(event.evidence, command=EVIL, summary=EVIL, intent=EVIL)
                events.append(EvidenceRecorded(evidence=evidence, facts=facts))
            case HypothesisProposed():
                events.append(
                    HypothesisProposed(hypothesis=replace(event.hypothesis, statement=EVIL))
                )
            case _:
                events.append(event)
    return [*events, Noticed(text=EVIL, severity="warning")]


def drawn(run: object, app: object) -> str:
    screen = app.screen  # type: ignore[attr-defined]
    strips = screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


@pytest.mark.soak
@pytest.mark.parametrize("size", [(80, 24), (160, 48), *([(120, 40)] if SOAK else [])])
async def test_hostile_text_everywhere(workbench: Workbench, size: tuple[int, int]) -> None:
    session = ScriptedSession(poisoned(), SAMPLE_CONSOLE, dict.fromkeys(["E1", "E2"], EVIL))
    async with workbench(session, size=size) as run:
        for key in ("2", "3", "4", "f2"):
            await run.press(key)
            text = drawn(run, run.app)
            assert SHOWN in text
            for line in text.split("\n"):
                assert not [ch for ch in line if visible(ch) != ch]
                line.encode()
        session.feed(Noticed(text=EVIL, severity="error"))
        await run.until(lambda: run.app._notifications)
        await run.press("r")
        assert SHOWN in drawn(run, run.app)
        await run.press("escape", "e")
        assert run.app.screen is not run.screen
        await run.press("escape")


async def test_concluded_state_at_odd_sizes(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events(), SAMPLE_CONSOLE)) as run:
        for size in ((20, 5), (1, 1), (300, 100), (99, 10), (100, 10), (40, 60)):
            await run.pilot.resize_terminal(*size)
            await run.pilot.pause()
            strips = run.app.screen._compositor.render_strips()
            assert len(strips) == size[1]


@given(st.text(max_size=80))
def test_visible_leaves_nothing_unseen(text: str) -> None:
    shown = visible(text)
    assert visible(shown) == shown
    assert "\x1b" not in shown
    assert "\n" not in one_line(text)
    shown.encode()


def test_sizes_and_times() -> None:
    assert [human_size(n) for n in (0, 1023, 1024, 5 << 20, 7 << 40)] == [
        "0 B",
        "1023 B",
        "1.0 KB",
        "5.0 MB",
        "7168.0 GB",
    ]
    assert [elapsed(n) for n in (-3, 0, 247, 3847)] == ["00:00", "00:00", "04:07", "1:04:07"]


@pytest.mark.parametrize(
    ("room", "text"),
    [
        (40, "/home/me/.cache/demo/server"),
        (27, "/home/me/.cache/demo/server"),
        (26, "…/me/.cache/demo/server"),
        (14, "…/demo/server"),
        (3, "…/server"),
    ],
)
def test_short_path(room: int, text: str) -> None:
    assert short_path("/home/me/.cache/demo/server", room) == text


async def test_a_cut_line_says_so_beside_the_scroll_bar(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events()), size=(100, 16)) as run:
        room = run.tree.scrollable_content_region.width
        assert room < run.tree.size.width or not run.tree.show_vertical_scrollbar
        for y in range(run.tree.virtual_size.height):
            run.tree.scroll_to(0, y, animate=False, immediate=True)
            await run.pilot.pause()
            assert not run.tree.render_line(0).text[room:].strip()


def test_sample_hypothesis_is_plain() -> None:
    assert isinstance(H1, Hypothesis)
