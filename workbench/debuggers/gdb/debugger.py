"""gdb 12 to 18 behind the protocol: started safe, loaded again without files that hold it up."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from workbench.debuggers import early
from workbench.debuggers.gdb.find import find_gdb
from workbench.debuggers.gdb.line import command_line
from workbench.debuggers.gdb.recipe import EMPTIED, LOADED, gdb_launch, settled
from workbench.debuggers.gdb.selection import select, selection_of
from workbench.debuggers.gdb.words import (
    changes_prompt,
    leaves_debugger,
    may_change_settings,
    moves_selection,
    opens_body,
    reads_terminal,
)
from workbench.debuggers.gdb.writing import Writing
from workbench.debuggers.guarded import MAPPINGS, blind, guarded
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.launch import Launch
from workbench.debuggers.line import raw_line
from workbench.debuggers.matched import matched
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import (
    DebuggerStuck,
    DebuggerUnavailable,
    Output,
    Recipe,
)
from workbench.debuggers.queued import QueuedDebugger, Selection
from workbench.debuggers.session import DebuggerSession
from workbench.debuggers.words import Words

_VERSION = re.compile(r"GNU gdb.*?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)


class GdbDebugger(QueuedDebugger):
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "gdb"
    emptied = EMPTIED
    words = Words(
        moves_selection=moves_selection,
        may_change_settings=may_change_settings,
        leaves_debugger=leaves_debugger,
        opens_body=opens_body,
        changes_prompt=changes_prompt,
        reads_terminal=reads_terminal,
    )

    def __init__(self, recipe: Recipe, begun: HeadStart | None = None) -> None:
        super().__init__(recipe, begun)
        self._gdb: Program | None = None
        self._guarded: Recipe | None = None  # in place of the recipe, once gdb was stuck
        self._writing = Writing()

    def find(self) -> None:
        """Choose the gdb to run. Raises `DebuggerUnavailable`."""
        self._gdb = self.begun.program if self.begun else find_gdb(self.recipe.program)
        self.path, self.why = str(self._gdb.path), self._gdb.why

    def launch(self, recipe: Recipe, folder: Path) -> Launch:
        """gdb on a recipe."""
        if self._gdb is None:
            raise DebuggerUnavailable("the debugger was closed")
        return gdb_launch(self._gdb, recipe, folder)

    async def opened(self, session: DebuggerSession) -> None:
        """Source lines may be quoted from here on."""
        self._writing = Writing()
        await session.ask(LOADED)
        if not self.version:
            found = _VERSION.search(await session.ask("show version"))
            self.version = found[1] if found else "unknown"

    async def load(self, recipe: Recipe) -> DebuggerSession:
        """The recipe, or what stands in its place once gdb was stuck on it."""
        return await super().load(self._guarded or recipe)

    async def open_stuck(self, stuck: DebuggerStuck) -> DebuggerSession:
        """Load the dump without the files on it that are none."""
        if self._guarded is not None:
            raise stuck
        folder = self.private_folder()
        own = matched(self.recipe, folder)
        session = await super().load(blind(own, folder))
        mappings = await session.ask(MAPPINGS)
        await session.kill()
        recipe, odd = await asyncio.to_thread(guarded, own, mappings, folder)
        self._guarded = recipe
        session = await super().load(recipe)
        shown = ", ".join(ascii(path) for path in odd[:8]) or "a file that another one leads to"
        note = f"{stuck}\nwarning: loaded without what is no regular file: {shown}\n"
        text = note + self.opening.read()
        self.opening = Output(text, None, len(text.encode()), seconds=self.opening.seconds)
        return session

    async def as_new(self, session: DebuggerSession) -> Program | None:
        """See `QueuedDebugger.as_new`."""
        printed = early.new_values() and await session.ask("show values")
        return None if self._guarded or printed else self._gdb

    async def prepare(self, session: DebuggerSession, command: str) -> Output | None:
        """Let only the person's commands write to a process."""
        if self._running == "engine":
            return await self._writing.forbid(session, command)
        if may_change_settings(command):
            await self._writing.allow(session)
        return None

    # How gdb is spoken to

    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The settings that framing rests on."""
        return settled(session.nonce)

    def command_line(self, command: str) -> bytes:
        """One command as one line. Raises `CommandRefused`."""
        return command_line(command)

    async def selection_of(self, session: DebuggerSession) -> Selection:
        """What is selected now."""
        return await selection_of(session)

    async def select(self, session: DebuggerSession, selection: Selection) -> None:
        """Select it again."""
        await select(session, selection)

    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """What gdb's own ``complete`` says."""
        line = raw_line(f"complete {prefix}").decode("utf-8", "replace").rstrip("\n")
        lines = (await session.ask(line, 3.0)).split("\n")
        return [one for one in lines if one and "*** List may be truncated" not in one]
