"""The tools that ask nothing of the dump: hypotheses, scores, remarks, the end."""

from workbench.agents.assisted import hypotheses
from workbench.agents.assisted.answers import Candidate
from workbench.agents.assisted.arguments import Annotate, Conclude, Register, Weigh
from workbench.agents.assisted.claims import citations_of, held, noted
from workbench.agents.assisted.explaining import explanation_of, take, wrong_with
from workbench.agents.assisted.remarks import remark
from workbench.agents.assisted.results import ERROR, NEW, REFUSED, Result
from workbench.agents.ports import Ports
from workbench.model.assisted import Score
from workbench.model.assisted_events import Scored
from workbench.model.citation import Citation


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
    """``analysis_complete``: what is wrong with the answer is told once, all of it."""
    explanation = await explanation_of(ports, asked, "")
    if explanation.hypothesis is None:
        return Result("refused: it names no hypothesis, and no category of its own", REFUSED)
    wrong = wrong_with(explanation, ports.state)
    if not held(explanation.claims):
        return Result("\n".join(["refused: nothing of it is verified", *wrong]), REFUSED)
    repaired = ports.state.assisted.explanation is not None
    await take(ports, explanation)
    if wrong and not repaired:
        return Result("\n".join(["taken; mend this once:", *wrong]))
    return Result("taken", done=True)
