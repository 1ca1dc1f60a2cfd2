"""Whether a session's folder was made by this person's workbench, where it lies now.

A seal beside the database binds it to the file it was written as (its inode) with a secret of the
person's: a copy, an unpacked archive, another person's folder have none that fits; what is in it is
sealed in `vouching`. What they do not vouch for is only read, until it is taken over (`workbench
sessions import`).
"""

import contextlib
import errno
import hmac
import os
from pathlib import Path

from platformdirs import user_state_path

from workbench.store.errors import SessionNotOpened

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


def seal(path: Path) -> None:
    """Vouch for a file that was made this moment, as a session's database. Raises `OSError`."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(path.with_name(SEAL), flags, 0o600), "w") as file:
        file.write(_seal_of(path))


def is_sealed(path: Path) -> bool:
    """True where the seal beside a file is ours and of this very file."""
    try:
        with path.with_name(SEAL).open("rb") as file:
            found = file.read(2 * _LENGTH)
        return hmac.compare_digest(found, _seal_of(path).encode())
    except OSError:
        return False


def key_of(path: Path, use: str = "events") -> bytes:
    """The person's key for one file and one use. Raises `OSError`."""
    inode = path.stat(follow_symlinks=False).st_ino
    return hmac.digest(_secret(), f"{use}{inode}".encode(), "sha256")


def _seal_of(path: Path) -> str:
    return key_of(path, "").hex()


def _secret() -> bytes:
    """The person's, made when it is first needed; empty where nothing may be kept for them: the
    inode alone has to do then. Raises `OSError` on a full disk: what was sealed without one would
    be a stranger's once there is room."""
    path = user_state_path("workbench") / "secret"
    try:
        if not path.exists():
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            mine = path.with_name(f"secret.{os.getpid()}")
            try:
                with os.fdopen(
                    os.open(mine, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
                ) as it:
                    it.write(os.urandom(_LENGTH))
                with contextlib.suppress(FileExistsError):  # another process was quicker
                    os.link(mine, path)
            finally:
                mine.unlink(missing_ok=True)
        return path.read_bytes()
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            error.filename = error.filename or str(path)
            raise
        return b""
