"""The final answer of a model: statements, the chain that they make, and its own words beside.

One answer and, where something is wrong with it, one more, which is told all that was wrong."""

from typing import Any

from workbench.agents.assisted.answers import Explained as Answered
from workbench.agents.assisted.claims import claims_of, faults, hold
from workbench.agents.assisted.context import (
    ENDING,
    ORIGIN_KINDS,
    Row,
    fenced,
    kinds_of,
    short,
    stating,
    summary,
)
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.hypotheses import category_of
from workbench.agents.assisted.unseen import unseen_of
from workbench.agents.ports import Ports
from workbench.claims.chain import breaks
from workbench.model.assisted import Explanation
from workbench.model.assisted_events import Explained
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_NONE: Row = ("none yet", frozenset())


async def explain(helper: Helper) -> None:
    """Ask for the explanation; after a round of the critic with what was wrong with the last."""
    ports = helper.ports
    state = ports.state
    old = state.assisted.explanation
    wrong = _criticism(state)
    if old is not None and not wrong:
        return

    async def values(size: int) -> dict[str, Any]:
        return {
            "summary": await summary(ports, size),
            "hypotheses": ", ".join(state.hypotheses) or "none",
            "criticism": fenced("criticism", wrong or [_NONE], size // 3),
            "kinds": stating(size),
            "origins": ORIGIN_KINDS,
            "question": state.options.issue or "",
        }

    async with helper.at_work("explanation"):
        answer = await helper.ask("explanation", values, answer=Answered)
        if answer is None or answer.value is None:
            return
        explanation = await explanation_of(ports, answer.value, answer.model)
        if not explanation.claims and not explanation.text:
            return
        if old is not None and _weight(explanation) < _weight(old):
            return  # a repair that holds less than what it repairs
        await ports.record(Explained(explanation=explanation))


async def explanation_of(ports: Ports, given: Answered, model: str) -> Explanation:
    """An answer with its statements checked."""
    state = ports.state
    claims = await hold(ports, claims_of(given.statements))
    origin = given.origin
    kind = next((one for one in OriginKind if one.value == origin.kind.strip().lower()), None)
    found = None
    if kind is not None and (origin.function or origin.file):
        found = Origin(
            kind=kind,
            function=origin.function or None,
            file=origin.file or None,
            line=origin.line or None,
            evidence=(),
        )
    return Explanation(
        hypothesis=given.hypothesis if given.hypothesis in state.hypotheses else None,
        category=category_of(given.category),
        confidence=given.confidence,
        claims=claims,
        chain=tuple(at for at in given.chain if 1 <= at <= len(claims)),
        origin=found,
        text=given.explanation,
        unseen=await unseen_of(ports, given.explanation),
        model=model,
    )


def _weight(explanation: Explanation) -> tuple[bool, int]:
    """A chain that holds first, then how much of it is verified."""
    held = sum(claim.holds for claim in explanation.claims)
    return not breaks(chain_of(explanation)) and explanation.origin is not None, held


def chain_of(explanation: Explanation) -> tuple[Claim, ...]:
    """The statements that it names as its chain."""
    return tuple(explanation.claims[at - 1] for at in explanation.chain)


def _criticism(state: Investigation) -> list[Row]:
    """All that is wrong with the last explanation; and what the critic's last round asks for."""
    explanation = state.assisted.explanation
    rows: list[Row] = []
    if explanation is not None:
        rows += [(short(text), ENDING) for text in faults(explanation.claims)]
        if explanation.chain:
            rows += [
                (short(f"chain, link {one.link + 1}: {one.reason}"), ENDING)
                for one in breaks(chain_of(explanation))
            ]
    known = {claim.text for claim in explanation.claims} if explanation is not None else set()
    last = state.rounds[-1] if state.rounds else None
    rows += [
        (short(f"{check.kind}: {check.subject}: {check.detail}"), kinds_of(state, check.evidence))
        for check in (last.checks if last is not None else ())
        if not check.passed and check.subject not in known
    ]
    return rows[:40]
