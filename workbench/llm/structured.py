"""Answers that are objects: instructor brings a model to them, in whichever way the model knows.

The ways are tried in turn. One that a server refuses is remembered for the run; an answer that
does not fit is asked for again with what was wrong, and at last in the next way.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from workbench.llm.errors import Fault
from workbench.llm.port import T
from workbench.llm.providers.trouble import Part, Trouble

if TYPE_CHECKING:
    from workbench.llm.providers.asking import Provider
    from workbench.llm.providers.call import Call


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
    asking: "Provider",
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
    one_way = await asyncio.to_thread(_loaded)
    refused: list[Way] = []
    again = False
    sent = dict(request)
    trouble: Trouble | None = None
    while left:
        try:
            value: T = await one_way(asking, call, answer, sent, left[0], last=len(left) == 1)
        except Trouble as error:
            trouble = error
            if error.part in (Part.TOOLS, Part.FORMAT) or error.opaque:
                refused.append(left.pop(0))
            elif isinstance(error, CutShort):
                if again or call.answers >= asking.limits.answers:
                    raise  # a third could go no other way, and each takes as long as can be
                again = True
                sent["max_tokens"] = _MORE * sent["max_tokens"]
                sent["messages"] = [*sent["messages"], _SHORTER]
            elif isinstance(error, Unfit) and call.answers < asking.limits.answers:
                left.pop(0)
            else:
                raise
        else:
            asking.learned(call.model).modes.update(refused)
            return value
    raise trouble or Trouble(Fault.UNSUPPORTED, "it takes none of the ways to a structured answer")


class Unfit(Trouble):
    """What came does not fit the type."""


class CutShort(Trouble):
    """The answer reached its limit of tokens."""


def _loaded() -> Callable[..., Awaitable[Any]]:
    """`instructed`, whose packages take half a second to import."""
    from workbench.llm.instructed import one_way

    return one_way
