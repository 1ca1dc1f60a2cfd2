"""A folder of our own for what a debugger needs on disk, gone with us or swept by the next one."""

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

from workbench.debuggers.system import is_ours, lock_file

_PREFIX = "workbench-debugger-"
_LOCK = "lock"


class PrivateFolder:
    """A temporary folder (mode 0700), held by a lock (flock(2)) that ends with this process."""

    def __init__(self, parent: Path | None = None, *, sweep: bool = True) -> None:
        """Make it in ``parent`` and sweep there, unless that is left for later."""
        if parent is not None:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sweep:
            sweep_out(parent)
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
        self._fd = lock_file(self.path / _LOCK)

    def remove(self) -> None:
        """Delete it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def sweep_out(parent: Path | None = None) -> None:
    """Delete what processes that were killed left behind in ``parent``."""
    for left in Path(parent or tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        _sweep(left)


def _sweep(folder: Path) -> None:
    with contextlib.suppress(OSError):
        # One that was made this moment may not be locked yet.
        about = folder.lstat()
        if not is_ours(about) or not (folder / _LOCK).exists():
            return
        fd = lock_file(folder / _LOCK)
        if fd is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(fd)
