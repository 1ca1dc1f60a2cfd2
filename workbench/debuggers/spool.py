"""Where the raw bytes of one output wait: in memory while small, in a file when not."""

import os
from pathlib import Path

IN_MEMORY = 256 * 1024


class Spool:
    """The raw output of one command. Written by the reader thread only, until it is sealed."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path = path
        self.size = 0
        self.trouble = ""
        self.last = b""
        self._limit = limit
        self._memory = bytearray()
        self._fd = -1

    def write(self, data: bytes) -> bool:
        """Add bytes. False once the limit or a full disk cuts the output (`trouble` says which);
        what follows is dropped, but still has to be read off the terminal."""
        if self.trouble:
            return False
        self.size += len(data)
        self.last = data
        if self._fd < 0:
            self._memory += data
            if len(self._memory) <= IN_MEMORY:
                return True
            data = bytes(self._memory)
            self._memory.clear()
        if self.size > self._limit:
            self.trouble = f"output cut at {self._limit} bytes"
        else:
            try:
                if self._fd < 0:
                    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
                    self._fd = os.open(self.path, flags, 0o600)
                while data:
                    data = data[os.write(self._fd, data) :]
            except OSError as error:
                self.trouble = f"output cut: {error.strerror}: {self.path.parent}"
        return not self.trouble

    @property
    def in_file(self) -> bool:
        """True when `path` holds the bytes."""
        return self.size > IN_MEMORY and not self._memory

    def memory(self) -> bytes:
        """The bytes of a small output."""
        return bytes(self._memory)

    def seal(self) -> None:
        """No more writes; closes the file."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
