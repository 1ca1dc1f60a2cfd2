"""Reading a session that another process may be writing, or that nobody may write."""

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import msgspec

from workbench.model.journal import Recorded
from workbench.store.errors import StoreError
from workbench.store.made_here import check_made_here
from workbench.store.rows import decode

DATABASE = "evidence.db"


def connect_read_only(folder: Path) -> sqlite3.Connection:
    """The session's database, for reading. Raises `sqlite3.Error`.

    A database in WAL mode needs its ``-shm`` beside it; where none can be made (a read-only disk,
    https://sqlite.org/wal.html, "Read-Only Databases") a copy that nobody else sees is read.
    """
    connection = _connect(folder / DATABASE)
    try:
        connection.execute("SELECT 1 FROM sqlite_schema")
    except sqlite3.OperationalError as error:
        connection.close()
        # 14: SQLITE_CANTOPEN, 8: SQLITE_READONLY, in the low byte of whichever extended code
        if getattr(error, "sqlite_errorcode", 0) & 0xFF not in (8, 14):
            raise
        return _copied(folder)
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=ro",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )


def _copied(folder: Path) -> sqlite3.Connection:
    with tempfile.TemporaryDirectory(prefix="workbench-") as name:
        try:
            for suffix in ("", "-wal"):
                if (folder / f"{DATABASE}{suffix}").is_file():
                    shutil.copy(folder / f"{DATABASE}{suffix}", Path(name) / f"{DATABASE}{suffix}")
            with closing(sqlite3.connect(Path(name) / DATABASE)) as source:
                copy = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
                source.backup(copy)
        except OSError as error:
            raise sqlite3.OperationalError(str(error)) from error
    return copy


def read_events(folder: Path, after: int = 0, most: int = -1) -> list[Recorded]:
    """A session's journal from number ``after`` on, ``most`` events of it where that is no less
    than 0, read without the lock; raises `StoreError`."""
    check_made_here(folder)
    try:
        with closing(connect_read_only(folder)) as connection:
            return select_events(connection, after, most)
    except (sqlite3.Error, msgspec.MsgspecError, ValueError) as error:
        raise StoreError(f"session {folder.name} is damaged: {error}") from error


def select_events(connection: sqlite3.Connection, after: int = 0, most: int = -1) -> list[Recorded]:
    """Raises `sqlite3.Error`, `msgspec.MsgspecError` and `ValueError`."""
    rows = connection.execute(
        "SELECT seq, at, body FROM events WHERE seq > ? ORDER BY seq LIMIT ?", (after, most)
    )
    return decode(rows)
