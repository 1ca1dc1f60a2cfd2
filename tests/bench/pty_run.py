"""A program on a pseudo-terminal, read as fast as it writes."""

import fcntl
import os
import select
import signal
import struct
import subprocess
import termios
import time
import tty
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType

ROWS, COLUMNS = 40, 120


class PtyRun:
    """Use as a context manager: the program and its group are killed on the way out.

    ``began`` is when it was started (`time.perf_counter`). With ``raw`` the terminal neither
    echoes nor translates, as the workbench sets it for its debugger."""

    def __init__(
        self, command: Sequence[str], raw: bool = False, env: Mapping[str, str] | None = None
    ) -> None:
        self.master, slave = os.openpty()
        if raw:
            tty.setraw(slave)
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        environment = {**(env or os.environ), "TERM": "xterm-256color", "COLORTERM": "truecolor"}
        environment |= {"COLUMNS": str(COLUMNS), "LINES": str(ROWS)}  # xdist sets others
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)

    def __enter__(self) -> "PtyRun":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self.master)

    def send(self, text: str) -> None:
        """Type."""
        os.write(self.master, text.encode())

    def read(self, seconds: float) -> bytes:
        """What comes within ``seconds``; empty when nothing does or the program is gone."""
        ready, _, _ = select.select([self.master], [], [], max(seconds, 0))
        if not ready:
            return b""
        try:
            return os.read(self.master, 1 << 16)
        except OSError:  # EIO: the other side is closed
            return b""

    def until(self, found: Callable[[bytes], bool], seconds: float, window: int = 65536) -> float:
        """Read until ``found`` holds for the last ``window`` bytes; returns when that was.
        Raises `TimeoutError` with the tail of what came."""
        deadline = time.perf_counter() + seconds
        tail = b""
        while time.perf_counter() < deadline:
            tail = (tail + self.read(0.05))[-window:]
            if found(tail):
                return time.perf_counter()
        raise TimeoutError(f"not seen within {seconds} s; last: {tail[-2000:]!r}")

    def drain(self, seconds: float) -> bytes:
        """Everything that comes for ``seconds``."""
        deadline = time.perf_counter() + seconds
        got = b""
        while (left := deadline - time.perf_counter()) > 0:
            got += self.read(left)
        return got
