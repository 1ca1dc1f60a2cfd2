"""``analyze`` with a real model that is too small to reason: whatever it says, the result holds. As
OpenAI's protocol, in `make soak` as Ollama's too."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.analyze.talking import conversation
from tests.chat.conftest import GDB_LOG
from tests.llm.asks import FEW
from tests.soak import SOAK
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.providers.ollama import Ollama
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.conversation import TurnKind
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.model.target import Limits
from workbench.settings import Settings

SMALL = Limits(told=500, excerpt=200, seconds=60.0 if SOAK else 10.0)
SHORT = replace(FEW, answers=1, answer_tokens={"medium": 40})


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "server"),
    [(OpenAiLike, "llama"), *([(Ollama, "ollama_proxy")] if SOAK else [])],
)
async def test_a_bad_model_makes_no_bad_result(
    tmp_path: Path, request: pytest.FixtureRequest, kind: Any, server: str
) -> None:
    serves = request.getfixturevalue(server)
    provider = kind(place_of(serves.url), limits=SHORT)
    backend = Backend(provider, serves.model, ModelTier.LOCAL, "here", "")
    lineup = Lineup({ModelTier.LOCAL: backend}, {ModelTier.CLOUD: "none"})

    def models(session: Any) -> RoutedModels:
        return RoutedModels(session, lineup, ModelWish(tier=TierWish.LOCAL), Settings())

    state = await conversation(tmp_path, GDB_LOG, models, limits=SMALL)
    proposed, *_, final = state.conversation
    assert (proposed.kind, final.kind) == (TurnKind.SOLUTION, TurnKind.FINAL)
    assert final.text.startswith("Null pointer dereference")
    assert all(claim.status == "verified" for turn in state.conversation for claim in turn.claims)
    assert state.models.spent
