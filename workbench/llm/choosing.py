"""Which models a run gets: what the person wants, what is configured, what answers."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.llm.gathering import gateways, gather
from workbench.llm.lineup import Lineup
from workbench.llm.offers import MEANT_TO_BE_LOCAL, Offer, offers
from workbench.llm.providers.place import BadAddress
from workbench.llm.reach import answers
from workbench.llm.surroundings import MakeModels
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.settings import Settings

if TYPE_CHECKING:  # loaded when something answers
    from workbench.llm.lineup import Backend

_NO_LOCAL = "no model of this machine answers"
_NO_CLOUD = "no key and no address of a cloud model is set"
_NOT_ALLOWED = "cloud models are not allowed (--allow-cloud)"


class TierMissing(Exception):
    """A tier that the person asked for cannot be had; one line that says why and what to do."""


async def choose_models(
    settings: Settings, wish: ModelWish, *, asks: bool = False
) -> MakeModels | None:
    """What makes a session's models, or None for a run by code alone. ``asks``: a person is there
    to answer the cloud gate. Raises `TierMissing`."""
    try:
        lineup = await line_up(settings, wish, asks)
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


async def line_up(settings: Settings, wish: ModelWish, asks: bool = False) -> Lineup | None:
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
        elsewhere += await gateways(here, settings)
    lineup = Lineup(
        {},
        {
            ModelTier.LOCAL: _none_here(found, here),
            ModelTier.CLOUD: _NO_CLOUD if allowed else _NOT_ALLOWED,
        },
    )
    named = wish.model
    if here:
        local, why = await gather(here, ModelTier.LOCAL, _local(wish), settings, look=True)
        if local is None and _local(wish) and allowed and elsewhere:  # a name of the cloud's then
            local, why = await gather(here, ModelTier.LOCAL, None, settings, look=True)
        elif local is not None and _local(wish):
            named = None
        _enter(lineup, ModelTier.LOCAL, local, why)
    if allowed and elsewhere:
        look = wish.tier is TierWish.CLOUD
        cloud, why = await gather(elsewhere, ModelTier.CLOUD, named, settings, look=look)
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
