"""What a model left behind, as the report shows it: only what held when it was written."""

from collections.abc import Iterable

from workbench.model.chunks import in_its_words
from workbench.model.claims import Claim
from workbench.model.investigation import Investigation
from workbench.model.report_conclusion import Annotation, CheckpointInfo


def cited(claim: Claim) -> str:
    """A sentence with its citations behind it, a model's own words marked as such."""
    said = in_its_words(claim.text) if claim.kind == "note" else claim.text
    return f"{said} [{', '.join(map(str, claim.citations))}]"


def summary(held: Iterable[Claim]) -> str | None:
    """The first of the verified statements."""
    return " ".join(cited(claim) for claim in tuple(held)[:3]) or None


def checkpoints(state: Investigation) -> tuple[CheckpointInfo, ...]:
    """Where the tool loop stood, each time that it was written down."""
    return tuple(
        CheckpointInfo.of(one, facts=tuple(cited(claim) for claim in one.facts))
        for one in state.assisted.checkpoints
    )


def annotations(state: Investigation, identifier: str) -> tuple[Annotation, ...]:
    """The remarks on one evidence item."""
    found = [one for one in state.assisted.annotations if one.evidence == identifier]
    if not found:
        return ()
    return tuple(Annotation(tags=one.tags, why_it_matters=one.why.text, by=one.by) for one in found)
