"""A server that speaks OpenAI's words: prose, objects, tools, and what goes over the wire."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from pydantic import BaseModel, Field

from tests.llm.asks import FEW, LIMITS, Verdict, cancelled, question, tools
from tests.llm.llama import Llama
from tests.llm.scripted import Scripted, says
from workbench.llm.providers.base import Outgoing
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.settings import Secret


@pytest.fixture
async def asked(scripted: Scripted) -> AsyncIterator[OpenAiLike]:
    provider = OpenAiLike(place_of(scripted.openai), Secret("sk-secret"), limits=LIMITS)
    yield provider
    await provider.close()


async def test_prose_comes_as_it_is_written(asked: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(says("The lock is held by thread 3."))
    words: list[str] = []
    reply = await asked.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "".join(words) == "The lock is held by thread 3."
    assert len(words) > 1
    assert reply.usage.input_tokens == 10
    assert reply.usage.output_tokens == 5
    assert reply.usage.cached_tokens == 2
    assert reply.usage.reasoning_tokens == 1


async def test_what_a_model_thinks_aloud_is_not_said(asked: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(says("<think>hmm, which one?</think>\n\nThread 3."))
    words: list[str] = []
    reply = await asked.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "".join(words) == "Thread 3."


async def test_an_object_is_brought_by_a_schema(asked: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(says('{"cause": "deadlock", "confidence": 0.5}'))
    reply = await asked.complete("m", question(answer=Verdict), temperature=0.0)
    assert reply.value == Verdict(cause="deadlock", confidence=0.5)
    assert scripted.asked[0].body["response_format"]["type"] == "json_schema"


async def test_tools_are_offered_and_called(asked: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(says("Looking.", [("exec", '{"command": "bt"}')]))
    reply = await asked.complete("m", question(tools=tools(), must_call=True), temperature=0.1)
    assert [(c.name, c.arguments) for c in reply.calls] == [("exec", {"command": "bt"})]
    body = scripted.asked[0].body
    assert body["tool_choice"] == "required"
    assert body["tools"][0]["function"]["parameters"]["properties"].keys() == {"command"}


async def test_only_the_question_and_the_key_go_out(
    asked: OpenAiLike, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-user")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "x-own: of-the-user")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    await asked.complete("m", question(), temperature=0.2)
    headers = scripted.asked[0].headers
    assert headers["authorization"] == "Bearer sk-secret"
    assert headers.keys() <= {
        "host", "accept", "accept-encoding", "connection", "content-length", "content-type",
        "authorization", "user-agent",
    }  # fmt: skip


async def test_a_server_without_a_key_gets_none_of_the_environment(
    scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-user")
    provider = OpenAiLike(place_of(scripted.openai), limits=LIMITS)
    await provider.complete("m", question(), temperature=0.2)
    await provider.close()
    assert "authorization" not in scripted.asked[0].headers


async def test_what_is_about_to_leave_is_shown_first(asked: OpenAiLike, scripted: Scripted) -> None:
    shown: list[Outgoing] = []

    async def look(outgoing: Outgoing) -> None:
        assert not scripted.asked
        shown.append(outgoing)

    await asked.complete("m", question(), temperature=0.2, before_send=look)
    assert shown[0].body == scripted.asked[0].raw
    assert shown[0].url == f"{scripted.openai}/chat/completions"


@pytest.mark.parametrize("answer", [None, Verdict])
async def test_a_gate_that_stays_shut_ends_the_call(
    asked: OpenAiLike, scripted: Scripted, answer: type[BaseModel] | None
) -> None:
    class Shut(Exception):
        pass

    async def refuse(outgoing: Outgoing) -> None:
        raise Shut("not this")

    with pytest.raises(Shut, match="not this"):
        await asked.complete("m", question(answer=answer), temperature=0.2, before_send=refuse)
    assert not scripted.asked


@pytest.mark.parametrize("answer", [None, Verdict])
async def test_cancelling_hangs_up_at_once(
    asked: OpenAiLike, scripted: Scripted, answer: type[BaseModel] | None
) -> None:
    ended, hung_up = await cancelled(asked, scripted, question(answer=answer))
    assert max(ended, hung_up) < 20


async def test_a_key_is_in_no_representation(asked: OpenAiLike) -> None:
    assert "sk-secret" not in repr(asked) + str(vars(asked))


class Weather(BaseModel):
    """What the weather is like."""

    warm: bool
    degrees: int = Field(ge=-99, le=99)


async def test_a_real_model_gives_prose(llama: Llama) -> None:
    provider = OpenAiLike(place_of(llama.url), limits=FEW)
    words: list[str] = []
    reply = await provider.complete(llama.model, question(), temperature=0.0, on_text=words.append)
    await provider.close()
    assert reply.text == "".join(words)
    assert len(words) > 3
    assert reply.usage.output_tokens > 3


async def test_a_real_model_gives_an_object(llama: Llama) -> None:
    provider = OpenAiLike(place_of(llama.url), limits=FEW)
    asking = question("Is it warm today? It has 25 degrees.", answer=Weather)
    reply = await provider.complete(llama.model, asking, temperature=0.0)
    await provider.close()
    assert isinstance(reply.value, Weather)


async def test_a_real_model_may_use_tools_or_not(llama: Llama) -> None:
    provider = OpenAiLike(place_of(llama.url), limits=FEW)
    asking = question("Run the command bt.", tools=tools(), must_call=True)
    reply = await provider.complete(llama.model, asking, temperature=0.0)
    await provider.close()
    assert reply.calls or reply.text
    assert all(isinstance(json.dumps(dict(call.arguments)), str) for call in reply.calls)


async def test_the_models_that_answer_are_listed(
    asked: OpenAiLike, llama: Llama, scripted: Scripted
) -> None:
    provider = OpenAiLike(place_of(llama.url), limits=FEW)
    real: Any = await provider.models()
    await provider.close()
    assert [(model.name, model.context) for model in real] == [("smollm2", 2048)]
    assert [model.name for model in await asked.models()] == ["m"]
