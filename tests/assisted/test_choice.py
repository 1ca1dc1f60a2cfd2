"""What true statements of a model choose: nothing, without a chain and what it foretold."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from workbench.agents.judge import judge
from workbench.agents.model_choice import explained_by
from workbench.agents.reasoner import reason
from workbench.claims.say import say
from workbench.model.assisted_events import Explained, Explanation
from workbench.model.category import Category
from workbench.model.citation import parse_citations
from workbench.model.claims import Claim, Outcome
from workbench.model.events import (
    ConclusionDrafted,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisProposed,
)
from workbench.model.evidence import Evidence, Source
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation

NOW = datetime(2026, 1, 2, tzinfo=UTC)
COMMANDS = {"E1": "@notes", "E2": "@locks", "E3": "bt 64", "E4": "info frame"}


def verified(claim: Claim) -> Claim:
    return replace(claim, by="model", status=Outcome.VERIFIED)


HELD = (
    verified(say("waits", parse_citations("E1:1"), thread=7, kind="mutex")),
    verified(say("owns", parse_citations("E2:1"), lock=0x40, owner=8)),
    verified(say("frame", parse_citations("E3:1"), index=0, function="take_row")),
)


def state(status: Status = Status.INCONCLUSIVE, expert: Status | None = None) -> Investigation:
    made = Investigation()
    for name, command in COMMANDS.items():
        item = Evidence(
            id=name,
            command=command,
            source=Source.DEBUGGER,
            intent="",
            at="",
            sha256="",
            size=1,
            lines=9,
            call_hash=name,
            by_model=name == "E4",
        )
        made.apply(EvidenceRecorded(evidence=item), NOW)
    chosen = [("H2", Category.DEADLOCK, "model", status)]
    if expert is not None:
        chosen.append(("H1", Category.INFINITE_LOOP, "expert", expert))
    for name, category, by, decided in chosen:
        hypothesis = Hypothesis(id=name, statement="", category=category, proposed_by=by)
        verdict = Verdict(status=decided, confidence=0.4, rung=Rung.STACK, reason="so it is")
        made.apply(HypothesisProposed(hypothesis=hypothesis), NOW)
        made.apply(HypothesisDecided(id=name, verdict=verdict), NOW)
    return made


def drafted(made: Investigation, claims: tuple[Claim, ...], chosen: str = "H2") -> str | None:
    explanation = Explanation(hypothesis=chosen, confidence=1.0, claims=claims)
    made.apply(Explained(explanation=explanation), NOW)
    conclusion = explained_by(reason(made), made)
    made.apply(ConclusionDrafted(conclusion=conclusion), NOW)
    return conclusion.hypothesis


def test_true_statements_alone_choose_no_cause() -> None:
    made = state()
    assert drafted(made, HELD) is None
    assert made.conclusion is not None
    assert made.conclusion.confidence == 0.0
    assert made.conclusion.category is Category.UNKNOWN
    assert judge(made).selected is None


@pytest.mark.parametrize("status", [Status.REJECTED, Status.CONFIRMED])
def test_what_is_decided_stays(status: Status) -> None:
    made = state(status)
    assert drafted(made, HELD) == ("H2" if status is Status.CONFIRMED else None)


def test_an_experts_proof_stays() -> None:
    made = state(expert=Status.CONFIRMED)
    assert drafted(made, HELD) == "H1"
    assert made.conclusion is not None
    assert made.conclusion.category is Category.INFINITE_LOOP
    assert [claim.by for claim in made.conclusion.claims] == ["model"] * 3


def test_a_hypothesis_that_is_none_wins_nothing() -> None:
    assert drafted(state(), HELD, "H77") is None


@pytest.mark.parametrize(
    ("others", "chosen"),
    [((Category.EXPLICIT_ABORT,), Category.DEADLOCK),
     ((Category.USE_AFTER_FREE, Category.EXPLICIT_ABORT), Category.USE_AFTER_FREE)],
)  # fmt: skip
def test_an_abort_without_a_reason_stands_behind_a_cycle_of_locks(
    others: tuple[Category, ...], chosen: Category
) -> None:
    made = state(Status.CONFIRMED)
    for number, category in enumerate(others, 3):
        name = f"H{number}"
        hypothesis = Hypothesis(id=name, statement="", category=category, proposed_by="expert")
        verdict = Verdict(status=Status.CONFIRMED, confidence=0.8, rung=Rung.STACK, reason="so")
        made.apply(HypothesisProposed(hypothesis=hypothesis), NOW)
        made.apply(HypothesisDecided(id=name, verdict=verdict), NOW)
    assert reason(made).category is chosen
