"""The whole investigation with a real model that is too small to reason: whatever it says, the
report is the expert's. As OpenAI's protocol, in `make soak` as Ollama's too."""

from dataclasses import replace
from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.test_hostile import read
from tests.assisted.test_investigation import alone, concluded
from tests.llm.asks import FEW
from tests.soak import SOAK
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.providers.ollama import Ollama
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.llm.surroundings import Surroundings
from workbench.model.models import Effort, ModelTier, ModelWish, TierWish
from workbench.model.target import Limits
from workbench.settings import Settings

# It spends what it is given: with a core of its own it has been asked four times after 25 seconds,
# and twice, as the hypotheses' model and the investigator's, after 10.
SECONDS = 25.0 if SOAK else 10.0
SMALL = Limits(
    iterations=2,
    idle_iterations=2,
    critic_rounds=1,
    told=400,
    seconds=SECONDS,
)
ONCE = replace(FEW, silence=SECONDS, answers=1, tries=1)


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "server"),
    [(OpenAiLike, "llama"), *([(Ollama, "ollama_proxy")] if SOAK else [])],
)
async def test_a_bad_model_makes_no_bad_report(
    investigate: Investigate, request: pytest.FixtureRequest, kind: Any, server: str
) -> None:
    serves = request.getfixturevalue(server)
    place = place_of(serves.url)

    def make(surroundings: Surroundings) -> RoutedModels:
        backend = Backend(kind(place, limits=ONCE), serves.model, ModelTier.LOCAL, place.shown)
        lineup = Lineup({ModelTier.LOCAL: backend}, {ModelTier.CLOUD: "none here"})
        wish = ModelWish(tier=TierWish.LOCAL, effort=Effort.HIGH, refresh=True)
        return RoutedModels(surroundings, lineup, wish, Settings())

    session = await investigate(make, SMALL)
    report = await session.build_report()
    ai, expert = report.analysis.ai_analysis, await alone(investigate)
    assert concluded(ai) == concluded(expert)
    assert session.state.models.spent, "the model was asked"
    assert session.state.assisted.seconds <= SECONDS + 20
    assert session.state.phase.value == "done"
    said = read(report)
    for claim in ai.claims:
        assert claim.status != "refuted" or claim.text.lower() not in said
    assert ai.summary.description is not None
    assert {"second"} <= set(ai.summary.description.replace("`", " ").split())
