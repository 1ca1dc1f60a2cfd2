"""``analyze`` with a real model that is too small to reason: whatever it says, the result holds."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.analyze.talking import conversation
from tests.chat.conftest import GDB_LOG
from tests.llm.asks import FEW
from tests.llm.llama import Llama
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.conversation import TurnKind
from workbench.model.limits import Limits
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.settings import Settings


@pytest.mark.timeout(300)  # a busy machine reads 1000 tokens slowly
async def test_a_bad_model_makes_no_bad_result(tmp_path: Path, llama: Llama) -> None:
    place = place_of(llama.url)
    provider = OpenAiLike(place, limits=replace(FEW, answers=1, answer_tokens={"medium": 72}))
    backend = Backend(provider, llama.model, ModelTier.LOCAL, place.shown, "")
    lineup = Lineup({ModelTier.LOCAL: backend}, {ModelTier.CLOUD: "none"})

    def models(session: Any) -> RoutedModels:
        return RoutedModels(session, lineup, ModelWish(tier=TierWish.LOCAL), Settings())

    few = Limits(told=900, excerpt=300)
    state = await conversation(tmp_path, GDB_LOG, models, limits=few)
    proposed, *_, final = state.conversation
    assert (proposed.kind, final.kind) == (TurnKind.SOLUTION, TurnKind.FINAL)
    assert final.text.startswith("Null pointer dereference")
    assert all(claim.status == "held" for turn in state.conversation for claim in turn.claims)
    assert state.models.spent
