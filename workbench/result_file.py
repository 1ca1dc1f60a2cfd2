"""Writes the result of an analysis into the folder that it is about."""

import contextlib
import os
from pathlib import Path

from workbench.targets.documents.folder import RESULT


def write_result(folder: Path, text: str) -> Path:
    """``analysis_result.md``, there whole or as it was before; what was there stays as ``.bak``.
    Returns its path. Raises `OSError`."""
    path = folder / RESULT
    temporary = folder / f".{RESULT}.{os.getpid()}.tmp"
    _write(temporary, text)
    try:
        _keep(path)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def _write(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # a link that somebody put there is not written through
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(handle, "w", encoding="utf-8", errors="replace", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _keep(path: Path) -> None:
    """A second name for what is there, so that at no time there is none."""
    backup = path.with_name(path.name + ".bak")
    second = path.with_name(f".{path.name}.{os.getpid()}.bak")
    second.unlink(missing_ok=True)
    try:
        os.link(path, second, follow_symlinks=False)
    except FileNotFoundError:
        return
    except (OSError, NotImplementedError):  # a file system without links
        with contextlib.suppress(FileNotFoundError):
            path.replace(backup)
        return
    second.replace(backup)
