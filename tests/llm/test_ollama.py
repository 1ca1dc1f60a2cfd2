"""Ollama by its own protocol, scripted and for real."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from tests.llm.asks import FEW, LIMITS, Verdict, cancelled, question, tools
from tests.llm.ollama_proxy import OllamaProxy
from tests.llm.scripted import CUT, Script, Scripted, embeds, fails, says, sends, unless
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Message, ToolCall
from workbench.llm.providers.base import RESTART, Outgoing
from workbench.llm.providers.ollama import Ollama, Pulling
from workbench.llm.providers.place import place_of
from workbench.model.models import ModelTier
from workbench.settings import Secret

GOOD = '{"cause": "deadlock", "confidence": 0.5}'


@pytest.fixture
async def ollama(scripted: Scripted) -> AsyncIterator[Ollama]:
    provider = Ollama(place_of(scripted.ollama), limits=LIMITS)
    yield provider
    await provider.close()


def body(scripted: Scripted, at: int = 0) -> dict[str, Any]:
    return scripted.asked[at].body


async def test_prose_comes_as_it_is_written(ollama: Ollama, scripted: Scripted) -> None:
    scripted.script(says("The lock is held by thread 3."))
    words: list[str] = []
    reply = await ollama.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "".join(words) == "The lock is held by thread 3."
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (10, 5)
    assert body(scripted)["options"] == {"num_ctx": 8192, "temperature": 0.2, "num_predict": 2000}
    assert "think" not in body(scripted)


async def test_an_object_is_brought_by_a_schema(ollama: Ollama, scripted: Scripted) -> None:
    scripted.script(says(GOOD))
    reply = await ollama.complete("m", question(answer=Verdict), temperature=0.0)
    assert reply.value == Verdict(cause="deadlock", confidence=0.5)
    assert body(scripted)["format"]["properties"].keys() == {"cause", "confidence"}


async def test_a_server_without_schemas_is_asked_in_the_next_way(
    ollama: Ollama, scripted: Scripted
) -> None:
    refusal = fails(400, "invalid format: expected json")
    scripted.script(
        unless(lambda asked: asked.get("format") in (None, "json"), refusal, says(GOOD))
    )
    for _ in range(2):
        await ollama.complete("m", question(answer=Verdict), temperature=0.0)
    assert [type(seen.body["format"]) for seen in scripted.asked] == [dict, str, str]


async def test_tools_and_their_history_are_carried(ollama: Ollama, scripted: Scripted) -> None:
    scripted.script(says("", [("exec", '{"command": "bt"}')]))
    before = (
        Message("assistant", "", (ToolCall("c1", "exec", {"command": "info threads"}),)),
        Message("tool", "3 threads", call_id="c1"),
    )
    asked = question(tools=tools(), before=before, must_call=True)
    reply = await ollama.complete("m", asked, temperature=0.1)
    assert [(c.name, c.arguments) for c in reply.calls] == [("exec", {"command": "bt"})]
    sent = body(scripted)
    assert sent["tools"][0]["function"]["name"] == "exec"
    call = sent["messages"][1]["tool_calls"][0]["function"]
    assert call == {"name": "exec", "arguments": {"command": "info threads"}}
    assert sent["messages"][2] == {"role": "tool", "content": "3 threads"}


async def test_tools_unsupported_are_wished_for_in_json(ollama: Ollama, scripted: Scripted) -> None:
    wish = '{"calls": [{"name": "exec", "arguments": {"command": "bt"}}]}'
    refusal = fails(400, "registry.ollama.ai/library/m does not support tools")
    scripted.script(unless(lambda asked: not asked.get("tools"), refusal, says(wish)))
    reply = await ollama.complete("m", question(tools=tools()), temperature=0.1)
    assert [call.name for call in reply.calls] == ["exec"]


@pytest.mark.parametrize(
    ("family", "effort", "think"),
    [("gptoss", "high", "high"), ("qwen3", "high", True), ("qwen3", "low", False)],
)
async def test_effort_is_thinking_where_a_model_thinks(
    ollama: Ollama, scripted: Scripted, family: str, effort: str, think: object
) -> None:
    scripted.shown = {
        "details": {"family": family}, "model_info": {}, "capabilities": ["thinking"],
    }  # fmt: skip
    await ollama.complete("m", question(), temperature=0.1, effort=effort)
    assert body(scripted)["think"] == think


async def test_thinking_that_is_refused_is_left_out_for_the_run(
    ollama: Ollama, scripted: Scripted
) -> None:
    scripted.shown = {"details": {}, "model_info": {}, "capabilities": ["thinking"]}
    refusal = fails(400, '"m" does not support thinking')
    scripted.script(unless(lambda asked: asked.get("think") is None, refusal, says("fine")))
    for _ in range(2):
        assert (await ollama.complete("m", question(), temperature=0.1)).text == "fine"
    assert len(scripted.asked) == 3


async def test_the_context_is_made_large_enough_and_no_larger(
    ollama: Ollama, scripted: Scripted
) -> None:
    scripted.shown = {"details": {}, "model_info": {"x.context_length": 20000}, "capabilities": []}
    await ollama.complete("m", question("x" * 30000), temperature=0.1)
    await ollama.complete("m", question("short"), temperature=0.1)
    assert [seen.body["options"]["num_ctx"] for seen in scripted.asked] == [16384, 16384]
    with pytest.raises(ModelFailed) as caught:
        await ollama.complete("m", question("x" * 200_000), temperature=0.1)
    assert caught.value.fault is Fault.TOO_LONG


# --- what is not on this machine


REMOTE = {"remote_model": "big", "remote_host": "https://ollama.com:443"}


@pytest.mark.parametrize("name", ["big:120b-cloud", "big:cloud", "plain"])
@pytest.mark.parametrize("told_by", ["tags", "show"])
async def test_a_model_of_its_cloud_is_cloud(
    ollama: Ollama, scripted: Scripted, name: str, told_by: str
) -> None:
    fields = REMOTE if name == "plain" else {}
    scripted.tags = [{"name": name, "model": name, **(fields if told_by == "tags" else {})}]
    scripted.shown |= fields if told_by == "show" else {}
    assert await ollama.tier_of(name) is ModelTier.CLOUD
    with pytest.raises(ModelFailed, match="does not run on this machine"):
        await ollama.complete(name, question(), temperature=0.1)
    with pytest.raises(ModelFailed, match="does not run on this machine"):
        await ollama.embed(name, ["text"])
    assert not scripted.asked
    reply = await ollama.complete(name, question(), temperature=0.1, allowed=ModelTier.CLOUD)
    assert reply.text == "ok"


async def test_a_model_that_is_not_known_counts_as_cloud(
    ollama: Ollama, scripted: Scripted
) -> None:
    assert await ollama.tier_of("stranger") is ModelTier.CLOUD


@pytest.mark.parametrize("tags", [3, [1, 2], [{"model": {}}], {"m": 1}])
async def test_another_kind_of_server_is_told_in_plain_words(
    ollama: Ollama, scripted: Scripted, tags: Any
) -> None:
    scripted.tags = tags
    with pytest.raises(ModelFailed) as failed:
        await ollama.models()
    assert "is it this kind of server?" in str(failed.value)
    assert not any(word in str(failed.value) for word in ("pydantic", "Tags", "validation"))


async def test_models_are_listed_with_where_they_run(ollama: Ollama, scripted: Scripted) -> None:
    scripted.tags.append({"name": "big", "model": "big", "size": 5, **REMOTE})
    listed = [(model.name, model.tier) for model in await ollama.models()]
    assert listed == [("m", ModelTier.LOCAL), ("big", ModelTier.CLOUD)]


async def test_a_server_elsewhere_hears_nothing_before_it_was_shown(scripted: Scripted) -> None:
    place = replace(place_of(scripted.ollama), tier=ModelTier.CLOUD)
    provider = Ollama(place, limits=LIMITS)
    shown: list[Outgoing] = []

    async def look(outgoing: Outgoing) -> None:
        assert not scripted.seen
        shown.append(outgoing)

    await provider.complete("m", question(), temperature=0.1, before_send=look)
    await provider.close()
    assert [one.body for one in shown] == [scripted.asked[0].raw]


async def test_no_key_of_the_environment_goes_along(
    ollama: Ollama, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OLLAMA_API_KEY", "of-the-user")
    await ollama.complete("m", question(), temperature=0.1)
    assert all("authorization" not in seen.headers for seen in scripted.seen)


async def test_a_key_that_was_set_goes_along_and_is_never_told(scripted: Scripted) -> None:
    provider = Ollama(place_of(scripted.ollama), Secret("ollama-key"), limits=LIMITS)
    scripted.script(fails(401, "bad key ollama-key"))
    with pytest.raises(ModelFailed) as caught:
        await provider.complete("m", question(), temperature=0.1)
    await provider.close()
    assert scripted.asked[0].headers["authorization"] == "Bearer ollama-key"
    assert caught.value.fault is Fault.REFUSED_KEY
    assert "ollama-key" not in f"{caught.value}{caught.value.__cause__}"


# --- servers that fail on the way


@pytest.mark.parametrize(
    "broken",
    [
        says("half", then=[CUT]),
        says("half", then=[b""]),
        says("half", then=[b"{nonsense\n"]),
        says("half", then=[b"[1]\n"]),
        says("half", then=[b'{"message": 7}\n']),
        says("half", then=[b'{"error": "the runner has died"}\n']),
        fails(500, "the runner has died"),
        fails(429, "slow down", headers={"retry-after": "0.1"}),
    ],
)
async def test_an_answer_that_breaks_off_is_asked_for_again(
    ollama: Ollama, scripted: Scripted, broken: Script
) -> None:
    words: list[str] = []
    scripted.script(broken, says("whole"))
    reply = await ollama.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "whole"
    assert "".join(words).rpartition(RESTART)[2] == "whole"


async def test_a_long_pause_that_is_asked_for_is_not_made(
    ollama: Ollama, scripted: Scripted
) -> None:
    scripted.script(fails(429, headers={"retry-after": "3600"}))
    with pytest.raises(ModelFailed) as caught:
        await ollama.complete("m", question(), temperature=0.2)
    assert caught.value.fault is Fault.BUSY
    assert len(scripted.asked) == 1


async def test_a_redirect_is_not_followed(ollama: Ollama, scripted: Scripted) -> None:
    with Scripted() as other:
        scripted.script(fails(307, headers={"location": f"{other.ollama}/api/chat"}))
        with pytest.raises(ModelFailed, match="redirects"):
            await ollama.complete("m", question(), temperature=0.2)
        assert other.seen == []


async def test_silence_ends_a_call(scripted: Scripted) -> None:
    provider = Ollama(place_of(scripted.ollama), limits=replace(LIMITS, silence=0.3))
    scripted.script(says("begins", then=[60.0]))
    with pytest.raises(ModelFailed, match="no word came"):
        await provider.complete("m", question(), temperature=0.2)
    await provider.close()


async def test_a_server_that_is_not_there_is_told() -> None:
    provider = Ollama(place_of("127.0.0.1:9"), limits=LIMITS)
    with pytest.raises(ModelFailed, match="cannot be reached") as caught:
        await provider.complete("m", question(), temperature=0.2)
    await provider.close()
    assert caught.value.fault is Fault.UNREACHABLE


async def test_cancelling_hangs_up_at_once(ollama: Ollama, scripted: Scripted) -> None:
    ended, hung_up = await cancelled(ollama, scripted, question())
    assert max(ended, hung_up) < 20


async def test_vectors_are_asked_for(ollama: Ollama, scripted: Scripted) -> None:
    scripted.script(embeds([0.5, 1.0], [0.25, 0.0]))
    assert await ollama.embed("m", ["one", "two"]) == [[0.5, 1.0], [0.25, 0.0]]


async def test_a_pull_tells_how_far_it_is(ollama: Ollama, scripted: Scripted) -> None:
    lines = b'{"status": "pulling"}\n{"status": "x", "completed": 5, "total": 10}\n'
    scripted.script(sends(lines, b'{"status": "success"}\n', content_type="application/x-ndjson"))
    steps: list[Pulling] = []
    await ollama.pull("m", steps.append)
    assert steps == [Pulling("pulling"), Pulling("x", 5, 10), Pulling("success")]


async def test_a_pull_that_fails_is_told(ollama: Ollama, scripted: Scripted) -> None:
    scripted.script(sends(b'{"error": "pull model manifest: file does not exist"}\n'))
    with pytest.raises(ModelFailed, match="file does not exist"):
        await ollama.pull("m", print)


# --- a real model behind a proxy that speaks Ollama's protocol


class Weather(BaseModel):
    """What the weather is like."""

    warm: bool


@pytest.fixture
async def real(ollama_proxy: OllamaProxy) -> AsyncIterator[Ollama]:
    provider = Ollama(place_of(ollama_proxy.url), limits=FEW)
    yield provider
    await provider.close()


async def test_a_real_model_gives_prose(real: Ollama, ollama_proxy: OllamaProxy) -> None:
    words: list[str] = []
    reply = await real.complete(
        ollama_proxy.model, question(), temperature=0.0, on_text=words.append
    )
    assert reply.text == "".join(words)
    assert len(words) > 3


async def test_a_real_model_gives_an_object(real: Ollama, ollama_proxy: OllamaProxy) -> None:
    asking = question("Is it warm today? It has 25 degrees.", answer=Weather)
    reply = await real.complete(ollama_proxy.model, asking, temperature=0.0)
    assert isinstance(reply.value, Weather)


async def test_a_real_model_is_listed_shown_and_pulled(
    real: Ollama, ollama_proxy: OllamaProxy
) -> None:
    assert ollama_proxy.model in [model.name for model in await real.models()]
    assert (await real.show(ollama_proxy.model)).tier is ModelTier.LOCAL
    steps: list[Pulling] = []
    await real.pull(ollama_proxy.model, steps.append)
    assert steps[-1].status == "success"


async def test_a_real_model_gives_vectors(real: Ollama, ollama_proxy: OllamaProxy) -> None:
    one, two = await real.embed(ollama_proxy.model, ["a lock", "a heap"])
    assert len(one) == len(two) > 100


async def test_a_real_model_may_use_tools_or_not(real: Ollama, ollama_proxy: OllamaProxy) -> None:
    asking = question("Run the command bt.", tools=tools())
    reply = await real.complete(ollama_proxy.model, asking, temperature=0.0)
    assert reply.calls or reply.text
