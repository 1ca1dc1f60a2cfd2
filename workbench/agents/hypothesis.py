"""Proposes: two to four competing causes that the facts leave room for."""

from analyzers.patterns import PATTERNS
from workbench.agents.experts import ORDER
from workbench.model.category import Category
from workbench.model.events import HypothesisProposed
from workbench.model.hypothesis import Hypothesis, Proposal
from workbench.model.investigation import Investigation

MAX_HYPOTHESES = 4


def propose(state: Investigation) -> list[HypothesisProposed]:
    """New hypotheses from the facts, the most likely first, none of a category already there."""
    known = {hypothesis.category for hypothesis in state.hypotheses.values()}
    proposals = [
        proposal
        for pattern in PATTERNS
        if pattern.category not in known and (proposal := pattern.propose(state.facts)) is not None
    ]
    proposals.sort(key=lambda p: (-p.confidence, ORDER[p.category]))
    room = max(0, MAX_HYPOTHESES - len(known)) if not state.undecided() else 0
    first = len(state.hypotheses) + 1
    return [
        HypothesisProposed(hypothesis=_hypothesis(f"H{number}", proposal))
        for number, proposal in enumerate(proposals[: room or 1], first)
    ]


def _hypothesis(identifier: str, proposal: Proposal) -> Hypothesis:
    return Hypothesis(
        id=identifier,
        statement=proposal.statement,
        category=proposal.category,
        confidence=proposal.confidence,
        planned=proposal.tests,
        citations=proposal.citations,
    )


def by_the_person(state: Investigation, statement: str, category: Category) -> HypothesisProposed:
    """A hypothesis of the person's own; the expert of its category lends its tests."""
    from workbench.agents.experts import pattern_for

    pattern = pattern_for(category)
    proposal = pattern.propose(state.facts) if pattern else None
    return HypothesisProposed(
        hypothesis=Hypothesis(
            id=state.next_hypothesis_id(),
            statement=statement,
            category=category,
            proposed_by="user",
            confidence=proposal.confidence if proposal else 0.0,
            planned=proposal.tests if proposal else (),
        )
    )
