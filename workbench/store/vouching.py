"""Whether what a session's database says was all recorded here: events are sealed in a chain.

Beside each event stands an HMAC-SHA256 (RFC 2104) of it and of the one before, keyed by the
person's secret and the database's inode, committed with it: after a kill the chain ends where the
events do. Rows that another hand put there, as by a copied database or log (``-wal``), fit none.
"""

import hmac
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import lru_cache
from pathlib import Path

from workbench.store.errors import ReadOnly
from workbench.store.made_here import is_sealed, key_of
from workbench.store.reading import connect_read_only, unreadable
from workbench.store.schema import DATABASE

Row = tuple[int, str, str, str]
"""An event's number, time, kind and JSON."""
_ALL = "SELECT seq, at, kind, body, mac FROM events ORDER BY seq"
# A text is believed by its recorded sum, which is also in a row that no chain covers.
_STRANGE = """
SELECT id, json_extract(metadata, '$.sha256') FROM evidence EXCEPT
SELECT json_extract(body, '$.evidence.id'), json_extract(body, '$.evidence.sha256') FROM events
WHERE kind = 'EvidenceRecorded'
"""


def chained(key: bytes, last: bytes, rows: Iterable[Row]) -> Iterator[bytes]:
    """What seals each of some rows, ``last`` being that of the one before them (none: empty)."""
    for row in rows:
        last = _mac(key, last, row)
        yield last


def _mac(key: bytes, last: bytes, row: Sequence[object]) -> bytes:
    seq, at, kind, body = row
    return hmac.digest(key, last + f"{seq}\0{at}\0{kind}\0{body}".encode(), "sha256")


def last_of(connection: sqlite3.Connection) -> bytes:
    """What seals a session's last event; empty where it has none. Raises `sqlite3.Error`."""
    row = connection.execute("SELECT mac FROM events ORDER BY seq DESC LIMIT 1").fetchone()
    return bytes(row[0]) if row else b""


def is_made_here(folder: Path) -> bool:
    """True where the seal of a session is ours and every event and sum in it was recorded here.
    Raises `StoreError` where that cannot be read, whoever made it."""
    try:
        if not is_sealed(folder / DATABASE):
            return False
        return _holds(folder, tuple(_stamp(folder / f"{DATABASE}{end}") for end in ("", "-wal")))
    except OSError:
        return False
    except sqlite3.Error as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # of a layout without a chain
            return False
        raise unreadable(folder, error) from error


def need_made_here(folder: Path) -> None:
    """Raises `ReadOnly` for a session that nothing vouches for, and as `is_made_here` does."""
    if not is_made_here(folder):
        raise ReadOnly(
            f"session {folder.name} was made elsewhere, or copied, or changed: it is only read "
            f"until you take it over with `workbench sessions import {folder}`"
        )


def _stamp(path: Path) -> tuple[int, ...]:
    """Of a file; its change time (ns) is none that a person can set."""
    try:
        found = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return ()
    return found.st_ino, found.st_size, found.st_ctime_ns


@lru_cache(maxsize=64)
def _holds(folder: Path, stamps: tuple[tuple[int, ...], ...]) -> bool:
    """``stamps`` are of the files as they are now: what was compared is not compared again."""
    key = key_of(folder / DATABASE)
    last = b""
    with closing(connect_read_only(folder)) as connection:
        for *row, mac in connection.execute(_ALL):
            last = _mac(key, last, row)
            if mac != last:
                return False
        return connection.execute(_STRANGE).fetchone() is None
