"""lldb 14 to 23 behind the protocol: ELF and Mach-O cores, and Windows minidumps anywhere."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from workbench.debuggers.dotnet.find_sos import load_sos, loads_plugins
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.line import raw_line
from workbench.debuggers.lldb.find import find_lldb
from workbench.debuggers.lldb.recipe import EMPTIED, lldb_launch, settled
from workbench.debuggers.lldb.selection import select, select_first, selection_of, split
from workbench.debuggers.lldb.sources import map_sources
from workbench.debuggers.lldb.words import WORDS, selects_thread
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import (
    CommandRefused,
    DebuggerDied,
    DebuggerStuck,
    DumpRefused,
    Output,
    Recipe,
)
from workbench.debuggers.queued import QueuedDebugger, Selection
from workbench.debuggers.session import DebuggerSession

# How long lldb's own thread may take to tell of a selected thread.
_LATE = 0.15
_VERSION = re.compile(r"lldb(?: version |-)(\d[\w.]*)")
# What lldb would complete, from its own interpreter, one a line; the first is what they share.
_COMPLETE = (
    "script import lldb; _m = lldb.SBStringList(); _t = bytes.fromhex('{}').decode(); "
    "_n = lldb.debugger.GetCommandInterpreter().HandleCompletion(_t, len(_t), 0, 200, _m); "
    "print(chr(10).join(_m.GetStringAtIndex(_i) for _i in range(1, _m.GetSize())))"
)


class LldbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "lldb"
    emptied = EMPTIED
    words = WORDS
    launch_of = staticmethod(lldb_launch)

    def __init__(self, recipe: Recipe, begun: HeadStart | None = None) -> None:
        super().__init__(recipe, begun)
        self._sos_died = ""  # how lldb ended when it loaded SOS: it is not tried again

    def find(self) -> Program:
        """The lldb to run. Raises `DebuggerUnavailable`."""
        return find_lldb(self.recipe.program, sos=self.recipe.sos is not None)

    async def opened(self, session: DebuggerSession) -> None:
        """A dump that was refused ends here. Raises `DumpRefused`."""
        if not self.version:
            found = _VERSION.search(await session.ask("version"))
            self.version = found[1] if found else "unknown"
        said = self.opening.read()
        failed = re.search(r"^error:\s*(.*)", said, re.MULTILINE)
        if failed and (await selection_of(session))[0] == 0:
            await session.kill()
            reason = failed[1][:200]
            raise DumpRefused(f"lldb cannot open the dump: {reason}")
        await map_sources(session, self.recipe.source_dirs, self.private_folder())
        if self.recipe.sos is not None:
            await self._load_sos(session, self.recipe.sos)

    async def as_new(self, session: DebuggerSession) -> Program | None:
        """See `QueuedDebugger.as_new`; what lldb printed goes with its target."""
        return None if self.recipe.sos is not None else self.program

    async def _load_sos(self, session: DebuggerSession, plugin: Path) -> None:
        """Load SOS; what is wrong with it stands in `opening`. Raises `DebuggerStuck` when lldb
        dies of it, to be opened without."""
        if self.program is None or not loads_plugins(self.program.path):
            problem = "SOS is not loaded: this lldb is not built for it, a distribution's is"
        elif self._sos_died:
            problem = f"SOS is not loaded: {self._sos_died} while it was"
        else:
            try:
                problem = await load_sos(session.ask, plugin, self.recipe.clr_path)
            except DebuggerDied as death:
                self._sos_died = str(death)
                raise DebuggerStuck(self._sos_died) from death
        if problem:
            said = f"{self.opening.read()}{problem}\n"
            self.opening = Output(said, None, len(said.encode()), seconds=self.opening.seconds)

    async def open_stuck(self, stuck: DebuggerStuck) -> DebuggerSession:
        """Once more without SOS, when that was what ended lldb."""
        if not self._sos_died:
            raise stuck
        return await self.load(self.recipe)

    # How lldb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The settings that framing rests on."""
        return settled(session.nonce)

    def command_line(self, command: str) -> bytes:
        """Empty for a blank line or a comment, of which lldb would take the first as "the last
        command again". Raises `CommandRefused`."""
        selecting, command = split(command)
        command = command.strip(" \t\r\n")
        if not command or command.startswith("#"):
            if not selecting:
                return b""
            raise CommandRefused("nothing follows the selection of a frame")
        if len(command) > 1 and "gui".startswith(command.split()[0]):
            raise CommandRefused("lldb's own windows do not fit into this console")
        return raw_line(command)

    async def prepare(self, session: DebuggerSession, command: str) -> Output | None:
        """Select what the command says that it means."""
        return await select_first(session, command)

    async def finish(self, session: DebuggerSession, command: str, output: Output) -> None:
        """What lldb tells of a thread that was selected belongs to no other command."""
        if selects_thread(command) and "thread #" not in (output.text or ""):
            await asyncio.sleep(_LATE)

    async def selection_of(self, session: DebuggerSession) -> Selection:
        """What is selected now."""
        return await selection_of(session)

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        """Select it again."""
        await select(session, selection)

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """What lldb's own interpreter says; none where its Python does not work."""
        said = await session.ask(_COMPLETE.format(prefix.encode().hex()), 3.0)
        if said.startswith(("error", "Traceback")):
            return []
        stem = prefix[: len(prefix) - len(prefix.split(" ")[-1])]
        return [stem + word.rstrip() for word in said.split("\n") if word.strip()]
