"""What would leave the machine is shown whole before it goes, and stays readable."""

import json

import pytest

from tests.soak import SOAK
from tests.tui.conftest import Running, Workbench
from tests.tui.sample import gate_events
from tests.tui.session import ScriptedSession
from workbench.model.events import GateAnswered, GateOpened
from workbench.model.model_events import PayloadSent
from workbench.model.models import Content, Role
from workbench.tui.panes.bars import FooterBar
from workbench.tui.panes.hypotheses import GateCard
from workbench.tui.panes.lines import LineView
from workbench.tui.screens.payloads import PayloadsScreen, readable

BODY = json.dumps(
    {"model": "gpt", "messages": [{"role": "user", "content": "[b]bt[/b]\n#0 f () \x1b[31m"}]}
)
ASKED = GateOpened(
    id="G2",
    kind="cloud",
    subjects=("0123", "https://api.example.com/v1", "openai", "gpt"),
    question="Send this to the cloud?",
)
SENT = PayloadSent(
    id="0123",
    url="https://api.example.com/v1",
    sha256="ab",
    size=len(BODY),
    provider="openai",
    model="gpt",
    role=Role.REASONER,
    prompt="reason",
    contents=(Content.STACKS,),
)


def session() -> ScriptedSession:
    made = ScriptedSession(gate_events())
    made.payloads["0123"] = BODY
    return made


async def asked(run: Running) -> None:
    run.session.feed(ASKED)
    await run.until(lambda: run.screen.query_one("#question", GateCard).display)


def drawn(screen: PayloadsScreen) -> str:
    question = screen.query_one("#payloads-question")
    head = "\n".join(question.render_line(y).text for y in range(question.size.height))
    text = screen.query_one(LineView)
    return head + "\n".join(text.line(n) for n in range(1, text.line_count + 1))


async def shown(run: Running) -> PayloadsScreen:
    def there() -> bool:
        screen = run.app.screen
        return isinstance(screen, PayloadsScreen) and screen.query_one(LineView).line_count > 1

    await run.until(there)
    assert isinstance(run.app.screen, PayloadsScreen)
    return run.app.screen


@pytest.mark.soak
@pytest.mark.parametrize("size", [(80, 24), (120, 40)] if SOAK else [(80, 24)])
async def test_allowing_shows_the_whole_request_first(
    workbench: Workbench, size: tuple[int, int]
) -> None:
    async with workbench(session(), size=size) as run:
        await asked(run)
        await run.press("3", "a")
        screen = await shown(run)
        assert run.session.asked == []
        said = drawn(screen)
        for part in ("Send this to the cloud?", "api.example.com", "gpt", "#0 f ()", "[b]bt[/b]"):
            assert part in said
        assert all(kind.value in said for kind in Content)
        await run.press("2", "4", "a")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [
            ("answer", "G2", "approve", "", Content.MEMORY, Content.STRINGS)
        ]
        assert run.app.screen is run.screen


async def test_the_footer_says_once_what_answers_the_question(workbench: Workbench) -> None:
    async with workbench(session(), size=(160, 40)) as run:
        footer = run.screen.query_one("#footer", FooterBar)
        await run.press("1")
        await run.until(lambda: "a approve" in footer.render_line(0).text)
        await asked(run)
        await run.until(lambda: "a allow" in footer.render_line(0).text)
        said = footer.render_line(0).text
        assert "r refuse" in said
        assert "approve  " not in said
        assert "reject" not in said


async def test_refusing_keeps_the_reason(workbench: Workbench) -> None:
    async with workbench(session()) as run:
        await asked(run)
        await run.press("p")
        await shown(run)
        await run.press("r", *"no", "enter")
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("answer", "G2", "reject", "no")]


async def test_leaving_the_screen_decides_nothing(workbench: Workbench) -> None:
    async with workbench(session()) as run:
        await asked(run)
        await run.press("p")
        await shown(run)
        await run.press("escape")
        assert run.app.screen is run.screen
        assert run.session.asked == []


async def test_what_left_stays_readable_as_it_was(workbench: Workbench) -> None:
    async with workbench(session()) as run:
        run.session.feed(ASKED, GateAnswered(id="G2", answer="approve", by="user"), SENT)
        await run.pilot.pause(0.1)
        await run.press("3", "p")
        screen = await shown(run)
        assert "1 request left this machine" in drawn(screen)
        await run.press("a", "r")  # nothing is asked any more
        assert run.session.asked == []
        await run.press("x")
        await run.until(lambda: screen.query_one(LineView).line_count == 1)
        assert screen.query_one(LineView).line(1) == BODY


async def test_that_nothing_left_is_said(workbench: Workbench) -> None:
    async with workbench(session()) as run:
        await run.press("3", "p")
        await run.until(lambda: isinstance(run.app.screen, PayloadsScreen))
        screen = run.app.screen
        assert isinstance(screen, PayloadsScreen)
        await run.until(lambda: "No requests left this machine" in drawn(screen))


async def test_a_body_that_is_gone_is_said(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        run.session.feed(SENT)
        await run.pilot.pause(0.1)
        await run.press("3", "p")
        await run.until(lambda: "not there any more" in run.app.screen.query_one(LineView).line(1))


def test_a_request_is_laid_out_in_lines() -> None:
    assert readable('{"a": {"b": "x\\ny"}, "n": [1, true]}') == [
        "a:", "  b:", "    x", "    y", "n:", "  [1]", "    1", "  [2]", "    true",
    ]  # fmt: skip
    assert readable("no json\nat all") == ["no json", "at all"]
