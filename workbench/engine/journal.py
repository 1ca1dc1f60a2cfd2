"""The journal: an event is committed, then folded into the state, then shown. In that order."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from workbench.model.events import AnyEvent
from workbench.model.investigation import Investigation, fold
from workbench.model.journal import Recorded
from workbench.store.session_store import SessionStore

Listener = Callable[[Sequence[Recorded]], None]


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


class Journal:
    """The only writer of a session's state.

    Listeners get each committed batch after the state has taken it; they must not block.
    """

    def __init__(
        self,
        store: SessionStore,
        state: Investigation | None = None,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self.state = state or Investigation()
        self._store = store
        self._clock = clock
        self._listeners: list[Listener] = []
        self._lock = asyncio.Lock()

    @classmethod
    async def load(cls, store: SessionStore, clock: Callable[[], datetime] = utc_now) -> "Journal":
        """The journal of a saved session, its state rebuilt from the events."""
        return cls(store, fold(await store.events()), clock)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with every batch from now on; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def now(self) -> datetime:
        """The journal's clock."""
        return self._clock()

    async def record(self, *events: AnyEvent, texts: dict[str, bytes] | None = None) -> None:
        """Commit events, with the texts of the evidence among them, in one transaction and show
        them. Raises `StoreError`: nothing changed."""
        # Once begun, a commit and its fold belong together, even when the caller is cancelled.
        await asyncio.shield(asyncio.ensure_future(self._commit(events, texts or {})))

    async def _commit(self, events: Sequence[AnyEvent], texts: dict[str, bytes]) -> None:
        async with self._lock:
            rows = await self._store.append(events, self._clock(), texts)
            for row in rows:
                self.state.apply(row.event, row.at, row.seq)
            for listener in tuple(self._listeners):
                listener(rows)
