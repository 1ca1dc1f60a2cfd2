"""Servers that speak OpenAI's chat completions: OpenAI, llama.cpp, vLLM, LM Studio, OpenRouter."""

import json
from collections.abc import Mapping, Sequence
from contextlib import aclosing
from typing import Any

from workbench.llm.providers.base import Limits, ModelInfo, OnText
from workbench.llm.providers.over_http import OverHttp
from workbench.llm.providers.place import Place, sold_elsewhere
from workbench.llm.providers.spoken import Gatherer, Spoken, count, sound_name
from workbench.model.models import ModelTier, Usage
from workbench.settings import Secret

_MODELS = 500  # more than this many are not listed
_OWNER = 60  # characters


class OpenAiLike(OverHttp):
    """A provider behind a base URL; ``own`` where this program loaded the model itself."""

    data = "data:"  # server-sent events

    def __init__(
        self,
        place: Place,
        key: Secret | None = None,
        *,
        name: str = "",
        limits: Limits | None = None,
        own: bool = False,
    ) -> None:
        super().__init__(place, key, name=name, limits=limits)
        self._serves = place.tier
        self._own = own

    def route(self, what: str, model: str) -> str:
        """Where a model is asked for something."""
        return what

    async def chat(self, request: Mapping[str, Any], on_text: OnText | None) -> Spoken:
        """One request, streamed where the server can. Raises `Trouble`, `Halted`."""
        path = self.route("chat/completions", request["model"])
        gatherer = Gatherer(on_text, self.limits.calls)
        with self.translated(request):
            if request.get("stream"):
                async with aclosing(self.pieces(path, request)) as pieces:
                    async for piece in pieces:
                        _gather(gatherer, piece, "delta")
            else:  # it is silent until all of it is made
                patience = self.limits.deadline
                _gather(gatherer, await self.whole(path, request, timeout=patience), "message")
            return gatherer.end()

    async def models(self) -> Sequence[ModelInfo]:
        """What ``/models`` lists. One model of a cloud among them, and the server is a gateway:
        whatever else it calls by a name of its own may be answered there too."""
        listed = await self.listing(self._listed)
        if any(sold_elsewhere(name, owner) for name, owner, _ in listed):
            self._serves = ModelTier.CLOUD
        return [ModelInfo(name, self._serves, context) for name, _, context in listed[:_MODELS]]

    async def tier_of(self, model: str) -> ModelTier:
        """By what the server listed when it was last asked, and by the name."""
        return self._serves if self._own or not sold_elsewhere(model) else ModelTier.CLOUD

    async def _listed(self) -> list[tuple[str, str, int | None]]:
        with self.translated({}):
            found = []
            for model in (await self.whole("models"))["data"] or []:
                name = _of(model, "id")
                if isinstance(name, str) and sound_name(name):
                    owner = str(_of(model, "owned_by") or "")[:_OWNER]
                    found.append((name, owner, _context(model)))
            return found

    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One request for embeddings. Raises `Trouble`, `Halted`."""
        with self.translated({}):
            asked = {"model": model, "input": list(texts), "encoding_format": "float"}
            answer = await self.whole(self.route("embeddings", model), asked)
            return [list(item["embedding"]) for item in answer["data"]]


def _of(value: Any, name: str) -> Any:
    """A field of what a server sent: nothing in it is sure to be there."""
    return value.get(name) if isinstance(value, Mapping) else None


def _gather(gatherer: Gatherer, piece: Any, field: str) -> None:
    """Take in one chunk, or a whole completion."""
    spoken = gatherer.spoken
    usage = _of(piece, "usage")
    if usage is not None:
        spoken.usage = _usage(usage)
    choices = _of(piece, "choices")
    if not isinstance(choices, list) or not choices:
        return
    choice = choices[0]
    said = _of(choice, field)
    gatherer.think(_of(said, "reasoning_content") or _of(said, "reasoning"))
    gatherer.say(_of(said, "content"))
    refusal = _of(said, "refusal")
    if isinstance(refusal, str):
        spoken.refusal += refusal
    calls = _of(said, "tool_calls")
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        function = _of(call, "function")
        slot = _of(call, "index")
        arguments = _of(function, "arguments")
        gatherer.call(
            place if slot is None else slot,
            _of(call, "id"),
            _of(function, "name"),
            json.dumps(arguments) if isinstance(arguments, dict) else arguments,
        )
    finish = _of(choice, "finish_reason")
    if isinstance(finish, str) and finish:
        spoken.finish = finish


def _usage(usage: Any) -> Usage:
    prompt = _of(usage, "prompt_tokens_details")
    completion = _of(usage, "completion_tokens_details")
    return Usage(
        input_tokens=count(_of(usage, "prompt_tokens")),
        output_tokens=count(_of(usage, "completion_tokens")),
        cached_tokens=count(_of(prompt, "cached_tokens")),
        reasoning_tokens=count(_of(completion, "reasoning_tokens")),
    )


def _context(model: Any) -> int | None:
    """Tokens of context, where vLLM, OpenRouter or llama.cpp say it."""
    found = _of(model, "max_model_len") or _of(model, "context_length")
    return count(found or _of(_of(model, "meta"), "n_ctx")) or None
