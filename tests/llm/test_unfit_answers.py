"""Answers that came and cannot be used: asked for again, a few times, then told."""

from typing import Any

import pytest
from pydantic import BaseModel

from tests.llm.asks import GOOD, LIMITS, Verdict, ask, bodies, failure, tools
from tests.llm.scripted import Scripted, event, fails, says, sends, unless
from workbench.llm.errors import Fault
from workbench.llm.port import Message, ToolCall
from workbench.llm.providers.openai_like import OpenAiLike


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


async def test_a_schema_that_one_way_cannot_carry_is_asked_in_the_next(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    class Untitled(Verdict):
        """Its schema has no title, which instructor looks for where it makes a tool of it."""

        @classmethod
        def model_json_schema(cls, *args: Any, **how: Any) -> dict[str, Any]:
            schema = super().model_json_schema(*args, **how)
            schema.pop("title", None)
            return schema

    refusal = fails(400, "response_format of type json_schema is not supported")
    scripted.script(
        unless(
            lambda body: body.get("response_format", {}).get("type") != "json_schema",
            refusal,
            says(GOOD),
        )
    )
    reply = await ask(provider, answer=Untitled)
    assert reply.value == Untitled(cause="deadlock", confidence=0.5)
    assert bodies(scripted)[-1]["response_format"] == {"type": "json_object"}


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
    # A third would go no other way, and each is as long as an answer can be.
    first, second = (body["messages"] for body in bodies(scripted))
    assert second[: len(first)] == first
    assert "shorter" in second[-1]["content"]


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


async def test_calls_without_ids_of_their_own_get_some(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    function = {"name": "exec", "arguments": "{}"}
    calls = [{"index": number, "id": "same", "function": function} for number in (0, 1)]
    end = {"index": 0, "delta": {"tool_calls": calls}, "finish_reason": "tool_calls"}
    scripted.script(sends(event({"choices": [end]})))
    reply = await ask(provider, tools=tools())
    assert [call.id for call in reply.calls] == ["call_2_1", "call_2_2"]


async def test_a_history_that_servers_refuse_is_told_in_words(
    provider: OpenAiLike, scripted: Scripted
) -> None:
    before = (
        Message("assistant", "", (ToolCall("c1", "rm -rf / #", {}),)),
        Message("tool", "no such tool", call_id="c1"),
        Message("assistant", "", (ToolCall("c2", "exec", {"command": "bt"}),)),
        Message("tool", "result of a call that was pruned", call_id="c0"),
        Message("assistant", ""),
        Message("assistant", "", (ToolCall("c3", "exec", {"command": "bt"}),)),
        Message("tool", "frames", call_id="c3"),
    )
    await ask(provider, tools=tools(), before=before)
    sent = bodies(scripted)[0]["messages"][1:-1]
    assert [message["role"] for message in sent] == [
        "assistant", "user", "assistant", "user", "assistant", "tool",
    ]  # fmt: skip
    assert [bool(message.get("tool_calls")) for message in sent] == [False] * 4 + [True, False]
    await ask(provider, before=before)
    assert all(message["content"] for message in bodies(scripted)[1]["messages"])
