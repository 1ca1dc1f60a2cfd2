"""A GGUF file in this process: llama.cpp, from the extra ``embedded``.

It is asked as any server is, over a loopback port that only who knows this run's key may use.
"""

import asyncio
import os
import secrets
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.llm.errors import Fault
from workbench.llm.providers.base import Limits, ModelInfo
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import Place, place_of
from workbench.llm.providers.trouble import Trouble
from workbench.model.models import ModelTier
from workbench.settings import Secret

if TYPE_CHECKING:
    from httpx2 import AsyncClient

_CONTEXT = 16384  # tokens
_CACHE = 512  # MiB of states of earlier questions
_MAGIC = b"GGUF"


class Embedded(OpenAiLike):
    """A model out of a file. Its server is started with the first question."""

    def __init__(
        self,
        path: Path,
        *,
        limits: Limits | None = None,
        context: int = _CONTEXT,
        threads: int | None = None,
    ) -> None:
        self._run_key = secrets.token_urlsafe(32)
        place = Place(url="", shown=str(path), tier=ModelTier.LOCAL)
        name = f"{path.name} in process"
        super().__init__(place, Secret(self._run_key), name=name, limits=limits, own=True)
        self.path = path
        self._context = context
        self._threads = threads
        self._server: Any = None

    def make(self) -> "AsyncClient":
        """A client for the server that is started here; the place is known only then."""
        self._check()
        try:
            self._server = self._start()
        except RuntimeError as error:
            raise Trouble(Fault.UNREACHABLE, f"llama.cpp cannot load {self.path}") from error
        self.place = place_of(f"{self._server.listening_address}/v1")
        return super().make()

    async def models(self) -> Sequence[ModelInfo]:
        """The file's model. Raises `ModelFailed` where the file or llama.cpp cannot be used."""
        await self.listing(self._checked)
        size = self.path.stat().st_size
        return [ModelInfo(self.path.stem, self.tier, context=self._context, size=size)]

    async def close(self) -> None:
        """End the server and forget the model."""
        await super().close()
        server, self._server = self._server, None
        if server is not None:
            await asyncio.to_thread(_end, [server])

    async def _checked(self) -> None:
        self._check()

    def _check(self) -> None:
        if (why := unusable(self.path)) is not None:
            raise Trouble(Fault.UNREACHABLE, why)

    def _start(self) -> Any:
        llama = import_module("xllamacpp")
        params = llama.CommonParams()
        params.model.path = str(self.path)
        params.model_alias = {self.path.stem}
        params.hostnames = ["127.0.0.1"]
        params.port = 0
        params.api_keys = [self._run_key]
        params.n_ctx = self._context
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._threads or idle()
        params.cache_ram_mib = _CACHE
        params.embedding = True
        params.pooling_type = llama.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
        params.endpoint_slots = False
        params.ui = False
        params.verbosity = -1  # it would write over the screen
        return llama.Server(params)


def idle() -> int:
    """How many processors do nothing, at least one: llama.cpp's threads wait for each other without
    sleeping, so that on busy processors two are slower than one."""
    return max(1, (os.cpu_count() or 1) - round(os.getloadavg()[0]))


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
