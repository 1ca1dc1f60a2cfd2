"""The ollama package's client with what it leaves out: where a model's answers are made.

Import it inside the function that needs it: ollama takes half a second.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, cast

import httpx as httpx
import ollama


class Listed(ollama.ListResponse.Model):
    """A model of ``/api/tags``."""

    remote_model: str | None = None
    remote_host: str | None = None


class Tags(ollama.ListResponse):
    """What ``/api/tags`` says."""

    models: Sequence[Listed]


class Described(ollama.ShowResponse):
    """What ``/api/show`` says."""

    remote_model: str | None = None
    remote_host: str | None = None


class OllamaClient(ollama.AsyncClient):
    """The client; what it raises is its own and httpx's."""

    async def tags(self) -> Tags:
        """The models that are here."""
        return cast(Tags, await self._request(Tags, "GET", "/api/tags"))

    async def described(self, model: str) -> Described:
        """One model."""
        asked = {"model": model}
        return cast(Described, await self._request(Described, "POST", "/api/show", json=asked))

    async def pulling(self, model: str) -> AsyncGenerator[ollama.ProgressResponse, None]:
        """The steps of a pull."""
        steps = await self.pull(model, stream=True)
        return cast(AsyncGenerator[ollama.ProgressResponse, None], steps)

    async def chatting(
        self,
        *,
        model: str,
        messages: Sequence[Mapping[str, Any]],
        tools: Sequence[Mapping[str, Any]],
        format: Any,
        think: Any,
        options: Mapping[str, Any],
    ) -> AsyncGenerator[ollama.ChatResponse, None]:
        """The pieces of an answer."""
        answers = await self.chat(
            model=model,
            messages=messages,
            tools=tools or None,
            stream=True,
            format=format,
            think=think,
            options=options,
        )
        return cast(AsyncGenerator[ollama.ChatResponse, None], answers)

    async def close(self) -> None:
        """Close the connections."""
        await cast(Any, super()).close()
