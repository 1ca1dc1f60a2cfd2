"""``catalog.db``: one row a session for quick lists; rebuilt from the folders when it is behind.

Each row is sealed with the person's secret and the file's inode: one that another hand wrote, or
that came with a copied file, is made again.
"""

import errno
import hmac
import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from workbench.store.errors import SessionNotOpened
from workbench.store.made_here import key_of
from workbench.store.schema import DATABASE
from workbench.store.session_row import UNBEGUN, SessionRow

_VERSION = 7  # of the rows: those of another one are made again
_CREATE = """
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY, stamp INTEGER NOT NULL, summary TEXT NOT NULL, mac BLOB NOT NULL
)
"""
_FILES = (DATABASE, f"{DATABASE}-wal")


LAST_SESSION = "@last"


def list_sessions(base: Path, but: str = "") -> list[SessionRow]:
    """Every session under ``base`` but one, the latest touched first. Missing folder: an empty
    list."""
    return [row for row in list_folders(base, but) if row.state != UNBEGUN]


def list_folders(base: Path, but: str = "") -> list[SessionRow]:
    """The same with those that never began."""
    try:
        with os.scandir(base) as entries:
            names = sorted(e.name for e in entries if e.name.startswith("session_") and e.is_dir())
            names = [name for name in names if name != but]
    except OSError:
        return []
    try:
        rows = _through_catalog(base, names)
    except (sqlite3.Error, OSError, msgspec.MsgspecError):
        # A read-only or damaged catalog costs time, never the list.
        rows = [_row_of(base / name) for name in names]
    return sorted(rows, key=lambda row: (row.updated_at, row.session_id), reverse=True)


def with_signature(base: Path, signature: str, stack_hash: str, but: str) -> list[SessionRow]:
    """The other sessions than ``but`` whose signature and stack are these, the latest touched
    first. That one is not read, which writes at the moment."""
    return [
        row
        for row in list_sessions(base, but)
        if (row.stack_hash, row.signature) == (stack_hash, signature)
    ]


def find_session(base: Path, session_id: str) -> Path:
    """The folder of a session by id, by unique prefix or, as a shell completes it, by its path;
    ``@last`` the one that was touched last. Raises `SessionNotOpened`."""
    given = Path(session_id).resolve()
    if "/" in session_id and given.parent == base.resolve():
        session_id = given.name
    if session_id == LAST_SESSION and (rows := list_sessions(base)):
        return base / rows[0].session_id
    exact = base / session_id
    if session_id.startswith("session_") and exact.parent == base and (exact / DATABASE).is_file():
        return exact
    names = [p.name for p in base.iterdir() if (p / DATABASE).is_file()] if base.is_dir() else []
    if session_id in names:
        return base / session_id
    matches = [name for name in names if name.startswith(session_id)] if session_id else []
    if len(matches) == 1:
        return base / matches[0]
    if matches:
        raise SessionNotOpened(f"{session_id} fits {len(matches)} sessions: give more of the id")
    raise SessionNotOpened(
        f"no session {session_id} in {base}: `workbench sessions` lists the ones that exist"
    )


def _through_catalog(base: Path, names: list[str]) -> list[SessionRow]:
    path = base / "catalog.db"
    if path.is_symlink() or (path.exists() and not path.is_file()):
        raise OSError(errno.EINVAL, "the catalog is a link, a pipe or a device", str(path))
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, timeout=2)) as connection:
        connection.execute("PRAGMA synchronous=OFF")  # what is lost is made again
        if connection.execute("PRAGMA user_version").fetchone()[0] != _VERSION:
            connection.executescript(
                f"DROP TABLE IF EXISTS sessions; {_CREATE}; PRAGMA user_version={_VERSION};"
            )
        key = key_of(path, "catalog")
        select = "SELECT session_id, stamp, summary, mac FROM sessions"
        known = {name: told for name, *told in connection.execute(select)}
        rows, changed = [], []
        prefix = f"{base}{os.sep}"
        decoder = msgspec.json.Decoder(SessionRow)
        for name in names:
            current = _stamp(f"{prefix}{name}{os.sep}")
            stamp, summary, mac = known.pop(name, (None, "", b""))
            if stamp == current and mac == _mac(key, name, current, summary):
                rows.append(decoder.decode(summary))
                continue
            rows.append(row := _row_of(base / name))
            told = msgspec.json.encode(row).decode()
            changed.append((name, current, told, _mac(key, name, current, told)))
        if changed or known:
            with suppress(sqlite3.OperationalError):  # another process writes: it does the same
                connection.execute("BEGIN IMMEDIATE")
                connection.executemany(
                    "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)", changed
                )
                gone = [(name,) for name in known]
                connection.executemany("DELETE FROM sessions WHERE session_id = ?", gone)
                connection.commit()
    return rows


def _mac(key: bytes, name: str, stamp: int, summary: str) -> bytes:
    return hmac.digest(key, f"{name}\0{stamp}\0{summary}".encode(), "sha256")


def _stamp(prefix: str) -> int:
    """The newest change of the session's files, in nanoseconds."""
    newest = 0
    for name in _FILES:
        try:
            found = os.stat(prefix + name)
        except OSError:
            continue
        if found.st_size and found.st_mtime_ns > newest:  # who only reads leaves an empty log
            newest = found.st_mtime_ns
    return newest


def _row_of(folder: Path) -> SessionRow:
    from workbench.store.summary import row_of

    return row_of(folder)
