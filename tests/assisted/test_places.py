"""A model's hypotheses take no place of an expert's."""

from datetime import UTC, datetime

from tests.assisted.conftest import Investigate
from workbench.agents.hypothesis import propose
from workbench.model.category import Category
from workbench.model.events import HypothesisDecided, HypothesisProposed
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.investigation import Investigation

START = datetime(2026, 1, 2, tzinfo=UTC)


def proposed(state: Investigation) -> list[Category]:
    return [e.hypothesis.category for e in propose(state) if isinstance(e, HypothesisProposed)]


async def test_four_guesses_of_a_model_leave_the_experts_room(investigate: Investigate) -> None:
    state = Investigation()
    state.facts.add((await investigate(None)).state.facts)
    alone = proposed(state)
    assert alone
    guessed = (alone[0], Category.DEADLOCK, Category.OUT_OF_MEMORY, Category.TRAP)
    for number, category in enumerate(guessed, 1):
        guess = Hypothesis(id=f"H{number}", statement="", category=category, proposed_by="model")
        open_ = Verdict(
            status=Status.INCONCLUSIVE, confidence=0.0, rung=Rung.TEXT, reason="not led to"
        )
        state.apply(HypothesisProposed(hypothesis=guess), START)
        state.apply(HypothesisDecided(id=guess.id, verdict=open_), START)
    assert proposed(state) == alone
