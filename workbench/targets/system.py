"""What differs between operating systems when a file is read. Cores are read on any of them."""

import os
import threading

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
