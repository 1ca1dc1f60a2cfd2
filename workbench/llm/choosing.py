"""Which models a run gets: what the person wants, what is configured, what answers."""

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.offers import MEANT_TO_BE_LOCAL, Offer, offers
from workbench.llm.providers.base import ModelInfo
from workbench.llm.providers.place import BadAddress
from workbench.llm.reach import answers
from workbench.llm.surroundings import MakeModels
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.llm.providers.asking import Provider

_HEAVY = ("openai", "instructor", "jinja2.sandbox", "yaml")
# Seconds for a server to list its models, at most a part of the run's: nothing else runs meanwhile.
_LONGEST = {ModelTier.LOCAL: 10.0, ModelTier.CLOUD: 30.0}
_PART = 8
_TOLD = 8  # names in a message
_LONG = 400  # a list of so many models may not be whole
_SILENT = frozenset({Fault.UNREACHABLE, Fault.BUSY, Fault.REFUSED_KEY})
# Servers also list models that answer no question.
_NOT_ASKED = ("embed", "bge-", "rerank", "whisper", "tts", "dall-e", "moderation", "clip")


async def gather(
    found: Sequence[Offer], tier: ModelTier, model: str | None, settings: Settings,
    within: float, *, look: bool,
) -> tuple[Backend | None, str]:  # fmt: skip
    """The first server's model that fits the tier, or why there is none; ``model`` is the one that
    the person named. A server elsewhere is looked at only when ``look`` asks for it or nobody named
    a model: its first word may be the first question."""
    await _loaded()
    why, longest = "", min(_LONGEST[tier], within / _PART)
    for offer in found:
        provider = offer.provider(settings)
        # A server of this machine may have models that run elsewhere.
        wanted = model or (offer.model if offer.tier is tier or offer.kind == "openai" else None)
        named, listed = wanted, list[ModelInfo]()
        try:
            async with asyncio.timeout(longest):
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
            late = f"it did not say within {longest:g} s which models it has"
            why = why or f"{provider.name}: {late}"
        await provider.close()
    return None, why


async def _looked_up(
    provider: "Provider", named: str | None, tier: ModelTier
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


async def gateways(here: Sequence[Offer], settings: Settings, within: float) -> list[Offer]:
    """Servers of this machine that pass questions on to a cloud, by what they list."""
    await _loaded()
    found = []
    for offer in (one for one in here if one.kind == "openai"):
        provider = offer.provider(settings)
        with suppress(ModelFailed, TimeoutError):
            async with asyncio.timeout(min(_LONGEST[ModelTier.LOCAL], within / _PART)):
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


_NO_LOCAL = "no model of this machine answers"
_NO_CLOUD = "no key and no address of a cloud model is set"
_NOT_ALLOWED = "cloud models are not allowed (--allow-cloud)"


class TierMissing(Exception):
    """A tier that the person asked for cannot be had; one line that says why and what to do."""


async def choose_models(
    settings: Settings, wish: ModelWish, *, asks: bool = False, within: float | None = None
) -> MakeModels | None:
    """What makes a session's models, or None for a run by code alone. ``asks``: a person is there
    to answer the cloud gate; ``within``: the seconds that the run may take. Raises `TierMissing`.
    """
    try:
        lineup = await line_up(settings, wish, asks, within or math.inf)
        return await asyncio.to_thread(_maker, lineup, wish, settings) if lineup else None
    except BadAddress as error:
        raise TierMissing(f"{error}; correct it, or use --tier offline") from error


def not_asked(settings: Settings, wish: ModelWish) -> str:
    """What a person who named a server of their own should know where it counts as cloud and is
    left alone, in one sentence; empty where there is none."""
    if wish.tier is not TierWish.AUTO or wish.allow_cloud:
        return ""
    remote = [
        offer.setting
        for offer in offers(settings)
        if offer.tier is ModelTier.CLOUD and offer.setting in MEANT_TO_BE_LOCAL
    ]
    if not remote:
        return ""
    names = " and ".join(remote)
    return f"{names} names another machine, which counts as cloud: --allow-cloud lets it help."


async def line_up(
    settings: Settings, wish: ModelWish, asks: bool = False, within: float = math.inf
) -> Lineup | None:
    """The models themselves, for one session or several in turn. Raises `TierMissing` and
    `BadAddress`."""
    if wish.tier is TierWish.OFFLINE:
        return None
    if wish.tier is TierWish.CLOUD and not (wish.allow_cloud or asks):
        raise TierMissing("--tier cloud sends parts of the dump elsewhere: it needs --allow-cloud")
    found = offers(settings)
    here = await _answering([offer for offer in found if offer.tier is ModelTier.LOCAL])
    elsewhere = [offer for offer in found if offer.tier is ModelTier.CLOUD and offer.setting]
    elsewhere += [offer for offer in here if offer.kind == "ollama"]  # it hands some models on
    allowed = wish.tier is TierWish.CLOUD or (wish.tier is TierWish.AUTO and wish.allow_cloud)
    usable = here or (allowed and elsewhere)
    if wish.tier is TierWish.AUTO and wish.model is None and not usable:
        return None

    if allowed:
        elsewhere += await gateways(here, settings, within)
    lineup = Lineup(
        {},
        {
            ModelTier.LOCAL: _none_here(found, here),
            ModelTier.CLOUD: _NO_CLOUD if allowed else _NOT_ALLOWED,
        },
    )
    named = wish.model
    if here:
        local, why = await gather(here, ModelTier.LOCAL, _local(wish), settings, within, look=True)
        if local is None and _local(wish) and allowed and elsewhere:  # a name of the cloud's then
            local, why = await gather(here, ModelTier.LOCAL, None, settings, within, look=True)
        elif local is not None and _local(wish):
            named = None
        _enter(lineup, ModelTier.LOCAL, local, why)
    if allowed and elsewhere:
        look = wish.tier is TierWish.CLOUD
        cloud, why = await gather(elsewhere, ModelTier.CLOUD, named, settings, within, look=look)
        _enter(lineup, ModelTier.CLOUD, cloud, why)
    _require(wish, lineup, answers=bool(here), elsewhere=bool(elsewhere) and not allowed)
    return lineup if lineup.backends else None


def _local(wish: ModelWish) -> str | None:
    """The model that is asked for on this machine: a name given with ``--tier cloud`` is one of the
    cloud's."""
    return None if wish.tier is TierWish.CLOUD else wish.model


def _enter(lineup: Lineup, tier: ModelTier, backend: "Backend | None", why: str) -> None:
    if backend is None:
        lineup.missing[tier] = why
    else:
        lineup.backends[tier] = backend
        del lineup.missing[tier]


async def _answering(local: Sequence[Offer]) -> list[Offer]:
    async def is_there(offer: Offer) -> bool:
        return offer.kind == "gguf" or await answers(offer.place)

    there = await asyncio.gather(*map(is_there, local))
    return [offer for offer, accepts in zip(local, there, strict=True) if accepts]


def _none_here(found: Sequence[Offer], here: Sequence[Offer]) -> str:
    """Why no model of this machine answers, by the addresses that were tried and the settings that
    name them."""
    said = [
        f"{offer.place.shown}{f' ({offer.setting})' if offer.setting else ''}"
        for offer in found
        if offer.tier is ModelTier.LOCAL and offer not in here
    ]
    whys = [f"nothing listens at {' or '.join(said)}"] if said else []
    whys += [
        f"{offer.setting} names another machine, which counts as cloud (--allow-cloud)"
        for offer in found
        if offer.tier is ModelTier.CLOUD and offer.setting in MEANT_TO_BE_LOCAL
    ]
    return f"{_NO_LOCAL}: {'; '.join(whys)}" if whys else _NO_LOCAL


def _require(wish: ModelWish, lineup: Lineup, *, answers: bool, elsewhere: bool) -> None:
    """Raises `TierMissing`. ``answers``: a server of this machine does; ``elsewhere``: one is set
    that may not be asked."""
    missing = lineup.missing
    start = ", or" if answers else "; start one (`workbench doctor` says how), or"
    if wish.tier is TierWish.LOCAL and ModelTier.LOCAL in missing:
        raise TierMissing(f"--tier local: {missing[ModelTier.LOCAL]}{start} leave --tier out")
    if wish.tier is TierWish.AUTO and wish.model and not lineup.backends:
        cloud = "; if it is one elsewhere, add --allow-cloud" if elsewhere else ""
        why = f"{missing[ModelTier.LOCAL]}{cloud}"
        raise TierMissing(f"--model {wish.model}: {why}{start} leave --model out")
    if wish.tier is TierWish.CLOUD and ModelTier.CLOUD in missing:
        raise TierMissing(
            f"--tier cloud: {missing[ModelTier.CLOUD]}; `workbench doctor` says what is set"
        )


def _maker(lineup: Lineup, wish: ModelWish, settings: Settings) -> MakeModels:
    from workbench.llm.models import RoutedModels

    return lambda surroundings: RoutedModels(surroundings, lineup, wish, settings)
