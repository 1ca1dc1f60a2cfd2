"""What the screen is given: the engine's session, and what a front end makes and lists them with.

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
