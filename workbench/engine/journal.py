"""The journal: an event is committed, then folded into the state, then shown. In that order."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from workbench.model.events import AnyEvent
from workbench.model.investigation import Investigation, fold
from workbench.model.journal import Recorded
from workbench.store.errors import StoreError
from workbench.store.large_text import Kept
from workbench.store.session_store import SessionStore

Listener = Callable[[Sequence[Recorded]], None]

GATHERED = 0.01
"""Seconds in which what is posted waits for what comes next, to share its transaction."""


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


_Done = asyncio.Future[None]


class _Entry(NamedTuple):
    events: Sequence[AnyEvent]
    texts: dict[str, bytes]
    done: _Done


class Journal:
    """The only writer of a session's state.

    Events that come while a transaction is under way share the next one; what nobody waits for
    shares that of what comes within `GATHERED`. Listeners get each committed batch after the state
    has taken it; they must not block.
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
        self._waiting: list[_Entry] = []
        self._writer: asyncio.Task[None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self._closed = False
        self._saves = True
        self._unsaved: list[Recorded] = []

    @classmethod
    async def load(cls, store: SessionStore) -> "Journal":
        """The journal of a saved session, its state rebuilt from the events."""
        state = fold(await store.events())
        state.about.elsewhere = state.about.elsewhere or not store.made_here
        return cls(store, state)

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` with every batch from now on; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def now(self) -> datetime:
        """The journal's clock."""
        return self._clock()

    def post(self, *events: AnyEvent, texts: dict[str, bytes] | None = None) -> _Done:
        """Queue events, with the texts of the evidence among them, to be committed in order.

        The result is done once they are committed and folded; it raises `StoreError` when nothing
        of them was kept. Cancelling whoever waits for it does not stop the commit. After `close`
        it is cancelled: what a closing session still does is no progress.
        """
        done: _Done = asyncio.get_running_loop().create_future()
        if self._closed:
            done.cancel()
            return done
        self._waiting.append(_Entry(events, texts or {}, done))
        if self._later is None:
            self._later = done.get_loop().call_later(GATHERED, self._begin)
        return done

    async def record(self, *events: AnyEvent, texts: dict[str, bytes] | None = None) -> None:
        """`post`, and wait for the commit, which begins at once."""
        done = self.post(*events, texts=texts)
        self._begin()
        await asyncio.shield(done)

    def stop_saving(self) -> None:
        """The disk takes no more. What comes is folded all the same, so that what was found can
        still be told; a resume goes on from the last event that was committed."""
        self._saves = False

    def say(self, event: AnyEvent) -> None:
        """Show an event that is not kept: it is of this look at the session alone."""
        row = Recorded(self.state.seq, self._clock(), event)
        self.state.apply(event, self.state.updated_at or row.at, row.seq)
        self._tell([], [row])

    async def follow(self) -> None:
        """Take and show what another process has written since. Raises `StoreError`."""
        rows = await self._store.events(self.state.seq)
        for row in rows:
            self.state.apply(row.event, row.at, row.seq)
        if rows:
            self._tell([], rows)

    async def adopt(self, evidence_id: str, source: Path, known: Kept | None) -> Kept:
        """Move a text that lies in a file into the session, before its evidence is recorded; what
        is there now. Raises `StoreError`."""
        return await self._store.adopt(evidence_id, source, known)

    def blocks(self, evidence_id: str) -> Iterator[str]:
        """The whole text that `adopt` took, a block of lines at a time. Raises `OSError`."""
        return self._store.blocks(evidence_id)

    async def close(self) -> None:
        """Take no more events, and wait until those that are queued are committed."""
        self._closed = True
        self._begin()
        if self._writer is not None:
            await asyncio.shield(self._writer)

    def _begin(self) -> None:
        """Commit what waits, unless that is under way."""
        if self._later is not None:
            self._later.cancel()
            self._later = None
        if self._waiting and (self._writer is None or self._writer.done()):
            self._writer = asyncio.ensure_future(self._write())

    async def _write(self) -> None:
        while self._waiting:
            batch, self._waiting = self._waiting, []
            await self._commit(batch)

    async def _commit(self, batch: list[_Entry]) -> None:
        try:
            rows = await self._append(batch)
        except Exception as error:  # noqa: BLE001 - whoever waits gets it; the next goes on
            if len(batch) == 1 or isinstance(error, StoreError):
                _fail(batch, error)
                return
            # One holds what cannot be written, such as half a surrogate pair; nothing was kept.
            for entry in batch:
                await self._commit([entry])
            return
        try:
            for row in rows:
                self.state.apply(row.event, row.at, row.seq)
        except Exception as error:  # noqa: BLE001 - what is committed is not tried again
            await self._rebuild()
            first = rows[0].seq if rows else 0
            for entry in batch:
                last = first + len(entry.events)
                if any(first <= seq < last for seq in self.state.untaken):
                    _fail([entry], error)
                first = last
        self._tell(batch, rows)

    async def _rebuild(self) -> None:
        """The state took a part of an event: make it again of what is committed, without that
        event. Panes hold the state, so that it stays the same object."""
        whole = fold([*await self._store.events(), *self._unsaved])
        for name in Investigation.__struct_fields__:
            setattr(self.state, name, getattr(whole, name))

    async def _append(self, batch: list[_Entry]) -> list[Recorded]:
        events = [event for entry in batch for event in entry.events]
        texts = {name: text for entry in batch for name, text in entry.texts.items()}
        if self._saves:
            return await self._store.append(events, self._clock(), texts)
        first, at = self.state.seq + 1, self._clock()
        rows = [Recorded(number, at, event) for number, event in enumerate(events, first)]
        self._unsaved += rows
        return rows

    def _tell(self, batch: list[_Entry], rows: Sequence[Recorded]) -> None:
        for entry in batch:
            if not entry.done.done():
                entry.done.set_result(None)
        for listener in tuple(self._listeners):
            self._show(listener, rows)

    def _show(self, listener: Listener, rows: Sequence[Recorded]) -> None:
        try:
            listener(rows)
        except Exception as error:  # noqa: BLE001 - what is shown cannot undo what is committed
            context = {"message": "a listener of the journal failed", "exception": error}
            asyncio.get_running_loop().call_exception_handler(context)


def _fail(batch: Sequence[_Entry], error: Exception) -> None:
    for entry in batch:
        if not entry.done.done():
            entry.done.set_exception(error)
            entry.done.exception()  # somebody may not be waiting: the next one says it
