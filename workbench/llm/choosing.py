"""Which models a run gets: what the person wants, what is configured, what answers."""

from workbench.llm.surroundings import MakeModels
from workbench.model.models import ModelWish, TierWish
from workbench.settings import Settings


class TierMissing(Exception):
    """A tier that the person asked for cannot be had; one line that says why and what to do."""


async def choose_models(settings: Settings, wish: ModelWish) -> MakeModels | None:
    """What makes a session's models, or None for a run by code alone. Raises `TierMissing`."""
    if wish.tier in (TierWish.LOCAL, TierWish.CLOUD):
        raise TierMissing(f"--tier {wish.tier}: no model answers; leave --tier out to go on")
    return None
