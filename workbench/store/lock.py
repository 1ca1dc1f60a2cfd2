"""One writer a session, on every platform and across ``kill -9``: SQLite's own file lock."""

import json
import os
import socket
import sqlite3
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from workbench.store.errors import ReadOnly, SessionBusy, StoreError

HOLDER = "session.holder"
"""Who took the lock last: it counts only while the lock is held."""
_LONGEST = 4096


class SessionLock:
    """Holds ``session.lock`` with an exclusive SQLite lock; the operating system drops it when the
    process dies, however it dies. Raises `SessionBusy`, whose text says who holds it."""

    def __init__(self, folder: Path) -> None:
        path = folder / "session.lock"
        try:
            path.touch(mode=0o600)
        except OSError as error:
            raise ReadOnly(
                f"session {folder.name} cannot be written: {error.strerror}: {path}; "
                f"`workbench sessions import {folder} --sessions-dir DIR` makes a copy that can"
            ) from error
        self._connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._connection.close()
            if "locked" in str(error):
                raise SessionBusy(
                    f"session {folder.name} is open in another workbench{_holder(folder)}: "
                    "close it there, or open its target in a new session"
                ) from error
            why = f"session {folder.name} cannot be locked: {error}"
            if "full" in str(error):
                raise ReadOnly(f"{why}; free some space, then run it again") from error
            raise StoreError(why) from error
        with suppress(OSError):  # it only tells
            _sign(folder / HOLDER)

    def release(self) -> None:
        """Let others in."""
        self._connection.close()


def is_held(folder: Path) -> bool:
    """True while a process has the session open."""
    path = folder / "session.lock"
    if not path.is_file() or path.is_symlink():
        return False
    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=0)
        try:
            connection.execute("SELECT 1 FROM sqlite_schema").fetchone()
        finally:
            connection.close()
    except sqlite3.Error as error:
        return "locked" in str(error)
    return False


def _sign(path: Path) -> None:
    told = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    path.unlink(missing_ok=True)  # a link that somebody put there is not written through
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        json.dump(told, file)


def _holder(folder: Path) -> str:
    """`` (process 12 on host, since …)``; empty where that cannot be read."""
    try:
        with (folder / HOLDER).open(encoding="utf-8") as file:
            told = json.loads(file.read(_LONGEST))
        return f" (process {int(told['pid'])} on {told['host']}, since {told['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
