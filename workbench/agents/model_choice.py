"""What a model's explanation adds to the expert's conclusion.

Its verified statements stand beside the expert's. Its cause is chosen where its chain holds from
what failed back to an origin that the last link shows, of a category that such an origin is the
root of, and a prediction about the same came true that no rival made: then the conclusion names the
origin, with a confidence of at most `WITH_CHAIN`, and what the expert proved is the symptom. What
evidence or a person has rejected stays so."""

import re

from msgspec.structs import replace

from workbench.agents.assisted.explaining import chain_of
from workbench.claims.chain import ORIGINS, breaks, linked, shows
from workbench.claims.render import last_part
from workbench.claims.values import plain_name
from workbench.model.assisted import Explanation
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Conclusion, Symptom
from workbench.model.facts import Stack
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin

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
    if chosen is None or chosen.status is Status.REJECTED:
        return joined
    origin = origin_of(explanation, state)
    if origin is None or not _fits(explanation, origin, chosen) or not _foretold(state, chosen):
        return joined
    return _with_origin(joined, explanation, origin, chosen)


def origin_of(explanation: Explanation, state: Investigation) -> Origin | None:
    """The origin that a chain reaches: connected, and shown by its last link in that function and
    line, in a file that the evidence names; None where it does not."""
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
        file=_file(origin.file, last, state),
        evidence=last.citations,
    )


def _file(named: str | None, last: Claim, state: Investigation) -> str | None:
    """The file that a model names, where a frame or the command of the listing names it too."""
    name = last_part(named or "")
    if not name:
        return None
    frames = (frame for stack in state.facts.all(Stack) for frame in stack.frames[:1000])
    if any(frame.file and last_part(frame.file) == name for frame in frames):
        return name
    listed = (state.evidence[c.evidence].command for c in last.citations)
    return name if any(name in re.split(r"[\s:/]", command) for command in listed) else None


def _fits(explanation: Explanation, origin: Origin, chosen: Hypothesis) -> bool:
    """True where the category is the hypothesis's, and one that such an origin is the root of."""
    named = explanation.category or chosen.category
    return named is chosen.category and named.value in ORIGINS[origin.kind.value].categories


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
        symptom=conclusion.symptom
        or Symptom(
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


def _foretold(state: Investigation, chosen: Hypothesis) -> bool:
    """True where a prediction of the hypothesis came true that no rival made, about something that
    its chain is about; and none came false."""
    rivals = {
        _what(prediction.claim)
        for other in state.hypotheses.values()
        if other.id != chosen.id
        for prediction in other.predictions
    }
    if any(prediction.outcome is Outcome.REFUTED for prediction in chosen.predictions):
        return False
    explanation = state.assisted.explanation
    chain = chain_of(explanation) if explanation is not None else ()
    return any(
        prediction.outcome is Outcome.VERIFIED
        and _what(prediction.claim) not in rivals
        and any(linked(prediction.claim, link) for link in chain)
        for prediction in chosen.predictions
    )


def _what(claim: Claim) -> tuple[str, tuple[tuple[str, object], ...]]:
    return claim.kind, tuple(sorted((arg.name, arg.value) for arg in claim.args))
