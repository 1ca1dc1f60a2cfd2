"""Which models a run gets, from what is wished, configured and there."""

import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.llm.desk import KEY, Desk
from tests.llm.ollama_proxy import OllamaProxy
from tests.llm.scripted import Scripted, fails, listing
from workbench.llm.choosing import TierMissing, choose_models
from workbench.llm.models import RoutedModels
from workbench.llm.offers import offers
from workbench.llm.prices import window
from workbench.model.model_events import ModelsChosen
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.settings import Secret, Settings

AUTO, LOCAL, CLOUD = TierWish.AUTO, TierWish.LOCAL, TierWish.CLOUD


def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def nothing() -> dict[str, Any]:
    """Settings under which nothing of this machine answers, whatever runs on it."""
    return {"ollama_host": f"127.0.0.1:{closed_port()}"}


async def lineup(wish: ModelWish, tmp_path: Path, *, asks: bool = False, **settings: Any) -> Any:
    make = await choose_models(Settings(**settings), wish, asks=asks)
    if make is None:
        return None
    models = make(Desk(tmp_path))
    assert isinstance(models, RoutedModels)
    await models.close()
    return models._lineup


async def test_nothing_there_is_offline(tmp_path: Path, nothing: dict[str, Any]) -> None:
    assert await lineup(ModelWish(tier=AUTO), tmp_path, **nothing) is None
    assert await lineup(ModelWish(tier=TierWish.OFFLINE), tmp_path) is None


async def test_a_refused_connection_costs_no_time(nothing: dict[str, Any]) -> None:
    await choose_models(Settings(**nothing), ModelWish(tier=AUTO))
    took = []
    for _ in range(10):
        begun = time.monotonic()
        await choose_models(Settings(**nothing), ModelWish(tier=AUTO))
        took.append(time.monotonic() - begun)
    assert min(took) < 0.2


async def test_a_server_of_this_machine_is_local(scripted: Scripted, tmp_path: Path) -> None:
    for settings in (
        {"openai_base_url": scripted.openai},
        {"local_base_url": scripted.openai},
        {"ollama_host": scripted.ollama},
    ):
        found = await lineup(ModelWish(tier=AUTO), tmp_path, **settings)
        assert found.backends[ModelTier.LOCAL].model == "m"
        assert "--allow-cloud" in found.missing[ModelTier.CLOUD]
    assert scripted.asked == []


async def test_a_tier_that_must_be_there(tmp_path: Path, nothing: dict[str, Any]) -> None:
    with pytest.raises(TierMissing, match="--tier local: no model of this machine answers"):
        await lineup(ModelWish(tier=LOCAL), tmp_path, **nothing)
    with pytest.raises(TierMissing, match="it needs --allow-cloud"):
        await lineup(ModelWish(tier=CLOUD), tmp_path, openai_api_key=Secret(KEY), **nothing)
    with pytest.raises(TierMissing, match="no key and no address"):
        await lineup(ModelWish(tier=CLOUD, allow_cloud=True), tmp_path, **nothing)


async def test_what_was_tried_is_named(tmp_path: Path) -> None:
    silent = f"http://127.0.0.1:{closed_port()}/v1"
    with pytest.raises(TierMissing) as nobody:
        await lineup(ModelWish(tier=LOCAL), tmp_path, openai_base_url=silent)
    assert f"nothing listens at {silent} (OPENAI_BASE_URL); start one" in str(nobody.value)
    with pytest.raises(TierMissing) as remote:
        await lineup(ModelWish(tier=LOCAL), tmp_path, ollama_host="http://192.0.2.7:11434")
    assert "OLLAMA_HOST names another machine, which counts as cloud" in str(remote.value)
    key = {"openai_api_key": Secret(KEY), "ollama_host": f"127.0.0.1:{closed_port()}"}
    with pytest.raises(TierMissing, match="if it is one elsewhere, add --allow-cloud"):
        await lineup(ModelWish(tier=AUTO, model="gpt-5"), tmp_path, **key)


async def test_an_address_that_serves_no_models(scripted: Scripted, tmp_path: Path) -> None:
    scripted.listing = fails(404, "<html><title>404 Not Found</title></html>")
    with pytest.raises(TierMissing) as wrong:
        await lineup(ModelWish(tier=LOCAL), tmp_path, openai_base_url=scripted.openai)
    assert "(404): Not Found (see OPENAI_BASE_URL), or leave" in str(wrong.value)


async def test_a_cloud_that_cannot_be_reached_is_said_at_the_start(
    tmp_path: Path, nothing: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{closed_port()}")
    remote = {**nothing, "openai_base_url": "http://models.example/v1", "openai_model": "m"}
    with pytest.raises(TierMissing, match=r"--tier cloud: http://models\.example/v1: "):
        await lineup(ModelWish(tier=CLOUD), tmp_path, asks=True, **remote)


async def test_elsewhere_is_cloud(
    scripted: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", scripted.ollama)
    for settings in (
        {"openai_base_url": "http://models.example/v1", "openai_api_key": Secret(KEY)},
        {"local_base_url": "http://192.0.2.7:8080/v1"},
    ):
        assert await lineup(ModelWish(tier=AUTO), tmp_path, **settings) is None
        found = await lineup(ModelWish(tier=CLOUD, allow_cloud=True), tmp_path, **settings)
        assert list(found.backends) == [ModelTier.CLOUD]
    remote = {"ollama_host": "http://192.0.2.7:11434"}
    assert await lineup(ModelWish(tier=AUTO), tmp_path, **remote) is None
    assert offers(Settings(**remote))[0].tier is ModelTier.CLOUD
    assert scripted.asked == []


async def test_a_wrong_key_is_said_at_the_start_without_it(
    scripted: Scripted, tmp_path: Path, nothing: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", scripted.ollama)
    monkeypatch.setattr(scripted, "_next", lambda seen: fails(401, f"bad {KEY}")(seen))
    remote = {**nothing, "openai_base_url": "http://models.example/v1"}
    with pytest.raises(TierMissing) as caught:
        await lineup(
            ModelWish(tier=CLOUD, allow_cloud=True), tmp_path, openai_api_key=Secret(KEY), **remote
        )
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


async def test_a_model_by_its_name(scripted: Scripted, tmp_path: Path) -> None:
    here = {"openai_base_url": scripted.openai}
    found = await lineup(ModelWish(tier=LOCAL, model="m"), tmp_path, **here)
    assert found.backends[ModelTier.LOCAL].model == "m"
    for tier in (LOCAL, AUTO):
        with pytest.raises(TierMissing, match="has no model nonesuch: name one of m, or") as no:
            await lineup(ModelWish(tier=tier, model="nonesuch"), tmp_path, **here)
        assert "start one" not in str(no.value)


async def test_a_name_that_is_the_clouds_leaves_the_local_one(
    scripted: Scripted, tmp_path: Path
) -> None:
    settings = {"local_base_url": scripted.openai, "openai_api_key": Secret(KEY)}
    wish = ModelWish(tier=AUTO, model="gpt-5", allow_cloud=True)
    found = await lineup(wish, tmp_path, **settings)
    assert {tier: one.model for tier, one in found.backends.items()} == {
        ModelTier.LOCAL: "m",
        ModelTier.CLOUD: "gpt-5",
    }


async def test_a_model_that_an_ollama_of_this_machine_hands_on_is_cloud(
    scripted: Scripted, tmp_path: Path
) -> None:
    remote = {"remote_model": "big", "remote_host": "https://ollama.com:443"}
    scripted.tags = [{"name": "big", "model": "big", "size": 1, **remote}]
    scripted.shown = {**scripted.shown, **remote}
    here = {"ollama_host": scripted.ollama}
    assert await lineup(ModelWish(tier=AUTO), tmp_path, **here) is None
    for wish in (ModelWish(tier=LOCAL), ModelWish(tier=LOCAL, model="big")):
        with pytest.raises(TierMissing, match="--tier local"):
            await lineup(wish, tmp_path, **here)
    found = await lineup(ModelWish(tier=CLOUD, allow_cloud=True), tmp_path, **here)
    assert found.backends[ModelTier.CLOUD].model == "big"
    assert ModelTier.LOCAL in found.missing


async def test_a_file_that_is_none(tmp_path: Path, nothing: dict[str, Any]) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUX")
    with pytest.raises(TierMissing, match=r"model\.gguf"):
        await lineup(ModelWish(tier=LOCAL), tmp_path, gguf=str(path), **nothing)


async def test_a_real_ollama(ollama_proxy: OllamaProxy, tmp_path: Path) -> None:
    there = {"ollama_host": ollama_proxy.url, "local_model": ollama_proxy.model}
    found = await lineup(ModelWish(tier=LOCAL), tmp_path, **there)
    assert found.backends[ModelTier.LOCAL].model == ollama_proxy.model


async def test_an_address_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(TierMissing, match="OLLAMA_HOST"):
        await lineup(ModelWish(tier=AUTO), tmp_path, ollama_host="http://[bad")


def test_keys_are_in_no_repr() -> None:
    settings = Settings(openai_api_key=Secret(KEY))
    assert KEY not in repr(settings) + repr(offers(settings))


def test_an_offline_choice_loads_no_client() -> None:
    code = (
        "import asyncio, sys\n"
        "from workbench.llm.choosing import choose_models\n"
        "from workbench.model.models import ModelWish, TierWish\n"
        "from workbench.settings import Settings\n"
        f"settings = Settings(ollama_host='127.0.0.1:{closed_port()}')\n"
        "print(asyncio.run(choose_models(settings, ModelWish(tier=TierWish.AUTO))))\n"
        "heavy = {'openai', 'pydantic', 'instructor', 'ollama', 'httpx', 'httpx2', 'jinja2'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[:2] == ["None", "[]"]


@pytest.mark.parametrize("setting", ["local_base_url", "openai_base_url"])
async def test_a_gateway_of_this_machine_needs_leave_and_is_behind_the_gate(
    tmp_path: Path, scripted: Scripted, nothing: dict[str, Any], setting: str
) -> None:
    scripted.listing = listing("openai/gpt-4o", "our-alias")
    named = {**nothing, setting: scripted.openai}
    assert await lineup(ModelWish(tier=AUTO), tmp_path, **named) is None
    with pytest.raises(TierMissing, match="lists models of a cloud"):
        await lineup(ModelWish(tier=LOCAL), tmp_path, **named)
    for wish in (ModelWish(tier=AUTO, allow_cloud=True), ModelWish(tier=CLOUD, allow_cloud=True)):
        there = await lineup(wish, tmp_path, **named)
        assert [(t, b.model) for t, b in there.backends.items()] == [
            (ModelTier.CLOUD, "openai/gpt-4o")
        ]


async def test_the_window_that_a_server_tells_is_chosen_with_the_model(
    tmp_path: Path, scripted: Scripted, nothing: dict[str, Any]
) -> None:
    scripted.listing = listing("big", max_model_len=131_072)
    settings = Settings(**nothing, local_base_url=scripted.openai)
    make = await choose_models(settings, ModelWish(tier=LOCAL))
    assert make is not None
    desk = Desk(tmp_path)
    models = make(desk)
    await models.tell()
    await models.close()
    assert [e.context for e in desk.events if isinstance(e, ModelsChosen)] == [131_072]
    assert window("gpt-5-mini", "openai", "https://api.openai.com/v1") == 400_000
    assert window("nobody's", "openai", "https://api.openai.com/v1") is None
