"""``analyze`` with a real model that is too small to reason: whatever it says, the result holds."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.analyze.talking import conversation
from tests.chat.conftest import GDB_LOG
from tests.llm.asks import FEW
from tests.llm.llama import Llama
from tests.llm.ollama_proxy import OllamaProxy
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.ollama import Ollama
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.conversation import TurnKind
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.model.target import Limits
from workbench.settings import Settings

SHORT = replace(FEW, answers=1, answer_tokens={"medium": 40})


async def talked_with(tmp_path: Path, provider: Provider, model: str) -> None:
    backend = Backend(provider, model, ModelTier.LOCAL, "here", "")
    lineup = Lineup({ModelTier.LOCAL: backend}, {ModelTier.CLOUD: "none"})

    def models(session: Any) -> RoutedModels:
        return RoutedModels(session, lineup, ModelWish(tier=TierWish.LOCAL), Settings())

    state = await conversation(tmp_path, GDB_LOG, models, limits=Limits(told=500, excerpt=200))
    proposed, *_, final = state.conversation
    assert (proposed.kind, final.kind) == (TurnKind.SOLUTION, TurnKind.FINAL)
    assert final.text.startswith("Null pointer dereference")
    assert all(claim.status == "verified" for turn in state.conversation for claim in turn.claims)
    assert state.models.spent


async def test_a_bad_model_makes_no_bad_result(tmp_path: Path, llama: Llama) -> None:
    await talked_with(tmp_path, OpenAiLike(place_of(llama.url), limits=SHORT), llama.model)


async def test_nor_does_it_behind_ollama(tmp_path: Path, ollama_proxy: OllamaProxy) -> None:
    place = place_of(ollama_proxy.url)
    await talked_with(tmp_path, Ollama(place, limits=SHORT), ollama_proxy.model)
