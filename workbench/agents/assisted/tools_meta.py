"""The tools that ask nothing of the dump: hypotheses, scores, remarks, the end."""

from workbench.agents.assisted import hypotheses
from workbench.agents.assisted.answers import Candidate
from workbench.agents.assisted.arguments import Annotate, Conclude, Register, Weigh
from workbench.agents.assisted.claims import citations_of, claims_of, held, hold
from workbench.agents.assisted.remarks import one_held, remark
from workbench.agents.assisted.results import ERROR, NEW, REFUSED, Result
from workbench.agents.ports import Ports
from workbench.model.assisted import Explanation, Score
from workbench.model.assisted_events import Explained, Scored
from workbench.model.citation import Citation
from workbench.model.hypothesis import (
    HIGH_CONFIDENCE,
    ITEMS_FOR_HIGH,
    UPPER_RUNGS,
    Claim,
    Status,
)
from workbench.model.investigation import Investigation

_LIKELY = 0.5
_TEXT = 100


async def register(ports: Ports, asked: Register) -> Result:
    """``hypothesis_register``: a cause to be tested like every other."""
    before = len(ports.state.hypotheses)
    text = await hypotheses.register(ports, Candidate.model_validate(asked.model_dump()))
    if len(ports.state.hypotheses) > before:
        return Result(text)
    return Result(text, REFUSED if text.startswith("refused") else ERROR)


async def score(ports: Ports, asked: Weigh) -> Result:
    """``hypothesis_score``: needs a sentence whose citations hold; moves no verdict of code."""
    if asked.id not in ports.state.hypotheses:
        return Result(f"there is no hypothesis {asked.id}", ERROR)
    why = await one_held(ports, asked.why, citations_of(asked.citations))
    if why.status != "held":
        return Result(f"not taken: {why.reason}", REFUSED)
    old = ports.state.assisted.scores.get(asked.id)
    await ports.record(
        Scored(score=Score(hypothesis=asked.id, likelihood=asked.likelihood, why=why))
    )
    same = old is not None and old.why.citations == why.citations
    return Result(f"{asked.id} is noted at {asked.likelihood:.2f}", ERROR if same else NEW)


async def annotate(ports: Ports, asked: Annotate) -> Result:
    """``evidence_annotate``: a remark on what is there; it makes no evidence."""
    if asked.id not in ports.state.evidence:
        return Result(f"there is no evidence {asked.id}; only commands make evidence", ERROR)
    cited = citations_of(asked.citations) or (Citation(asked.id),)
    return await remark(ports, asked.id, asked.tags, asked.why_it_matters, cited)


async def conclude(ports: Ports, asked: Conclude) -> Result:
    """``analysis_complete``: refused while what it cites does not carry its confidence."""
    chosen = ports.state.hypotheses.get(asked.hypothesis)
    if chosen is None:
        return Result(f"refused: there is no hypothesis {asked.hypothesis}", REFUSED)
    claims = await hold(ports, claims_of(asked.claims))
    lacking = lacks(ports.state, asked.hypothesis, asked.confidence, claims)
    if lacking:
        struck = [
            f"struck: {claim.text[:_TEXT]}: {claim.reason}"
            for claim in claims
            if claim.status == "struck"
        ]
        return Result("\n".join([f"refused: {lacking}", *struck]), REFUSED)
    explained = Explanation(hypothesis=asked.hypothesis, confidence=asked.confidence, claims=claims)
    await ports.record(Explained(explanation=explained))
    return Result("taken", done=True)


def lacks(
    state: Investigation, identifier: str, confidence: float, claims: tuple[Claim, ...]
) -> str | None:
    """What a confidence needs and the held claims do not cite, or None: one item for any, two and
    a confirmed hypothesis over 0.5, over 0.8 what the contract asks for."""
    items = {citation.evidence for claim in held(claims) for citation in claim.citations}
    chosen = state.hypotheses[identifier]
    verdict = chosen.verdict
    needed = 1
    if confidence > HIGH_CONFIDENCE:
        needed = ITEMS_FOR_HIGH
        if verdict is None or verdict.rung not in UPPER_RUNGS:
            return f"nothing of the machine or the heap and locks proves {identifier}: ask for less"
    elif confidence > _LIKELY:
        needed = 2
    if confidence > _LIKELY and chosen.status is not Status.CONFIRMED:
        return f"{identifier} is {chosen.status}: a confidence of {_LIKELY} at most"
    if len(items) < needed:
        return (
            f"a confidence of {confidence:.2f} needs sentences that hold and cite {needed} items "
            f"of evidence; these cite {len(items)}"
        )
    return None
