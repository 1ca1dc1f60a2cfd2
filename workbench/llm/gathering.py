"""From servers that may have models to the one model of a tier."""

import asyncio
from collections.abc import Sequence
from importlib import import_module

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.lineup import Backend
from workbench.llm.offers import Offer
from workbench.llm.providers.base import ModelInfo, Provider
from workbench.model.models import ModelTier
from workbench.settings import Settings

_HEAVY = ("openai", "instructor", "jinja2.sandbox", "yaml")
# Seconds for a server to list its models: nothing else runs meanwhile.
_LONGEST = {ModelTier.LOCAL: 10.0, ModelTier.CLOUD: 30.0}
_LONG = 400  # a list of so many models may not be whole
_SILENT = frozenset({Fault.UNREACHABLE, Fault.BUSY, Fault.REFUSED_KEY})
# Servers also list models that answer no question.
_NOT_ASKED = ("embed", "bge-", "rerank", "whisper", "tts", "dall-e", "moderation", "clip")


async def gather(
    found: Sequence[Offer], tier: ModelTier, model: str | None, settings: Settings, *, look: bool
) -> tuple[Backend | None, str]:
    """The first server's model that fits the tier, or why there is none; ``model`` is the one that
    the person named. A server elsewhere is looked at only when ``look`` asks for it or nobody named
    a model: its first word may be the first question."""
    # A second or two: in a thread, since a screen may be waiting.
    await asyncio.to_thread(lambda: [import_module(name) for name in _HEAVY])
    why = ""
    for offer in found:
        provider = offer.provider(settings)
        # An Ollama of this machine may have models that run elsewhere.
        named = model or (offer.model if offer.tier is tier else None)
        try:
            async with asyncio.timeout(_LONGEST[tier]):
                if look or named is None:
                    named = await _looked_up(provider, named, tier)
                fits = named is not None and await provider.tier_of(named) is tier
            if named is not None and fits:
                return Backend(provider, named, tier, offer.place.shown, offer.seller), ""
            why = why or _none(provider.name, named or model)
        except ModelFailed as failure:
            why = why or f"{provider.name}: {failure.why}"
        except TimeoutError:
            within = f"{_LONGEST[tier]:g} s"
            why = why or f"{provider.name}: it did not say within {within} which models it has"
        await provider.close()
    return None, why


async def _looked_up(provider: Provider, named: str | None, tier: ModelTier) -> str | None:
    """The model as the server lists it. Raises `ModelFailed` for one that does not answer."""
    try:
        listed = await provider.models()
    except ModelFailed as failure:
        # One that lists no models may answer questions all the same.
        if failure.fault in _SILENT or named is None:
            raise
        return named
    return _chosen(named, listed, tier)


def _chosen(named: str | None, listed: Sequence[ModelInfo], tier: ModelTier) -> str | None:
    """The named model as the server calls it, or the first that can be asked."""
    names = [model.name for model in listed if model.tier is tier]
    if named is None:
        return next((n for n in names if not any(w in n.lower() for w in _NOT_ASKED)), None)
    if not listed or len(listed) >= _LONG:
        return named
    return next((name for name in names if name in (named, f"{named}:latest")), None)


def _none(server: str, named: str | None) -> str:
    if named is None:
        return f"{server} has no model that can be asked; name one with --model"
    return f"{server} has no model {named}"
