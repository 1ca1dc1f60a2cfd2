"""``catalog.db``: one row a session for quick lists; rebuilt from the folders when it is behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from workbench.model.events import Phase
from workbench.model.investigation import Investigation, fold
from workbench.store.errors import SessionNotOpened, StoreError
from workbench.store.reading import DATABASE, read_events

_CREATE = """
CREATE TABLE IF NOT EXISTS sessions (
    session_id TEXT PRIMARY KEY, stamp INTEGER NOT NULL, summary TEXT NOT NULL
)
"""


class SessionRow(Struct, frozen=True, kw_only=True, rename="camel"):
    """One line of the session list. ``status``: running-or-resumable phases say ``open``, finished
    ones how they ended, unreadable ones ``damaged``. Times are ISO 8601, UTC."""

    session_id: str
    target: str
    created_at: str
    updated_at: str
    phase: str
    signal: str | None
    category: str | None
    confidence: float | None
    status: str


def list_sessions(base: Path) -> list[SessionRow]:
    """Every session under ``base``, the latest touched first. Missing folder: an empty list."""
    if not base.is_dir():
        return []
    folders = sorted(
        path for path in base.iterdir() if path.name.startswith("session_") and path.is_dir()
    )
    try:
        rows = _through_catalog(base, folders)
    except (sqlite3.Error, OSError, msgspec.MsgspecError):
        # A read-only or damaged catalog costs time, never the list.
        rows = [_row_of(folder) for folder in folders]
    return sorted(rows, key=lambda row: (row.updated_at, row.session_id), reverse=True)


def find_session(base: Path, session_id: str) -> Path:
    """The folder of a session by id or unique prefix; raises `SessionNotOpened`."""
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


def _through_catalog(base: Path, folders: list[Path]) -> list[SessionRow]:
    path = base / "catalog.db"
    path.touch(mode=0o600)
    with closing(sqlite3.connect(path, timeout=2)) as connection:
        connection.execute(_CREATE)
        known = {
            name: (stamp, summary)
            for name, stamp, summary in connection.execute(
                "SELECT session_id, stamp, summary FROM sessions"
            )
        }
        rows = []
        for folder in folders:
            stamp, summary = known.pop(folder.name, (None, ""))
            current = _stamp(folder)
            if stamp == current:
                rows.append(msgspec.json.decode(summary, type=SessionRow))
                continue
            rows.append(_row_of(folder))
            connection.execute(
                "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?)",
                (folder.name, current, msgspec.json.encode(rows[-1]).decode()),
            )
        connection.executemany(
            "DELETE FROM sessions WHERE session_id = ?", [(name,) for name in known]
        )
        connection.commit()
    return rows


def _stamp(folder: Path) -> int:
    """The newest change of the session's files, in nanoseconds."""
    newest = 0
    for name in (DATABASE, f"{DATABASE}-wal"):
        try:
            newest = max(newest, (folder / name).stat().st_mtime_ns)
        except OSError:
            continue
    return newest


def _row_of(folder: Path) -> SessionRow:
    try:
        state = fold(read_events(folder))
    except StoreError:
        return SessionRow(
            session_id=folder.name,
            target="",
            created_at="",
            updated_at="",
            phase="",
            signal=None,
            category=None,
            confidence=None,
            status="damaged",
        )
    return summarise(state, folder.name)


def summarise(state: Investigation, session_id: str) -> SessionRow:
    """A session's line from its state."""
    finished = state.phase is Phase.DONE and state.stopped is not None
    return SessionRow(
        session_id=session_id,
        target=state.target.path if state.target else "",
        created_at=state.started_at.isoformat() if state.started_at else "",
        updated_at=state.updated_at.isoformat() if state.updated_at else "",
        phase=state.phase.value,
        signal=state.target.signal if state.target else None,
        category=state.conclusion.category.value if state.conclusion else None,
        confidence=state.conclusion.confidence if state.conclusion else None,
        status=state.stopped.by.value if finished and state.stopped else "open",
    )
