"""Azure OpenAI: the same words at another address, where a model's name is a deployment's."""

from collections.abc import Sequence
from urllib.parse import quote

from workbench.llm.providers.base import Limits, ModelInfo
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import Place
from workbench.settings import Secret

API_VERSION = "2024-10-21"  # the newest that is generally available by date


class AzureOpenAi(OpenAiLike):
    """A resource of Azure OpenAI. Its deployments cannot be listed with its key, so what is listed
    is what the settings name."""

    key_header = "api-key"

    def __init__(
        self,
        place: Place,
        key: Secret | None,
        *,
        deployment: str | None = None,
        api_version: str | None = None,
        limits: Limits | None = None,
    ) -> None:
        super().__init__(place, key, name=f"Azure OpenAI at {place.shown}", limits=limits)
        self._deployment = deployment
        self._api_version = api_version or API_VERSION

    def route(self, what: str, model: str) -> str:
        """That of a deployment, in this version of the interface."""
        deployment = quote(model, safe="")
        return f"openai/deployments/{deployment}/{what}?api-version={self._api_version}"

    async def models(self) -> Sequence[ModelInfo]:
        """The deployment that the settings name."""
        return [ModelInfo(self._deployment, self.tier)] if self._deployment else []
