"""What every debugger is to the rest of the house, whatever program answers."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

Asker = Literal["engine", "user"]
Selection = tuple[int, int | None]
"""The selected thread's number (0: none) and the level of its selected frame (None: no frame)."""
INTERRUPTED = "interrupted"
"""The reason of an output that a person cut short."""


class DebuggerError(Exception):
    """Base of what a debugger raises. Its text is one line for a person."""


class DebuggerUnavailable(DebuggerError):
    """No such debugger here, or it does not start; the text says what to do."""


class DebuggerStuck(DebuggerUnavailable):
    """It waits for something while it loads the dump, and uses no processor."""


class DumpRefused(DebuggerUnavailable):
    """It runs, but takes this dump for damaged or foreign: no fault of the debugger."""


class CommandRefused(DebuggerError):
    """A line that cannot be sent as one command: too long, or it holds control characters."""


class DebuggerDied(DebuggerError):
    """The debugger went away during a command; ``partial`` is what it had printed by then."""

    def __init__(self, reason: str, partial: "Output | None" = None) -> None:
        super().__init__(reason)
        self.partial = partial


class Output(NamedTuple):
    """What one command printed, escape sequences removed, line ends LF, valid UTF-8.

    Small output is in ``text``. Large output is in the file ``path`` (UTF-8) and ``text`` is None;
    the file lives until the debugger is closed, so the store moves or copies it. ``size`` is in
    bytes of the cleaned text, ``seconds`` from sending to the next prompt. ``partial`` marks
    output that was cut, ``reason`` says by what (empty otherwise). ``sha256`` (hex) and ``lines``
    are the file's, counted while it was captured.
    """

    text: str | None
    path: Path | None
    size: int
    partial: bool = False
    reason: str = ""
    seconds: float = 0.0
    sha256: str = ""
    lines: int = 0

    @classmethod
    def of(cls, text: str) -> "Output":
        """A text that no debugger printed just now."""
        return cls(text=text, path=None, size=len(text.encode("utf-8", "replace")))

    def read(self) -> str:
        """The whole text, wherever it lies."""
        if self.path is None:
            return self.text or ""
        return self.path.read_bytes().decode("utf-8", "replace")

    def start(self, limit: int) -> str:
        """The text, of a file over ``limit`` bytes the lines that fit. Raises `OSError`."""
        if self.path is None:
            return self.text or ""
        with self.path.open("rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            data = data[: data.rfind(b"\n", 0, limit) + 1 or limit]
        return data.decode("utf-8", "replace")


class Recipe(NamedTuple):
    """How to open a dump, so that a resumed session opens it the same way.

    ``debugger`` is the backend's name; ``program`` names the program to use instead of looking for
    one. ``sos`` is the SOS plugin and ``clr_path`` the folder of .NET's runtime, where they are
    known. ``files`` are recorded paths with the files that may stand for them, None where the one
    that is there is another: given where there is such a path, and then no others are loaded.
    ``left_out`` is where the dump lacks memory, which is to be read by nobody.
    ``spool`` is a folder for large outputs (a temporary one when None). An output over
    ``output_limit`` bytes, or one that would fill the disk, is cut and marked so.
    """

    core: Path | None
    executable: Path | None = None
    sysroot: Path | None = None
    files: Sequence[tuple[str, Path | None]] | None = None
    left_out: Sequence[tuple[int, int]] = ()
    source_dirs: Sequence[Path] = ()
    debugger: str = "gdb"
    program: Path | None = None
    sos: Path | None = None
    clr_path: Path | None = None
    rows: int = 24
    cols: int = 80
    spool: Path | None = None
    output_limit: int = 16 << 30
    start_timeout: float = 120.0


class Debugger(Protocol):
    """One debugger, one process for the life of a session, one queue of commands.

    ``display`` receives the coloured stream (marks removed, CR LF line ends) with an echoed line
    before each command that says who asked; it is called on the event loop, at most 30 times a
    second, and skips what nobody could read. ``on_restart`` is called with the reason each time
    the debugger had to be started again; ``restarts`` counts that. ``on_awaiting`` is called when
    `awaiting_input` changes.
    """

    name: str
    version: str
    path: str
    restarts: int
    display: Callable[[bytes], None] | None
    on_restart: Callable[[str], None] | None
    on_awaiting: Callable[[bool], None] | None

    @property
    def awaiting_input(self) -> bool:
        """True while the user's command waits for more lines; give them to `answer`."""

    @property
    def opening(self) -> Output:
        """What loading the dump printed."""

    async def start(self) -> None:
        """Start it and load the dump. Raises `DebuggerUnavailable`."""

    async def under_way(self) -> None:
        """Return once its process is there and loads the dump by itself, or `start` has failed."""

    async def execute(self, command: str, *, by: Asker, timeout: float) -> Output:  # noqa: ASYNC109
        """Queue one command and wait for its output; ``timeout`` in seconds from its turn on.

        Raises `CommandRefused` before anything is sent, `DebuggerDied` when the debugger died
        twice in the same command, or once in the user's.
        """

    async def interrupt(self) -> None:
        """Stop the running command, as Ctrl-C does; it then returns partial output."""

    def answer(self, line: str) -> None:
        """Give a line to the command that waits for one."""

    async def complete(self, prefix: str) -> list[str]:
        """Whole command lines that begin with ``prefix``; empty while a command runs."""

    def leaves_debugger(self, command: str) -> bool:
        """True when the command would end the debugger or let go of the dump."""

    def moves_selection(self, command: str) -> bool:
        """True when another thread or frame may be selected after the command."""
        ...

    async def selection(self) -> Selection:
        """What is selected now."""
        ...

    def resize(self, rows: int, cols: int) -> None:
        """Tell the terminal its size."""

    async def close(self) -> None:
        """End it and everything that it started, and remove the spooled outputs."""
