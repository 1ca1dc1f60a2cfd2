"""Questions on the screen: asked, answered with citations that lead to their lines, stopped."""

from msgspec.structs import replace

from tests.tui.conftest import Running, Workbench
from tests.tui.sample import concluded_events
from tests.tui.session import ScriptedSession
from workbench.claims.say import say
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome
from workbench.model.conversation import Contradiction, Reply
from workbench.model.events import ChatAsked
from workbench.tui.panes.outline import Outline
from workbench.tui.screens.chat import ChatScreen


def judged(text: str, evidence: str, reason: str = "") -> Claim:
    said = say("quote", (Citation(evidence, 1, 1),) if evidence else (), text=text)
    outcome = Outcome.REFUTED if reason else Outcome.VERIFIED
    return replace(said, status=outcome, reason=reason)


REPLY = Reply(
    claims=(
        judged("The pool is at [b]98[/b] %.", "E2"),
        judged("All is well.", "", "nothing in it can be looked up"),
    ),
    contradictions=(Contradiction("CPU was 20 %", judged("CPU was 98 %.", "E3")),),
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
        for part in ("[b]98[/b]", "contradicts CPU was 20 %", "CPU was 98 %", "✕ refuted",
                     "unknown: Who", "answered without a model, looked up E3"):  # fmt: skip
            assert part in said
        await run.press("shift+tab", "down", "down", "enter")
        await run.until(lambda: run.app.screen is run.screen)
        await run.until(lambda: run.text.has_focus)
        assert run.evidence.query_one("#evidence-text").lit  # type: ignore[attr-defined]


async def test_the_newest_answer_is_in_sight(workbench: Workbench) -> None:
    said = [ChatAsked(id=f"Q0{n}", question=f"before {n}?") for n in range(30)]
    async with workbench(ScriptedSession([*concluded_events(), *said])) as run:
        screen = await opened(run)
        await run.press(*"how busy?", "enter")
        await run.until(lambda: "how busy?" in drawn(screen))
        run.session.reply.set_result(REPLY)
        await run.until(lambda: "answered without a model" in drawn(screen))


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
