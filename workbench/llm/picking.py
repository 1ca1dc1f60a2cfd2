"""What a person may pick from while a session runs: the servers that answer, their models, and
what makes one of them the session's."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import structs

from workbench.llm.choosing import TierMissing, choose_models
from workbench.llm.discover import FoundServer, discover
from workbench.llm.here import models_here
from workbench.llm.offers import offers
from workbench.llm.port import Models
from workbench.llm.providers.ollama import Ollama, Pulling
from workbench.llm.surroundings import MakeModels
from workbench.model.models import Effort, ModelTier, ModelWish, TierWish
from workbench.settings import Settings


class Picking:
    """Of one session; ``wish`` is what the person wanted when it began."""

    def __init__(self, settings: Settings, wish: ModelWish) -> None:
        self._settings = settings
        self._wish = wish

    async def servers(self) -> list[FoundServer]:
        """What answers now on this machine, and what the settings name elsewhere, which is not
        asked. Takes up to a second."""
        return await discover(self._settings, elsewhere=False)

    async def make(self, server: FoundServer, model: str | None, effort: Effort) -> MakeModels:
        """What makes a session's models of this one, the cloud's behind its gate as ever. Raises
        `TierMissing`."""
        settings = self._settings
        if server.kind == "openai" and not server.setting:
            settings = structs.replace(settings, local_base_url=server.address)
        here = server.tier is ModelTier.LOCAL
        wish = structs.replace(
            self._wish, tier=TierWish.LOCAL if here else TierWish.CLOUD, model=model, effort=effort
        )
        made = await choose_models(settings, wish, asks=True)
        if made is None:
            raise TierMissing(f"{model or server.name} does not answer any more")
        return made

    async def here(self, folder: Path) -> Models | None:
        """Models of this machine, for what belongs to no one session of the folder; None where
        none answers."""
        if self._wish.tier is TierWish.CLOUD:
            return None
        with suppress(TierMissing):
            return await models_here(self._settings, self._wish, folder)
        return None

    async def pull(
        self, server: FoundServer, model: str, progress: Callable[[Pulling], None]
    ) -> None:
        """Have an Ollama fetch a model. Raises `ModelFailed`; cancelling ends the pull."""
        offer = next(
            one
            for one in offers(self._settings)
            if one.kind == "ollama" and one.place.shown == server.address
        )
        provider = Ollama(offer.place)
        try:
            await provider.pull(model, progress)
        finally:
            await provider.close()
