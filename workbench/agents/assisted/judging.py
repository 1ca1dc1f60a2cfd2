"""The judge with a model: the choice is code's, the model may say in held sentences why the others
lost."""

from typing import Any

from msgspec.structs import replace

from workbench.agents import report_assisted
from workbench.agents.assisted.answers import Judged
from workbench.agents.assisted.claims import citations_of, claims_of, held, hold
from workbench.agents.assisted.context import cited, summary
from workbench.agents.assisted.helper import Helper
from workbench.model.critique import Judgement, Rejected
from workbench.model.events import Noticed
from workbench.model.hypothesis import Claim

_MOST_QUESTIONS = 5


async def judge(helper: Helper, chosen: Judgement) -> Judgement:
    """Code's choice with what holds of the model's words, and with the questions of its last round
    where any are left to ask."""
    ports = helper.ports
    if chosen.questions and ports.state.rounds:
        asked = dict.fromkeys((*chosen.questions, *ports.state.rounds[-1].questions))
        chosen = replace(chosen, questions=tuple(asked)[:_MOST_QUESTIONS])
    if len(ports.state.hypotheses) < 2:
        return chosen

    async def values(size: int) -> dict[str, Any]:
        against = [c for lost in chosen.rejected for c in lost.evidence]
        return {
            "summary": await summary(ports, size * 3 // 4),
            "selected": chosen.selected or "none",
            "rejected": ", ".join(lost.id for lost in chosen.rejected) or "none",
            "evidence": await cited(ports, against, size // 4) or "none",
        }

    async with helper.at_work("judgement"):
        answer = await helper.ask("judgement", values, answer=Judged)
        if answer is None or answer.value is None:
            return chosen
        said = answer.value
        if said.selected in ports.state.hypotheses and said.selected != chosen.selected:
            text = f"The model would choose {said.selected}; the evidence does not carry that."
            await ports.record(Noticed(text=text))
            return chosen
        reasons = held(await hold(ports, claims_of(said.rationale, 2)))
        lost = []
        for one in chosen.rejected:
            claims = [
                Claim(r.text, citations_of(r.citations), by="model")
                for r in said.rejected
                if r.id == one.id
            ]
            lost.append(_argued(one, held(await hold(ports, claims[:1]))))
        rationale = " ".join([chosen.rationale, *map(report_assisted.cited, reasons)])
        return replace(chosen, rationale=rationale, rejected=tuple(lost))


def _argued(lost: Rejected, claims: tuple[Claim, ...]) -> Rejected:
    if not claims:
        return lost
    evidence = dict.fromkeys((*lost.evidence, *(c for claim in claims for c in claim.citations)))
    reason = "; ".join([lost.reason.rstrip("."), *(claim.text for claim in claims)])
    return Rejected(lost.id, reason, tuple(evidence))
