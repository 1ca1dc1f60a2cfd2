"""Where a reader thread leaves the console's bytes and the screen picks them up."""

import threading
from collections import deque

KEEP = 256 * 1024
"""Bytes that may wait. Beyond it the oldest are dropped: nobody could have read them."""

TAIL = 4 * 1024
"""Bytes that are kept of a flood."""


class Spool:
    """Thread-safe; `write` costs an append, so a reader thread is never held up."""

    def __init__(self, keep: int = KEEP, tail: int = TAIL) -> None:
        self._lock = threading.Lock()
        self._chunks: deque[bytes] = deque()
        self._waiting = 0
        self._skipped = 0
        self._keep = keep
        self._tail = tail

    def write(self, data: bytes) -> bool:
        """Leave bytes; True when the spool was empty before."""
        with self._lock:
            was_empty = not self._waiting
            self._chunks.append(data)
            self._waiting += len(data)
            if self._waiting > self._keep:
                self._drop()
            return was_empty

    def skip(self) -> None:
        """Drop all but the tail of what waits."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        while len(self._chunks) > 1 and self._waiting - len(self._chunks[0]) >= self._tail:
            gone = len(self._chunks.popleft())
            self._waiting -= gone
            self._skipped += gone
        if self._chunks and self._waiting > self._tail:
            # The oldest chunk that is left holds where the tail begins.
            excess = self._waiting - self._tail
            self._chunks[0] = self._chunks[0][excess:]
            self._waiting -= excess
            self._skipped += excess

    def take(self, limit: int) -> tuple[int, bytes]:
        """Bytes skipped before these, and at most ``limit`` bytes. After a skip what is left
        begins at a line's start where there is one."""
        with self._lock:
            skipped, self._skipped = self._skipped, 0
            parts: list[bytes] = []
            room = limit
            while self._chunks and room > 0:
                chunk = self._chunks.popleft()
                if len(chunk) > room:
                    self._chunks.appendleft(chunk[room:])
                    chunk = chunk[:room]
                parts.append(chunk)
                room -= len(chunk)
                self._waiting -= len(chunk)
        data = b"".join(parts)
        if skipped:
            start = data.find(b"\n") + 1
            skipped += start
            data = data[start:]
        return skipped, data

    @property
    def waiting(self) -> int:
        """Bytes not yet taken."""
        return self._waiting
