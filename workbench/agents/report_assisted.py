"""What a model left behind, as the report shows it: only what held when it was written."""

from collections.abc import Iterable

from workbench.model.evidence import Evidence
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation
from workbench.model.models import Complexity
from workbench.model.report_conclusion import Annotation, CheckpointInfo, Narrative

_OWN_WORDS = "The output says, and nothing else tells: "
"""In front of a remark on an output that no analyzer reads: that its words stand there is checked,
that they are true is not."""


def cited(claim: Claim) -> str:
    """A sentence with its citations behind it."""
    return f"{claim.text} [{', '.join(map(str, claim.citations))}]"


def summary(state: Investigation, held: Iterable[Claim]) -> str | None:
    """The summary in a model's words where all of them held, else the first of the held claims."""
    rewritten = state.assisted.summary
    claims = rewritten.claims if rewritten is not None else tuple(held)[:3]
    return " ".join(cited(claim) for claim in claims) or None


def narrative(state: Investigation) -> Narrative:
    """What the process was doing."""
    prose = state.assisted.narrative
    if prose is None:
        return Narrative(description=None, confidence=None)
    text = " ".join(cited(claim) for claim in prose.claims)
    return Narrative(description=text or None, confidence=prose.confidence)


def checkpoints(state: Investigation) -> tuple[CheckpointInfo, ...]:
    """Where the tool loop stood, each time that it was written down."""
    return tuple(
        CheckpointInfo(
            iteration=one.iteration,
            facts=tuple(cited(claim) for claim in one.facts),
            hypotheses=one.hypotheses,
            evidence=one.evidence,
            do_not_repeat=one.do_not_repeat,
            next_steps=one.next_steps,
            by=one.by,
        )
        for one in state.assisted.checkpoints
    )


def is_unread(state: Investigation, item: Evidence) -> bool:
    """True for an output that no analyzer knows: whatever printed it, its words are no facts."""
    from analyzers.base import Document
    from analyzers.registry import complexity

    if any(fact.cite.evidence == item.id for fact in state.facts):
        return False
    return complexity(Document("", item.command, item.host, "")) is Complexity.MODERATE


def annotations(state: Investigation, identifier: str) -> tuple[Annotation, ...]:
    """The remarks on one evidence item."""
    found = [one for one in state.assisted.annotations if one.evidence == identifier]
    if not found:
        return ()
    own = _OWN_WORDS if is_unread(state, state.evidence[identifier]) else ""
    return tuple(
        Annotation(tags=one.tags, why_it_matters=own + one.why.text, by=one.by) for one in found
    )
