"""Questions on the screen: asked, answered with citations that lead to their lines, stopped."""

from tests.tui.conftest import Running, Workbench
from tests.tui.session import ScriptedSession
from workbench.model.chat import Contradiction, Reply
from workbench.model.citation import Citation
from workbench.model.hypothesis import Claim
from workbench.tui.panes.outline import Outline
from workbench.tui.sample import concluded_events
from workbench.tui.screens.chat import ChatScreen

REPLY = Reply(
    claims=(
        Claim("The pool is at [b]98[/b] %.", (Citation("E2", 1, 1),), status="held"),
        Claim("All is well.", (), status="struck", reason="nothing in it can be looked up"),
    ),
    contradictions=(
        Contradiction("CPU was 20 %", Claim("CPU was 98 %.", (Citation("E3", 2, 2),), "held")),
    ),
    unknown=("Who started it is not known.",),
    looked=("E3",),
)


async def opened(run: Running) -> ChatScreen:
    await run.press("c")
    await run.until(lambda: isinstance(run.app.screen, ChatScreen))
    assert isinstance(run.app.screen, ChatScreen)
    return run.app.screen


def drawn(screen: ChatScreen) -> str:
    outline = screen.query_one(Outline)
    return "\n".join(outline.render_line(y).text for y in range(outline.size.height))


async def test_ask_and_follow_a_citation(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        screen = await opened(run)
        await run.press(*"how busy?", "enter")
        await run.until(lambda: "how busy?" in drawn(screen))
        assert run.session.asked == [("ask_question", "how busy?")]
        run.session.reply.set_result(REPLY)
        await run.until(lambda: "98" in drawn(screen))
        said = drawn(screen)
        for part in ("[b]98[/b]", "contradicts CPU was 20 %", "CPU was 98 %", "✕ struck",
                     "unknown: Who", "answered by code, looked up E3"):  # fmt: skip
            assert part in said
        await run.press("shift+tab", "down", "down", "enter")
        await run.until(lambda: run.app.screen is run.screen)
        await run.until(lambda: run.text.has_focus)
        assert run.evidence.query_one("#evidence-text").lit  # type: ignore[attr-defined]


async def test_escape_stops_the_answer_then_leaves(workbench: Workbench) -> None:
    async with workbench(ScriptedSession(concluded_events())) as run:
        screen = await opened(run)
        await run.press(*"why", "enter")
        await run.until(lambda: run.session.asked)
        await run.press(*"again", "enter")
        assert run.session.asked == [("ask_question", "why")]
        await run.press("escape")
        await run.until(lambda: run.session.reply.cancelled())
        assert run.app.screen is screen
        await run.press("escape")
        await run.until(lambda: run.app.screen is run.screen)
