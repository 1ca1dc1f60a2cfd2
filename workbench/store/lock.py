"""One writer a session, on every platform and across ``kill -9``: SQLite's own file lock."""

import sqlite3
from pathlib import Path

from workbench.store.errors import SessionBusy, StoreError


class SessionLock:
    """Holds ``session.lock`` with an exclusive SQLite lock; the operating system drops it when the
    process dies, however it dies."""

    def __init__(self, folder: Path) -> None:
        path = folder / "session.lock"
        path.touch(mode=0o600)
        self._connection = sqlite3.connect(path, timeout=0.2, isolation_level=None)
        try:
            self._connection.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._connection.close()
            if "locked" in str(error):
                raise SessionBusy(
                    f"session {folder.name} is open in another workbench: "
                    "close it there, or open anew what it is about"
                ) from error
            raise StoreError(f"session {folder.name} cannot be locked: {error}") from error

    def release(self) -> None:
        """Let others in."""
        self._connection.close()
