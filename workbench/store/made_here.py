"""Whether a session's folder was made by this person's workbench, where it lies now.

A seal beside the database binds it to the file it was written as (its inode) with a secret of the
person's: a copy, an unpacked archive, another person's folder have none that fits. What a seal
does not vouch for is only read, until it is taken over (`workbench sessions import`).
"""

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from platformdirs import user_state_path

from workbench.store.errors import ReadOnly, SessionNotOpened

SEAL = "session.seal"
_LENGTH = 32


def check_made_here(folder: Path) -> None:
    """Raises `SessionNotOpened` where links lead out of a session's folder, or reading what lies in
    it would wait for a writer: no workbench made that."""
    try:
        with os.scandir(folder) as entries:
            strange = [e for e in entries if not e.is_file(follow_symlinks=False)]
            links = [e for e in strange if e.is_symlink()]
            strange = [e for e in strange if not e.is_dir(follow_symlinks=False)]
    except OSError:
        return  # whoever opens it says why
    if links:
        raise SessionNotOpened(
            f"session {folder.name} holds links that lead out of it: it was not made here"
        )
    if strange:
        raise SessionNotOpened(
            f"session {folder.name} holds a pipe or a device ({strange[0].name}): "
            "it was not made here"
        )


def seal(database: Path) -> None:
    """Vouch for a session whose database was made this moment. Raises `OSError`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(database.with_name(SEAL), flags, 0o600), "w") as file:
        file.write(_seal_of(database))


def is_made_here(database: Path) -> bool:
    """True where the seal beside a session's database is ours and of this very file."""
    try:
        with database.with_name(SEAL).open("rb") as file:
            found = file.read(2 * _LENGTH)
        return hmac.compare_digest(found, _seal_of(database).encode())
    except OSError:
        return False


def need_made_here(database: Path) -> None:
    """Raises `ReadOnly` for a session that nothing vouches for."""
    if not is_made_here(database):
        raise ReadOnly(
            f"session {database.parent.name} was made elsewhere, or copied: it is only read until "
            f"you take it over with `workbench sessions import {database.parent}`"
        )


def _seal_of(database: Path) -> str:
    inode = database.stat(follow_symlinks=False).st_ino
    return hmac.new(_secret(), str(inode).encode(), hashlib.sha256).hexdigest()


def _secret() -> bytes:
    """The person's, made when it is first needed; empty where nothing can be kept for them: the
    inode alone has to do then."""
    path = user_state_path("workbench") / "secret"
    with contextlib.suppress(OSError):
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mine = path.with_name(f"secret.{os.getpid()}")
            with os.fdopen(os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as it:
                it.write(secrets.token_bytes(_LENGTH))
            with contextlib.suppress(FileExistsError):  # another process was quicker
                os.link(mine, path)
            mine.unlink()
        return path.read_bytes()
    return b""
