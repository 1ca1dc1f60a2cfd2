"""A GGUF file in this process: llama.cpp, from the extra ``embedded``.

It is asked as any server is, over a loopback port that only who knows this run's key may use.
"""

import asyncio
import secrets
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Question, T
from workbench.llm.providers.base import BeforeSend, Limits, ModelInfo, OnText, Reply
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.model.models import ModelTier, Role
from workbench.settings import Secret

_CONTEXT = 16384  # tokens
_CACHE = 512  # MiB of states of earlier questions
_MAGIC = b"GGUF"


class Embedded:
    """A model out of a file. Its server is started with the first question."""

    tier = ModelTier.LOCAL

    def __init__(
        self,
        path: Path,
        *,
        limits: Limits | None = None,
        context: int = _CONTEXT,
        threads: int = -1,
    ) -> None:
        self.name = f"{path.name} in process"
        self.path = path
        self._limits = limits or Limits()
        self._context = context
        self._threads = threads
        self._server: Any = None
        self._asked: OpenAiLike | None = None
        self._starting = asyncio.Lock()

    def __repr__(self) -> str:
        return f"<Embedded {self.name}>"

    async def models(self) -> Sequence[ModelInfo]:
        """The file's model. Raises `ModelFailed` where the file or llama.cpp cannot be used."""
        why = unusable(self.path)
        if why is not None:
            raise self._failed(why)
        size = self.path.stat().st_size
        return [ModelInfo(self.path.stem, self.tier, context=self._context, size=size)]

    async def tier_of(self, model: str) -> ModelTier:
        """It runs here."""
        return self.tier

    async def complete(
        self,
        model: str,
        question: Question[T],
        *,
        temperature: float,
        effort: str = "medium",
        on_text: OnText | None = None,
        before_send: BeforeSend | None = None,
        allowed: ModelTier | None = None,
    ) -> Reply[T]:
        """See `workbench.llm.providers.base.Provider.complete`; ``model`` is the file's."""
        asked = await self._started()
        return await asked.complete(
            self.path.stem,
            question,
            temperature=temperature,
            effort=effort,
            on_text=on_text,
            before_send=before_send,
            allowed=allowed,
        )

    async def embed(
        self,
        model: str,
        texts: Sequence[str],
        *,
        before_send: BeforeSend | None = None,
        allowed: ModelTier | None = None,
    ) -> list[list[float]]:
        """See `workbench.llm.providers.base.Provider.embed`."""
        asked = await self._started()
        return await asked.embed(self.path.stem, texts, before_send=before_send, allowed=allowed)

    async def close(self) -> None:
        """End the server and forget the model."""
        asked, self._asked = self._asked, None
        server, self._server = self._server, None
        if asked is not None:
            await asked.close()
        if server is not None:
            await asyncio.to_thread(_end, [server])

    async def _started(self) -> OpenAiLike:
        async with self._starting:
            if self._asked is None:
                why = unusable(self.path)
                if why is not None:
                    raise self._failed(why)
                key = secrets.token_urlsafe(32)
                try:
                    self._server = await asyncio.to_thread(self._start, key)
                except RuntimeError as error:
                    raise self._failed(f"llama.cpp cannot load {self.path}") from error
                place = place_of(f"{self._server.listening_address}/v1")
                self._asked = OpenAiLike(
                    place, Secret(key), name=self.name, limits=self._limits, own=True
                )
            return self._asked

    def _start(self, key: str) -> Any:
        llama = import_module("xllamacpp")
        params = llama.CommonParams()
        params.model.path = str(self.path)
        params.model_alias = {self.path.stem}
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [key]
        params.n_ctx = self._context
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads
        params.cache_ram_mib = _CACHE
        params.embedding = True
        params.pooling_type = llama.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        params.endpoint_slots = False
        params.ui = False
        params.verbosity = -1  # it would write over the screen
        return llama.Server(params)

    def _failed(self, why: str) -> ModelFailed:
        return ModelFailed(
            Fault.UNREACHABLE,
            why,
            provider=self.name,
            model=self.path.stem,
            role=Role.INVESTIGATOR,
            attempt=1,
        )


def unusable(path: Path) -> str | None:
    """Why this file cannot be asked, or None."""
    try:
        with path.open("rb") as file:
            sound = file.read(len(_MAGIC)) == _MAGIC
    except OSError as error:
        return f"{path} cannot be read: {error.strerror or error}"
    if not sound:
        return f"{path} is no GGUF file"
    if find_spec("xllamacpp") is None:
        return "llama.cpp is not installed: pip install 'workbench[embedded]'"
    return None


def _end(last: list[Any]) -> None:
    """The server ends with the last reference to it, and waits for its threads."""
    last.clear()
