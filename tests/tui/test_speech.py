"""A model's words appear as they come and can be stopped; they never take the focus."""

import pytest

from tests.tui.conftest import Running, Workbench
from tests.tui.sample import gate_events
from tests.tui.session import ScriptedSession
from workbench.llm.watched import Speech
from workbench.model.model_events import ModelAnswered
from workbench.model.models import ModelTier, Role, Usage
from workbench.tui.panes.bars import HeaderBar
from workbench.tui.panes.speech import SpeechBar


async def hears(run: Running, text: str, ended: bool = False) -> SpeechBar:
    bar = run.screen.query_one(SpeechBar)
    await run.until(lambda: run.session.speech)
    for listener in run.session.speech:
        listener(Speech(Role.CRITIC, text, ended))
    await run.until(lambda: bar.display is not ended)
    await run.pilot.pause(0.05)
    return bar


def drawn(bar: SpeechBar) -> str:
    return " ".join(bar.render_line(y).text.strip() for y in range(bar.size.height))


async def test_words_are_shown_as_they_come_and_go(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press("f5")
        bar = await hears(run, "The pointer \x1b[31m[b]may[/b]")
        await run.until(lambda: "[b]may[/b]" in drawn(bar))
        assert "critic" in drawn(bar)
        assert "\x1b" not in drawn(bar)
        assert run.terminal.has_focus
        await hears(run, "The pointer " + "so " * 2000 + "END")
        await run.until(lambda: "END" in drawn(bar))
        assert bar.size.height <= 4
        await hears(run, "", ended=True)
        assert not bar.display


async def test_before_the_first_word_nothing_is_said_to_be_on_its_way(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        bar = await hears(run, "")
        await run.until(lambda: "no word has come" in drawn(bar))
        assert "on their way" not in drawn(bar)
        await hears(run, "word")
        await run.until(lambda: "on their way" in drawn(bar))


@pytest.mark.parametrize(("pane", "key"), [("2", "escape"), ("3", "escape"), ("f5", "f11")])
async def test_a_key_stops_it_in_every_pane(workbench: Workbench, pane: str, key: str) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        await run.press(pane)
        await run.press(key)
        assert run.session.asked == []
        await hears(run, "words")
        await run.press(key)
        await run.until(lambda: run.session.asked)
        assert run.session.asked == [("stop_model",)]


async def test_the_header_counts_calls_tokens_and_dollars(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events()), size=(160, 48)) as run:
        run.session.feed(
            ModelAnswered(
                provider="openai",
                model="gpt",
                tier=ModelTier.CLOUD,
                role=Role.CRITIC,
                prompt="critic",
                usage=Usage(input_tokens=12_000, output_tokens=345, cost_usd=0.0123),
            )
        )
        header = run.screen.query_one(HeaderBar)
        wanted = "cloud 1 calls 12.3k tokens $0.0123"
        await run.until(lambda: wanted in header.render_line(0).text)
