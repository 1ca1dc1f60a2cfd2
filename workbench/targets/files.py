"""Files are opened once, only when they are regular, and never wait for a writer."""

import mmap
import os
import stat
from pathlib import Path
from types import TracebackType


class MappedFile:
    """A read-only view of a regular file. ``data`` supports slices and ``find``.

    Raises ``OSError`` when the file cannot be opened, and ``ValueError`` when it is not regular.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        # O_NONBLOCK: opening a FIFO must not wait for somebody to write into it.
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        try:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError(kind_of_file(status.st_mode))
            self.size = status.st_size
            self.data: mmap.mmap | bytes = (
                mmap.mmap(handle, self.size, prot=mmap.PROT_READ) if self.size else b""
            )
        finally:
            os.close(handle)

    def close(self) -> None:
        """Release the mapping."""
        if isinstance(self.data, mmap.mmap):
            self.data.close()

    def __enter__(self) -> "MappedFile":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


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
