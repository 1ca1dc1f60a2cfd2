"""Chooses: one hypothesis, and why each other one lost."""

from workbench.agents.critic import follow_up_questions
from workbench.model.critique import Judgement, Rejected
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation


def judge(state: Investigation) -> Judgement:
    """The choice that the reasoner's conclusion and the critic's rounds leave.

    A conclusion whose every claim was struck selects nothing.
    """
    conclusion = state.conclusion
    selected = conclusion.hypothesis if conclusion else None
    carrying = conclusion.carrying if conclusion else ()
    if carrying and all(claim.status == "struck" for claim in carrying):
        selected = None
    rejected = tuple(
        _lost(hypothesis) for hypothesis in state.hypotheses.values() if hypothesis.id != selected
    )
    questions = follow_up_questions(state)
    if selected is None or conclusion is None:
        rationale = "No hypothesis was proved by the evidence; the case stays open."
    elif state.hypotheses[selected].status is not Status.CONFIRMED:
        rationale = (
            f"No expert proves a cause; {selected} is what a model's sentences speak for, and "
            "each of them stands in the lines that it cites."
        )
    else:
        rationale = f"{selected} is the one that the evidence proves: {_reason(state, selected)}"
    return Judgement(selected=selected, rationale=rationale, rejected=rejected, questions=questions)


def _reason(state: Investigation, selected: str) -> str:
    return state.hypotheses[selected].reason


def _lost(hypothesis: Hypothesis) -> Rejected:
    verdict = hypothesis.verdict
    if hypothesis.decided_by == "user" and hypothesis.status is Status.REJECTED:
        reason = f"rejected by the user{': ' + hypothesis.reason if hypothesis.reason else ''}"
    elif hypothesis.status is Status.CONFIRMED:
        reason = f"true as well, but a consequence or the weaker proof: {hypothesis.reason}"
    else:
        reason = hypothesis.reason or "it was not tested"
    evidence = (
        tuple(verdict.contradicting or verdict.supporting) if verdict else hypothesis.citations
    )
    return Rejected(hypothesis.id, reason, evidence)
