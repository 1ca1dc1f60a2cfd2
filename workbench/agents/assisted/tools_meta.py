"""The tools that ask nothing of the dump: hypotheses, scores, remarks, the end."""

from workbench.agents.assisted import hypotheses
from workbench.agents.assisted.answers import Candidate
from workbench.agents.assisted.arguments import Annotate, Conclude, Register, Weigh
from workbench.agents.assisted.claims import citations_of, faults, held, noted
from workbench.agents.assisted.explaining import chain_of, explanation_of
from workbench.agents.assisted.remarks import remark
from workbench.agents.assisted.results import ERROR, NEW, REFUSED, Result
from workbench.agents.ports import Ports
from workbench.claims.chain import breaks
from workbench.model.assisted import Score
from workbench.model.assisted_events import Explained, Scored
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.hypothesis import HIGH_CONFIDENCE, ITEMS_FOR_HIGH, UPPER_RUNGS, Status
from workbench.model.investigation import Investigation

_LIKELY = 0.5


async def register(ports: Ports, asked: Register) -> Result:
    """``hypothesis_register``: a cause to be tested like every other."""
    before = len(ports.state.hypotheses)
    text = await hypotheses.register(ports, Candidate.model_validate(asked.model_dump()))
    if len(ports.state.hypotheses) > before:
        return Result(text)
    return Result(text, REFUSED if text.startswith("refused") else ERROR)


async def score(ports: Ports, asked: Weigh) -> Result:
    """``hypothesis_score``: needs a reason with its lines; moves no verdict of code."""
    if asked.id not in ports.state.hypotheses:
        return Result(f"there is no hypothesis {asked.id}", ERROR)
    why = noted(asked.why, citations_of(asked.citations))
    if not why.text or not why.citations:
        return Result("not taken: it needs words and the lines that they are about", REFUSED)
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
    """``analysis_complete``: what is wrong with its statements is told once, all of it."""
    chosen = ports.state.hypotheses.get(asked.hypothesis)
    if chosen is None:
        return Result(f"refused: there is no hypothesis {asked.hypothesis}", REFUSED)
    explanation = await explanation_of(ports, asked, "")
    wrong = faults(explanation.claims)
    if explanation.chain:
        wrong += [
            f"chain, link {one.link + 1}: {one.reason}" for one in breaks(chain_of(explanation))
        ]
    if not held(explanation.claims):
        return Result("\n".join(["refused: nothing of it is verified", *wrong]), REFUSED)
    repaired = ports.state.assisted.explanation is not None
    await ports.record(Explained(explanation=explanation))
    if wrong and not repaired:
        return Result("\n".join(["taken; mend this once:", *wrong]))
    lacking = lacks(ports.state, asked.hypothesis, asked.confidence, explanation.claims)
    return Result(f"taken; {lacking}" if lacking else "taken", done=True)


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
            f"a confidence of {confidence:.2f} needs verified statements of {needed} items "
            f"of evidence; these cite {len(items)}"
        )
    return None
