"""What a model's explanation adds to the expert's conclusion.

Its verified statements stand beside the expert's. Its cause is chosen

- where its chain holds from what failed back to an origin that the last link shows, and a
  prediction came true that no rival shares: then the conclusion names the origin, with a confidence
  of at most `WITH_CHAIN`;
- where no expert proves a cause and three verified statements cite three items: at most `CEILING`.

A person's rejection stands in either case."""

from msgspec.structs import replace

from workbench.agents.assisted.explaining import chain_of
from workbench.claims.chain import breaks, shows
from workbench.claims.values import plain_name
from workbench.model.assisted import Explanation
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Conclusion, Symptom
from workbench.model.facts import Frame, Stack
from workbench.model.hypothesis import ITEMS_FOR_HIGH, Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin

CEILING = 0.5
WITH_CHAIN = 0.8


def explained_by(conclusion: Conclusion, state: Investigation) -> Conclusion:
    """The expert's conclusion with what a model's explanation may add to it."""
    explanation = state.assisted.explanation
    if explanation is None:
        return conclusion
    known = {claim.text for claim in conclusion.claims}
    more = tuple(claim for claim in explanation.claims if claim.text not in known)
    joined = replace(conclusion, claims=(*conclusion.claims, *more))
    chosen = state.hypotheses.get(explanation.hypothesis or "")
    if chosen is not None and chosen.decided_by == "user" and chosen.status is Status.REJECTED:
        return joined
    origin = origin_of(explanation)
    if origin is not None and _foretold(state, chosen):
        return _with_origin(joined, explanation, origin, chosen)
    is_open = chosen is not None and chosen.status is Status.INCONCLUSIVE
    if conclusion.hypothesis is None and chosen is not None and is_open and carries(explanation):
        return replace(
            joined,
            hypothesis=chosen.id,
            category=chosen.category,
            confidence=min(CEILING, explanation.confidence),
            claims=more,
            frame=_frame(state, chosen.function),
        )
    return joined


def origin_of(explanation: Explanation) -> Origin | None:
    """The origin that a chain reaches: connected, and shown by its last link in that function and
    line; None where it does not."""
    chain, origin = chain_of(explanation), explanation.origin
    if origin is None or breaks(chain) or not shows(origin.kind.value, chain[-1]):
        return None
    last = chain[-1]
    function, line = last.get("function"), last.get("at")
    if origin.function is None or not isinstance(function, str):
        return None
    if plain_name(function) != plain_name(origin.function):
        return None
    if line is not None and origin.line not in (None, line):
        return None
    return replace(
        origin,
        line=line if isinstance(line, int) else origin.line,
        evidence=last.citations,
    )


def _with_origin(
    conclusion: Conclusion, explanation: Explanation, origin: Origin, chosen: Hypothesis | None
) -> Conclusion:
    """The origin is the cause; what the expert proved is the symptom."""
    category = explanation.category or (chosen.category if chosen is not None else None)
    texts = [claim.text for claim in chain_of(explanation)]
    return replace(
        conclusion,
        hypothesis=chosen.id if chosen is not None else conclusion.hypothesis,
        category=category or conclusion.category,
        confidence=min(WITH_CHAIN, explanation.confidence),
        origin=origin,
        chain=tuple(texts),
        symptom=Symptom(
            category=conclusion.category,
            frame=conclusion.frame,
            claims=tuple(c.id for c in conclusion.claims if c.by == "expert"),
        ),
    )


def by_its_chain(conclusion: Conclusion) -> Verdict:
    """The verdict that a chain with a prediction that came true stands for."""
    cites = tuple(dict.fromkeys(
        c for claim in conclusion.claims if claim.id in conclusion.chain for c in claim.citations
    ))  # fmt: skip
    return Verdict(
        status=Status.CONFIRMED,
        confidence=conclusion.confidence,
        rung=Rung.STRUCTURE,
        reason="Its statements lead from what failed to where it began, and what it foretold "
        "came true.",
        supporting=cites,
        frame=conclusion.frame,
        by_chain=True,
    )


def carries(explanation: Explanation) -> bool:
    """True where three verified statements cite three items."""
    held = [claim for claim in explanation.claims if claim.holds]
    items = {citation.evidence for claim in held for citation in claim.citations}
    return len(held) >= ITEMS_FOR_HIGH and len(items) >= ITEMS_FOR_HIGH


def _foretold(state: Investigation, chosen: Hypothesis | None) -> bool:
    """True where a prediction of the hypothesis came true that no rival made as well."""
    if chosen is None:
        return False
    rivals = {
        _what(prediction.claim)
        for other in state.hypotheses.values()
        if other.id != chosen.id
        for prediction in other.predictions
    }
    outcomes = {p.outcome for p in chosen.predictions}
    if Outcome.REFUTED in outcomes:
        return False
    return any(
        prediction.outcome is Outcome.VERIFIED and _what(prediction.claim) not in rivals
        for prediction in chosen.predictions
    )


def _what(claim: Claim) -> tuple[str, tuple[tuple[str, object], ...]]:
    return claim.kind, tuple(sorted((arg.name, arg.value) for arg in claim.args))


def _frame(state: Investigation, function: str | None) -> Frame | None:
    if function is None:
        return None
    frames = (frame for stack in state.facts.all(Stack) for frame in stack.frames[:1000])
    return next((frame for frame in frames if frame.function == function), None)
