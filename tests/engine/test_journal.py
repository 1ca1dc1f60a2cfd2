"""Events that share a transaction do not share what is wrong with one of them."""

import asyncio
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.engine.journal import Journal
from workbench.model.events import AnyEvent, DumpHashed, Noticed
from workbench.model.investigation import Investigation
from workbench.model.journal import Recorded
from workbench.store.errors import StoreError
from workbench.store.session_store import SessionStore

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


async def test_only_what_cannot_be_written_fails(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core.1"), NOW)
    journal = Journal(store)
    shown: list[Recorded] = []
    journal.subscribe(shown.extend)
    texts = ["one", "half a pair: \ud800", "two", "three"]
    done = [journal.post(Noticed(text=text)) for text in texts]
    said = await asyncio.gather(*done, return_exceptions=True)
    assert [type(one) for one in said] == [type(None), UnicodeEncodeError, type(None), type(None)]
    await journal.record(Noticed(text="later"))
    kept = [row.event.text for row in await store.events() if isinstance(row.event, Noticed)]
    assert kept == ["one", "two", "three", "later"]
    assert [row.seq for row in shown] == [1, 2, 3, 4]
    assert journal.state.seq == 4
    await journal.close()
    await store.close()


async def test_a_disk_that_takes_nothing_is_asked_once(tmp_path: Path) -> None:
    store = await SessionStore.create(tmp_path, Path("/c/core.1"), NOW)
    journal = Journal(store)
    await store.close()
    done = [journal.post(Noticed(text=text)) for text in ("one", "two")]
    said = await asyncio.gather(*done, return_exceptions=True)
    assert isinstance(said[0], StoreError)
    assert said[0] is said[1], "each has its own try"
    with pytest.raises(StoreError):
        await journal.record(Noticed(text="later"))


async def test_an_event_that_the_state_cannot_take_leaves_nothing_of_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`apply` may raise half way; the state is then that of the events on the disk without it, now
    and after a reload, and what came with it and after it stands."""
    store = await SessionStore.create(tmp_path, Path("/c/core.1"), NOW)
    journal = Journal(store, clock=lambda: NOW)
    shown: list[Recorded] = []
    journal.subscribe(shown.extend)
    taken = Investigation.apply

    def apply(self: Investigation, event: AnyEvent, at: datetime, seq: int | None = None) -> None:
        if isinstance(event, DumpHashed):
            self.notices.append(Noticed(text="half of it"))
            raise ZeroDivisionError
        taken(self, event, at, seq)

    monkeypatch.setattr(Investigation, "apply", apply)
    state = journal.state
    events = (Noticed(text="one"), DumpHashed(sha256="0"), Noticed(text="two"))
    said = await asyncio.gather(*map(journal.post, events), return_exceptions=True)
    assert [type(one) for one in said] == [type(None), ZeroDivisionError, type(None)]
    await journal.record(Noticed(text="later"))
    wanted = ["one", "Event 2 cannot be read.", "two", "later"]
    assert [one.text for one in state.notices] == wanted
    assert (state.seq, state.untaken) == (4, [2])
    assert [row.seq for row in shown] == [1, 2, 3, 4]
    await journal.close()
    again = (await Journal.load(store)).state
    assert (again.notices, again.seq, again.untaken) == (state.notices, 4, [2])
    await store.close()
