"""One question on its way: what it has used up so far."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.llm.port import Answer
from workbench.llm.providers.base import RESTART, OnText
from workbench.llm.providers.spoken import Spoken
from workbench.model.models import ModelTier, Role, Usage

_BYTES_A_TOKEN = 4  # of English and of code, about: OpenAI's own rule of thumb


@dataclass
class Call:
    """``sent`` counts requests, ``answers`` those of them that brought a whole answer."""

    model: str
    role: Role
    on_text: OnText | None = None
    tier: ModelTier = ModelTier.CLOUD
    sent: int = 0
    answers: int = 0
    spoke: bool = False
    usage: Usage = field(default_factory=Usage)
    last: Spoken = field(default_factory=Spoken)

    def say(self, text: str) -> None:
        """Pass on words as they come."""
        self.spoke = True
        if self.on_text is not None:
            self.on_text(text)

    def restart(self) -> None:
        """The words so far are void, since the answer begins anew."""
        if self.spoke and self.on_text is not None:
            self.on_text(RESTART)
        self.spoke = False

    def take(self, spoken: Spoken, request: Mapping[str, Any]) -> None:
        """Count an answer, and estimate its tokens where the server does not count them."""
        self.answers += 1
        self.last = spoken
        used = spoken.usage
        if used.input_tokens == used.output_tokens == 0:
            used = _estimate(spoken, request)
        self.usage = Usage(
            input_tokens=self.usage.input_tokens + used.input_tokens,
            output_tokens=self.usage.output_tokens + used.output_tokens,
            cached_tokens=self.usage.cached_tokens + used.cached_tokens,
            reasoning_tokens=self.usage.reasoning_tokens + used.reasoning_tokens,
        )

    def answer(self, **given: Any) -> Answer[Any]:
        """What the question brought, with all that it took."""
        return Answer(self.model, self.tier, usage=self.usage, **given)


def _estimate(spoken: Spoken, request: Mapping[str, Any]) -> Usage:
    carried = ("messages", "tools", "response_format")
    asked = json.dumps([request.get(key) for key in carried], ensure_ascii=False)
    said = spoken.text + "".join(call.name + call.arguments for call in spoken.calls)
    thought = spoken.reasoned // _BYTES_A_TOKEN
    return Usage(
        input_tokens=_tokens(asked), output_tokens=_tokens(said) + thought, reasoning_tokens=thought
    )


def _tokens(text: str) -> int:
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)
