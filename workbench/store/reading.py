"""Reading a session that another process may be writing, or that nobody may write."""

import errno
import shutil
import sqlite3
import tempfile
from contextlib import closing
from datetime import datetime
from pathlib import Path

import msgspec

from workbench.model.events import decode_event
from workbench.model.journal import Recorded
from workbench.store.errors import SessionNotOpened
from workbench.store.made_here import check_made_here
from workbench.store.schema import DATABASE


def connect_read_only(folder: Path) -> sqlite3.Connection:
    """The session's database, for reading. Raises `sqlite3.Error` and `SessionNotOpened`.

    A database in WAL mode needs its ``-shm`` beside it; where none can be made (a read-only or a
    full disk, https://sqlite.org/wal.html, "Read-Only Databases") it is read as it stands when
    nothing waits in its ``-wal``, else a copy that nobody else sees.
    """
    connection = _connect(folder / DATABASE)
    try:
        strange = connection.execute(_STRANGE).fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        code = getattr(error, "sqlite_errorcode", 0)
        if code & 0xFF not in _NO_SHM and code not in _FULL_SHM:
            raise
        wal = folder / f"{DATABASE}-wal"
        if wal.is_file() and wal.stat().st_size:
            return _copied(folder)
        return _connect(folder / DATABASE, "&immutable=1")
    except sqlite3.Error:
        connection.close()
        raise
    if strange is not None:
        connection.close()
        raise SessionNotOpened(
            f"session {folder.name} is damaged: no workbench makes {strange[0]}s"
        )
    return connection


# A view in a table's place may answer each reader differently, or never come to an end.
_STRANGE = "SELECT type FROM sqlite_schema WHERE type IN ('view', 'trigger')"
# A column may hold any type (https://sqlite.org/datatype3.html), JSON any depth.
UNREADABLE = (sqlite3.Error, msgspec.MsgspecError, ValueError, TypeError, RecursionError)
"""What comes of rows that no workbench wrote."""
_NO_SHM = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL)
_ROOM = 1 << 20  # a -shm is 32 KiB and grows by as much, a -wal by the pages that are written
_FULL_SHM = (
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMMAP,
)


def _connect(path: Path, more: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro{more}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )


def _copied(folder: Path) -> sqlite3.Connection:
    try:
        with tempfile.TemporaryDirectory(prefix="workbench-") as name:
            for suffix in ("", "-wal"):
                if (folder / f"{DATABASE}{suffix}").is_file():
                    shutil.copy(folder / f"{DATABASE}{suffix}", Path(name) / f"{DATABASE}{suffix}")
            with closing(sqlite3.connect(Path(name) / DATABASE)) as source:
                copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
                source.backup(copy)
    except OSError as error:
        why = f"its journal waits for room on the disk ({error.strerror}); free some space"
        raise SessionNotOpened(f"session {folder.name} cannot be read: {why}") from error
    return copy


def read_events(folder: Path, most: int = -1) -> list[Recorded]:
    """A session's journal, ``most`` events of it where that is no less than 0, read without the
    lock; raises `StoreError`."""
    check_made_here(folder)
    try:
        with closing(connect_read_only(folder)) as connection:
            return select_events(connection, most=most)
    except UNREADABLE as error:
        raise unreadable(folder, error) from error


def select_events(connection: sqlite3.Connection, after: int = 0, most: int = -1) -> list[Recorded]:
    """Raises one of `UNREADABLE`."""
    rows = connection.execute(
        "SELECT seq, at, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (after, most)
    )
    return [Recorded(seq, datetime.fromisoformat(at), decode_event(body)) for seq, at, body in rows]


def unreadable(folder: Path, error: Exception, more: str = "") -> SessionNotOpened:
    """What is wrong with a session that cannot be read; ``more`` is told of one that is damaged.

    On a disk without room SQLite has an I/O error of the ``-shm`` that it makes to read.
    """
    code = getattr(error, "sqlite_errorcode", 0)
    full = code == sqlite3.SQLITE_FULL or (code & 0xFF == sqlite3.SQLITE_IOERR and _is_full(folder))
    if full or getattr(error, "errno", 0) in (errno.ENOSPC, errno.EDQUOT):
        why = f"the disk is full ({error}); free some space, then run it again"
        return SessionNotOpened(f"session {folder.name} cannot be read: {why}")
    return SessionNotOpened(f"session {folder.name} is damaged: {error}{more}")


def _is_full(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free < _ROOM
    except OSError:
        return False
