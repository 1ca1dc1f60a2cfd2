"""Asks a model for a role, and bears whatever comes of it: the experts' run never depends on it."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.agents.ports import Ports
from workbench.llm.errors import Fault, ModelFailed
from workbench.llm.fences import kinds_in
from workbench.llm.port import Answer, Message, Models, NoModel, Tool
from workbench.llm.prompts import load
from workbench.model.assisted_events import PassEnded, PassEntered
from workbench.model.events import Noticed

if TYPE_CHECKING:
    from pydantic import BaseModel

T = TypeVar("T", bound="BaseModel")
Build = Callable[[int], Awaitable[dict[str, Any]]]
"""The values of a prompt, whose longest text has at most so many characters."""

SIZES = (6000, 2400, 900)
"""Characters of the summary: the next where a model's context does not hold the one before."""
_LOST = frozenset({Fault.UNREACHABLE, Fault.BUSY, Fault.REFUSED_KEY})
_MOST_FAILURES = 4


class Helper:
    """One run's way to its models. After a failure that will not pass, and after several others,
    it asks no more: `gone`. ``failed`` says why the last call gave nothing, ``fault`` its kind."""

    def __init__(self, ports: Ports, models: Models) -> None:
        self.ports = ports
        self._models = models
        self._size = 0
        self._failures = 0
        self.gone = False
        self.failed = ""
        self.fault: Fault | None = None

    @asynccontextmanager
    async def at_work(self, name: str) -> AsyncIterator[None]:
        """Say that a pass begins and how it ended; a cancelled one has not ended."""
        self.failed = ""
        await self.ports.record(PassEntered(name=name))
        yield
        await self.ports.record(PassEnded(name=name, failed=self.failed))

    async def ask(
        self,
        prompt: str,
        build: Build,
        *,
        answer: type[T] | None = None,
        tools: Sequence[Tool] = (),
        history: Sequence[Message] = (),
        on_text: Callable[[str], None] | None = None,
    ) -> Answer[T] | None:
        """One call; None when it gave nothing, with the reason in ``failed``. A summary that is
        too long for the model's context is made shorter."""
        self.fault = None
        while not self.gone:
            try:
                question = load(prompt).question(
                    answer=answer, tools=tools, history=history, **await build(SIZES[self._size])
                )
                told = "\n".join(message.content for message in question.messages)
                question = replace(question, contents=kinds_in(told))
                given: Answer[Any] = await self._models.ask(question, on_text)
            except NoModel as error:
                await self._give_up(str(error))
            except ModelFailed as error:
                self.fault = error.fault
                if error.fault is Fault.TOO_LONG and self._size + 1 < len(SIZES):
                    self._size += 1
                    continue
                await self._note(str(error), lost=error.fault in _LOST)
                return None
            except Exception as error:  # noqa: BLE001 - a model's provider ends no investigation
                await self._note(f"the call failed: {error!r}")
                return None
            else:
                self._failures, self.failed = 0, ""
                return given
        return None

    async def _note(self, why: str, lost: bool = False) -> None:
        self.failed = " ".join(why.split())[:300]
        self._failures += 1
        if lost or self._failures >= _MOST_FAILURES:
            await self._give_up(self.failed)

    async def _give_up(self, why: str) -> None:
        self.failed = " ".join(why.split())[:300]
        self.gone = True
        text = f"The model is asked no more: {self.failed}. What the experts found stands."
        await self.ports.record(Noticed(text=text, severity="warning"))
