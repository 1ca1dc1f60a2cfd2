"""A program on a Windows pseudo-console (ConPTY), through pywinpty. Experimental.

The console draws what the program prints: escape sequences are taken out again, and it is made so
wide that no line is wrapped.
"""

import contextlib
import re
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from workbench.debuggers.protocol import DebuggerUnavailable
from workbench.debuggers.pty import Child

_COLUMNS = 4096
_POLL = 0.05
# ECMA-48 as the console sends it: CSI, OSC up to BEL or ST, two- and three-byte escapes.
_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|\][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)"
    rb"|[ -/]{1,4}[0-~]|[0-OQ-Z\\`-~])"
)
_UNFINISHED = re.compile(
    rb"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|\][^\x07\x1b]{0,4096}\x1b?|[ -/]{0,4})?$"
)


class Console(Protocol):
    """What is used of ``winpty.PtyProcess``."""

    pid: int
    exitstatus: int | None

    def read(self, size: int = 1024) -> str:
        """What it printed; blocks. Raises `EOFError` at its end."""

    def write(self, s: str) -> int:
        """Type it."""

    def isalive(self) -> bool:
        """True while the program runs."""

    def terminate(self, force: bool = False) -> bool:
        """End it."""


class ConsoleChild(Child):
    """A `Child` whose terminal is a pseudo-console."""

    def __init__(self, console: Console) -> None:
        super().__init__(console.pid, 0)
        self._console = console
        self._held = b""

    def read(self) -> bytes:
        """See `Child.read`; without escape sequences."""
        while True:
            try:
                data = self._held + self._console.read(1 << 16).encode("utf-8", "replace")
            except (EOFError, OSError):
                rest, self._held = _ESCAPES.sub(b"", self._held), b""
                return rest
            data = _ESCAPES.sub(b"", data)
            cut = _UNFINISHED.search(data)
            self._held = data[cut.start() :] if cut is not None else b""
            data = data[: len(data) - len(self._held)]
            if data:
                return data

    def write(self, data: bytes | bytearray) -> int:
        """Type it; a console's line ends in CR."""
        text = bytes(data).decode("utf-8", "replace").replace("\n", "\r")
        self._console.write(text)
        return len(data)

    def hang_up(self) -> None:
        """Nothing is left to close once the program has ended."""
        self.master = -1

    def set_plain(self) -> None:
        """A console's modes belong to its program."""

    def set_size(self, rows: int, cols: int) -> None:
        """It stays as wide as it is: another size would make the console draw everything again."""

    def interrupt(self) -> None:
        """Ctrl-C, typed."""
        with contextlib.suppress(EOFError, OSError):
            self._console.write("\x03")

    def kill(self) -> None:
        """End it; it is not asked."""
        with contextlib.suppress(EOFError, OSError):
            self._console.terminate(force=True)

    def signal(self, number: int) -> None:
        """A console knows no signal but to end it."""
        self.kill()

    def reap(self) -> str:
        while self._console.isalive():
            time.sleep(_POLL)
        self.reaped = True
        return f"exited with status {self._console.exitstatus}"

    def is_waiting(self) -> bool:
        """Nobody can tell whether it waits or looks for symbols, so it is taken to work."""
        return False


def spawn_on_console(argv: Sequence[str], env: Mapping[str, str], rows: int) -> Child:
    """Start a program on a new pseudo-console. Raises `DebuggerUnavailable`."""
    try:
        process = import_module("winpty").PtyProcess
    except ImportError as error:
        raise DebuggerUnavailable(
            "debuggers on Windows need pywinpty: pip install pywinpty"
        ) from error
    size = (max(rows, 24), _COLUMNS)
    try:
        return ConsoleChild(process.spawn(list(argv), env=dict(env), dimensions=size))
    except (OSError, ValueError, RuntimeError) as error:
        raise DebuggerUnavailable(f"cannot start {argv[0]}: {error}") from error
