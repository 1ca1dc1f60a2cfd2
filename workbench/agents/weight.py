"""How much confidence a conclusion may claim, and why not more.

The dump's health caps it; over 0.8 needs three cited items and one of the two upper rungs of the
evidence ladder (the contract's "high confidence"); what was rejected takes its weight away.
"""

import math

from workbench.model.claims import Outcome
from workbench.model.critique import Conclusion
from workbench.model.facts import CoreHealth
from workbench.model.hypothesis import (
    HIGH_CONFIDENCE,
    ITEMS_FOR_HIGH,
    UPPER_RUNGS,
    Hypothesis,
    Status,
)
from workbench.model.investigation import Investigation

CAUSE_STRUCK = 0.5
_UNDECIDED = 0.5


def allowed_confidence(state: Investigation, conclusion: Conclusion) -> float:
    """The highest confidence (0..1) that the evidence behind a conclusion allows."""
    return min((limit for limit, _ in limits(state, conclusion)), default=1.0)


def why_capped(state: Investigation, conclusion: Conclusion) -> str:
    """The reasons of the lowest limit in plain words; empty when nothing limits it."""
    found = limits(state, conclusion)
    lowest = min((limit for limit, _ in found), default=1.0)
    return "; ".join(reason for limit, reason in found if limit == lowest)


def limits(state: Investigation, conclusion: Conclusion) -> list[tuple[float, str]]:
    """Every limit that applies, with its reason."""
    found: list[tuple[float, str]] = []
    health = state.facts.last(CoreHealth)
    if health is not None and health.ceiling < 1.0:
        ceiling = health.ceiling if math.isfinite(health.ceiling) else 0.0
        found.append((max(0.0, ceiling), "; ".join(health.caps) or "the dump is incomplete"))
    standing = [claim for claim in conclusion.claims if claim.status is not Outcome.REFUTED]
    if not any(claim.citations for claim in standing):
        found.append((0.0, "no claim with a citation stands"))
    elif conclusion.claims[0].status is Outcome.REFUTED:
        found.append((CAUSE_STRUCK, "the statement of the cause itself was rejected"))
    elif any(c.status is Outcome.REFUTED and c.by == "expert" for c in conclusion.carrying):
        found.append((CAUSE_STRUCK, "the evidence refutes a statement that it rests on"))
    hypothesis = state.hypotheses.get(conclusion.hypothesis or "")
    if conclusion.hypothesis is None:
        if conclusion.origin is None or not conclusion.origin.runs:  # else a run showed it
            found.append((_UNDECIDED, "no hypothesis was proved"))
    elif hypothesis is None:
        found.append((0.0, f"there is no hypothesis {conclusion.hypothesis}"))
    elif hypothesis.status is Status.REJECTED:
        found.append((0.0, f"{hypothesis.id} was rejected"))
    elif hypothesis.status is not Status.CONFIRMED:
        found.append((_UNDECIDED, f"{hypothesis.id} was not confirmed"))
    reason = _short_of_high(conclusion, hypothesis)
    if reason is not None:
        found.append((HIGH_CONFIDENCE, reason))
    return found


def _short_of_high(conclusion: Conclusion, hypothesis: Hypothesis | None) -> str | None:
    verdict = hypothesis.verdict if hypothesis is not None else None
    items = {
        citation.evidence
        for claim in conclusion.claims
        if claim.status is not Outcome.REFUTED
        for citation in claim.citations
    }
    if verdict is not None:
        items |= {citation.evidence for citation in verdict.supporting}
    if len(items) < ITEMS_FOR_HIGH:
        number = "one item" if len(items) == 1 else f"{len(items)} items"
        needed = f"{ITEMS_FOR_HIGH} are needed for more than {HIGH_CONFIDENCE}"
        return f"{number} of evidence cited, {needed}"
    if verdict is None or verdict.rung not in UPPER_RUNGS:
        return (
            "nothing from the machine state or the heap and lock structures speaks for it, "
            f"which is needed for more than {HIGH_CONFIDENCE}"
        )
    return None
