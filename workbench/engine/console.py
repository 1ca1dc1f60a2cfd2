"""The console's stream to a front end; a resumed session begins with what was shown last."""

from collections.abc import Awaitable, Callable

from workbench.debuggers.protocol import Debugger
from workbench.model.evidence import Source
from workbench.model.investigation import Investigation
from workbench.model.text import printable

REPLAYED_COMMANDS = 5
REPLAYED_LINES = 40
_DIM, _PLAIN = "\x1b[2m", "\x1b[0m"


class Console:
    """Hands the debugger's coloured bytes to one listener. Display only: nothing is kept."""

    def __init__(self, debugger: Debugger | None) -> None:
        self._debugger = debugger
        self._listener: Callable[[bytes], None] | None = None

    def listen(self, listener: Callable[[bytes], None]) -> Callable[[], None]:
        """Send what comes from now on to ``listener``; returns what ends that."""
        self._listener = listener
        if self._debugger is not None:
            self._debugger.display = listener
        return self._end

    def _end(self) -> None:
        self._listener = None
        if self._debugger is not None:
            self._debugger.display = None

    async def replay(self, state: Investigation, text_of: Callable[[str], Awaitable[str]]) -> None:
        """Show the last commands of the session as they were, then what a resume has lost."""
        shown = [item for item in state.evidence.values() if item.source is not Source.FILE]
        for item in shown[-REPLAYED_COMMANDS:]:
            asker = "(gdb)" if item.source is Source.USER else f"{_DIM}engine ▸"
            lines = (await text_of(item.id)).split("\n")
            if len(lines) > REPLAYED_LINES:
                left = len(lines) - REPLAYED_LINES
                lines = [*lines[:REPLAYED_LINES], f"… {left} more lines in {item.id}"]
            self._say(f"{asker} {printable(item.command)}{_PLAIN}")
            for line in lines:
                self._say(printable(line, keep="\t"))
        if shown:
            self._say(
                f"{_DIM}— resumed: a new debugger with the same recipe; convenience variables and "
                f"settings made before are gone —{_PLAIN}"
            )

    def _say(self, line: str) -> None:
        if self._listener is not None:
            self._listener(f"{line}\r\n".encode("utf-8", "replace"))
