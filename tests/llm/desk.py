"""A session's place for tests of the models' facade: a folder, the real fold, a person's answer."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tests.llm.asks import LIMITS
from tests.llm.scripted import Scripted
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.port import Question
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.events import AnyEvent, DumpHashed
from workbench.model.investigation import Investigation
from workbench.model.models import Content, ModelTier, ModelWish, TierWish
from workbench.settings import Secret, Settings

KEY = "sk-settings-0123456789abcdef"


class Desk:
    """``answer`` is the person's at the cloud gate: the kinds to leave out, or None for no."""

    def __init__(self, folder: Path, answer: frozenset[Content] | None = frozenset()) -> None:
        self.folder = folder
        self.state = Investigation()
        self.events: list[AnyEvent] = []
        self.shown: list[tuple[str, ...]] = []
        self.texts: dict[str, str] = {}
        self.private: list[tuple[str, str]] = []
        self.answer = answer
        self.state.apply(DumpHashed(sha256="ab" * 32), datetime.now(UTC))

    async def record(self, *events: AnyEvent) -> None:
        for event in events:
            self.events.append(event)
            self.state.apply(event, datetime.now(UTC))

    async def ask_cloud(
        self, subjects: tuple[str, ...], question: str, allowed: bool
    ) -> frozenset[Content] | None:
        self.shown.append(subjects)
        return self.answer

    def environment(self) -> list[tuple[str, str]]:
        return self.private

    async def text(self, evidence_id: str) -> str:
        return self.texts[evidence_id]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def payload(self, ident: str) -> bytes:
        return (self.folder / "payloads" / f"{ident}.json").read_bytes()


def backend(server: Scripted, tier: ModelTier, model: str = "m", seller: str = "") -> Backend:
    """The scripted server as one of this machine or, for a test, as one elsewhere."""
    place = replace(place_of(server.openai), tier=tier)
    provider = OpenAiLike(place, Secret(KEY), name=f"{tier}-server", limits=LIMITS)
    return Backend(provider, model, tier, place.shown, seller)


def models(
    desk: Desk,
    backends: Iterable[Backend],
    wish: TierWish = TierWish.AUTO,
    *,
    allow_cloud: bool = True,
    refresh: bool = False,
    **settings: Any,
) -> RoutedModels:
    there = {one.tier: one for one in backends}
    missing = {tier: f"no {tier} here" for tier in ModelTier if tier not in there}
    wished = ModelWish(tier=wish, allow_cloud=allow_cloud, refresh=refresh)
    return RoutedModels(
        desk, Lineup(there, missing), wished, Settings(openai_api_key=Secret(KEY), **settings)
    )


def asked(question: Question[BaseModel], **changes: Any) -> Question[BaseModel]:
    return replace(question, **changes)
