"""Servers that speak OpenAI's chat completions: OpenAI, llama.cpp, vLLM, LM Studio, OpenRouter."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.llm.providers.base import Limits, ModelInfo, OnText
from workbench.llm.providers.over_http import OverHttp, elsewhere, retry_after
from workbench.llm.providers.place import Place, sold_elsewhere
from workbench.llm.providers.spoken import Gatherer, Spoken, count, sound_name
from workbench.llm.providers.trouble import Refusal
from workbench.model.models import ModelTier, Usage
from workbench.settings import Secret

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_MODELS = 500  # more than this many are not listed
_OWNER = 60  # characters


class OpenAiLike(OverHttp["AsyncOpenAI"]):
    """A provider behind a base URL; ``own`` where this program loaded the model itself."""

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

    def make(self) -> "AsyncOpenAI":
        """A client for this place; the guard of its connections sets the key."""
        from openai import AsyncOpenAI

        return whole(
            AsyncOpenAI(
                base_url=self.place.url,
                api_key="none",
                max_retries=0,
                http_client=self.connections("authorization"),
            )
        )

    async def end(self, client: "AsyncOpenAI") -> None:
        """Close its connections."""
        await client.close()

    async def chat(self, request: Mapping[str, Any], on_text: OnText | None) -> Spoken:
        """One request, streamed where the server can. Raises `Trouble`, `Halted`."""
        patience: dict[str, Any] = {}
        if not request.get("stream"):  # it is silent until all of it is made
            patience["timeout"] = self.limits.deadline
        with self.translated(request):
            came = await (await self.client()).chat.completions.create(**request, **patience)
            gatherer = Gatherer(on_text, self.limits.calls)
            if request.get("stream"):
                async with came:
                    async for piece in came:
                        _gather(gatherer, piece, "delta")
            else:
                _gather(gatherer, came, "message")
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
            page = await (await self.client()).models.list()
            found = []
            for model in page.data or []:
                name = getattr(model, "id", None)
                if isinstance(name, str) and sound_name(name):
                    owner = getattr(model, "owned_by", None)
                    found.append((name, str(owner or "")[:_OWNER], _context(model)))
            return found

    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One request for embeddings. Raises `Trouble`, `Halted`."""
        with self.translated({}):
            answer = await (await self.client()).embeddings.create(
                model=model, input=list(texts), encoding_format="float"
            )
            return [list(item.embedding) for item in answer.data]

    def refusal(self, error: BaseException) -> Refusal | None:
        """An error status, or an error in the midst of a stream."""
        import openai

        if isinstance(error, openai.APIStatusError):
            body = error.body if isinstance(error.body, Mapping) else {}
            said = body.get("message", body.get("detail", error.message))
            text = str("" if said is None else said)
            if 300 <= error.status_code < 400:
                text = elsewhere(error.response.headers.get("location"))
            return Refusal(
                status=error.status_code,
                text=self.scrub(text),
                code=f"{body.get('code') or ''} {body.get('type') or ''}",
                param=str(body.get("param") or ""),
                retry_after=retry_after(error.response.headers),
            )
        if isinstance(error, openai.APIError) and not isinstance(error, openai.APIConnectionError):
            code = str(error.code or "")
            status = int(code) if re.fullmatch(r"[45][0-9][0-9]", code) else 500
            said = error.body.get("message") if isinstance(error.body, Mapping) else error.body
            return Refusal(status, self.scrub(str(said or "no reason given")), code)
        return None


def whole(client: "AsyncOpenAI") -> "AsyncOpenAI":
    """The client with all that it imports only when it is first used."""
    _ = client.chat.completions, client.models, client.embeddings
    return client


def _gather(gatherer: Gatherer, piece: Any, field: str) -> None:
    """Take in one chunk, or a whole completion: nothing in either is sure to be there."""
    spoken = gatherer.spoken
    usage = getattr(piece, "usage", None)
    if usage is not None:
        spoken.usage = _usage(usage)
    choices = getattr(piece, "choices", None)
    if not isinstance(choices, list) or not choices:
        return
    choice = choices[0]
    said = getattr(choice, field, None)
    gatherer.think(getattr(said, "reasoning_content", None) or getattr(said, "reasoning", None))
    gatherer.say(getattr(said, "content", None))
    refusal = getattr(said, "refusal", None)
    if isinstance(refusal, str):
        spoken.refusal += refusal
    calls = getattr(said, "tool_calls", None)
    for place, call in enumerate(calls if isinstance(calls, list) else []):
        function = getattr(call, "function", None)
        slot = getattr(call, "index", None)
        arguments = getattr(function, "arguments", None)
        gatherer.call(
            place if slot is None else slot,
            getattr(call, "id", None),
            getattr(function, "name", None),
            json.dumps(arguments) if isinstance(arguments, dict) else arguments,
        )
    finish = getattr(choice, "finish_reason", None)
    if isinstance(finish, str) and finish:
        spoken.finish = finish


def _usage(usage: Any) -> Usage:
    prompt = getattr(usage, "prompt_tokens_details", None)
    completion = getattr(usage, "completion_tokens_details", None)
    return Usage(
        input_tokens=count(getattr(usage, "prompt_tokens", 0)),
        output_tokens=count(getattr(usage, "completion_tokens", 0)),
        cached_tokens=count(getattr(prompt, "cached_tokens", 0)),
        reasoning_tokens=count(getattr(completion, "reasoning_tokens", 0)),
    )


def _context(model: Any) -> int | None:
    """Tokens of context, where vLLM, OpenRouter or llama.cpp say it."""
    meta = getattr(model, "meta", None)
    found = (
        getattr(model, "max_model_len", None)
        or getattr(model, "context_length", None)
        or (meta.get("n_ctx") if isinstance(meta, Mapping) else None)
    )
    return count(found) or None
