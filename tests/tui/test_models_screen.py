"""The model picker, on real lists of a scripted server."""

import pytest

from tests.llm.scripted import Scripted, sends
from tests.tui.conftest import Running, Workbench
from tests.tui.sample import gate_events
from tests.tui.session import ScriptedSession
from workbench.llm import discover
from workbench.llm.picking import Picking
from workbench.model.models import OFFLINE
from workbench.settings import Settings
from workbench.tui.screens.models import ModelsScreen


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a server of the same process may be silent for over a second."""
    for limit in ("PATIENCE", "_LONGEST"):
        monkeypatch.setattr(discover, limit, 100.0)


def session(settings: Settings) -> ScriptedSession:
    made = ScriptedSession(gate_events())
    made.pick = Picking(settings, OFFLINE)
    return made


async def opened(run: Running) -> ModelsScreen:
    await run.press("3", "m")
    await run.until(lambda: isinstance(run.app.screen, ModelsScreen))
    screen = run.app.screen
    assert isinstance(screen, ModelsScreen)
    await run.until(lambda: "Asking what" not in drawn(screen), seconds=30)  # imports a client
    return screen


def drawn(screen: ModelsScreen) -> str:
    lines = []
    for id in ("#models-title", "#models", "#models-note"):
        part = screen.query_one(id)
        lines += [part.render_line(y).text for y in range(part.size.height)]
    return "\n".join(lines)


async def test_pick_a_model_with_its_effort(workbench: Workbench, scripted: Scripted) -> None:
    settings = Settings(local_base_url=scripted.openai)
    async with workbench(session(settings)) as run:
        screen = await opened(run)
        await run.until(lambda: " m " in drawn(screen) and "answers" in drawn(screen))
        assert "effort: medium" in drawn(screen)
        await run.press("e", "enter")
        await run.until(lambda: run.app.screen is run.screen)  # it closes once the server is asked
        assert run.session.asked == [("use_model", "OpenAI-compatible", "m", "high")]


async def test_what_does_not_answer_says_why(workbench: Workbench) -> None:
    async with workbench(session(Settings(local_base_url="http://127.0.0.1:9/v1"))) as run:
        screen = await opened(run)
        await run.until(lambda: "nothing listens there" in drawn(screen))
        await run.until(lambda: "workbench doctor" in drawn(screen).replace("\n", " "))
        await run.press("u")
        assert "No Ollama answers" in drawn(screen)
        await run.press("escape")
        assert run.app.screen is run.screen


async def test_ollama_pulls_with_a_bar(workbench: Workbench, scripted: Scripted) -> None:
    line = b'{"status": "pulling [b]abc[/b]", "completed": 512, "total": 1024}\n'
    scripted.script(sends(line, 30.0))
    async with workbench(session(Settings(ollama_host=scripted.ollama))) as run:
        screen = await opened(run)
        await run.until(lambda: "Ollama" in drawn(screen))
        await run.press("u", *"tiny", "enter")
        await run.until(lambda: "512 B of 1.0 KB" in drawn(screen), seconds=10)
        assert "[b]abc[/b]" in drawn(screen)
        await run.press("escape")
        await run.until(lambda: "was ended" in drawn(screen))
        assert scripted.seen[-1].body["model"] == "tiny"


async def test_a_session_without_a_choice_says_so(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(gate_events())) as run:
        screen = await opened(run)
        await run.until(lambda: "without a choice" in drawn(screen))
