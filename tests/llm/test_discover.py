"""What answers now: servers, models, files and keys."""

import asyncio
import time
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from tests.llm.llama import Llama, weights
from tests.llm.scripted import Scripted, listing, says, sends
from workbench.llm import discover as discovering
from workbench.llm.discover import FoundServer, discover
from workbench.model.models import ModelTier
from workbench.settings import Secret, Settings

SILENT = "http://127.0.0.1:9"


def only(found: list[FoundServer], setting: str) -> FoundServer:
    (server,) = [one for one in found if one.setting == setting]
    return server


async def test_what_the_settings_name_is_told_with_its_models(
    scripted: Scripted, llama: Llama, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(local_base_url=llama.url, ollama_host=scripted.ollama)
    monkeypatch.setattr(discovering, "PATIENCE", 60.0)
    found = await discover(settings, elsewhere=False)
    real = only(found, "WORKBENCH_LOCAL_BASE_URL")
    assert [(model.name, model.context) for model in real.models] == [("smollm2", 2048)]
    assert real.answers
    assert real.tier is ModelTier.LOCAL
    assert [model.name for model in only(found, "OLLAMA_HOST").models] == ["m"]


async def test_a_server_that_is_not_there_is_told_why(scripted: Scripted) -> None:
    found = await discover(Settings(local_base_url=SILENT), elsewhere=False)
    server = only(found, "WORKBENCH_LOCAL_BASE_URL")
    assert (server.answers, server.why) == (False, "nothing listens there")


async def test_usual_ports_are_told_only_when_they_answer(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = {"llama.cpp": scripted.openai, "vLLM": f"{SILENT}/v1"}
    monkeypatch.setattr(discovering, "_PORTS", usual)
    monkeypatch.setattr(discovering, "PATIENCE", 60.0)
    found = await discover(Settings(ollama_host=SILENT), elsewhere=False)
    assert [server.name for server in found if not server.setting] == ["llama.cpp"]


async def test_servers_that_hang_are_left_together(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer):
            await reader.read()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    await discover(Settings(local_base_url=scripted.openai), elsewhere=False)  # imports
    monkeypatch.setattr(discovering, "PATIENCE", 0.5)
    began = time.monotonic()
    found = await discover(Settings(local_base_url=address, ollama_host=address), elsewhere=False)
    assert time.monotonic() - began < 30
    assert {server.why for server in found if server.setting} == {"no word came for 0.5 s"}
    server.close()


async def test_servers_elsewhere_are_named_and_not_asked() -> None:
    settings = Settings(
        openai_api_key=Secret("sk-secret"), azure_openai_endpoint="https://x.azure.example"
    )
    found = await discover(settings, elsewhere=False)
    openai, azure = only(found, "OPENAI_API_KEY"), only(found, "AZURE_OPENAI_ENDPOINT")
    assert (openai.key, azure.key) == ("present", "missing")
    assert (openai.why, openai.tier) == ("not asked", ModelTier.CLOUD)
    assert b"sk-secret" not in msgspec.json.encode(found)


async def test_a_server_of_nonsense_is_told_in_one_line(scripted: Scripted) -> None:
    scripted.listing = sends(b"<html>\x1b[31m" * 1000, content_type="text/html")
    found = await discover(Settings(local_base_url=scripted.openai), elsewhere=False)
    server = only(found, "WORKBENCH_LOCAL_BASE_URL")
    assert not server.answers
    assert server.why.isprintable()
    assert len(server.why) < 400
    scripted.listing = says("")
    found = await discover(Settings(local_base_url=scripted.openai), elsewhere=False)
    assert only(found, "WORKBENCH_LOCAL_BASE_URL").models == ()


async def test_an_address_that_cannot_be_read_names_its_setting() -> None:
    (told,) = await discover(Settings(ollama_host="http://:x"), elsewhere=False)
    assert "OLLAMA_HOST" in told.why


async def test_a_file_is_a_model(tmp_path: Path) -> None:
    found = await discover(Settings(gguf=str(weights())), elsewhere=False)
    assert only(found, "WORKBENCH_GGUF").models[0].tier is ModelTier.LOCAL
    other = tmp_path / "other.gguf"
    other.write_text("no model")
    found = await discover(Settings(gguf=str(other)), elsewhere=False)
    assert "no GGUF file" in only(found, "WORKBENCH_GGUF").why
    found = await discover(Settings(gguf=str(tmp_path / "none")), elsewhere=False)
    assert "cannot be read" in only(found, "WORKBENCH_GGUF").why


async def test_a_gateway_of_this_machine_is_told_as_cloud(scripted: Scripted) -> None:
    scripted.listing = listing("openai/gpt-4o", "our-alias")
    server = only(
        await discover(Settings(local_base_url=scripted.openai), elsewhere=False),
        "WORKBENCH_LOCAL_BASE_URL",
    )
    assert server.tier is ModelTier.CLOUD
    assert {model.tier for model in server.models} == {ModelTier.CLOUD}
