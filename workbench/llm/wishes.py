"""Tools for a model that has none of its own: described in words, and asked for in JSON."""

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, Field

from workbench.llm.port import Message, Tool


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
