"""Bringing an older session to the layout of this version; the older one is kept beside it."""

import contextlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

from workbench.store.errors import SessionNotOpened
from workbench.store.rows import Connection
from workbench.store.schema import DATABASE, MIGRATIONS


async def migrate(connection: Connection, folder: Path) -> None:
    """Run what `MIGRATIONS` has beyond the database's version, each in one transaction.

    A database that holds something is copied first, to ``evidence.db.v<its version>``. Raises
    `SessionNotOpened` for one of a newer workbench, `sqlite3.Error` and `OSError`.
    """
    async with connection.execute("PRAGMA user_version") as cursor:
        row = await cursor.fetchone()
    version = int(row[0]) if row else 0
    if version > len(MIGRATIONS):
        raise SessionNotOpened(
            f"session {folder.name} was written by a newer workbench: update this one"
        )
    if 0 < version < len(MIGRATIONS):
        _back_up(folder, version)
    for number, script in enumerate(MIGRATIONS[version:], version + 1):
        await connection.executescript(f"BEGIN; {script}; PRAGMA user_version={number}; COMMIT;")


def _back_up(folder: Path, version: int) -> None:
    """The copy is there whole or not at all."""
    target = folder / f"{DATABASE}.v{version}"
    if target.exists():  # a migration that was killed before its commit made it
        return
    partial = folder / f"{DATABASE}.copying"
    partial.unlink(missing_ok=True)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        with (
            closing(sqlite3.connect(folder / DATABASE)) as source,
            closing(sqlite3.connect(partial)) as copy,
        ):
            source.backup(copy)
        partial.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink()
        raise
