"""What a model refuses is left out, in that model's calls and for the whole run."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.llm.asks import GOOD, LIMITS, Verdict, ask, bodies, failure, question, tools
from tests.llm.scripted import (
    Scripted,
    Seen,
    fails,
    says,
    sends,
    unless,
)
from workbench.llm.errors import Fault
from workbench.llm.providers.base import Outgoing
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of

WHOLE = Seen("POST", "/v1/chat/completions", {}, {"stream": False}, b"")


REQUIRED = "No endpoints found that support the provided 'tool_choice' value."


@pytest.mark.parametrize("said", [REQUIRED, "Not Found"])
async def test_a_required_tool_choice_refused_with_404_becomes_auto_for_the_run(
    provider: OpenAiLike, scripted: Scripted, said: str
) -> None:
    answer = says("", [("exec", '{"command": "bt"}')])
    scripted.script(
        unless(lambda body: body.get("tool_choice") == "auto", fails(404, said), answer)
    )
    for _ in range(2):
        reply = await ask(provider, tools=tools(), must_call=True)
        assert [call.name for call in reply.calls] == ["exec"]
    assert [body["tool_choice"] for body in bodies(scripted)] == ["required", "auto", "auto"]


@pytest.mark.parametrize(
    ("part", "said", "param"),
    [
        ("temperature", "Unsupported value: 'temperature' does not support 0.2", "temperature"),
        ("reasoning_effort", "Unrecognized request argument supplied: reasoning_effort", None),
        ("stream_options", "Extra inputs are not permitted: stream_options", None),
        ("max_tokens", "max_tokens is not supported; use max_completion_tokens", "max_tokens"),
    ],
)
async def test_a_refused_parameter_is_left_out_for_the_run(
    provider: OpenAiLike, scripted: Scripted, part: str, said: str, param: str | None
) -> None:
    refusal = fails(400, said, param=param)
    scripted.script(unless(lambda body: part not in body, refusal, says("fine")))
    for _ in range(2):
        assert (await ask(provider)).text == "fine"
    assert [part in body for body in bodies(scripted)] == [True, False, False]


async def test_max_tokens_is_called_otherwise_or_left_out(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(
        unless(
            lambda body: not any("max_" in key for key in body),
            fails(400, "max_tokens and max_completion_tokens are too large"),
            says("fine"),
        )
    )
    assert (await ask(provider)).text == "fine"
    keys = [{key for key in body if "max_" in key} for body in bodies(scripted)]
    assert keys == [{"max_tokens"}, {"max_completion_tokens"}, set()]


async def test_a_server_that_cannot_stream_is_asked_for_the_whole(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    refusal = fails(500, "Cannot use tools with stream")
    slow = sends(0.6, *says("", [("exec", "{}")])(WHOLE).pieces, content_type="application/json")
    scripted.script(unless(lambda body: not body.get("stream"), refusal, slow))
    reply = await ask(provider, tools=tools())
    assert [call.name for call in reply.calls] == ["exec"]
    assert "stream_options" not in bodies(scripted)[1]


async def test_the_whole_may_take_longer_than_silence_in_a_stream(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, silence=2.0))
    refusal = fails(400, "this organization may not stream")
    slow = sends(2.5, *says("fine")(WHOLE).pieces, content_type="application/json")
    scripted.script(unless(lambda body: not body.get("stream"), refusal, slow))
    assert (await ask(provider)).text == "fine"
    await provider.close()


async def test_a_person_who_thinks_it_over_is_no_silence(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, silence=2.0))

    async def ponder(outgoing: Outgoing) -> None:
        await asyncio.sleep(2.5)

    reply = await provider.complete("m", question(), temperature=0.0, before_send=ponder)
    assert reply.text == "ok"
    await provider.close()


async def test_what_did_not_help_is_not_remembered(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(400, "temperature: bad request"), fails(401), says("fine"))
    await failure(provider)
    await ask(provider)
    assert "temperature" in bodies(scripted)[-1]


async def test_a_refused_format_leads_to_the_next_way_for_the_run(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    refusal = fails(400, "response_format of type json_schema is not supported")
    answer = says("", [("Verdict", GOOD)])
    scripted.script(unless(lambda body: "response_format" not in body, refusal, answer))
    for _ in range(2):
        assert (await ask(provider, answer=Verdict)).value is not None
    assert ["tools" in body for body in bodies(scripted)] == [False, True, True]


async def test_without_formats_and_tools_an_object_is_asked_for_in_words(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    plain: Any = lambda body: "response_format" not in body and "tools" not in body  # noqa: E731
    scripted.script(unless(plain, fails(400, "unknown field"), says(f"So:\n```json\n{GOOD}\n```")))
    assert (await ask(provider, answer=Verdict)).value == Verdict(cause="deadlock", confidence=0.5)
    before = len(scripted.asked)
    await ask(provider, answer=Verdict)
    assert len(scripted.asked) == before + 1


async def test_no_way_to_an_object_is_said(provider: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(fails(400, "unknown field"))
    failed = await failure(provider, answer=Verdict)
    assert failed.fault is Fault.REFUSED
    assert len(scripted.asked) == 5  # the one by a tool with a free choice too


async def test_tools_unsupported_are_described_and_wished_for_in_json(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    wish = '{"text": "", "calls": [{"name": "exec", "arguments": {"command": "bt"}}]}'
    refusal = fails(400, "this model does not support tools")
    scripted.script(unless(lambda body: "tools" not in body, refusal, says(wish)))
    for _ in range(2):
        reply = await ask(provider, tools=tools())
        assert [(c.name, c.arguments) for c in reply.calls] == [("exec", {"command": "bt"})]
    assert ["tools" in body for body in bodies(scripted)] == [True, False, False]
    assert "Run one command of the debugger" in bodies(scripted)[1]["messages"][0]["content"]
