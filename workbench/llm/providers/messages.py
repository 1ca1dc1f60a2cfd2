"""Messages, tools and vectors between our words and OpenAI's."""

import json
import math
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from workbench.llm.errors import Fault
from workbench.llm.port import Message, Tool, ToolCall
from workbench.llm.providers.spoken import RawCall
from workbench.llm.providers.trouble import Trouble


class Wish(BaseModel):
    """One tool that is to be used."""

    name: str = Field(description="the tool's name")
    arguments: dict[str, Any] = Field(default_factory=dict, description="as its schema says")


class Wishes(BaseModel):
    """What to do next: tools to use, or words when none is needed."""

    text: str = Field(default="", description="what there is to say; may be empty")
    calls: list[Wish] = Field(default_factory=list, description="tools to use, in order")


def with_tools_described(
    messages: Sequence[Message], tools: Sequence[Tool], must_call: bool
) -> tuple[Message, ...]:
    """The messages, with a description of the tools where the instructions end."""
    lines = ["You can use these tools. Name those to use under `calls`."]
    lines += [
        f"- {tool.name}: {tool.description}\n"
        f"  arguments: {json.dumps(tool.arguments.model_json_schema(), ensure_ascii=False)}"
        for tool in tools
    ]
    lines.append("Use at least one tool." if must_call else "Use none when none is needed.")
    text = "\n".join(lines)
    instructions = [m for m in messages if m.role == "system"]
    rest = [m for m in messages if m.role != "system"]
    head = "\n\n".join([*(m.content for m in instructions), text])
    return (Message("system", head), *rest)


_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")  # what OpenAI takes as a tool's name


def flat(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages for a request without tools: past calls and their results are told in words."""
    return [told for told in map(_flat, messages) if told["content"]]


def native(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages for a request with tools. A call without its result, or a result whose call was
    pruned, is refused by servers, and so is a name that no tool can have: told in words."""
    asked = {call.id for message in messages for call in message.calls}
    answered = {message.call_id for message in messages if message.role == "tool"}
    whole = asked & answered
    told: list[dict[str, Any]] = []
    for message in messages:
        if message.role == "tool" and message.call_id in whole:
            told.append(
                {"role": "tool", "tool_call_id": message.call_id, "content": message.content}
            )
        elif message.calls and all(_carried(call, whole) for call in message.calls):
            calls = [
                {
                    "id": call.id,
                    "type": "function",
                    "function": {"name": call.name, "arguments": json.dumps(dict(call.arguments))},
                }
                for call in message.calls
            ]
            told.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        else:
            whole -= {call.id for call in message.calls}
            told.append(_flat(message))
    return [one for one in told if one["content"] or "tool_calls" in one]


def _carried(call: ToolCall, whole: set[str]) -> bool:
    return call.id in whole and _NAME.fullmatch(call.name) is not None


def _flat(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "user", "content": f"Result of {message.call_id}:\n{message.content}"}
    if not message.calls:
        return {"role": message.role, "content": message.content}
    calls = "\n".join(
        f"Call {call.id}: {call.name} {json.dumps(dict(call.arguments))}" for call in message.calls
    )
    return {"role": message.role, "content": f"{message.content}\n{calls}".strip()}


def tool(offered: Tool) -> dict[str, Any]:
    """A tool as OpenAI's servers take it."""
    return {
        "type": "function",
        "function": {
            "name": offered.name,
            "description": offered.description,
            "parameters": offered.arguments.model_json_schema(),
        },
    }


def calls_of(raw: Sequence[RawCall], turn: int) -> tuple[tuple[ToolCall, ...], int]:
    """The calls whose arguments are a JSON object, and how many are not. Where a server gives no
    id, or one twice, it is made of the turn and the call's number in it."""
    calls = list[ToolCall]()
    given = [call.id for call in raw]
    for number, call in enumerate(raw, 1):
        try:
            arguments = decoded(call.arguments or "{}")
        except ValueError:
            continue
        if isinstance(arguments, dict) and call.name:
            own = call.id if given.count(call.id) == 1 else ""
            calls.append(ToolCall(own or f"call_{turn}_{number}", call.name, arguments))
    return tuple(calls), len(raw) - len(calls)


def decoded(text: str) -> Any:
    """JSON without NaN and infinities, which JSON does not have. Raises ValueError."""

    def refuse(name: str) -> Any:
        raise ValueError(f"{name} is no JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def sound_vectors(found: Any, wanted: int) -> list[list[float]]:
    """Raises `Trouble` unless there is one vector of finite numbers for each text."""
    sound = (
        isinstance(found, list)
        and len(found) == wanted
        and all(
            isinstance(vector, list) and vector and all(_finite(number) for number in vector)
            for vector in found
        )
        and len({len(vector) for vector in found}) <= 1
    )
    if not sound:
        raise Trouble(Fault.UNUSABLE, "what came is not one vector of numbers for each text")
    return [[float(number) for number in vector] for vector in found]


def _finite(number: object) -> bool:
    return isinstance(number, (int, float)) and math.isfinite(number)
