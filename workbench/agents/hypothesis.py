"""Proposes: two to four competing causes that the facts leave room for."""

import re

from workbench.agents import experts
from workbench.agents.issue import spoken_of
from workbench.agents.ports import spelt
from workbench.claims.printed import printed_expression
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Prediction
from workbench.model.events import HypothesisProposed, Noticed
from workbench.model.evidence import Command
from workbench.model.hypothesis import Hypothesis, Proposal, Status
from workbench.model.investigation import Investigation

MAX_HYPOTHESES = 4
_COMPARES = re.compile(r"[=!<>]=|(?<![<>-])[<>](?![<>])")


def propose(state: Investigation) -> list[HypothesisProposed | Noticed]:
    """New hypotheses from the facts, the most likely first, none of a category already there. What
    a model proposed takes no expert's place."""
    others = [
        hypothesis
        for hypothesis in state.hypotheses.values()
        if hypothesis.proposed_by != "model" and not state.is_set_aside(hypothesis)
    ]
    known = {hypothesis.category for hypothesis in others}
    found, failed = experts.proposals(state.facts, known)
    asked = spoken_of(state.options.issue)
    found.sort(key=lambda proposal: proposal.category not in asked)
    live = [h for h in others if h.status is not Status.REJECTED]
    room = max(0, MAX_HYPOTHESES - len(live))
    first = len(state.hypotheses) + 1
    return [
        *(Noticed(text=text, severity="error") for text in failed),
        *(
            HypothesisProposed(hypothesis=_hypothesis(state, f"H{number}", proposal))
            for number, proposal in enumerate(found[:room], first)
        ),
    ]


def _hypothesis(state: Investigation, identifier: str, proposal: Proposal) -> Hypothesis:
    return Hypothesis(
        id=identifier, statement=proposal.statement, category=proposal.category,
        confidence=proposal.confidence, planned=spelt(state, proposal.tests),
        citations=proposal.citations, predictions=proposal.predictions)  # fmt: skip


def by_the_person(
    state: Investigation, statement: str, category: Category, tests: tuple[Command, ...] = ()
) -> HypothesisProposed:
    """A hypothesis of the person's own with their tests; the expert of its category lends its
    own. A test that prints a comparison foretells that it is true."""
    others = set(Category) - {category}
    found, _ = experts.proposals(state.facts, others)
    proposal = found[0] if found else None
    asked = {test.text for test in tests}
    lent = spelt(state, proposal.tests) if proposal else ()
    return HypothesisProposed(
        hypothesis=Hypothesis(
            id=state.next_hypothesis_id(),
            statement=statement,
            category=category,
            proposed_by="user",
            confidence=proposal.confidence if proposal else 0.0,
            planned=(*tests, *(test for test in lent if test.text not in asked)),
            predictions=tuple(
                Prediction(
                    claim=say("value", expression=expression, value=at("1", (), "true")),
                    command=test.text,
                    known=len(state.evidence),
                )
                for test in tests
                if (expression := printed_expression(test.text)) and _COMPARES.search(expression)
            ),
        )
    )
