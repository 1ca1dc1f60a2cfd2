"""From servers that may have models to the one model of a tier."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
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
_TOLD = 8  # names in a message
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
    await _loaded()
    why = ""
    for offer in found:
        provider = offer.provider(settings)
        # A server of this machine may have models that run elsewhere.
        wanted = model or (offer.model if offer.tier is tier or offer.kind == "openai" else None)
        named, listed = wanted, list[ModelInfo]()
        try:
            async with asyncio.timeout(_LONGEST[tier]):
                if look or named is None or offer.tier is not tier:
                    named, listed = await _looked_up(provider, wanted, tier)
                fits = named is not None and await provider.tier_of(named) is tier
            if named is not None and fits:
                context = next((one.context for one in listed if one.name == named), None)
                return Backend(provider, named, tier, offer.place.shown, offer.seller, context), ""
            why = why or _none(provider.name, wanted, listed, tier)
        except ModelFailed as failure:
            see = f" (see {offer.setting})" if offer.setting else ""
            why = why or f"{provider.name}: {failure.why}{see}"
        except TimeoutError:
            within = f"{_LONGEST[tier]:g} s"
            why = why or f"{provider.name}: it did not say within {within} which models it has"
        await provider.close()
    return None, why


async def _looked_up(
    provider: Provider, named: str | None, tier: ModelTier
) -> tuple[str | None, list[ModelInfo]]:
    """The model as the server lists it, and all that it lists. Raises `ModelFailed` for one that
    does not answer."""
    try:
        listed = list(await provider.models())
    except ModelFailed as failure:
        # One that lists no models may answer questions all the same.
        if failure.fault in _SILENT or named is None:
            raise
        return named, []
    names = [model.name for model in listed if model.tier is tier]
    return _chosen(named, listed, names), listed


async def gateways(here: Sequence[Offer], settings: Settings) -> list[Offer]:
    """Servers of this machine that pass questions on to a cloud, by what they list."""
    await _loaded()
    found = []
    for offer in (one for one in here if one.kind == "openai"):
        provider = offer.provider(settings)
        with suppress(ModelFailed, TimeoutError):
            async with asyncio.timeout(_LONGEST[ModelTier.LOCAL]):
                if any(model.tier is ModelTier.CLOUD for model in await provider.models()):
                    found.append(offer)
        await provider.close()
    return found


async def _loaded() -> None:
    """A second or two: in a thread, since a screen may be waiting."""
    await asyncio.to_thread(lambda: [import_module(name) for name in _HEAVY])


def _chosen(named: str | None, listed: Sequence[ModelInfo], names: Sequence[str]) -> str | None:
    """The named model as the server calls it, or the first that can be asked."""
    if named is None:
        return next(filter(_can_be_asked, names), None)
    if not listed or len(listed) >= _LONG:
        return named
    return next((name for name in names if name in (named, f"{named}:latest")), None)


def _can_be_asked(name: str) -> bool:
    return not any(word in name.lower() for word in _NOT_ASKED)


def _none(server: str, named: str | None, listed: Sequence[ModelInfo], tier: ModelTier) -> str:
    there = [m.name for m in listed if m.tier is tier and _can_be_asked(m.name)]
    if listed and tier is ModelTier.LOCAL and all(m.tier is ModelTier.CLOUD for m in listed):
        return f"{server} lists models of a cloud, which count as cloud (--allow-cloud)"
    if named is None:
        return f"{server} lists no model that can be asked: load one there, or name it with --model"
    if not there:
        return f"{server} has no model {named}, and lists none that can be asked: load one there"
    more = f" and {len(there) - _TOLD} more" if len(there) > _TOLD else ""
    return f"{server} has no model {named}: name one of {', '.join(there[:_TOLD])}{more}"
