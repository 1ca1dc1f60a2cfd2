"""A model that falls silent in the middle of an answer: the screen answers keys all the same, and
one key ends the call, on the wire too."""

import math
import time
from collections.abc import Awaitable, Callable

from tests.llm.scripted import Scripted, sends
from tests.tui.test_real_engine import Driver, new_session, running
from workbench.engine.session import Session
from workbench.llm.picking import Picking
from workbench.model.models import OFFLINE, Effort
from workbench.settings import Settings
from workbench.tui.panes.speech import SpeechBar

__all__ = ["new_session"]  # a fixture


def speaking(run: Driver) -> bool:
    return run.screen.query_one(SpeechBar).speaking


async def stopped(run: Driver, scripted: Scripted) -> float:
    """Seconds from the key to the end of a connection, as the server sees it; infinite where the
    call was stopped before its question was out."""
    scripted.hung_up.clear()
    scripted.speaking.clear()
    begun = time.monotonic()
    await run.pilot.press("escape")
    for _ in range(100):
        if scripted.hung_up.is_set():
            return scripted.hung_up_at - begun
        await run.pilot.pause(0.05)
    return math.inf


async def test_keys_answer_and_escape_ends_the_call(
    new_session: Callable[[], Awaitable[Session]], scripted: Scripted
) -> None:
    piece = b'data: {"id": "1", "choices": [{"index": 0, "delta": {"content": "{"}}]}\n\n'
    scripted.script(sends(piece, 60.0))
    async with running(new_session) as run:
        await run.gate()
        settings = Settings(local_base_url=scripted.openai)
        run.session.speaking.make_picking = lambda: Picking(settings, OFFLINE)
        [server] = [s for s in await run.session.speaking.picking().servers() if s.setting]
        await run.session.speaking.use(server, "m", Effort.LOW)
        await run.pilot.press("A")
        await run.until(lambda: speaking(run) and scripted.speaking.is_set())
        for pane in ("evidence", "critic", "hypotheses"):
            number = {"hypotheses": "1", "evidence": "2", "critic": "3"}[pane]
            await run.pilot.press(number)
            await run.until(lambda pane=pane: run.screen.active_pane.id == pane)
        models = run.session.speaking.models
        assert models is not None
        [call] = models._running
        run.screen.action_stop_model()
        assert call.cancelling(), "not later, by whatever else the screen has to do"
        await run.until(scripted.hung_up.is_set)
        scripted.speaking.clear()
        took, waited = [], 0
        while run.session.state.stopped is None:
            await run.pilot.pause(0.05)
            waited += 1
            if speaking(run) and (scripted.speaking.is_set() or waited > 40):
                took.append(await stopped(run, scripted))
                waited = 0
        # A dozen calls are stopped; a machine that has much else to do may delay all but one.
        assert min(took) < 0.2, took
        assert run.session.state.judgement is not None
        assert run.session.state.judgement.selected is not None
