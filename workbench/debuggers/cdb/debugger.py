"""cdb behind the protocol: Windows dumps with Microsoft's own debugger. Experimental."""

import re
from collections.abc import Sequence

from workbench.debuggers.cdb.find import find_cdb
from workbench.debuggers.cdb.recipe import cdb_launch
from workbench.debuggers.cdb.words import (
    leaves_debugger,
    may_change_settings,
    moves_selection,
    refuse_interactive,
)
from workbench.debuggers.line import raw_line
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import CommandRefused, DumpRefused, Recipe
from workbench.debuggers.queued import QueuedDebugger, Selection
from workbench.debuggers.session import DebuggerSession
from workbench.debuggers.words import Words

_VERSION = re.compile(r"Windows Debugger Version (\d[\w.]*)")
_CURRENT = re.compile(r"^\s*\.\s+(\d{1,6})\s+[Ii]d: ", re.MULTILINE)
_FRAME = re.compile(r"^([0-9a-fA-F]{2,4}) ", re.MULTILINE)
_REFUSED = re.compile(
    r"^(?:Could not open dump file.*|The system cannot find the file.*|Debuggee initialization "
    r"failed.*|\w:.*HRESULT 0x[0-9A-Fa-f]{8}.*)",
    re.MULTILINE,
)


class CdbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "cdb"
    # No command takes the marks away, and a command's body stands in its line.
    words = Words(
        moves_selection=moves_selection,
        may_change_settings=may_change_settings,
        leaves_debugger=leaves_debugger,
    )
    launch_of = staticmethod(cdb_launch)

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self._start: Selection = (0, None)

    def find(self) -> Program:
        """The cdb to run. Raises `DebuggerUnavailable`."""
        return find_cdb(self.recipe.program)

    async def opened(self, session: DebuggerSession) -> None:
        """Go to the exception that the dump was written for, so that stacks and registers are
        those of the crash. A dump that was refused ends here. Raises `DumpRefused`."""
        said = self.opening.read()
        found = _VERSION.search(said)
        self.version = found[1] if found else self.version or "unknown"
        refused = _REFUSED.search(said)
        if refused is not None and not await session.ask("~"):
            await session.kill()
            raise DumpRefused(f"cdb cannot open the dump: {refused[0][:200]}")
        await session.ask(".ecxr")
        self._start = await self.selection_of(session)

    # How cdb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The number base and the evaluator, which a user's command may have changed."""
        return ("n 16", ".expr /s masm", ".lines -e")

    def command_line(self, command: str) -> bytes:
        """One command as one line. Raises `CommandRefused`."""
        text = command.strip(" \t\r\n")
        if not text.strip(";"):
            return b""
        refuse_interactive(text)
        if text.endswith("\\"):
            raise CommandRefused("a command that ends in a backslash may go on in the next line")
        return raw_line(text)

    async def selection_of(self, session: DebuggerSession) -> Selection:
        """The debugger's number of the selected thread, and the level of its frame."""
        thread = _CURRENT.search(await session.ask("~"))
        frame = _FRAME.search(await session.ask(".frame"))
        return int(thread[1]) if thread else 0, int(frame[1], 16) if frame else None

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        """Select it again; for the thread of the exception with the exception's context."""
        thread, frame = selection
        await session.ask(f"~{thread}s")
        if thread == self._start[0]:
            await session.ask(".ecxr")
        if frame:
            await session.ask(f".frame {frame:x}")

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """Symbols of a module, when the last word asks for some: cdb completes nothing else."""
        stem, _, word = prefix.rpartition(" ")
        if "!" not in word or not re.fullmatch(r"[\w.]+![\w:~]*", word):
            return []
        said = await session.ask(f"x {word}*", 5.0)
        module = word.partition("!")[0]
        names = re.findall(rf"^[0-9a-f`]+\s+({re.escape(module)}![^\s(]+)", said, re.MULTILINE)
        return [f"{stem} {name}".lstrip() for name in dict.fromkeys(names)][:200]
