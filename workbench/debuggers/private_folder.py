"""A folder of our own for what a debugger, a run or a look needs on disk. It is gone with us, or
swept by the next one, with the processes that were started for it."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

with contextlib.suppress(ImportError):  # Windows has none
    import fcntl

MARK = "WORKBENCH_RUN"
"""The environment variable by which what was started for a folder is found again: its name, or that
and more after a slash."""
_PREFIX = "workbench-debugger-"
_LOCK = "lock"
_ROUNDS = 5


class PrivateFolder:
    """A temporary folder (mode 0700), held by a lock (flock(2)) that ends with this process."""

    def __init__(self, parent: Path | None = None, *, sweep: bool = True) -> None:
        """Make it in ``parent`` and sweep there, unless that is left for later."""
        if parent is not None:
            parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if sweep:
            sweep_out(parent)
        for _ in range(_ROUNDS):
            self.path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
            self._fd = lock_file(self.path / _LOCK)
            if self._fd is not None and self.path.is_dir():
                return
            # Another's sweep came before the lock, or there are no locks.
            shutil.rmtree(self.path, ignore_errors=True)
        self.path.mkdir(mode=0o700)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Delete it with all that is in it."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def sweep_out(parent: Path | None = None) -> None:
    """Delete what processes that were killed left behind in ``parent``, and end what they had
    started for it."""
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
            clear(folder.name)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(fd)


def marked(mark: str) -> list[int]:
    """Every process that carries a mark: what such a one forked, daemons and orphans too."""
    wanted, found = f"{MARK}={mark}".encode(), []
    for pid in (int(name) for name in os.listdir("/proc") if name.isdigit()):
        if pid != os.getpid():
            with contextlib.suppress(OSError), open(f"/proc/{pid}/environ", "rb", 0) as file:
                held = file.read()
                if wanted in held and any(one == wanted or one.startswith(wanted + b"/")
                                          for one in held.split(b"\0")):  # fmt: skip
                    found.append(pid)
    return found


def clear(mark: str) -> None:
    """End every process that carries a mark, and what these forked meanwhile."""
    for _ in range(_ROUNDS):
        found = marked(mark)
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not found:
            return
        time.sleep(0.01)


# What differs between operating systems, terminals and processes aside (`pty` has those).
def is_ours(status: os.stat_result) -> bool:
    """True when a file belongs to the user who runs us; where files have no owner's id, True."""
    return not hasattr(os, "getuid") or status.st_uid == os.getuid()


def lock_file(path: os.PathLike[str]) -> int | None:
    """Open and lock a file (flock(2)) until its descriptor is closed or we end. None when another
    process holds it or there are no locks here."""
    if sys.modules.get("fcntl") is None:
        return None
    try:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        return None
    return fd
