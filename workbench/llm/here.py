"""Models of this machine, for what belongs to no one session: nothing is recorded or leaves."""

from pathlib import Path

from msgspec import structs

from workbench.llm.choosing import TierMissing, choose_models
from workbench.llm.port import Models
from workbench.model.events import AnyEvent
from workbench.model.investigation import Investigation
from workbench.model.models import Content, ModelWish, TierWish
from workbench.settings import Settings


class Here:
    """Implements `Surroundings` without a session; the cloud's gate stays shut."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.state = Investigation()

    def environment(self) -> list[tuple[str, str]]:
        """Nothing leaves that would have to be redacted."""
        return []

    async def text(self, evidence_id: str) -> str:
        """There is no evidence."""
        return ""

    async def record(self, *events: AnyEvent) -> None:
        """There is no journal."""

    async def ask_cloud(
        self, subjects: tuple[str, ...], question: str, allowed: bool
    ) -> frozenset[Content] | None:
        """No."""
        return None


async def models_here(settings: Settings, wish: ModelWish, folder: Path) -> Models | None:
    """What answers on this machine, None where nothing does or may. ``folder`` is of the sessions.
    Raises `TierMissing` where the wish names a model that is not there."""
    if wish.tier is TierWish.OFFLINE:
        return None
    if wish.tier is TierWish.CLOUD:
        raise TierMissing("a search over sessions asks models of this machine only: --tier local")
    make = await choose_models(settings, structs.replace(wish, allow_cloud=False))
    return None if make is None else make(Here(folder))
