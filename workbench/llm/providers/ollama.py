"""Ollama by its own protocol: models, pull, embeddings, chat.

An Ollama on this machine may hand a model on to another: such a model is told by its name
(``…-cloud``, ``:cloud``) or by the fields ``remote_model`` and ``remote_host`` that ``/api/tags``
and ``/api/show`` give it, and counts as cloud.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from workbench.llm.errors import Excess, Fault
from workbench.llm.providers.base import Limits, ModelInfo, OnText, asked_before
from workbench.llm.providers.over_http import OverHttp
from workbench.llm.providers.place import Place
from workbench.llm.providers.spoken import Gatherer, Spoken, count, sound_name
from workbench.llm.providers.trouble import Trouble
from workbench.llm.structured import Way
from workbench.model.models import ModelTier, Usage
from workbench.settings import Secret

_MODELS = 500  # more than this many are not listed
_BYTES_A_TOKEN = 3  # a low guess, so that the context is rather too large than too small
_SMALLEST_CONTEXT = 8192
_ANSWER = 4096  # tokens of context that are kept free for an answer: memory is dear


@dataclass(frozen=True)
class Pulling:
    """How far a pull has come; bytes, or None where Ollama does not say."""

    status: str
    done: int | None = None
    total: int | None = None


@dataclass(frozen=True)
class Shown:
    """What Ollama says of a model. ``context`` is in tokens."""

    tier: ModelTier
    context: int | None = None
    family: str = ""
    capabilities: frozenset[str] = frozenset()


class Ollama(OverHttp):
    """An Ollama server."""

    # It has no way to make a model call a tool, so that is tried late.
    ways = (Way.SCHEMA, Way.JSON, Way.TOOLS, Way.WORDS)

    def __init__(
        self,
        place: Place,
        key: Secret | None = None,
        *,
        name: str = "",
        limits: Limits | None = None,
    ) -> None:
        super().__init__(place, key, name=name or f"Ollama at {place.shown}", limits=limits)
        self._shown_models: dict[str, Shown] = {}
        self._contexts: dict[str, int] = {}

    async def models(self) -> Sequence[ModelInfo]:
        """What ``/api/tags`` lists."""
        return await self.listing(self._listed)

    async def _listed(self) -> list[ModelInfo]:
        with self.translated({}):
            listed = (await self.whole("api/tags"))["models"][:_MODELS]
            named = [(str.strip(model["model"]), model) for model in listed]
        return [
            ModelInfo(
                name,
                ModelTier.CLOUD if _remote(name, model) else self.tier,
                size=_whole_number(model.get("size")),
            )
            for name, model in named
            if sound_name(name)
        ]

    async def tier_of(self, model: str) -> ModelTier:
        """Cloud too where Ollama does not know the model: it may know where to ask for it."""
        return (await self.listing(lambda: self._show(model))).tier

    async def show(self, model: str) -> Shown:
        """What Ollama says of a model. Raises `ModelFailed`."""
        return await self.listing(lambda: self._show(model))

    async def _show(self, model: str) -> Shown:
        """A server elsewhere is not asked: nothing goes there before a person has seen it."""
        if self.tier is ModelTier.CLOUD:
            return Shown(ModelTier.CLOUD)
        if model not in self._shown_models:
            token = asked_before.set(None)  # what is asked here carries nothing but a name
            try:
                self._shown_models[model] = await self._described(model)
            except Trouble as trouble:
                if trouble.status != 404:
                    raise
                return Shown(ModelTier.CLOUD)
            finally:
                asked_before.reset(token)
        return self._shown_models[model]

    async def _described(self, model: str) -> Shown:
        with self.translated({}):
            said = await self.whole("api/show", {"model": model})
            shown = Shown(
                tier=ModelTier.CLOUD if _remote(model, said) else self.tier,
                context=_context(said.get("model_info") or {}),
                family=str((said.get("details") or {}).get("family") or ""),
                capabilities=frozenset(said.get("capabilities") or ()),
            )
        listed = {info.name: info.tier for info in await self._listed()}
        by_list = listed.get(model, listed.get(f"{model}:latest", self.tier))
        return replace(shown, tier=by_list) if by_list is ModelTier.CLOUD else shown

    async def pull(self, model: str, progress: Callable[[Pulling], None]) -> None:
        """Fetch a model; cancelling the task ends it. Raises `ModelFailed`."""

        async def fetch() -> None:
            with self.translated({}):
                async with aclosing(self.pieces("api/pull", {"model": model})) as steps:
                    async for step in steps:
                        sizes = map(_whole_number, (step.get("completed"), step.get("total")))
                        progress(Pulling(str(step.get("status") or ""), *sizes))

        await self.listing(fetch)
        self._shown_models.pop(model, None)

    async def chat(self, request: Mapping[str, Any], on_text: OnText | None) -> Spoken:
        """One request, in Ollama's words. Raises `Trouble`, `Halted`."""
        model = request["model"]
        shown = await self._show(model)
        options = {"num_ctx": self._context_for(request, shown)}
        for ours, theirs in (("temperature", "temperature"), ("max_tokens", "num_predict")):
            if ours in request:
                options[theirs] = request[ours]
        body = {
            "model": model,
            "messages": [_message(message) for message in request["messages"]],
            "tools": [_tool(tool) for tool in request.get("tools", ())] or None,
            "format": _format(request.get("response_format")),
            "think": _think(request.get("reasoning_effort"), shown),
            "options": options,
        }
        asked = {name: value for name, value in body.items() if value is not None}
        gatherer = Gatherer(on_text, self.limits.calls)
        with self.translated(request):
            async with aclosing(self.pieces("api/chat", asked)) as pieces:
                async for piece in pieces:
                    _gather(gatherer, piece)
            return gatherer.end()

    async def vectors(self, model: str, texts: Sequence[str]) -> list[list[float]]:
        """One request for embeddings. Raises `Trouble`, `Halted`."""
        with self.translated({}):
            asked = {"model": model, "input": list(texts)}
            return list((await self.whole("api/embed", asked))["embeddings"])

    def _context_for(self, request: Mapping[str, Any], shown: Shown) -> int:
        """Tokens of context to ask for. Left to itself Ollama takes a few thousand and drops the
        beginning of what is longer, without a word. It loads a model anew for another size, so
        sizes are powers of two that only grow. Raises `Trouble` when the model has no room."""
        said = {key: request[key] for key in ("messages", "tools") if key in request}
        tokens = len(json.dumps(said, ensure_ascii=False).encode()) // _BYTES_A_TOKEN
        if shown.context is not None and tokens > shown.context * 2:
            why = f"the question does not fit its context of {shown.context} tokens"
            raise Trouble(Fault.TOO_LONG, why, excess=Excess(tokens, shown.context))
        model = request["model"]
        size = self._contexts.get(model, _SMALLEST_CONTEXT)
        while size < tokens + min(request.get("max_tokens", _ANSWER), _ANSWER):
            size *= 2
        if shown.context is not None:
            size = min(size, shown.context)
        self._contexts[model] = size
        return size


def _remote(name: str, said: Mapping[str, Any]) -> bool:
    tag = name.rpartition(":")[2]
    elsewhere = said.get("remote_model") or said.get("remote_host")
    return bool(elsewhere or tag == "cloud" or tag.endswith("-cloud"))


def _whole_number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _context(info: Mapping[str, Any]) -> int | None:
    found = [value for key, value in info.items() if str(key).endswith(".context_length")]
    return count(found[0]) or None if found else None


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Ollama takes a call's arguments as an object and knows no ids of calls."""
    told = {"role": message["role"], "content": message.get("content") or ""}
    if message.get("tool_calls"):
        told["tool_calls"] = [
            {
                "function": {
                    "name": call["function"]["name"],
                    "arguments": json.loads(call["function"]["arguments"]),
                }
            }
            for call in message["tool_calls"]
        ]
    return told


def _tool(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Not every Ollama knows ``anyOf`` of a property: what can be said as types is said so."""
    function = dict(tool["function"])
    parameters = dict(function.get("parameters") or {})
    properties = {}
    for name, field in parameters.get("properties", {}).items():
        kinds = [kind["type"] for kind in field.get("anyOf", ()) if "type" in kind]
        properties[name] = {**field, "type": kinds} if kinds else field
    function["parameters"] = {**parameters, "properties": properties}
    return {"type": "function", "function": function}


def _format(wanted: Mapping[str, Any] | None) -> Any:
    if wanted is None:
        return None
    return wanted["json_schema"]["schema"] if wanted["type"] == "json_schema" else "json"


def _think(effort: object, shown: Shown) -> bool | str | None:
    """gpt-oss takes a level, other models that think take yes or no, the rest take nothing."""
    if effort is None or "thinking" not in shown.capabilities:
        return None
    return str(effort) if shown.family.replace("-", "") == "gptoss" else effort != "low"


def _gather(gatherer: Gatherer, piece: Mapping[str, Any]) -> None:
    message = piece["message"]
    gatherer.think(message.get("thinking"))
    gatherer.say(message.get("content"))
    for call in message.get("tool_calls") or ():
        slot = object()  # calls come whole
        function = call["function"]
        gatherer.call(slot, "", function["name"], json.dumps(function.get("arguments")))
    if piece.get("done"):
        spoken = gatherer.spoken
        spoken.finish = str(piece.get("done_reason") or "stop")
        taken, given = map(count, (piece.get("prompt_eval_count"), piece.get("eval_count")))
        spoken.usage = Usage(input_tokens=taken, output_tokens=given)
