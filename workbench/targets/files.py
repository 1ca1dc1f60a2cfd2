"""Files are opened only when they are regular, never wait for a writer, and are read by position.

They are not mapped: a mapped file that is cut by somebody else, as an executable that is built
again, ends the reading process with SIGBUS (mmap(2)). A short read is only missing data.
"""

import os
import stat
import threading
from pathlib import Path
from typing import Protocol, Self

# O_NONBLOCK: a named pipe does not wait for its writer; O_NOCTTY: a terminal does not become
# ours (open(2)). Windows has neither, and needs O_BINARY.
OPEN_FLAGS = os.O_RDONLY
for _name in ("O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    OPEN_FLAGS |= getattr(os, _name, 0)

_seeking = threading.Lock()


def read_at(handle: int, count: int, start: int) -> bytes:
    """``pread``, or what comes to the same where there is none. Raises ``OSError``."""
    if hasattr(os, "pread"):
        return os.pread(handle, count, start)
    with _seeking:
        os.lseek(handle, start, os.SEEK_SET)
        return os.read(handle, count)


class Buffer(Protocol):
    """Bytes that are sliced; a slice is short where they end."""

    def __len__(self) -> int: ...

    def __getitem__(self, part: slice, /) -> bytes: ...


_failures: dict[Path, str] = {}


def take_failures() -> dict[Path, str]:
    """The files that could not be read since this was asked before, and why: a disk that is gone
    or broken. A file that is not there is none of them."""
    found = dict(_failures)
    _failures.clear()
    return found


class Closing:
    """Closed at the end of the block that it is a context manager of."""

    def close(self) -> None:
        """Let go of what is held."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class FileBytes(Closing):
    """The content of a regular file as a ``Buffer``; slices only, with both ends given.

    With ``keep`` the file stays open until ``close``; without it is opened for each slice, so that
    a thousand libraries need no thousand descriptors, and is empty once another file has taken its
    place. Raises ``OSError`` when it cannot be opened, ``ValueError`` when it is not regular.
    """

    def __init__(self, path: Path, keep: bool = False) -> None:
        self.path = path.absolute()
        self.size = 0
        self._handle: int | None = None
        handle = os.open(self.path, OPEN_FLAGS)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(kind_of_file(status.st_mode))
            self.size = status.st_size
            self._identity = _identity(status)
            if keep:
                self._handle, handle = handle, -1
        finally:
            if handle >= 0:
                os.close(handle)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice, /) -> bytes:
        start = max(0, part.start or 0)
        count = min(part.stop if part.stop is not None else self.size, self.size) - start
        if count <= 0:
            return b""
        try:
            if self._handle is not None:
                return _read(self._handle, count, start)
            handle = os.open(self.path, OPEN_FLAGS)
            try:
                if _identity(os.fstat(handle)) != self._identity:
                    return b""
                return _read(handle, count, start)
            finally:
                os.close(handle)
        except FileNotFoundError:
            return b""
        except OSError as error:
            _failures[self.path] = error.strerror or str(error)
            return b""

    def close(self) -> None:
        """Close the file; every slice is empty from then on."""
        handle, self._handle, self.size = self._handle, None, 0
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        self.close()


def _read(handle: int, count: int, start: int) -> bytes:
    """Read until all is there: one call gives at most 2 GiB (read(2))."""
    raw = read_at(handle, count, start)
    while len(raw) < count:
        more = read_at(handle, count - len(raw), start + len(raw))
        if not more:
            break
        raw += more
    return raw


def _identity(status: os.stat_result) -> tuple[int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def kind_of_file(mode: int) -> str:
    """What a file is that is not a regular one, in words."""
    for test, words in (
        (stat.S_ISDIR, "is a directory"),
        (stat.S_ISFIFO, "is a named pipe"),
        (stat.S_ISSOCK, "is a socket"),
        (stat.S_ISCHR, "is a device"),
        (stat.S_ISBLK, "is a device"),
    ):
        if test(mode):
            return words
    return "is not a regular file"
