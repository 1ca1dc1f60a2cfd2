"""Where models may be had: what the settings name, and the usual ports of this machine."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.llm.providers.base import Limits
from workbench.llm.providers.place import BadAddress, Place, place_of
from workbench.model.models import ModelTier
from workbench.settings import Secret, Settings

if TYPE_CHECKING:  # every run that may use a model asks for offers first
    from workbench.llm.providers.asking import Provider

OPENAI = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-5-mini"
MEANT_TO_BE_LOCAL = ("OLLAMA_HOST", "WORKBENCH_LOCAL_BASE_URL")
"""Settings by which a person names a server of their own; on another machine it is cloud."""
OLLAMA = "http://127.0.0.1:11434"
OLLAMA_PORT = 11434
LM_STUDIO = "http://127.0.0.1:1234/v1"
# The module and the class of each kind: a client takes up to a second to import.
_PROVIDERS = {
    "gguf": ("embedded", "Embedded"),
    "ollama": ("ollama", "Ollama"),
    "azure": ("azure", "AzureOpenAi"),
    "openai": ("openai_like", "OpenAiLike"),
}
# Seconds without a word: a model on this machine's processor is silent while it reads.
_SILENCE = {ModelTier.CLOUD: 60.0, ModelTier.LOCAL: 300.0}


@dataclass(frozen=True)
class Offer:
    """One server, or a file, that may have models. ``kind`` is openai | azure | ollama | gguf (its
    place is the file's path), ``setting`` what names it (empty: a usual port, which may well be
    silent), ``model`` the one to ask there where a setting says so. ``seller`` is who bills for it,
    as genai-prices names them."""

    kind: str
    place: Place
    setting: str = ""
    model: str | None = None
    key: Secret | None = None
    api_version: str | None = None
    seller: str = ""

    @property
    def tier(self) -> ModelTier:
        """Where a question to it goes."""
        return self.place.tier

    def provider(self, settings: Settings) -> "Provider":
        """The provider of it."""
        limits = Limits(silence=settings.model_timeout or _SILENCE[self.tier])
        module, name = _PROVIDERS[self.kind]
        make = getattr(import_module(f"workbench.llm.providers.{module}"), name)
        given: dict[str, Any] = {"limits": limits}
        if self.kind == "azure":
            given |= {"deployment": self.model, "api_version": self.api_version}
        if self.kind == "openai":
            given["name"] = self.seller
        if self.kind in ("azure", "openai"):
            given["key"] = self.key
        found: Provider = make(
            Path(self.place.shown) if self.kind == "gguf" else self.place, **given
        )
        return found


def offers(settings: Settings) -> list[Offer]:
    """All of them, in the order in which they are preferred. Raises `BadAddress`, which names the
    setting."""
    found = [*_file(settings), *_local(settings), *_openai(settings), *_azure(settings)]
    if not any(offer.tier is ModelTier.LOCAL for offer in found):
        found += [Offer("ollama", place_of(OLLAMA)), Offer("openai", place_of(LM_STUDIO))]
    return found


def _file(settings: Settings) -> list[Offer]:
    if not settings.gguf:
        return []
    place = Place(url="", shown=settings.gguf, tier=ModelTier.LOCAL)
    return [Offer("gguf", place, "WORKBENCH_GGUF")]


def _local(settings: Settings) -> list[Offer]:
    """Servers that belong to the person; on another machine they are cloud all the same."""
    found = []
    if settings.local_base_url:
        setting = "WORKBENCH_LOCAL_BASE_URL"
        place = _place(setting, settings.local_base_url)
        found.append(Offer("openai", place, setting, settings.local_model))
    if settings.ollama_host:
        place = _place("OLLAMA_HOST", settings.ollama_host, port=OLLAMA_PORT)
        found.append(Offer("ollama", place, "OLLAMA_HOST", settings.local_model))
    return found


def _openai(settings: Settings) -> list[Offer]:
    key, model = settings.openai_api_key, settings.openai_model
    if settings.openai_base_url:
        place = _place("OPENAI_BASE_URL", settings.openai_base_url)
        seller = "openai" if place.shown == OPENAI else ""
        return [Offer("openai", place, "OPENAI_BASE_URL", model, key, seller=seller)]
    if key is None:
        return []
    place = place_of(OPENAI)
    return [Offer("openai", place, "OPENAI_API_KEY", model or OPENAI_MODEL, key, seller="openai")]


def _azure(settings: Settings) -> list[Offer]:
    if not settings.azure_openai_endpoint:
        return []
    setting = "AZURE_OPENAI_ENDPOINT"
    return [
        Offer(
            "azure",
            _place(setting, settings.azure_openai_endpoint),
            setting,
            settings.azure_openai_deployment,
            settings.azure_openai_api_key,
            settings.azure_openai_api_version,
            seller="azure",
        )
    ]


def _place(setting: str, address: str, *, port: int | None = None) -> Place:
    try:
        return place_of(address, port=port)
    except BadAddress as error:
        raise BadAddress(f"{setting}: {error}") from error
