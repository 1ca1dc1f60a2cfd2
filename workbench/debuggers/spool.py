"""Where the raw bytes of one output wait: in memory while small, in a file when not."""

import os
from pathlib import Path

IN_MEMORY = 256 * 1024


class Spool:
    """The raw output of one command. Written by the reader thread only, until it is sealed.

    ``size`` counts the bytes that came, ``last`` is the newest chunk, ``trouble`` says why the
    output was cut (empty if it was not), ``plain`` tells that a file needs no cleaning.
    """

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self.trouble = ""
        self.last = b""
        self.plain = True
        self.in_file = False
        self._limit = limit
        self._memory = bytearray()
        self._fd = -1

    def write(self, data: bytes) -> None:
        """Add bytes. Past the limit or on a full disk they are dropped: they still have to be
        read off the terminal, or the program would block."""
        if self.trouble:
            return
        self.size += len(data)
        self.last = data
        self._memory += data
        if len(self._memory) > IN_MEMORY:
            self._spill()

    def restart(self) -> None:
        """Forget what came so far, while it is small."""
        if not self.in_file:
            self._memory.clear()
            self.size, self.last = 0, b""

    def memory(self) -> bytes:
        """The bytes of a small output."""
        return bytes(self._memory)

    def seal(self) -> None:
        """No more writes; what is left goes to the file if there is one, which is closed."""
        if self.in_file and self._memory:
            self._spill()
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _spill(self) -> None:
        data = bytes(self._memory)
        self._memory.clear()
        if self.size > self._limit:
            self.trouble = f"output cut at {self._limit} bytes"
            data = data[: max(0, len(data) - (self.size - self._limit))]
        self.plain = self.plain and data.isascii() and b"\x1b" not in data and b"\r" not in data
        try:
            if not self.in_file:
                self._fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                self.in_file = True
            while data:
                data = data[os.write(self._fd, data) :]
        except OSError as error:
            self.trouble = f"output cut: {error.strerror}: {self.path.parent}"
