"""Files of a session or a cache that only their owner reads, and no link leads away from."""

import os
import re
from pathlib import Path

from workbench.store.replacing import replacing

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,120}")


def write_private(folder: Path, name: str, data: bytes, *, append: bool = False) -> Path:
    """Write ``folder/name`` (0600, its folder 0700), replaced whole unless ``append``. Raises
    `OSError`, and `ValueError` for what is no plain name."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name of a file")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.is_symlink():
        raise OSError(f"{folder} is a link")
    path = folder / name
    if append:
        with open(path, "ab", opener=_private) as file:
            file.write(data)
        return path
    with replacing(path) as temporary:
        temporary.write_bytes(data)
    return path


def read_private(folder: Path, name: str) -> bytes | None:
    """What `write_private` wrote, None where there is nothing or a link."""
    if not _NAME.fullmatch(name) or folder.is_symlink():
        return None
    try:
        with open(folder / name, "rb", opener=_private) as file:
            return file.read()
    except OSError:
        return None


def _private(name: str, flags: int) -> int:
    return os.open(name, flags | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0), 0o600)
