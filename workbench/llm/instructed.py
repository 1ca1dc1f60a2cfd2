"""One way to an answer that is an object, by instructor and the client's types, which only a model
needs: `structured` loads this module in a thread."""

import logging
import math
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from instructor.v2.core.errors import IncompleteOutputException, InstructorRetryException
from instructor.v2.core.json import extract_json_from_codeblock
from instructor.v2.core.mode import Mode
from instructor.v2.core.patch import patch
from instructor.v2.core.providers import Provider
from instructor.v2.core.registry import mode_registry
from openai.types.chat import ChatCompletion
from pydantic import BaseModel, ValidationError, model_validator

from workbench.llm.errors import Fault
from workbench.llm.port import T
from workbench.llm.providers.trouble import Halted, Trouble, one_line
from workbench.llm.structured import CutShort, Unfit, Way

if TYPE_CHECKING:
    from workbench.llm.providers.asking import Provider as Asked
    from workbench.llm.providers.call import Call
    from workbench.llm.providers.spoken import Spoken

for _way in Way:
    mode_registry.get_handlers(Provider.OPENAI, Mode[_way.value])
# It logs whole answers as errors, and a log without a handler goes to the screen.
logging.getLogger("instructor").setLevel(logging.CRITICAL + 1)


async def one_way(
    asking: "Asked",
    call: "Call",
    answer: type[T],
    request: Mapping[str, Any],
    way: Way,
    *,
    last: bool,
) -> T:
    """The answer, asked for in this way. Raises `Trouble`, `Halted`."""
    mode = Mode[way.value]

    async def create(**kwargs: Any) -> ChatCompletion:
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
        raise CutShort(Fault.UNUSABLE, f"the answer was cut short after {tokens} tokens") from error
    except InstructorRetryException as error:
        if isinstance(error.__cause__, (Trouble, Halted)):
            raise error.__cause__ from error.__cause__.__cause__
        raise Unfit(Fault.UNUSABLE, _what_is_wrong(error.__cause__)) from error
    except Exception as error:  # it stumbles over some schemas
        raise Unfit(Fault.UNUSABLE, one_line(f"{type(error).__name__}: {error}")) from error
    if not isinstance(value, answer):
        raise Unfit(Fault.UNUSABLE, "the answer has another type")
    fields = {name: getattr(value, name) for name in answer.model_fields}
    return answer.model_construct(value.model_fields_set, **fields, **(value.model_extra or {}))


@cache
def guarded(answer: type[T]) -> type[T]:
    """The same type, which takes no NaN, no infinity, and no object of other keys altogether: the
    first are no JSON, the last is a part of an answer whose rest was lost."""
    names = {
        name for key, field in answer.model_fields.items() for name in (key, field.alias) if name
    }

    def whole(cls: type, data: Any) -> Any:
        if isinstance(data, dict) and data and names and not names & set(data):
            raise ValueError(f"none of the keys {', '.join(sorted(names)[:8])} is there")
        return data

    def finite(self: BaseModel) -> BaseModel:
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


def _completion(model: str, spoken: "Spoken", mode: Mode) -> ChatCompletion:
    """The answer as instructor reads it. Prose around the JSON is left out, and JSON that came as
    text where a tool call was asked for counts as the call."""
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
    if text.startswith("{"):
        return text
    try:
        return extract_json_from_codeblock(text)
    except ValueError:
        return text


def _what_is_wrong(error: BaseException | None) -> str:
    if isinstance(error, ValidationError):
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "the answer"
        return one_line(f"the answer does not fit: {where}: {first['msg']}")
    return one_line(f"the answer does not fit: {error}")
