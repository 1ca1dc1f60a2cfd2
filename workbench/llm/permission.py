"""What a person has allowed to leave the machine in this run. Kept in memory and nowhere else."""

import asyncio
from typing import Any

from workbench.llm.fences import is_data, kinds_in, without
from workbench.llm.port import Message, Question
from workbench.llm.surroundings import Surroundings
from workbench.model.models import Content

_REFUSED = "sending to the cloud was not allowed"


class NotAllowed(Exception):
    """Nothing may be sent, or not this; the message says why in one line."""


class Narrowed(Exception):
    """The person let it go but for some kinds of content: the question is to be made anew."""


class Permission:
    """``allowed`` is this run's ``--allow-cloud``, ``left_out`` what the settings keep here."""

    def __init__(
        self, surroundings: Surroundings, allowed: bool, left_out: frozenset[Content]
    ) -> None:
        self._surroundings = surroundings
        self._allowed = allowed
        self._asking = asyncio.Lock()
        self._given: bool | None = None
        self.left_out = left_out

    def refusal(self) -> str:
        """The person's no, in one line; empty while there is none."""
        return _REFUSED if self._given is False else ""

    async def ask(self, payload: str, url: str, provider: str, model: str, size: int) -> None:
        """Open the gate for the first payload of the run; later ones pass. Raises `NotAllowed`, and
        `Narrowed` when this payload holds what the answer left out."""
        async with self._asking:
            if self._given is None:
                answer = await self._surroundings.ask_cloud(
                    (payload, url, provider, model),
                    f"Send these {size} bytes to {model} at {url}? Later calls of this run may "
                    "carry stacks, memory, source and strings of the dump, each redacted, unless "
                    "you leave a kind out.",
                    self._allowed,
                )
                self._given = answer is not None
                if answer is not None and not answer <= self.left_out:
                    self.left_out |= answer
                    raise Narrowed
            if not self._given:
                raise NotAllowed(_REFUSED)


def narrowed(question: Question[Any], left_out: frozenset[Content]) -> tuple[Message, ...]:
    """The question's messages without what is to be left out. Raises `NotAllowed` where it stands
    in the open, so that it cannot be taken out."""
    if not left_out:
        return question.messages
    fenced = frozenset().union(*(kinds_in(message.content) for message in question.messages))
    open_kinds = (question.contents & left_out) - fenced
    unfenced = [m for m in question.messages if m.role == "tool" and not is_data(m.content)]
    if question.contents & left_out and (unfenced or open_kinds - {Content.STRINGS}):
        kinds = ", ".join(sorted(question.contents & left_out))
        raise NotAllowed(f"it would carry {kinds}, which the user keeps on the machine")
    return tuple(
        Message(m.role, without(m.content, left_out), m.calls, m.call_id) for m in question.messages
    )
