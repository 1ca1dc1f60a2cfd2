"""The one way to a model: `RoutedModels` stands between whoever asks and the providers."""

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from pydantic import BaseModel

from workbench.llm.calls import Calls
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.offers import OLLAMA, OLLAMA_PORT, OPENAI, Offer
from workbench.llm.permission import Narrowed, NotAllowed
from workbench.llm.port import Answer, CapReached, EmbeddingsOff, NoModel, Question, Settled, Unfit
from workbench.llm.prices import window
from workbench.llm.providers.base import RESTART
from workbench.llm.providers.place import BadAddress, place_of
from workbench.llm.router import Route, route
from workbench.llm.surroundings import Surroundings
from workbench.model.model_events import ModelDegraded, ModelsChosen
from workbench.model.models import Complexity, ModelTier, ModelWish, TierWish
from workbench.settings import Settings


def embedder(settings: Settings) -> Backend:
    """The backend that the settings name. Raises `NoModel` where embeddings are off, or cannot be
    had; the message says why."""
    if not settings.use_embeddings:
        raise EmbeddingsOff("embeddings are off")
    try:
        offer = _offer(settings)
    except BadAddress as error:
        raise NoModel(str(error)) from error
    model = offer.model or settings.embeddings_model
    provider = offer.provider(settings)
    return Backend(provider, model, offer.tier, offer.place.shown, offer.seller)


def _offer(settings: Settings) -> Offer:
    match settings.embeddings_provider:
        case "openai":
            place = place_of(settings.openai_base_url or OPENAI)
            seller = "openai" if place.shown == OPENAI else ""
            key = settings.openai_api_key
            return Offer("openai", place, "OPENAI_API_KEY", key=key, seller=seller)
        case "azure":
            endpoint = settings.azure_embeddings_endpoint or settings.azure_openai_endpoint
            if not endpoint:
                raise NoModel("AZURE_EMBEDDINGS_ENDPOINT is not set")
            return Offer(
                "azure",
                place_of(endpoint),
                "AZURE_EMBEDDINGS_ENDPOINT",
                settings.azure_embeddings_deployment,
                settings.azure_embeddings_api_key or settings.azure_openai_api_key,
                settings.azure_openai_api_version,
                seller="azure",
            )
        case "ollama":
            place = place_of(settings.ollama_host or OLLAMA, port=OLLAMA_PORT)
            return Offer("ollama", place, "OLLAMA_HOST")
        case other:
            raise NoModel(f"EMBEDDINGS_PROVIDER is {other!r}: use openai, azure or ollama")


T = TypeVar("T", bound="BaseModel")

# A provider that fails so is left alone: at once, or after so many calls in a row.
_AT_ONCE = frozenset({Fault.REFUSED_KEY})
_IN_A_ROW = {Fault.UNREACHABLE: 2, Fault.BUSY: 2}
# The model was there and gave nothing: code does its work, and the report says why.
_NO_ANSWER = frozenset({Fault.DECLINED, Fault.UNUSABLE, Fault.REFUSED})
_REST = 120.0  # seconds after which one that was busy is tried again


class RoutedModels:
    """Implements `workbench.llm.port.Models` for one session and one run of it."""

    def __init__(
        self, surroundings: Surroundings, lineup: Lineup, wish: ModelWish, settings: Settings
    ) -> None:
        self._surroundings = surroundings
        self._lineup = lineup
        self._wish = wish
        self._settings = settings
        self._calls = Calls(surroundings, wish, settings)
        self._down: dict[ModelTier, tuple[str, float | None]] = {}
        self._failures: dict[ModelTier, int] = {}
        self._told = False
        self._embedder: Backend | None = None

    async def ask(
        self, question: Question[T], on_text: Callable[[str], None] | None = None
    ) -> Answer[T]:
        """One answer. Raises `NoModel` (`Unfit` where other questions have a model, `Settled` where
        this one needs none) and `ModelFailed`."""
        if route(question.complexity, self._wish.tier, {}).fitting is None:
            raise Settled("code settles this; no model is asked")
        await self.tell()
        missing = self._missing()
        way = route(question.complexity, self._wish.tier, missing)
        why = [way.reason()] if way.why else []
        said = False

        def heard(text: str) -> None:
            nonlocal said
            said = True
            if on_text is not None:
                on_text(text)

        for tier in way.tiers:
            if said:
                heard(RESTART)
                said = False
            try:
                answer = await self._calls.ask(self._lineup.backends[tier], question, heard)
            except NotAllowed as refusal:
                why.insert(0, str(refusal))  # rather than which other tier there is not
                continue
            except ModelFailed as failure:
                if failure.fault not in _AT_ONCE and failure.fault not in _IN_A_ROW:
                    if failure.fault in _NO_ANSWER:
                        await self._degrade(way, None, [*why, _said(failure)])
                    elif why:  # a higher one was passed over, whatever becomes of this one
                        await self._degrade(way, tier, why)
                    raise
                self._note_failure(tier, failure)
                why.append(_said(failure))
                if tier is way.tiers[-1]:
                    await self._degrade(way, None, why)
                    if self._for_harder(way):
                        raise Unfit("; ".join(why)) from failure
                    raise
                continue
            self._failures.pop(tier, None)
            return replace(answer, degraded=await self._degrade(way, tier, why))
        await self._degrade(way, None, why)
        if not way.tiers and self._for_harder(way):
            raise Unfit("; ".join(why))
        if self._calls.cap is not None:
            raise CapReached("; ".join(why), money=self._calls.cap)
        if way.tiers and not self._calls.cloud_closed():  # this was kept here, not all that follows
            raise Unfit("; ".join(why))
        raise NoModel("; ".join(why))

    async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
        """Vectors from the backend that the settings name. Raises `NoModel` and `ModelFailed`."""
        if self._embedder is None:
            self._embedder = await asyncio.to_thread(embedder, self._settings)
        backend = self._embedder
        may = self._wish.tier is not TierWish.LOCAL and self._wish.allow_cloud
        if backend.tier is ModelTier.CLOUD and not may:
            raise NoModel("embeddings elsewhere need --allow-cloud")
        try:
            return backend.label, await self._calls.embed(backend, texts)
        except (NotAllowed, Narrowed) as refusal:
            raise NoModel(str(refusal) or "not all of it may leave the machine") from refusal

    @property
    def capped(self) -> bool:
        """True once a call was refused for what a session may spend."""
        return self._calls.cap is not None

    async def close(self) -> None:
        """Let go of the providers."""
        await self._lineup.close()
        await self._end_embedder()

    async def _end_embedder(self) -> None:
        if self._embedder is not None:
            with suppress(Exception):
                await self._embedder.provider.close()

    async def tell(self) -> None:
        """Say once which models this run has, and the window of the one for complex questions: a
        seller's is in the price list where the server does not tell it."""
        if self._told:
            return
        self._told = True
        backends = self._lineup.backends
        names = {tier.value: one.label for tier, one in backends.items()}
        tiers = route(Complexity.COMPLEX, self._wish.tier, self._missing()).tiers
        first = backends[tiers[0]] if tiers else None
        context = first.context if first is not None else None
        if context is None and first is not None and first.tier is ModelTier.CLOUD:
            context = await asyncio.to_thread(window, first.model, first.seller, first.url)
        await self._surroundings.record(
            ModelsChosen(**names, why=self._lineup.why, context=context)
        )

    # --- inside ---------------------------------------------------------------------------------

    def _missing(self) -> dict[ModelTier, str]:
        """Why each tier that cannot be used now cannot."""
        missing = dict(self._lineup.missing)
        for tier, (why, until) in list(self._down.items()):
            if until is not None and time.monotonic() > until:
                del self._down[tier]
            else:
                missing[tier] = why
        if ModelTier.CLOUD in self._lineup.backends and (why := self._calls.cloud_closed()):
            missing[ModelTier.CLOUD] = why
        return missing

    def _for_harder(self, tried: Route) -> bool:
        """True when harder questions have a tier left that this one was not for."""
        harder = route(Complexity.COMPLEX, self._wish.tier, self._missing())
        return bool(set(harder.tiers) - set(tried.tiers))

    def _note_failure(self, tier: ModelTier, failure: ModelFailed) -> None:
        self._failures[tier] = self._failures.get(tier, 0) + 1
        if failure.fault in _AT_ONCE:
            self._down[tier] = (_said(failure), None)
        elif self._failures[tier] >= _IN_A_ROW[failure.fault]:
            self._failures[tier] = 0
            self._down[tier] = (_said(failure), time.monotonic() + _REST)

    async def _degrade(self, way: Route, to: ModelTier | None, why: list[str]) -> str | None:
        """Say once for each reason that a lower tier than the fitting one works."""
        if way.fitting is None or to is way.fitting:
            return None
        reason = "; ".join(why) or f"no {way.fitting} model"
        event = ModelDegraded(wanted=way.fitting, to=to, why=reason)
        if event not in self._surroundings.state.models.degraded:
            await self._surroundings.record(event)
        return reason


class SharedModels(RoutedModels):
    """Of a session whose providers another one is given next: they stay."""

    async def close(self) -> None:
        """Let go of what is this session's own."""
        await self._end_embedder()


def _said(failure: ModelFailed) -> str:
    return f"{failure.provider}: {failure.why}"
