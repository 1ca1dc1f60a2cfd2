"""Which servers and models answer now: what the settings name, and the usual ports of this machine.

All are asked at the same time, and none may be silent for more than a second. Nothing but a list
of models is asked for; of a key only whether there is one is told.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from workbench.llm.errors import ModelFailed
from workbench.llm.offers import Offer, offers
from workbench.llm.providers.base import ModelInfo
from workbench.llm.providers.place import BadAddress, place_of
from workbench.llm.reach import answers
from workbench.model.models import ModelTier
from workbench.settings import Settings

if TYPE_CHECKING:
    from workbench.llm.providers.asking import Provider

PATIENCE = 3.0  # seconds of silence
_LONGEST = 30.0  # seconds, for a server that says a word now and then
# Where servers listen unless they are told otherwise.
_PORTS = {
    "llama.cpp": "http://127.0.0.1:8080/v1",
    "vLLM": "http://127.0.0.1:8000/v1",
    "LM Studio": "http://127.0.0.1:1234/v1",
}
_NOT_ASKED = "not asked"
_OLLAMA = "http://127.0.0.1:11434"


class FoundServer(Struct, frozen=True, kw_only=True):
    """A server, or a file with a model. ``setting`` names it (empty: a usual port), ``key`` says
    present | missing | not needed, ``why`` why it does not answer; both are one line."""

    name: str
    kind: str
    address: str
    tier: ModelTier
    setting: str = ""
    key: str = "not needed"
    answers: bool = False
    why: str = ""
    models: tuple[ModelInfo, ...] = ()

    @property
    def was_asked(self) -> bool:
        """False for one on another machine that was only named."""
        return self.why != _NOT_ASKED


async def discover(settings: Settings, *, elsewhere: bool) -> list[FoundServer]:
    """What the settings name, answering or not, and what answers at the usual ports.

    ``elsewhere``: servers on other machines are asked for their models too, with their key; without
    it they are only named.
    """
    try:
        known = offers(settings)
    except BadAddress as error:
        return [
            FoundServer(name="settings", kind="", address="", tier=ModelTier.CLOUD, why=str(error))
        ]
    named = [offer for offer in known if offer.setting]
    taken = {offer.place.shown for offer in named}
    usual = [Offer("openai", place_of(url)) for url in _PORTS.values()]
    usual.append(Offer("ollama", place_of(_OLLAMA)))
    usual = [offer for offer in usual if offer.place.shown not in taken]
    asked = [*named, *usual]
    here = [offer for offer in asked if offer.tier is ModelTier.LOCAL and offer.kind != "gguf"]
    there = await asyncio.gather(*(answers(offer.place) for offer in here))
    listening = {offer.place.shown for offer, open_ in zip(here, there, strict=True) if open_}
    looks = [_look(offer, settings, elsewhere, listening) for offer in asked]
    found = await asyncio.gather(*looks)
    return [server for server in found if server.setting or server.answers]


async def _look(
    offer: Offer, settings: Settings, elsewhere: bool, listening: set[str]
) -> FoundServer:
    server = FoundServer(
        name=_name(offer),
        kind=offer.kind,
        address=offer.place.shown,
        tier=offer.tier,
        setting=offer.setting,
        key=_key(offer),
    )
    if offer.tier is ModelTier.CLOUD and not elsewhere:
        return _with(server, why=_NOT_ASKED)
    here = offer.tier is ModelTier.LOCAL and offer.kind != "gguf"
    if here and offer.place.shown not in listening:
        return _with(server, why="nothing listens there")
    return await _listed(server, offer.provider(structs.replace(settings, model_timeout=PATIENCE)))


async def _listed(server: FoundServer, provider: "Provider") -> FoundServer:
    try:
        async with asyncio.timeout(_LONGEST):
            models = await provider.models()
    except ModelFailed as failure:
        return _with(server, why=failure.why)
    except TimeoutError:
        return _with(server, why=f"it did not end within {_LONGEST:g} s")
    finally:
        await provider.close()
    return _with(server, models=models)


def _with(server: FoundServer, *, why: str = "", models: Sequence[ModelInfo] = ()) -> FoundServer:
    elsewhere = {one.tier for one in models} == {ModelTier.CLOUD}
    tier = ModelTier.CLOUD if elsewhere else server.tier
    return structs.replace(server, tier=tier, answers=not why, why=why, models=tuple(models))


def _name(offer: Offer) -> str:
    known = {"ollama": "Ollama", "azure": "Azure OpenAI", "gguf": "GGUF file"}
    if offer.kind in known:
        return known[offer.kind]
    by_port = {url: name for name, url in _PORTS.items()}
    return offer.seller or by_port.get(offer.place.shown, "OpenAI-compatible")


def _key(offer: Offer) -> str:
    if offer.key is not None:
        return "present"
    return "missing" if offer.seller in ("openai", "azure") else "not needed"
