"""The reasoner with a model: sentences beside the expert's, which `workbench.agents.model_choice`
adds to the conclusion."""

from typing import Any

from workbench.agents.assisted.answers import Explained as Answered
from workbench.agents.assisted.claims import claims_of, held, hold
from workbench.agents.assisted.context import Row, fenced, kinds_of, short, summary
from workbench.agents.assisted.helper import Helper
from workbench.model.assisted import Explanation
from workbench.model.assisted_events import Explained
from workbench.model.critique import Round
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation

_NONE: Row = ("none yet", frozenset())


async def explain(helper: Helper) -> None:
    """Ask for the explanation; after a round of the critic with what it struck and asked."""
    ports = helper.ports
    state = ports.state
    criticism = _criticism(state)
    if state.assisted.explanation is not None and state.rounds and not criticism:
        return  # all of it holds, and the critic asks for nothing

    async def values(size: int) -> dict[str, Any]:
        return {
            "summary": await summary(ports, size),
            "hypotheses": ", ".join(state.hypotheses) or "none",
            "criticism": fenced("criticism", criticism or [_NONE], size // 3),
            "question": state.options.issue or "",
        }

    async with helper.at_work("explanation"):
        answer = await helper.ask("explanation", values, answer=Answered)
        if answer is None or answer.value is None:
            return
        given = answer.value
        claims = await hold(ports, claims_of(given.claims))
        if not claims:
            return
        old = state.assisted.explanation
        if old is not None and len(held(claims)) < len(held(old.claims)):
            return  # an answer to the critic that holds less than what it criticised
        chosen = given.hypothesis if given.hypothesis in state.hypotheses else None
        explained = Explanation(hypothesis=chosen, confidence=given.confidence, claims=claims)
        await ports.record(Explained(explanation=explained))


def _criticism(state: Investigation) -> list[Row]:
    last: Round | None = state.rounds[-1] if state.rounds else None
    explanation = state.assisted.explanation
    struck: tuple[Claim, ...] = explanation.claims if explanation is not None else ()
    rows: list[Row] = [
        (short(f"struck: {c.text}: {c.reason}"), kinds_of(state, c.citations))
        for c in struck
        if c.status == "struck"
    ]
    known = {claim.text for claim in struck}
    rows += [
        (
            short(f"{check.kind}: {check.subject}: {check.detail}"),
            kinds_of(state, check.evidence),
        )
        for check in (last.checks if last is not None else ())
        if not check.passed and check.subject not in known
    ]
    return rows[:12]
