"""What the screen is given: the engine's session, what a front end makes and lists them with, and
what is committed within one tick as one message.

The engine is imported by type checkers only: it brings the database with it, models much more.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from workbench.model.journal import Recorded

if TYPE_CHECKING:
    from workbench.engine.finding import Searched
    from workbench.engine.session import Session
    from workbench.llm.watched import Speech
    from workbench.store.session_row import SessionRow

    SessionPort: TypeAlias = Session
else:
    SessionPort = Any

import asyncio
from contextvars import copy_context

from textual.message import Message
from textual.message_pump import MessagePump

Listener = Callable[[Sequence[Recorded]], None]
SpeechListener = Callable[["Speech"], None]
DisplayListener = Callable[[bytes], None]
Unsubscribe = Callable[[], None]
MakeSession: TypeAlias = "Callable[[], Awaitable[SessionPort]]"
OpenSession: TypeAlias = "Callable[[str], Awaitable[SessionPort]]"
ListSessions: TypeAlias = "Callable[[], Sequence[SessionRow] | Awaitable[Sequence[SessionRow]]]"
Clock = Callable[[], datetime]


class Shelf(Protocol):
    """What can be done with saved sessions without opening them. Each raises `StoreError`."""

    async def rename(self, id: str, name: str) -> None:
        """The person's name for a session."""

    async def pin(self, id: str, pinned: bool) -> None:
        """Keep a session from every cleanup, or not."""

    def find(self, text: str) -> "AsyncGenerator[Searched, None]":
        """The evidence of all of them, searched by words."""

    async def delete(self, id: str) -> bool:
        """Delete a session; False where somebody has it open."""


TICK = 0.033
"""Seconds in which events are gathered."""


class StateChanged(Message):
    """The session's state moved on by these events."""

    def __init__(self, recorded: Sequence[Recorded]) -> None:
        self.recorded = tuple(recorded)
        super().__init__()


class Bridge:
    """Listens to a session and posts `StateChanged` to a screen, at most once a tick."""

    def __init__(self, target: MessagePump, port: SessionPort) -> None:
        self._target = target
        self._loop = asyncio.get_running_loop()
        self._calling = copy_context()
        self._waiting: list[Recorded] = []
        self._scheduled = False
        self._stop = port.subscribe(self._listen)

    def _listen(self, recorded: Sequence[Recorded]) -> None:
        self._waiting.extend(recorded)
        if not self._scheduled and not self._loop.is_closed():
            self._scheduled = True
            self._loop.call_soon_threadsafe(
                self._loop.call_later, TICK, self._post, context=self._calling
            )

    def _post(self) -> None:
        self._scheduled = False
        waiting, self._waiting = self._waiting, []
        if waiting:
            self._target.post_message(StateChanged(waiting))

    def close(self) -> None:
        self._stop()
