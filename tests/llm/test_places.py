"""Where a server is decides what may be sent to it."""

import asyncio
from pathlib import Path

import pytest

from tests.llm.asks import LIMITS, question
from tests.llm.scripted import Scripted, listing
from workbench.llm.errors import ModelFailed
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import BadAddress, place_of, sold_elsewhere
from workbench.model.models import ModelTier

HERE, ELSEWHERE = ModelTier.LOCAL, ModelTier.CLOUD


@pytest.mark.parametrize(
    ("address", "tier"),
    [
        ("http://127.0.0.1:8080/v1", HERE),
        ("http://127.8.9.1:8080", HERE),
        ("http://localhost:1234/v1", HERE),
        ("LOCALHOST:1234", HERE),
        ("127.0.0.1", HERE),
        ("http://[::1]:11434", HERE),
        ("http://[::ffff:127.0.0.1]:1", HERE),
        ("0.0.0.0:11434", HERE),
        ("http://[::]:11434", HERE),
        ("unix:///run/llama.sock", HERE),
        ("https://api.openai.com/v1", ELSEWHERE),
        ("http://192.168.1.5:11434", ELSEWHERE),
        ("http://10.0.0.1", ELSEWHERE),
        ("http://[fe80::1]:1", ELSEWHERE),
        ("http://[::ffff:10.0.0.1]:1", ELSEWHERE),
        ("http://localhost@evil.example/v1", ELSEWHERE),
        ("http://localhost.evil.example", ELSEWHERE),
        ("http://127.0.0.1.nip.example:80", ELSEWHERE),
        ("http://ollama:11434", ELSEWHERE),
        ("http://2130706433/", ELSEWHERE),
        ("http://127.1/", ELSEWHERE),
        ("http://evil.example#@localhost/", ELSEWHERE),
        ("http://evil.example/?@localhost", ELSEWHERE),
    ],
)
def test_only_what_an_address_proves_is_this_machine(address: str, tier: ModelTier) -> None:
    assert place_of(address).tier is tier


@pytest.mark.parametrize(
    "address",
    ["", "http://", "ftp://localhost", "http://localhost:port", "http://[::1", "unix://relative",
     "http://localhost:99999", "file:///etc/passwd", "http://local host/", "http://loc\nalhost",
     "http://evil.example\\@localhost/"],
)  # fmt: skip
def test_what_names_no_server_is_told(address: str) -> None:
    with pytest.raises(BadAddress):
        place_of(address)


@pytest.mark.parametrize(
    ("name", "owner", "sold"),
    [
        ("openai/gpt-4o", "", True),
        ("gpt-4.1-mini", "", True),
        ("azure/our-deployment", "", True),
        ("openrouter/meta-llama/llama-3-70b", "", True),
        ("bedrock/us.anthropic.claude-3-5-sonnet", "", True),
        ("us.anthropic.claude-3-5-sonnet-v2:0", "", True),
        ("our-alias", "openai", True),
        ("our-alias", "Anthropic", True),
        ("openai/*", "", True),
        ("o3", "", True),
        ("openai/gpt-oss-20b", "organization_owner", False),
        ("google/gemma-3-12b", "organization_owner", False),
        ("mistralai/Mistral-7B-Instruct-v0.3", "vllm", False),
        ("meta-llama/Llama-3.1-8B", "vllm", False),
        ("qwen2.5-coder:7b", "library", False),
        ("smollm2", "llamacpp", False),
        ("gpt4all-falcon", "", False),
        ("o1lama", "", False),
    ],
)
def test_a_listed_model_tells_whose_machine_it_runs_on(name: str, owner: str, sold: bool) -> None:
    assert sold_elsewhere(name, owner) is sold


async def test_a_gateway_of_this_machine_takes_no_local_question(scripted: Scripted) -> None:
    """By an alias of its own either, once it has listed a model of a cloud."""
    scripted.listing = listing("our-alias", "openai/gpt-4o")
    gateway = OpenAiLike(place_of(scripted.openai), limits=LIMITS)
    assert {model.tier for model in await gateway.models()} == {ELSEWHERE}
    for name in ("our-alias", "anthropic/claude-sonnet"):
        with pytest.raises(ModelFailed, match="does not run on this machine"):
            await gateway.complete(name, question(), temperature=0.0, allowed=HERE)
    assert not scripted.asked
    await gateway.close()


def test_a_password_is_used_and_not_shown() -> None:
    place = place_of("https://me:s3cret@models.example:8443/v1/?key=s3cret")
    assert place.shown == "https://models.example:8443/v1"
    assert "s3cret" in place.url
    assert "s3cret" not in repr(place)
    with pytest.raises(BadAddress) as caught:
        place_of("https://me:s3cret@models.example:port")
    assert "s3cret" not in str(caught.value)


def test_a_port_and_a_path_stand_in() -> None:
    assert place_of("1.2.3.4", port=11434).url == "http://1.2.3.4:11434"
    assert place_of("1.2.3.4:5", port=11434, path="/v1").url == "http://1.2.3.4:5/v1"
    assert place_of("0.0.0.0:5").url == "http://127.0.0.1:5"


async def test_a_unix_socket_is_asked(scripted: Scripted, tmp_path: Path) -> None:
    host, port = scripted.ollama.removeprefix("http://").split(":")
    open_ones: list[asyncio.Task[None] | None] = []

    async def forward(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_ones.append(asyncio.current_task())
        up, down = await asyncio.open_connection(host, int(port))

        async def pump(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            while data := await source.read(65536):
                sink.write(data)
            sink.close()
            await sink.wait_closed()

        await asyncio.gather(pump(reader, down), pump(up, writer))

    path = tmp_path / "s"
    server = await asyncio.start_unix_server(forward, path)
    provider = OpenAiLike(place_of(f"unix://{path}", path="/v1"), limits=LIMITS)
    reply = await provider.complete("m", question(), temperature=0.0)
    assert reply.text == "ok"
    await provider.close()
    server.close()
    await server.wait_closed()
    await asyncio.gather(*(task for task in open_ones if task is not None))
