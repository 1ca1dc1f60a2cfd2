"""The last passes: the summary in a reader's words, and what the process was doing. Either is made
of the sentences that hold; a summary takes the place of the code's own only where these tell the
cause and are more than a remainder."""

from typing import Any

from workbench.agents.assisted.answers import Prose as Answered
from workbench.agents.assisted.claims import claims_of, held, hold
from workbench.agents.assisted.context import struck as struck_before
from workbench.agents.assisted.context import summary
from workbench.agents.assisted.helper import Helper
from workbench.agents.model_choice import CEILING
from workbench.agents.tokens import extract
from workbench.model.assisted import Prose
from workbench.model.assisted_events import Narrated, SummaryRewritten
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

_MOST = 5
_ENOUGH = 2
"""Sentences that hold and are a summary, although others of the best attempt do not hold."""


async def rewrite_summary(helper: Helper) -> None:
    """Ask for the summary until its sentences hold and name the place that the cause names."""
    state = helper.ports.state
    if state.assisted.summary is not None or not _held_by_code(state):
        return
    async with helper.at_work("summary"):
        claims, struck, _ = await _written(helper, "summary", state.options.limits.summary_calls)
        if not claims or (struck and len(claims) < _ENOUGH):
            helper.failed = helper.failed or "what the model wrote does not hold"
        elif not _tells_the_cause(state, claims):
            helper.failed = "what the model wrote leaves the cause out"
        else:
            await helper.ports.record(SummaryRewritten(prose=Prose(claims=claims)))


async def narrate(helper: Helper) -> None:
    """Ask what the process was doing; the sentences that hold are the narrative."""
    state = helper.ports.state
    if state.assisted.narrative is not None:
        return
    async with helper.at_work("narrative"):
        limit = state.options.limits.narrative_calls
        claims, struck, confidence = await _written(helper, "narrative", limit)
        if not claims:
            helper.failed = helper.failed or "nothing of what the model wrote holds"
            return
        share = len(claims) / (len(claims) + len(struck))
        prose = Prose(claims=claims, confidence=min(confidence, CEILING + share / 4))
        await helper.ports.record(Narrated(prose=prose))


async def _written(
    helper: Helper, prompt: str, calls: int
) -> tuple[tuple[Claim, ...], tuple[Claim, ...], float]:
    """The sentences that hold and those that do not, of the best of several attempts; each next
    one is told what was struck."""
    ports = helper.ports
    best: tuple[tuple[Claim, ...], tuple[Claim, ...], float] = ((), (), 0.0)
    struck: tuple[Claim, ...] = ()
    for _ in range(calls):

        async def values(size: int, told: tuple[Claim, ...] = struck) -> dict[str, Any]:
            return {
                "summary": await summary(ports, size),
                "struck": struck_before(ports.state, told, size // 3),
                "question": ports.state.options.issue or "",
            }

        answer = await helper.ask(prompt, values, answer=Answered)
        if answer is None or answer.value is None:
            break
        claims = await hold(ports, claims_of(answer.value.sentences, _MOST))
        good = held(claims)
        struck = tuple(claim for claim in claims if claim.status == "struck")
        if len(good) > len(best[0]) or (len(good) == len(best[0]) and len(struck) < len(best[1])):
            best = (good, struck, answer.value.confidence)
        if good and not struck:
            break
    return best


def _held_by_code(state: Investigation) -> tuple[Claim, ...]:
    claims = state.conclusion.carrying if state.conclusion is not None else ()
    return tuple(claim for claim in claims if claim.status == "held")


def _tells_the_cause(state: Investigation, claims: tuple[Claim, ...]) -> bool:
    """True when some name or number of the cause's own sentence is in it: a summary of something
    else, however true, is none."""
    cause = {token.text for token in extract(_held_by_code(state)[0].text)}
    return not cause or any(token.text in cause for c in claims for token in extract(c.text))
