"""A session made of another one's events: a fork, an import."""

import re
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace

from workbench.engine.reading_again import conclude_again, disarmed
from workbench.engine.viewing import viewed
from workbench.model.events import EvidenceRecorded, SessionOpened
from workbench.model.evidence import Evidence
from workbench.model.investigation import fold
from workbench.model.journal import Recorded
from workbench.model.session_events import Forked
from workbench.store.errors import SessionNotOpened
from workbench.store.session_store import SessionStore
from workbench.store.texts import READ_WHOLE
from workbench.store.vouching import need_made_here

Texts = Callable[[str], Iterator[bytes]]
"""The stored text of an evidence item, in blocks. Raises `StoreError` and `OSError`."""
_BATCH = 200
# Debuggers repeat themselves: 10,000 threads in one wait pack to a hundredth.
_UNASKED, _TIMES = 256 << 20, 200
_ID = re.compile(r"session_[0-9]{8}_[0-9]{6}_[A-Za-z0-9._-]{1,60}")


async def fork(folder: Path, at: int | None, now: datetime) -> Path:
    """A new session beside another one that begins with its events up to number ``at`` (None: all).
    Raises `StoreError`."""
    need_made_here(folder)
    async with viewed(folder) as (store, state):
        rows = [row for row in await store.events() if at is None or row.seq <= at]
        if not rows or state.target is None or (at or 0) > state.seq:
            there = f"it has 1 to {state.seq}" if state.seq else "it has none"
            raise SessionNotOpened(f"session {folder.name} has no event {at}: {there}")
        texts = await texts_of(store, rows)
        copied = await _copied(folder.parent, Path(state.target.path), now, rows, texts)
        async with _whole(copied):
            await copied.append([Forked(session_id=folder.name, at=rows[-1].seq)], now)
            await copied.close()
        return copied.folder


async def take_over(base: Path, rows: Sequence[Recorded], texts: Texts, now: datetime) -> Path:
    """A session that was made elsewhere becomes one of ours, with its id where that is free. What
    was approved there counts for nothing here, and what it concludes is drawn again from its texts
    (`reading_again`). Raises `StoreError`, and what ``texts`` raises."""
    before = fold(rows)
    if before.target is None:
        raise SessionNotOpened("there is no session in it: it does not begin with one")
    rows = [disarmed(row, before.host, before.options, texts) for row in rows]
    id = before.session_id if _ID.fullmatch(before.session_id) else ""
    copied = await _copied(base, Path(before.target.path), now, rows, texts, id)
    async with _whole(copied):
        await conclude_again(copied)
    return copied.folder


def check_size(size: int, packed: int, trusted: bool) -> None:
    """What would fill the disk is only unpacked for a person who says so. Raises
    `SessionNotOpened`."""
    if not trusted and size > max(_UNASKED, _TIMES * packed):
        raise SessionNotOpened(
            f"it would take {size >> 20:,} MiB, {size // max(packed, 1):,} times its size now; "
            "if you know who made it, `workbench sessions import --yes` takes it in"
        )


def items_of(rows: Sequence[Recorded]) -> list[Evidence]:
    """The evidence that was recorded."""
    return [row.event.evidence for row in rows if isinstance(row.event, EvidenceRecorded)]


def check_texts(rows: Sequence[Recorded], packed: int, trusted: bool) -> None:
    """`check_size` of all texts together, by their recorded sizes, and that no two have one id."""
    items = items_of(rows)
    ids = set[str]()
    for item in items:
        if item.id in ids or re.fullmatch(r"E[1-9][0-9]{0,8}", item.id) is None:
            raise SessionNotOpened(f"{item.id!r} is no new evidence: no workbench wrote that")
        ids.add(item.id)
    check_size(sum(max(0, item.size) for item in items), packed, trusted)
    for item in items:
        if item.storage != "external" and item.size > READ_WHOLE:
            raise SessionNotOpened(f"{item.id} is too large for the database: no workbench made it")


async def texts_of(store: SessionStore, rows: Sequence[Recorded]) -> Texts:
    """Each text is held to its sha256 before anything is copied."""
    small = dict[str, bytes]()
    sizes = dict[str, int]()
    for row in rows:
        if isinstance(row.event, EvidenceRecorded):
            id = row.event.evidence.id
            sizes[id] = row.event.evidence.size
            if not await store.check(id):
                small[id] = (await store.text(id)).encode()

    def blocks(id: str) -> Iterator[bytes]:
        if id in small:
            return iter([small[id]])
        return bounded(id, sizes[id], (block.encode() for block in store.blocks(id)))

    return blocks


def bounded(id: str, size: int, blocks: Iterator[bytes]) -> Iterator[bytes]:
    """The blocks of a text. Raises `SessionNotOpened` once they are more than was recorded."""
    for block in blocks:
        size -= len(block)
        if size < 0:
            raise SessionNotOpened(f"{id} is larger than was recorded")
        yield block


async def _copied(
    base: Path, dump: Path, now: datetime, rows: Sequence[Recorded], texts: Texts, id: str = ""
) -> SessionStore:
    """The open store of a new session with these events."""
    store = await SessionStore.create(base, dump, now, id)
    async with _whole(store):
        for at in range(0, len(rows), _BATCH):
            batch = list(rows[at : at + _BATCH])
            inline = dict[str, bytes]()
            for place, row in enumerate(batch):
                if isinstance(row.event, SessionOpened):
                    opened = replace(row.event, session_id=store.session_id)
                    batch[place] = row._replace(event=opened)
                elif isinstance(row.event, EvidenceRecorded):
                    item = row.event.evidence
                    if item.storage == "external" and item.size > READ_WHOLE:
                        with tempfile.NamedTemporaryFile(dir=store.folder, delete=False) as file:
                            file.writelines(texts(item.id))
                        await store.adopt(item.id, Path(file.name), None)
                    else:
                        inline[item.id] = b"".join(texts(item.id))
            await store.take(batch, inline)
    return store


@asynccontextmanager
async def _whole(store: SessionStore) -> AsyncIterator[None]:
    """Nothing is left of a copy that fails."""
    store.kept = False
    try:
        yield
    except BaseException:
        await store.close()
        shutil.rmtree(store.folder, ignore_errors=True)
        raise
