"""Engine to screen: what is committed within one tick becomes one message."""

import asyncio
from collections.abc import Sequence
from contextvars import copy_context

from textual.message import Message
from textual.message_pump import MessagePump

from workbench.model.journal import Recorded
from workbench.tui.port import SessionPort

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
        """Stop listening."""
        self._stop()
