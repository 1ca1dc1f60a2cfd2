"""A provider misbehaves, a call does not: each test is one way in which a server goes wrong."""

import asyncio
import json
import time
import traceback
from collections.abc import AsyncIterator
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest
from pydantic import BaseModel

from tests.llm.asks import LIMITS, Verdict, question, tools
from tests.llm.scripted import CUT, Script, Scripted, embeds, event, fails, says, sends, unless
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.providers.base import RESTART, Reply
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.models import Role
from workbench.settings import Secret

GOOD = '{"cause": "deadlock", "confidence": 0.5}'
KEY = "sk-secret-0123456789"


@pytest.fixture
async def provider(scripted: Scripted) -> AsyncIterator[OpenAiLike]:
    made = OpenAiLike(place_of(scripted.openai), Secret(KEY), name="cloudy", limits=LIMITS)
    yield made
    await made.close()


async def ask(provider: OpenAiLike, **how: Any) -> Reply[Any]:
    return await provider.complete("m", question(**how), temperature=0.2)


async def failure(provider: OpenAiLike, **how: Any) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        await ask(provider, **how)
    return caught.value


def bodies(scripted: Scripted) -> list[dict[str, Any]]:
    return [seen.body for seen in scripted.asked]


# --- what a model refuses is left out, and that is remembered


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
    scripted.script(
        unless(lambda body: not body.get("stream"), refusal, says("", [("exec", "{}")]))
    )
    reply = await ask(provider, tools=tools())
    assert [call.name for call in reply.calls] == ["exec"]


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
    assert failed.fault is Fault.UNUSABLE
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


# --- answers that cannot be used


@pytest.mark.parametrize(
    "bad",
    [
        '{"cause": "deadlock", "confidence": ',
        "I think it is a deadlock.",
        '{"cause": ["deadlock"], "confidence": "very"}',
        '{"cause": "deadlock", "confidence": 7}',
        '{"cause": "deadlock", "confidence": NaN}',
        '{"answer": 42}',
        "[" * 5000,
        "",
    ],
)
async def test_an_object_that_does_not_fit_is_asked_for_again(
    provider: OpenAiLike, scripted: Scripted, bad: str
) -> None:
    scripted.script(says(bad), says(GOOD))
    reply = await ask(provider, answer=Verdict)
    assert reply.value == Verdict(cause="deadlock", confidence=0.5)
    assert reply.usage.input_tokens == 20
    assert len(bodies(scripted)[1]["messages"]) > len(bodies(scripted)[0]["messages"])


@pytest.mark.parametrize("bad", ["{}", "nonsense", '{"cause": 1, "confidence": Infinity}'])
async def test_an_object_that_never_fits_ends_after_a_few_answers(
    provider: OpenAiLike, scripted: Scripted, bad: str
) -> None:
    scripted.script(says(bad))
    failed = await failure(provider, answer=Verdict)
    assert failed.fault is Fault.UNUSABLE
    assert len(scripted.asked) == LIMITS.answers
    assert failed.usage.output_tokens == 5 * LIMITS.answers


async def test_numbers_that_are_none_do_not_pass_as_floats(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    class Weight(BaseModel):
        """A weight."""

        weight: float

    scripted.script(says('{"weight": NaN}'), says('{"weight": 1e999}'), says('{"weight": 2}'))
    assert (await ask(provider, answer=Weight)).value == Weight(weight=2)


async def test_a_part_of_an_object_does_not_pass_for_the_whole(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    class Loose(BaseModel):
        """Everything may be missing."""

        cause: str = ""
        inner: dict[str, Any] = {}

    scripted.script(says('Here: {"cause": "x", "inner": {"a": 1}, '), says('{"cause": "y"}'))
    assert (await ask(provider, answer=Loose)).value == Loose(cause="y")


async def test_a_truncated_answer_is_asked_for_again_with_more_room(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(says(GOOD[:20], finish="length"), says(GOOD))
    assert (await ask(provider, answer=Verdict)).value is not None
    assert bodies(scripted)[1]["max_tokens"] == 2 * bodies(scripted)[0]["max_tokens"]


async def test_an_answer_that_is_always_truncated_is_given_up(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(says(GOOD[:20], finish="length"))
    failed = await failure(provider, answer=Verdict)
    assert failed.fault is Fault.UNUSABLE
    assert "cut short" in failed.why


async def test_two_hundred_tool_calls_are_bounded(provider: OpenAiLike, scripted: Scripted) -> None:
    scripted.script(says("", [("exec", '{"command": "bt"}')] * 200))
    reply = await ask(provider, tools=tools())
    assert len(reply.calls) == LIMITS.calls
    assert reply.dropped == 200 - LIMITS.calls


@pytest.mark.parametrize("bad", ['{"command": ', "[1]", '{"command": NaN}', '"bt"', "[" * 5000])
async def test_a_tool_call_that_cannot_be_read_is_left_out(
    provider: OpenAiLike, scripted: Scripted, bad: str
) -> None:
    scripted.script(says("", [("exec", bad), ("exec", '{"command": "bt"}')]))
    reply = await ask(provider, tools=tools())
    assert [call.arguments for call in reply.calls] == [{"command": "bt"}]
    assert reply.dropped == 1


async def test_tool_calls_that_can_never_be_read_end_the_call(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(says("", [("exec", "{")]))
    failed = await failure(provider, tools=tools())
    assert failed.fault is Fault.UNUSABLE
    assert len(scripted.asked) == LIMITS.answers


@pytest.mark.parametrize("empty", ["", " \n ", "<think>nothing but thought</think>"])
async def test_an_empty_answer_is_asked_for_again_then_given_up(
    provider: OpenAiLike, scripted: Scripted, empty: str
) -> None:
    scripted.script(says(empty), says("something"))
    assert (await ask(provider)).text == "something"
    scripted.script(says(empty))
    failed = await failure(provider)
    assert failed.fault is Fault.UNUSABLE
    assert "empty" in failed.why


async def test_a_refusal_is_told_as_one_and_not_asked_again(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(says("", refusal="I can't help with that."))
    for how in ({}, {"answer": Verdict}, {"tools": tools()}):
        assert (await failure(provider, **how)).fault is Fault.DECLINED
    scripted.script(says("", finish="content_filter"))
    assert (await failure(provider)).fault is Fault.DECLINED
    scripted.script(fails(400, "The prompt triggered the content management policy"))
    assert (await failure(provider)).fault is Fault.DECLINED
    assert len(scripted.asked) == 5


# --- servers that fail on the way


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_a_passing_failure_is_tried_again(
    provider: OpenAiLike, scripted: Scripted, status: int
) -> None:
    scripted.script(fails(status), fails(status), says("fine"))
    assert (await ask(provider)).text == "fine"
    assert len(scripted.asked) == 3


@pytest.mark.parametrize(("status", "fault"), [(429, Fault.BUSY), (500, Fault.UNREACHABLE)])
async def test_a_lasting_failure_ends_after_a_few_tries(
    provider: OpenAiLike, scripted: Scripted, status: int, fault: Fault
) -> None:
    scripted.script(fails(status))
    failed = await failure(provider)
    assert failed.fault is fault
    assert failed.attempt == len(scripted.asked) == LIMITS.tries


@pytest.mark.parametrize("header", ["retry-after", "retry-after-ms"])
async def test_as_long_a_pause_is_made_as_is_asked_for(
    provider: OpenAiLike, scripted: Scripted, header: str
) -> None:
    wait = {"retry-after": "0.3", "retry-after-ms": "300"}[header]
    scripted.script(fails(429, headers={header: wait}), says("fine"))
    began = time.monotonic()
    await ask(provider)
    assert time.monotonic() - began >= 0.3


@pytest.mark.parametrize("wait", ["3600", formatdate(time.time() + 3600, usegmt=True)])
async def test_a_pause_that_is_too_long_is_not_made(
    provider: OpenAiLike, scripted: Scripted, wait: str
) -> None:
    scripted.script(fails(429, headers={"retry-after": wait}))
    assert (await failure(provider)).fault is Fault.BUSY
    assert len(scripted.asked) == 1


async def test_an_account_that_cannot_pay_is_not_asked_again(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(429, "You exceeded your current quota", code="insufficient_quota"))
    assert (await failure(provider)).fault is Fault.BUSY
    assert len(scripted.asked) == 1


END = event({"id": "x", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})


@pytest.mark.parametrize(
    "broken",
    [
        says("half an answer", then=[CUT]),
        says("half an answer", then=[b"data: [DONE]\n\n"]),
        says("half an answer", then=[b""]),
        says("half an answer", then=[event("{nonsense")]),
        says("half an answer", then=[b"data: \xff\xfe\n\n"]),
        says("half an answer", then=[event({"error": {"message": "overloaded", "code": 503}})]),
        says("half an answer", then=[event({"error": "what"})]),
        says("half an answer", then=[event([1, 2]), event(None), event({"choices": [7]})]),
        sends(b"<html>not an API</html>", content_type="text/html"),
        sends(b"", content_type="text/event-stream"),
    ],
)
async def test_an_answer_that_breaks_off_is_asked_for_again(
    provider: OpenAiLike, scripted: Scripted, broken: Script
) -> None:
    words: list[str] = []
    scripted.script(broken, says("a whole answer"))
    reply = await provider.complete("m", question(), temperature=0.2, on_text=words.append)
    assert reply.text == "a whole answer"
    assert "".join(words).rpartition(RESTART)[2] == "a whole answer"


async def test_pieces_of_odd_types_are_passed_over(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    odd: list[Any] = [
        {"choices": [{"index": 0, "delta": {"content": 7}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": "x"}}], "usage": "much"},
        {"choices": [{"index": 0, "delta": None}], "usage": {"prompt_tokens": -5}},
        {"choices": "none"},
    ]
    scripted.script(says("words ", then=[*(event(piece) for piece in odd), END]))
    reply = await ask(provider)
    assert reply.text == "words "
    assert reply.usage.input_tokens == 0


async def test_silence_ends_a_call(scripted: Scripted) -> None:
    limits = replace(LIMITS, silence=0.3)
    provider = OpenAiLike(place_of(scripted.openai), limits=limits)
    scripted.script(says("begins", then=[60.0]))
    began = time.monotonic()
    failed = await failure(provider)
    await provider.close()
    assert failed.fault is Fault.UNREACHABLE
    assert "no word came for 0.3 s" in failed.why
    assert len(scripted.asked) == 2
    assert time.monotonic() - began < 5


async def test_an_answer_that_never_ends_is_ended(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, deadline=0.4))
    scripted.script(says("word " * 50, pause=0.1))
    failed = await failure(provider)
    await provider.close()
    assert failed.fault is Fault.UNREACHABLE
    assert len(scripted.asked) == 1


async def test_a_huge_answer_is_bounded(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=replace(LIMITS, answer_bytes=100_000))
    endless = sends(b"data: " + b"x" * 50_000, b"x" * 50_000, b"x" * 50_000)
    whole = sends(b'{"choices": "' + b"x" * 200_000, content_type="application/json")
    for huge in (says("x" * 200_000), endless, whole):
        scripted.script(huge)
        assert (await failure(provider)).fault is Fault.UNUSABLE
    assert len(scripted.asked) == 3
    await provider.close()


async def test_a_compressed_answer_is_not_unpacked(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai), limits=LIMITS)
    packed = sends(b"\x1f\x8b")
    scripted.script(
        lambda seen: replace(packed(seen), headers={"content-encoding": "gzip"}), says("fine")
    )
    assert (await failure(provider)).fault is Fault.UNUSABLE
    await provider.close()


@pytest.mark.parametrize(
    "said",
    [
        "This model's maximum context length is 8192 tokens, however you requested 9000",
        "the request exceeds the available context size. try increasing it",
        "prompt is too long: 210000 tokens > 200000 maximum",
    ],
)
@pytest.mark.parametrize("how", [{}, {"answer": Verdict}, {"tools": tools()}])
async def test_a_question_that_does_not_fit_is_told_as_that(
    provider: OpenAiLike, scripted: Scripted, said: str, how: dict[str, Any]
) -> None:
    scripted.script(fails(400, said))
    assert (await failure(provider, **how)).fault is Fault.TOO_LONG
    assert len(scripted.asked) == 1


async def test_a_server_that_is_not_there_is_told(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of("http://127.0.0.1:9/v1"), limits=LIMITS)
    failed = await failure(provider)
    await provider.close()
    assert failed.fault is Fault.UNREACHABLE
    assert "cannot be reached" in failed.why


async def test_a_model_that_is_not_there_is_told_at_once(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(404, "The model `m` does not exist", code="model_not_found"))
    failed = await failure(provider)
    assert "no such model" in failed.why
    assert len(scripted.asked) == 1


# --- keys and other hosts


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("how", [{}, {"answer": Verdict}, {"tools": tools()}])
async def test_a_wrong_key_is_one_line_and_no_retry(
    provider: OpenAiLike, scripted: Scripted, status: int, how: dict[str, Any]
) -> None:
    scripted.script(fails(status, f"Incorrect API key provided: {KEY}. Find it\nat the console"))
    failed = await failure(provider, **how)
    assert failed.fault is Fault.REFUSED_KEY
    assert "\n" not in str(failed)
    assert len(scripted.asked) == 1
    told = "".join(traceback.format_exception(failed))
    assert KEY not in told + repr(failed)


async def test_the_key_is_in_no_error_and_the_cause_is(
    provider: OpenAiLike, scripted: Scripted, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    for answer in (fails(500, f"leaked {KEY}"), fails(400, f"leaked {KEY}"), says(KEY, then=[CUT])):
        scripted.script(answer)
        failed = await failure(provider, answer=Verdict)
        assert KEY not in "".join(traceback.format_exception(failed))
    assert KEY not in caplog.text
    scripted.script(fails(500, "broken"))
    failed = await failure(provider)
    assert failed.__cause__ is not None
    assert "InternalServerError" in "".join(traceback.format_exception(failed))


async def test_an_error_says_provider_model_role_and_attempt(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(fails(500, "broken\x1b[31m\nhere"))
    failed = await failure(provider)
    assert str(failed) == (
        "cloudy m (investigator, attempt 4): the server failed (500): broken [31m here"
    )
    assert failed.role is Role.INVESTIGATOR


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(
    provider: OpenAiLike, scripted: Scripted, status: int
) -> None:
    with Scripted() as other:
        target = f"{other.openai}/chat/completions?key=x"
        scripted.script(fails(status, headers={"location": target}))
        failed = await failure(provider)
        assert "127.0.0.1" in failed.why
        assert "key=x" not in failed.why
        assert other.seen == []
    assert len(scripted.asked) == 1


# --- the rest of it


@pytest.mark.parametrize("vectors", [[[0.5]], [[0.5], [0.5, 0.5]], [[], []]])
async def test_vectors_that_are_none_are_refused(
    provider: OpenAiLike, scripted: Scripted, vectors: list[list[float]]
) -> None:
    scripted.script(embeds(*vectors))
    with pytest.raises(ModelFailed) as caught:
        await provider.embed("m", ["one", "two"])
    assert caught.value.fault is Fault.UNUSABLE


async def test_vectors_with_nan_are_refused(provider: OpenAiLike, scripted: Scripted) -> None:
    body = b'{"object": "list", "model": "m", "data": [{"index": 0, "embedding": [NaN]}]}'
    scripted.script(sends(body, content_type="application/json"))
    with pytest.raises(ModelFailed):
        await provider.embed("m", ["one"])


async def test_a_listing_of_nonsense_is_an_error_and_no_crash(scripted: Scripted) -> None:
    provider = OpenAiLike(place_of(scripted.openai + "/x"), limits=LIMITS)
    scripted.script(sends(json.dumps([1]).encode(), content_type="application/json"))
    with pytest.raises(ModelFailed):
        await provider.complete("m", question(), temperature=0.0)
    await provider.close()


async def test_calls_at_the_same_time_do_not_disturb_each_other(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    scripted.script(lambda seen: says(str(seen.body["messages"][-1]["content"]))(seen))
    texts = [f"number {n}" for n in range(8)]
    replies = await asyncio.gather(*(ask(provider, text=text) for text in texts))
    assert [reply.text for reply in replies] == texts
