"""A session's folder: the journal of events and the evidence with its text."""

import asyncio
import hashlib
import json
import os
import re
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path

from workbench.model.events import AnyEvent, EvidenceRecorded
from workbench.model.journal import Recorded
from workbench.model.text import Start, lines_of
from workbench.store.errors import Damaged, ReadOnly, SessionNotOpened, StoreError
from workbench.store.large_text import Kept
from workbench.store.lock import SessionLock
from workbench.store.made_here import check_made_here, key_of, seal
from workbench.store.reading import UNREADABLE, connect_read_only, select_events, unreadable
from workbench.store.replacing import replace_file
from workbench.store.rows import Connection, insert
from workbench.store.schema import DATABASE, TABLES, VERSION
from workbench.store.search import Search
from workbench.store.session_log import log_line
from workbench.store.texts import READ_WHOLE, Texts, file_path
from workbench.store.vouching import is_made_here, need_made_here

__all__ = ["DATABASE", "SessionStore"]


_RECORDED = """
SELECT 1 FROM events WHERE kind = 'EvidenceRecorded' AND json_extract(body, '$.evidence.id') = ?
"""


class SessionStore:
    """Created by `create`, `open` or `view`; every write is one committed transaction.

    The folder is 0700 and its files 0600. The texts of evidence whose storage is external live
    zstd-compressed in ``evidence/``, others in the row; one that comes as a file is compressed in
    the background after its commit. Raises `StoreError` when the disk or file fails.
    """

    def __init__(
        self, folder: Path, connection: Connection, lock: SessionLock | None, read_only: str = ""
    ) -> None:
        """``read_only`` says why nothing can be written; empty where something can."""
        self.folder = folder
        self.session_id = folder.name
        self.read_only = read_only
        self.chunk_size = 8000
        self._connection = connection
        self._lock = lock
        self._seq = 0
        self.kept = True  # once something was saved, whatever fails behind it
        self._then = "run it again"
        self._texts = Texts(folder, self._note_packed)

    @cached_property
    def _key(self) -> bytes:
        return key_of(self.folder / DATABASE)

    @classmethod
    async def create(cls, base: Path, dump: Path, now: datetime, id: str = "") -> "SessionStore":
        """A new folder ``session_YYYYMMDD_HHMMSS_<dump>[_N]`` under ``base``, or ``<id>[_N]``."""
        folder = None
        try:
            folder = _new_folder(base, id or _id(dump, now))
            _fill(folder)
            return await cls._open(folder, new=True)
        except (OSError, StoreError) as error:
            if folder is not None:  # what never began is no session
                shutil.rmtree(folder, ignore_errors=True)
            if isinstance(error, StoreError):
                raise
            raise StoreError(f"cannot create a session in {base}: {_why(error, base)}") from error

    @classmethod
    async def open(cls, folder: Path) -> "SessionStore":
        """An existing folder. Raises `StoreError` when it holds no readable session, `ReadOnly`
        when it was not made here."""
        _check(folder)
        await asyncio.to_thread(need_made_here, folder)
        return await cls._open(folder)

    @classmethod
    async def view(cls, folder: Path, why: str) -> "SessionStore":
        """An existing folder without its lock: what is there can be read, and nothing written.
        ``why`` is what who tries to is told. Raises `StoreError` as `open` does."""
        _check(folder)
        try:
            opened = await asyncio.to_thread(connect_read_only, folder)
        except sqlite3.Error as error:
            raise unreadable(folder, error) from error
        connection = Connection(lambda: opened, iter_chunk_size=64)
        await connection
        return cls(folder, connection, None, why)

    @classmethod
    async def _open(cls, folder: Path, *, new: bool = False) -> "SessionStore":
        lock = SessionLock(folder)
        try:
            connection = Connection(lambda: _connect(folder), iter_chunk_size=64)
            await connection
        except sqlite3.Error as error:
            lock.release()
            raise SessionNotOpened(f"session {folder.name} cannot be opened: {error}") from error
        store = cls(folder, connection, lock)
        try:
            if new:  # nothing can be lost of what holds nothing: its making waits for no disk
                await connection.execute("PRAGMA synchronous=OFF")
            await connection.execute("PRAGMA journal_mode=WAL")
            await lay_out(connection, folder)
            await connection.execute("PRAGMA synchronous=NORMAL")
            store._seq = int((await connection.rows("SELECT max(seq) FROM events"))[0][0] or 0)
            await store._pack_left_over()
        except BaseException as error:
            await store.close()
            if not isinstance(error, (sqlite3.Error, OSError)):
                raise
            if new:
                raise _unsaved(folder, error) from error
            raise unreadable(folder, error, "; its evidence folder may still be read") from error
        return store

    async def append(
        self, events: Sequence[AnyEvent], at: datetime, texts: dict[str, bytes] | None = None
    ) -> list[Recorded]:
        """Commit events, and the texts of the evidence among them, in one transaction.

        ``texts`` maps an evidence id to its stored text in UTF-8; one that `adopt` took is left
        out. Returns the committed rows.
        """
        rows = [Recorded(number, at, event) for number, event in enumerate(events, self._seq + 1)]
        await self.take(rows, texts or {})
        if self.kept:
            self._then = "resume the session"  # there is one, which holds what was found
        return rows

    @classmethod
    async def add(cls, folder: Path, event: AnyEvent, at: datetime) -> None:
        """Commit an event to a session that nobody has open. Raises `StoreError` as `open` does."""
        store = await cls.open(folder)
        try:
            await store.append([event], at)
        finally:
            await store.close()

    async def take(self, rows: Sequence[Recorded], texts: dict[str, bytes]) -> None:
        """`append` of rows that have their numbers and times."""
        if self.read_only:
            raise ReadOnly(self.read_only)
        adopted = list[str]()
        try:
            for row in rows:
                if isinstance(row.event, EvidenceRecorded) and (
                    row.event.evidence.storage == "external"
                ):
                    id = row.event.evidence.id
                    if id in texts:
                        await self._texts.write(id, texts[id])
                    else:
                        adopted.append(id)
            await self._connection.transact(
                lambda connection: insert(connection, self.session_id, rows, texts, self._key)
            )
        except (sqlite3.Error, OSError) as error:
            raise _unsaved(self.folder, error, self._then) from error
        self._seq = max([self._seq, *(row.seq for row in rows)])
        self._log(rows)
        self._texts.pack_later(adopted)

    async def adopt(self, evidence_id: str, source: Path, known: Kept | None) -> Kept:
        """Take a text that lies in a file before its evidence is appended; see
        `Texts.adopt`. Raises `StoreError`."""
        try:
            return await self._texts.adopt(evidence_id, source, known)
        except OSError as error:
            raise _unsaved(self.folder, error, self._then) from error

    async def _pack_left_over(self) -> None:
        left = self._texts.left_plain()
        if not left:
            return
        paths = dict(await self._connection.rows("SELECT id, file_path FROM evidence"))
        needed = [id for id in left if paths.get(id) == file_path(id, False)]
        for id in set(left) - set(needed):
            self._texts.drop_plain(id)
        self._texts.pack_later(needed)

    async def _note_packed(self, evidence_id: str) -> None:
        try:
            await self._connection.execute(
                "UPDATE evidence SET file_path = ? WHERE id = ?",
                (file_path(evidence_id, True), evidence_id),
            )
        except sqlite3.Error as error:
            raise _unsaved(self.folder, error, self._then) from error

    def _log(self, rows: Iterable[Recorded]) -> None:
        lines = [line for row in rows if (line := log_line(row))]
        if not lines:
            return
        try:
            with open(self.folder / "session.log", "ab", buffering=0, opener=_private) as log:
                log.write("".join(lines).encode())
        except OSError:
            return  # the log repeats the journal, which is already safe

    async def events(self, after: int = 0) -> list[Recorded]:
        """The journal from number ``after`` on, oldest first. Raises `StoreError` on a row that
        cannot be read."""
        rows: list[Recorded] = []
        try:
            await self._connection.transact(
                lambda connection: rows.extend(select_events(connection, after)), writes=False
            )
            return rows
        except UNREADABLE as error:
            raise unreadable(self.folder, error) from error

    async def text(self, evidence_id: str) -> str:
        """The stored text of one evidence item, of one over ``READ_WHOLE`` bytes its `Start`.
        Raises `StoreError` when there is none, `Damaged` when it is not what was recorded."""
        path, size, sha256, content = await self._row(evidence_id)
        if not path:
            data = bytes(content or b"")
            if hashlib.sha256(data).hexdigest() != sha256:
                raise Damaged(evidence_id, "its sha256 is not the recorded one")
            return data.decode("utf-8", "replace")
        # The path is rebuilt from the id: a row of a session made elsewhere names no file.
        await self._texts.check(evidence_id, sha256)
        try:
            data = await self._texts.start(evidence_id)
        except OSError as error:
            raise Damaged(evidence_id, str(error)) from error
        text = data.decode("utf-8", "replace")
        return Start(text, partial(self._texts.pages, evidence_id)) if size > READ_WHOLE else text

    def blocks(self, evidence_id: str) -> Iterator[str]:
        """The whole text of an item that lies in a file, a block of lines at a time, read as it is
        asked for: for a thread of its own. Raises `OSError`."""
        return self._texts.blocks(evidence_id)

    async def check(self, evidence_id: str) -> bool:
        """Compare an item's whole text with its recorded sha256; True where it lies in a file.
        Raises as `text` does."""
        path, _, sha256, _ = await self._row(evidence_id)
        if path:
            await self._texts.check(evidence_id, sha256)
        else:
            await self.text(evidence_id)
        return bool(path)

    async def lines(self, evidence_id: str) -> Sequence[str]:
        """All lines of one evidence item, without their ends; those of a large one are read when
        they are looked at (`Pages`). Raises as `text` does, pages also later."""
        path, size, sha256, _ = await self._row(evidence_id)
        if path and size > READ_WHOLE:
            await self._texts.check(evidence_id, sha256)
            return await asyncio.to_thread(self._texts.pages, evidence_id)
        return lines_of(await self.text(evidence_id))

    async def chunks(self) -> dict[str, list[dict[str, object]]]:
        """What the pieces of large items say, by evidence id: first and last line, analysis.
        Raises `StoreError`."""
        found: dict[str, list[dict[str, object]]] = {}
        try:
            for id, chunk in await self._connection.rows(
                "SELECT json_extract(body, '$.evidence.id'), value FROM events, json_each(body,"
                " '$.chunks') WHERE kind = 'EvidenceRecorded' ORDER BY seq, key"
            ):
                found.setdefault(str(id), []).append(json.loads(chunk))
        except (sqlite3.Error, ValueError) as error:
            raise unreadable(self.folder, error) from error
        return found

    async def _row(self, evidence_id: str) -> tuple[str | None, int, str, bytes | None]:
        """Path, size, recorded sha256 and inline text."""
        if not re.fullmatch(r"E[1-9][0-9]*", evidence_id):
            raise StoreError(f"{evidence_id!r} is no evidence")
        try:
            rows = await self._connection.rows(
                "SELECT file_path, size, json_extract(metadata, '$.sha256'), CAST(content AS BLOB)"
                " FROM evidence WHERE id = ?",
                evidence_id,
            )
            if not rows:
                if await self._connection.rows(_RECORDED, evidence_id):
                    raise Damaged(evidence_id, "its row is missing")
                raise StoreError(f"there is no evidence {evidence_id} in {self.session_id}")
            path, size, sha256, content = rows[0]
            return path, int(size or 0), str(sha256), content
        except UNREADABLE as error:
            raise Damaged(evidence_id, f"it cannot be read: {error}") from error

    @property
    def made_here(self) -> bool:
        """False where nothing vouches for what it says."""
        return self._lock is not None or is_made_here(self.folder)

    @cached_property
    def search(self) -> Search:
        """Search in the evidence."""
        return Search(self, self.folder, self.chunk_size)

    async def evidence_ids(self) -> list[str]:
        """Of all items, the oldest first. Raises `StoreError`."""
        try:
            found = await self._connection.rows("SELECT id FROM evidence ORDER BY rowid")
            return [str(id) for (id,) in found]
        except sqlite3.Error as error:
            raise unreadable(self.folder, error) from error

    async def whole(self, evidence_id: str) -> Iterator[str]:
        """All of an item's text in blocks that end with a line where they can. Raises as `text`
        does, and `OSError` on the way."""
        if await self.check(evidence_id):
            return self.blocks(evidence_id)
        return iter([await self.text(evidence_id)])

    def write_metadata(self, metadata: dict[str, object]) -> None:
        """Replace ``metadata.json`` atomically. Raises `StoreError`."""
        if self.read_only:
            return
        try:
            replace_file(self.folder / "metadata.json", json.dumps(metadata, indent=2))
        except OSError as error:
            raise _unsaved(self.folder, error, self._then) from error

    async def close(self) -> None:
        """Close the file and let others open the session. What was not compressed by now is when
        the session is opened again."""
        await self._texts.close()
        if "search" in self.__dict__:
            self.search.close()
        await self._connection.close()
        if self._lock is not None:
            self._lock.release()


def _check(folder: Path) -> None:
    check_made_here(folder)
    if not (folder / DATABASE).is_file():
        raise SessionNotOpened(
            f"no session at {folder}: `workbench sessions` lists the ones that exist"
        )


def _unsaved(folder: Path, error: Exception, then: str = "run it again") -> StoreError:
    return StoreError(f"cannot save to {folder}: {error}; free some space, then {then}")


def _connect(folder: Path) -> sqlite3.Connection:
    return sqlite3.connect(folder / DATABASE, isolation_level=None)


def _id(dump: Path, now: datetime) -> str:
    label = re.sub(r"[^A-Za-z0-9.-]+", "-", dump.name).strip("-.")[:40] or "dump"
    return f"session_{now.astimezone(UTC):%Y%m%d_%H%M%S}_{label}"


def _new_folder(base: Path, stem: str) -> Path:
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(1, 10_000):
        folder = base / (stem if number == 1 else f"{stem}_{number}")
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            continue
        return folder
    raise StoreError(f"{base} holds too many sessions of this second: try again")


def _why(error: OSError, base: Path) -> str:
    """What stood in the way of a session, and what to do: the secret of this machine's sessions is
    kept elsewhere, and its disk can be full on its own."""
    said, at = error.strerror or str(error), Path(error.filename or base)
    if at.is_relative_to(base):
        return f"{said}; choose another folder with --sessions-dir"
    return f"{said}: '{at}'; it is needed beside the sessions: see to that one"


def _fill(folder: Path) -> None:
    (folder / "evidence").mkdir(mode=0o700)
    os.close(os.open(folder / DATABASE, os.O_CREAT | os.O_WRONLY, 0o600))
    seal(folder / DATABASE)


def _private(name: str, flags: int) -> int:
    """An opener for files of our own that follows no link out of the folder."""
    return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0), 0o600)


# Bringing an older session to the layout of this version; the older one is kept beside it.
async def lay_out(connection: Connection, folder: Path) -> None:
    """Make the tables of a new database. Raises `SessionNotOpened` for one of a newer workbench,
    `sqlite3.Error` and `OSError`."""
    version = int((await connection.rows("PRAGMA user_version"))[0][0])
    if version > VERSION:
        raise SessionNotOpened(
            f"session {folder.name} was written by a newer workbench: update this one"
        )
    if not version:
        await connection.executescript(f"BEGIN; {TABLES} PRAGMA user_version={VERSION}; COMMIT;")
