"""What a model's explanation does to the expert's conclusion.

Category, frame and confidence stay the expert's. Its sentences are added, for the critic to judge.
Only where no expert proves a cause may a hypothesis that a model explains be chosen, and only if

- no expert rejected it, and no person,
- at least three sentences hold, which cite three items of evidence, one of them of the machine's
  state or the heap and the locks, none of them asked for by a model alone,
- and one of them calls the cause by its name, which only holds where a cited line does so too.

Its confidence is then at most that of a cause that nobody proved (`workbench.agents.weight`).
"""

from msgspec.structs import replace

from workbench.agents.relations.causes import causes_in
from workbench.model.assisted import Explanation
from workbench.model.critique import Conclusion
from workbench.model.facts import Frame, Stack
from workbench.model.hypothesis import ITEMS_FOR_HIGH, Hypothesis, Status
from workbench.model.investigation import Investigation

CEILING = 0.5
_UPPER = ("@fault", "@heap", "@locks", "@stack", "@exception", "info registers", "register read")


def explained_by(conclusion: Conclusion, state: Investigation) -> Conclusion:
    """The expert's conclusion with what a model's explanation may add to it."""
    explanation = state.assisted.explanation
    if explanation is None:
        return conclusion
    there = {claim.text for claim in conclusion.claims}
    more = tuple(
        replace(claim, status="open", reason="")
        for claim in explanation.claims
        if claim.text not in there
    )
    if conclusion.hypothesis is None and (chosen := winner(state, explanation)) is not None:
        score = state.assisted.scores.get(chosen.id)
        likelihood = score.likelihood if score is not None else CEILING
        return replace(
            conclusion,
            hypothesis=chosen.id,
            category=chosen.category,
            confidence=min(CEILING, explanation.confidence, likelihood),
            claims=more,
            frame=_frame(state, chosen.function),
        )
    return replace(conclusion, claims=(*conclusion.claims, *more))


def winner(state: Investigation, explanation: Explanation) -> Hypothesis | None:
    """The hypothesis that an explanation carries by the rule above, or None."""
    chosen = state.hypotheses.get(explanation.hypothesis or "")
    if chosen is None or chosen.status is not Status.INCONCLUSIVE:
        return None
    held = [claim for claim in explanation.claims if claim.status == "held"]
    cited = {
        item.id: item
        for claim in held
        for citation in claim.citations
        if (item := state.evidence.get(citation.evidence)) is not None and not item.by_model
    }
    upper = any(item.command.startswith(_UPPER) for item in cited.values())
    named = any(
        chosen.category.value in categories
        for claim in held
        for _, categories in causes_in(claim.text)
    )
    enough = len(held) >= ITEMS_FOR_HIGH and len(cited) >= ITEMS_FOR_HIGH
    return chosen if enough and upper and named else None


def _frame(state: Investigation, function: str | None) -> Frame | None:
    if function is None:
        return None
    frames = (frame for stack in state.facts.all(Stack) for frame in stack.frames[:1000])
    return next((frame for frame in frames if frame.function == function), None)
