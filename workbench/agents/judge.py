"""Chooses: one hypothesis, and why each other one lost."""

from msgspec.structs import replace

from workbench.agents.observed import DECIDES
from workbench.agents.questions import follow_up_questions
from workbench.model.claims import Outcome
from workbench.model.critique import Judgement, Rejected
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation


def judge(state: Investigation) -> Judgement:
    """The choice that the reasoner's conclusion and the critic's rounds leave.

    A conclusion of which no statement is verified selects nothing.
    """
    conclusion = state.conclusion
    selected = conclusion.hypothesis if conclusion else None
    carrying = conclusion.carrying if conclusion else ()
    chosen = state.hypotheses.get(selected) if selected is not None else None
    by_user = chosen is not None and chosen.is_confirmed_by_user
    # Where the statement of the cause itself is refuted, nothing else proves it.
    refuted = [claim.kind == "cause" and claim.status is Outcome.REFUTED for claim in carrying[:1]]
    proved = any(claim.holds for claim in carrying) and not any(refuted)
    if (carrying or by_user) and not proved:
        selected = None
    rejected = tuple(
        _lost(hypothesis, by_user)
        for hypothesis in state.hypotheses.values()
        if hypothesis.id != selected and not hypothesis.is_confirmed_by_user
    )
    if selected is None or conclusion is None:
        refused = {h.id: h.category for h in state.hypotheses.values()
                   if h.decided_by == "user" and h.status is Status.REJECTED}  # fmt: skip
        no = f"The user rejected {' and '.join(refused)}, and no other" if refused else "No"
        rationale = f"{no} hypothesis was proved by the evidence; the case stays open."
        if conclusion is not None and conclusion.origin is not None:
            shown = (conclusion.category, *DECIDES.get(conclusion.origin.kind, ()))
            saying = [f"{id}, which the user rejected," for id, category in refused.items()
                      if category in shown]  # fmt: skip
            rationale = (
                f"{(saying or ['No hypothesis'])[0]} says what a run of the program showed of "
                f"where it began ({', '.join(map(str, conclusion.origin.evidence))})."
            )
        others = [h.id for h in state.hypotheses.values() if h.status is Status.CONFIRMED]
        if by_user and chosen is not None:
            said = f": {chosen.reason.rstrip('.')}" if chosen.reason else ""
            rationale = (
                f"{chosen.id} was confirmed by the user{said}; the evidence does not prove it."
            )
        elif others and state.options.issue:
            rationale = f"{' and '.join(others)}: proved, and not what the question is about."
    elif by_user:
        said = state.hypotheses[selected].reason
        rationale = f"{selected} was confirmed by the user{': ' + said if said else ''}."
    elif conclusion.origin is not None and conclusion.chain:
        rationale = (
            f"{selected} is the one whose chain of verified statements leads from the fault to "
            "where it began."
        )
    elif (
        conclusion.origin is not None
        and conclusion.symptom is not None
        and conclusion.symptom.category is not conclusion.category
    ):
        cites = ", ".join(map(str, conclusion.origin.evidence))
        rationale = (
            f"{selected} is what the evidence proves of what failed; a run of the program showed "
            f"that it began as {conclusion.category.value} ({cites})."
        )
    elif state.hypotheses[selected].status is not Status.CONFIRMED:
        rationale = (
            f"No expert proves a cause; {selected} is what verified statements of a model speak "
            "for."
        )
    else:
        said = state.hypotheses[selected].reason
        rationale = f"{selected} is the one that the evidence proves: {said}"
    judgement = Judgement(selected=selected, rationale=rationale, rejected=rejected)
    return replace(judgement, questions=follow_up_questions(state, judgement))


def _lost(hypothesis: Hypothesis, by_user: bool) -> Rejected:
    verdict = hypothesis.verdict
    if hypothesis.decided_by == "user" and hypothesis.status is Status.REJECTED:
        reason = f"rejected by the user{': ' + hypothesis.reason if hypothesis.reason else ''}"
    elif hypothesis.status is Status.CONFIRMED:
        why = (
            "proved, but the user decided for another"
            if by_user
            else ("true as well, but a consequence or the weaker proof")
        )
        reason = f"{why}: {hypothesis.reason}"
    else:
        reason = hypothesis.reason or "it was not tested"
    evidence = (
        tuple(verdict.contradicting or verdict.supporting) if verdict else hypothesis.citations
    )
    return Rejected(hypothesis.id, reason, evidence)
