"""A model as judge, only where what is programmatic leaves a case open: several samples."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import BaseModel

from workbench.evaluate.schema import Case
from workbench.llm.errors import ModelFailed
from workbench.llm.port import Models, NoModel
from workbench.llm.prompts import load
from workbench.model.models import Content

SAMPLES = 3


class Opinion(BaseModel):
    """What a model thinks of a conclusion."""

    verdict: Literal["right", "open", "wrong"]
    why: str = ""


class Majority(NamedTuple):
    """What most samples say, open where none has a majority, and the share that says it."""

    verdict: str
    agreement: float


def majority(samples: Sequence[str]) -> Majority:
    """Of at least one sample."""
    (verdict, count), *_ = Counter(samples).most_common()
    share = count / len(samples)
    return Majority(verdict if share > 0.5 else "open", round(share, 2))


def may_be_needed(case: Case) -> bool:
    """True when somebody's words of the case are known, which nothing programmatic reads."""
    return case.kind == "triage" and bool(case.expected.words)


async def opinions(models: Models, case: Case, concluded: str) -> tuple[str, ...]:
    """Each sample's verdict, by a session's own models: routed, redacted, counted and bounded as
    its other questions are. Empty where none answers."""
    prompt, found = load("opinion"), list[str]()
    for number in range(1, SAMPLES + 1):
        question = prompt.question(
            answer=Opinion,
            contents=frozenset(Content),
            number=number,
            known=case.expected.words,
            concluded=concluded,
        )
        try:
            answer = await models.ask(question)
        except (NoModel, ModelFailed):
            continue
        if answer.value is not None:
            found.append(answer.value.verdict)
    return tuple(found)
