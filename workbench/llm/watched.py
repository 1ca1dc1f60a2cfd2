"""A person looks on: a model's words as they come, and the way to stop its call."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.port import Answer, Models, Question
from workbench.llm.providers.base import RESTART
from workbench.model.models import Complexity, Role

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")
MOST_SHOWN = 8_000
"""Characters of an answer's end that are kept for whoever looks on."""


@dataclass(frozen=True)
class Speech:
    """What a model has said so far in the call at hand: words on their way, no evidence of
    anything. ``ended`` when the call is over, whatever came of it."""

    role: Role
    text: str
    ended: bool = False


Listener = Callable[[Speech], None]


class WatchedModels:
    """Implements `Models` by another, telling listeners the words of each call."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self._listeners: list[Listener] = []
        self._running: list[asyncio.Task[Any]] = []
        self._stopped: set[asyncio.Task[Any]] = set()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` on the loop with every piece that comes; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def use(self, models: Models) -> None:
        """Ask others from the next call on; a call that runs is stopped."""
        self.stop()
        before, self._models = self._models, models
        await before.close()

    @property
    def capped(self) -> bool:
        """See `Models.capped`."""
        return self._models.capped

    def stop(self) -> bool:
        """Cancel the latest call that runs; False when none does. Whoever asked is told by
        `ModelFailed` and goes on without the answer."""
        if not self._running:
            return False
        task = self._running[-1]
        self._stopped.add(task)
        task.cancel()
        return True

    async def ask(
        self, question: Question[T], on_text: Callable[[str], None] | None = None
    ) -> Answer[T]:
        """One answer. Raises `NoModel` and `ModelFailed`, which is also what a stop becomes."""
        if question.complexity is Complexity.SIMPLE:
            return await self._models.ask(question)  # nobody is asked: there is nothing to hear
        said = ""

        def heard(text: str) -> None:
            nonlocal said
            said = (said + text).rpartition(RESTART)[2][-MOST_SHOWN:]
            self._tell(Speech(question.role, said))
            if on_text is not None:
                on_text(text)

        task = asyncio.ensure_future(self._models.ask(question, heard))
        self._running.append(task)
        self._tell(Speech(question.role, ""))
        try:
            return await task
        except asyncio.CancelledError:
            if task not in self._stopped:
                raise
            why = "the call was stopped by the user"
            raise ModelFailed(Fault.STOPPED, why, "the", "model", question.role, 1) from None
        finally:
            self._running.remove(task)
            self._stopped.discard(task)
            self._tell(Speech(question.role, said, ended=True))

    async def embed(self, texts: Sequence[str]) -> tuple[str, list[list[float]]]:
        """As the models behind it; vectors are no words."""
        return await self._models.embed(texts)

    async def tell(self) -> None:
        """As the models behind it."""
        await self._models.tell()

    async def close(self) -> None:
        """Let go of the providers."""
        await self._models.close()

    def _tell(self, speech: Speech) -> None:
        for listener in tuple(self._listeners):
            listener(speech)
