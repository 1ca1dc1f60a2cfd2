"""A server on this machine is reached without anybody between, and none sends a question on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.llm.asks import KEY, LIMITS, question
from tests.llm.desk import Desk, models
from tests.llm.scripted import Scripted, embeds, fails
from workbench.llm.errors import ModelFailed
from workbench.llm.lineup import Backend
from workbench.llm.port import NoModel
from workbench.llm.providers.asking import Provider
from workbench.llm.providers.ollama import Ollama
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.model_events import PayloadSent
from workbench.model.models import ModelTier
from workbench.settings import Secret

KINDS = ("openai", "ollama")
PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "all_proxy")


@pytest.fixture
def other() -> Iterator[Scripted]:
    """A server that nothing should reach."""
    with Scripted() as server:
        yield server


def provider(kind: str, server: Scripted, tier: ModelTier = ModelTier.LOCAL) -> Provider:
    if kind == "openai":
        place = replace(place_of(server.openai), tier=tier)
        return OpenAiLike(place, Secret(KEY), limits=LIMITS)
    server.tags = [{"model": "m", "name": "m"}]
    return Ollama(replace(place_of(server.ollama), tier=tier), limits=LIMITS)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_proxy_takes_no_local_question_off_the_machine(
    kind: str, scripted: Scripted, other: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in PROXIES:
        monkeypatch.setenv(name, other.ollama)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "")
    asked = provider(kind, scripted)
    await asked.models()
    await asked.complete("m", question(), temperature=0.2)
    scripted.script(embeds([0.5, 0.5]))
    assert await asked.embed("m", ["a text"]) == [[0.5, 0.5]]
    await asked.close()
    assert other.seen == []
    assert len(scripted.seen) >= 3


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("tier", [ModelTier.LOCAL, ModelTier.CLOUD])
async def test_no_provider_sends_a_question_on(
    kind: str, status: int, tier: ModelTier, scripted: Scripted, other: Scripted
) -> None:
    sent_on = fails(status, headers={"location": f"{other.ollama}/v1/chat/completions"})
    scripted.script(sent_on)
    asked = provider(kind, scripted, tier)
    with pytest.raises(ModelFailed, match="redirects"):
        await asked.complete("m", question(), temperature=0.2)
    with pytest.raises(ModelFailed):
        await asked.embed("m", ["a text of the dump"])
    if kind == "openai":
        scripted.listing = sent_on
        with pytest.raises(ModelFailed):
            await asked.models()
    await asked.close()
    assert other.seen == []


async def test_a_cloud_that_sends_on_gets_its_one_payload_and_no_more(
    scripted: Scripted, other: Scripted, tmp_path: Path
) -> None:
    desk = Desk(tmp_path)
    scripted.script(fails(307, headers={"location": other.openai}))
    cloud = Backend(provider("openai", scripted, ModelTier.CLOUD), "m", ModelTier.CLOUD, "there")
    with pytest.raises((ModelFailed, NoModel), match="redirects"):
        await models(desk, [cloud]).ask(question())
    assert len(desk.of(PayloadSent)) == len(scripted.asked) == 1
    assert other.seen == []
