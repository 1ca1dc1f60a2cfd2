"""A model as judge, only where nothing else can decide a case: several samples."""

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from pydantic import BaseModel

from workbench.evaluate.schema import Case
from workbench.llm.errors import ModelFailed
from workbench.llm.port import NoModel
from workbench.llm.prompts import load
from workbench.model.models import Content

if TYPE_CHECKING:
    from workbench.engine.session import Session

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


def is_needed(case: Case) -> bool:
    """True when what is known of the case is told in words alone."""
    known = case.expected
    programmatic = (known.category, known.facts, known.origins, known.severity, known.event,
                    known.pattern, known.answer, known.absent, known.present)  # fmt: skip
    return case.kind == "triage" and bool(known.words) and not any(programmatic)


async def opinions(session: "Session", case: Case, concluded: str) -> tuple[str, ...]:
    """Each sample's verdict, by the session's own models: routed, redacted, counted and bounded as
    its other questions are. Empty where none answers."""
    models, prompt = session.models, load("opinion")
    found: list[str] = []
    if models is None or not is_needed(case):
        return ()
    for number in range(1, SAMPLES + 1):
        question = prompt.question(
            answer=Opinion, contents=frozenset(Content), number=number,
            known=case.expected.words, concluded=concluded,
        )  # fmt: skip
        try:
            answer = await models.ask(question)
        except (NoModel, ModelFailed):
            continue
        if answer.value is not None:
            found.append(answer.value.verdict)
    return tuple(found)
