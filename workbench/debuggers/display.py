"""The stream for the console pane: what a person could read of it, at most 30 times a second."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable

from workbench.debuggers.protocol import Asker

_INTERVAL = 1 / 30
# Where output is skipped nobody reads it: ten glimpses a second show that it goes on.
_GLIMPSE = 1 / 10
_KEPT = 32 * 1024
_NEWEST = 4 * 1024
# A sink that draws may take up to a fifth of the time; more would slow down the reader.
_REST = 4
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


class DisplayStream:
    """Gathers bytes from any thread and hands them to ``sink`` on the event loop.

    While more comes than a person can read (32 KiB between two calls) only the newest 4 KiB are
    passed on, begun at a line end, after a line that says how much was skipped; and that 10 times
    a second only.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, prompt: str = "") -> None:
        """``prompt`` is what a person would see before what they typed."""
        self.sink: Callable[[bytes], None] | None = None
        self._prompt = prompt
        self._loop = loop
        self._lock = threading.Lock()
        self._parts: deque[bytes] = deque()
        self._kept = 0
        self._skipped = 0
        self._cut = False
        self._scheduled = False
        self._next = 0.0

    def echo(self, command: str, by: Asker) -> None:
        """The line that a person would see typed, with who typed it."""
        line = (
            f"{_DIM}engine \u25b8 {command}{_PLAIN}"
            if by == "engine"
            else f"{self._prompt}{command}"
        )
        self.put(f"{line}\n".encode("utf-8", "replace"))

    def put(self, data: bytes) -> None:
        """Add output. Cheap: the reader thread calls it for each chunk."""
        if self.sink is None:
            return
        with self._lock:
            self._parts.append(data)
            self._kept += len(data)
            while self._kept > _KEPT and len(self._parts) > 1:
                dropped = self._parts.popleft()
                self._kept -= len(dropped)
                self._skipped += len(dropped)
                self._cut = not dropped.endswith(b"\n")
            if self._scheduled:
                return
            self._scheduled = True
        # The loop is closed only after the reader has been joined or given up at the end.
        try:
            self._loop.call_soon_threadsafe(self._schedule)
        except RuntimeError:
            self._scheduled = False

    def _schedule(self) -> None:
        wait = self._next - self._loop.time()
        if wait > 0:
            self._loop.call_later(wait, self.flush)
        else:
            self.flush()

    def flush(self) -> None:
        """Pass on what is there now. On the event loop only."""
        with self._lock:
            data = b"".join(self._parts)
            skipped = self._skipped
            self._parts.clear()
            self._kept = self._skipped = 0
            self._scheduled = False
        if skipped:
            start = max(0, len(data) - _NEWEST)
            cut = self._cut if not start else data[start - 1 : start] != b"\n"
            if cut:
                start = max(start, data.find(b"\n", start) + 1)
            skipped += start
            data = data[start:]
            note = f"\r\n{_PLAIN}{_DIM}\u2026 {skipped:,} bytes skipped here{_PLAIN}\r\n"
            data = note.encode() + data
        before = self._loop.time()
        if data and self.sink is not None:
            self.sink(data.replace(b"\n", b"\r\n"))
        now = self._loop.time()
        self._next = now + max(_GLIMPSE if skipped else _INTERVAL, _REST * (now - before))
