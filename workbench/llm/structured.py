"""Answers that are objects: instructor brings a model to them, in whichever way the model knows.

The ways are tried in turn. One that a server refuses is remembered for the run; an answer that
does not fit is asked for again with what was wrong, and at last in the next way.
"""

import asyncio
import logging
import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from workbench.llm.errors import Fault
from workbench.llm.port import T
from workbench.llm.providers.trouble import Halted, Part, Trouble, one_line

if TYPE_CHECKING:
    from instructor.v2.core.mode import Mode
    from openai.types.chat import ChatCompletion
    from pydantic import BaseModel

    from workbench.llm.providers.asking import Asking
    from workbench.llm.providers.call import Call
    from workbench.llm.providers.spoken import Spoken


class Way(StrEnum):
    """How a model is asked for an object; the values are names of instructor's modes."""

    SCHEMA = "JSON_SCHEMA"  # the server's grammar enforces it
    TOOLS = "TOOLS"  # the arguments of a tool that must be called
    JSON = "JSON"  # some JSON, the schema in words
    WORDS = "MD_JSON"  # a fenced block in prose


WAYS = (Way.SCHEMA, Way.TOOLS, Way.JSON, Way.WORDS)
_MORE = 2  # an answer that its limit cut short may be this much longer when it is asked for again
_SHORTER = {
    "role": "user",
    "content": "Your answer was cut short by its length. Give it again, much shorter: "
    "only the most important, in few words.",
}


async def ask_structured(
    asking: "Asking",
    call: "Call",
    answer: type[T],
    request: Mapping[str, Any],
    ways: Iterable[Way] = WAYS,
) -> T:
    """Bring the model to an answer of this type. Raises `Trouble`, `Halted`."""
    known = asking.learned(call.model).modes
    left = [way for way in ways if way not in known]
    if not left:
        raise Trouble(Fault.UNSUPPORTED, "it takes none of the ways to a structured answer")
    refused: list[Way] = []
    again = False
    sent = dict(request)
    trouble: Trouble | None = None
    while left:
        try:
            value = await _one_way(asking, call, answer, sent, left[0], last=len(left) == 1)
        except Trouble as error:
            trouble = error
            if error.part in (Part.TOOLS, Part.FORMAT) or error.opaque:
                refused.append(left.pop(0))
            elif isinstance(error, _CutShort):
                if again or call.answers >= asking.limits.answers:
                    raise  # a third could go no other way, and each takes as long as can be
                again = True
                sent["max_tokens"] = _MORE * sent["max_tokens"]
                sent["messages"] = [*sent["messages"], _SHORTER]
            elif isinstance(error, _Unfit) and call.answers < asking.limits.answers:
                left.pop(0)
            else:
                raise
        else:
            asking.learned(call.model).modes.update(refused)
            return value
    raise trouble or Trouble(Fault.UNSUPPORTED, "it takes none of the ways to a structured answer")


class _Unfit(Trouble):
    """What came does not fit the type."""


class _CutShort(Trouble):
    """The answer reached its limit of tokens."""


async def _one_way(
    asking: "Asking",
    call: "Call",
    answer: type[T],
    request: Mapping[str, Any],
    way: Way,
    *,
    last: bool,
) -> T:
    await asyncio.to_thread(_load)
    from instructor.v2.core.errors import IncompleteOutputException, InstructorRetryException
    from instructor.v2.core.mode import Mode
    from instructor.v2.core.patch import patch

    mode = Mode[way.value]

    async def create(**kwargs: Any) -> "ChatCompletion":
        spoken = await asking.exchange(call, kwargs, None)
        return _completion(call.model, spoken, mode)

    # One answer is kept for the next way, where there is one.
    tries = max(1, asking.limits.answers - call.answers - (0 if last else 1))
    ask: Any = patch(create=create, mode=mode)
    try:
        value = await ask(
            response_model=guarded(answer), max_retries=tries - 1, strict=False, **request
        )
    except IncompleteOutputException as error:
        tokens = call.last.usage.output_tokens
        raise _CutShort(
            Fault.UNUSABLE, f"the answer was cut short after {tokens} tokens"
        ) from error
    except InstructorRetryException as error:
        if isinstance(error.__cause__, (Trouble, Halted)):
            raise error.__cause__ from error.__cause__.__cause__
        raise _Unfit(Fault.UNUSABLE, _what_is_wrong(error.__cause__)) from error
    except Exception as error:  # it stumbles over some schemas
        raise _Unfit(Fault.UNUSABLE, one_line(f"{type(error).__name__}: {error}")) from error
    if not isinstance(value, answer):
        raise _Unfit(Fault.UNUSABLE, "the answer has another type")
    fields = {name: getattr(value, name) for name in answer.model_fields}
    return answer.model_construct(value.model_fields_set, **fields, **(value.model_extra or {}))


@cache
def _load() -> None:
    """Import what takes long, and silence it: instructor logs whole answers as errors, and a log
    without a handler goes to the screen."""
    from instructor.v2.core import patch
    from instructor.v2.core.mode import Mode
    from instructor.v2.core.providers import Provider
    from instructor.v2.core.registry import mode_registry

    assert patch
    for way in Way:
        mode_registry.get_handlers(Provider.OPENAI, Mode[way.value])
    logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)


@cache
def guarded(answer: type[T]) -> type[T]:
    """The same type, which takes no NaN, no infinity, and no object of other keys altogether: the
    first are no JSON, the last is a part of an answer whose rest was lost."""
    from pydantic import model_validator

    names = {
        name for key, field in answer.model_fields.items() for name in (key, field.alias) if name
    }

    def whole(cls: type, data: Any) -> Any:
        if isinstance(data, dict) and data and names and not names & set(data):
            raise ValueError(f"none of the keys {', '.join(sorted(names)[:8])} is there")
        return data

    def finite(self: "BaseModel") -> "BaseModel":
        if not _is_finite(self.model_dump()):
            raise ValueError("NaN and Infinity are no numbers here")
        return self

    body: dict[str, Any] = {
        "__doc__": answer.__doc__,
        "__module__": answer.__module__,
        "whole_": model_validator(mode="before")(cast(Any, classmethod(whole))),
        "finite_": model_validator(mode="after")(finite),
    }
    return type(answer.__name__, (answer,), body)


def _is_finite(value: Any) -> bool:
    pending = [value]
    while pending:
        one = pending.pop()
        if isinstance(one, float) and not math.isfinite(one):
            return False
        if isinstance(one, dict):
            pending.extend(one.values())
        elif isinstance(one, (list, tuple, set)):
            pending.extend(one)
    return True


def _completion(model: str, spoken: "Spoken", mode: "Mode") -> "ChatCompletion":
    """The answer as instructor reads it. Prose around the JSON is left out, and JSON that came as
    text where a tool call was asked for counts as the call."""
    from instructor.v2.core.mode import Mode
    from openai.types.chat import ChatCompletion

    text = spoken.text.strip()
    calls = [
        {
            "id": call.id or "call",
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in spoken.calls[:1]
    ]
    if mode is Mode.TOOLS and not calls and text:
        function = {"name": "answer", "arguments": _bare(text)}
        calls = [{"id": "call", "type": "function", "function": function}]
    message: dict[str, Any] = {"role": "assistant", "content": _bare(text)}
    if mode is Mode.TOOLS and calls:
        message["tool_calls"] = calls
    finish = "length" if spoken.finish == "length" else "stop"
    return ChatCompletion.model_validate(
        {
            "id": "answer",
            "object": "chat.completion",
            "created": 0,
            "model": model,
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
    )


def _bare(text: str) -> str:
    """The JSON in a fenced block or after some words. Text that begins as an object is left as it
    is: where its end was lost, an inner object must not pass for the whole."""
    from instructor.v2.core.json import extract_json_from_codeblock

    if text.startswith("{"):
        return text
    try:
        return extract_json_from_codeblock(text)
    except ValueError:
        return text


def _what_is_wrong(error: BaseException | None) -> str:
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the answer"
        return one_line(f"the answer does not fit: {where}: {first['msg']}")
    return one_line(f"the answer does not fit: {error}")
