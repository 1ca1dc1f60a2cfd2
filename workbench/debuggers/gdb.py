"""gdb 12 to 18 behind the protocol: one queue, started safe, restarted when it dies."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from workbench.debuggers.display import DisplayStream
from workbench.debuggers.find_gdb import Gdb, find_gdb
from workbench.debuggers.gdb_line import command_line, raw_line
from workbench.debuggers.gdb_recipe import LOADED, settled
from workbench.debuggers.gdb_selection import Selection, select, selection_of
from workbench.debuggers.gdb_session import Effect, GdbSession
from workbench.debuggers.gdb_words import (
    changes_prompt,
    leaves_debugger,
    may_change_settings,
    moves_selection,
    opens_body,
    reads_terminal,
)
from workbench.debuggers.guarded import MAPPINGS, blind, guarded
from workbench.debuggers.private_folder import PrivateFolder
from workbench.debuggers.protocol import (
    Asker,
    CommandRefused,
    DebuggerDied,
    DebuggerStuck,
    DebuggerUnavailable,
    Output,
    Recipe,
)
from workbench.debuggers.typed_ahead import TypedAhead

_VERSION = re.compile(r"GNU gdb.*?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)
_DEAF = "gdb did not answer any more"


class GdbDebugger:
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "gdb"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.version = ""
        self.path = ""
        self.why = ""
        self.restarts = 0
        self.opening = Output("", None, 0)
        self.on_restart: Callable[[str], None] | None = None
        self.on_awaiting: Callable[[bool], None] | None = None
        self._sink: Callable[[bytes], None] | None = None
        self._display: DisplayStream | None = None
        self._gdb: Gdb | None = None
        self._folder: PrivateFolder | None = None
        self._session: GdbSession | None = None
        self._guarded: Recipe | None = None  # in place of the recipe, once gdb was stuck
        self._turn = asyncio.Lock()  # first come, first served
        self._running: Asker | None = None
        self._told = False
        self._ahead = TypedAhead(self._on_awaiting)
        self._unsettled = False
        self._home: Selection | None = None  # None while the user cannot have moved away from it
        self._closed = False
        self._size = (recipe.rows, recipe.cols)

    # What the console uses

    @property
    def display(self) -> Callable[[bytes], None] | None:
        """Where the coloured stream goes."""
        return self._sink

    @display.setter
    def display(self, sink: Callable[[bytes], None] | None) -> None:
        self._sink = sink
        if self._display is not None:
            self._display.sink = sink

    @property
    def awaiting_input(self) -> bool:
        """True while the user's command waits for more lines, or will when its turn comes."""
        return self._ahead.waiting or (self._session is not None and self._session.awaiting)

    def answer(self, line: str) -> None:
        """Give a line to the command that waits for one. Raises `CommandRefused`."""
        data = raw_line(line)
        if self._ahead.waiting:
            self._ahead.add(data)
            return
        if self._session is None or self._display is None or self._running != "user":
            raise CommandRefused("no command waits for a line")
        self._display.put(data)
        self._session.answer(data)

    def resize(self, rows: int, cols: int) -> None:
        """Set the terminal's size. gdb does not hear of it (see `pty.spawn`): its width stays."""
        self._size = (rows, cols)
        if self._session is not None:
            self._session.resize(rows, cols)

    def leaves_debugger(self, command: str) -> bool:
        """True when the command would end gdb or let go of the dump."""
        return leaves_debugger(command)

    async def interrupt(self) -> None:
        """Stop the running command; nothing when none runs."""
        if self._running is not None and self._session is not None:
            self._session.interrupt()

    async def complete(self, prefix: str) -> list[str]:
        """Whole command lines that begin with ``prefix``; none while a command runs."""
        if self._turn.locked() or self._session is None:
            return []
        try:
            line = raw_line(f"complete {prefix}")
        except CommandRefused:
            return []
        async with self._turn:
            session = await self._ready()
            try:
                text = await session.ask(line.decode("utf-8", "replace").rstrip("\n"), 3.0)
            except DebuggerDied:
                return []
        return [one for one in text.split("\n") if one and "*** List may be truncated" not in one]

    # Life

    async def start(self) -> None:
        """Start gdb and load the dump. Raises `DebuggerUnavailable`."""
        self._gdb = find_gdb(self.recipe.program)
        self.path, self.why = str(self._gdb.path), self._gdb.why
        self._folder = await asyncio.to_thread(PrivateFolder, self.recipe.spool)
        self._display = DisplayStream(asyncio.get_running_loop())
        self._display.sink = self._sink
        try:
            async with self._turn:
                await self._open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Kill gdb and remove the spooled outputs."""
        self._closed = True
        if self._session is not None:
            await self._session.kill()
        if self._folder is not None:
            await asyncio.to_thread(self._folder.remove)

    async def restart(self, reason: str) -> None:
        """Start again with the same recipe, in its turn. Raises `DebuggerUnavailable`."""
        async with self._turn:
            await self._again(reason)

    async def _again(self, reason: str) -> GdbSession:
        if self._session is not None:
            await self._session.kill()
        self.restarts += 1
        session = await self._open()
        if self.on_restart is not None:
            self.on_restart(reason)
        return session

    async def _open(self) -> GdbSession:
        try:
            return await self._load(self._guarded or self.recipe)
        except DebuggerStuck as stuck:
            if self._guarded is not None:
                raise
            return await self._load_guarded(str(stuck))

    async def _load_guarded(self, why: str) -> GdbSession:
        """Load the dump without the files on it that are none."""
        folder = self._private()
        session = await self._load(blind(self.recipe, folder))
        mappings = await session.ask(MAPPINGS)
        await session.kill()
        recipe, odd = await asyncio.to_thread(guarded, self.recipe, mappings, folder)
        self._guarded = recipe
        session = await self._load(recipe)
        shown = ", ".join(ascii(path) for path in odd[:8]) or "a file that another one leads to"
        note = f"{why}\nwarning: loaded without what is no regular file: {shown}\n"
        text = note + self.opening.read()
        self.opening = Output(text, None, len(text.encode()), seconds=self.opening.seconds)
        return session

    def _private(self) -> Path:
        if self._closed or self._folder is None:
            raise DebuggerUnavailable("the debugger was closed")
        return self._folder.path

    async def _load(self, recipe: Recipe) -> GdbSession:
        if self._gdb is None or self._display is None:
            raise DebuggerUnavailable("the debugger was closed")
        session = GdbSession(self._gdb, recipe, self._private(), self._display, self._size)
        self._session, self._unsettled, self._home = session, False, None
        session.on_awaiting = self._on_awaiting
        self.opening = await session.open()
        await session.ask(LOADED)
        if not self.version:
            found = _VERSION.search(await session.ask("show version"))
            self.version = found[1] if found else "unknown"
        return session

    def _on_awaiting(self) -> None:
        awaiting = self.awaiting_input
        if awaiting != self._told:
            self._told = awaiting
            if self.on_awaiting is not None:
                self.on_awaiting(awaiting)

    # Commands

    async def execute(self, command: str, *, by: Asker, timeout: float) -> Output:  # noqa: ASYNC109
        """Queue one command; see `Debugger.execute`."""
        line = command_line(command)
        if not line:
            return Output("", None, 0)
        with self._ahead.keep(by == "user" and opens_body(command)) as body:
            async with self._taking_turn(by) as session:
                if self._display is not None:
                    self._display.echo(command.strip(), by)
                return await self._in_turn(session, line, command, by, timeout, body)

    @asynccontextmanager
    async def _taking_turn(self, by: Asker) -> AsyncIterator[GdbSession]:
        async with self._turn:
            session = await self._ready()
            if by == "engine" and self._unsettled:
                session = await self._settle(session)
            self._running = by
            try:
                yield session
            finally:
                self._running = None

    async def _settle(self, session: GdbSession) -> GdbSession:
        """Set again what framing rests on, after a user's command that may have changed it."""
        self._unsettled = False
        try:
            for setting in settled(session.nonce):
                await session.ask(setting)
        except DebuggerDied as death:
            return await self._again(str(death))
        return session

    async def _in_turn(
        self,
        session: GdbSession,
        line: bytes,
        command: str,
        by: Asker,
        limit: float,
        body: list[bytes],
    ) -> Output:
        selection: Selection | None = None
        effect = Effect.NONE
        try:
            if by == "engine":
                selection = await self._go_home(session, command)
            else:
                effect = _effect(command)
                await self._expect_changes(session, command)
            lines = self._ahead.take(body)
            if lines and self._display is not None:
                self._display.put(lines)
            output = await session.run(line, by, limit, effect, lines)
        except DebuggerDied as death:
            session = await self._again(str(death))
            if by == "user":
                raise
            selection = None
            output = await self._retry(session, line, limit)
        if session.lost:
            await self._again(_DEAF)
        elif selection is not None:
            await select(session, selection)
        return output

    async def _expect_changes(self, session: GdbSession, command: str) -> None:
        """Note what a user's command may leave behind, before it runs."""
        changes = may_change_settings(command)
        self._unsettled = self._unsettled or changes
        if self._home is None and (changes or moves_selection(command)):
            self._home = await selection_of(session)

    async def _go_home(self, session: GdbSession, command: str) -> Selection | None:
        """Select what was selected when the dump was loaded: an engine's command means the same
        wherever the user looks. Returns what to put back; None for nothing."""
        if self._home is None:
            return await selection_of(session) if moves_selection(command) else None
        users = await selection_of(session)
        if users != self._home:
            await select(session, self._home)
        elif not moves_selection(command):
            return None
        return users

    async def _retry(self, session: GdbSession, line: bytes, limit: float) -> Output:
        try:
            return await session.run(line, "engine", limit)
        except DebuggerDied as death:
            await self._again(str(death))
            raise

    async def _ready(self) -> GdbSession:
        """A session at its prompt. Raises `DebuggerUnavailable`."""
        session = self._session
        if self._closed or session is None:
            raise DebuggerUnavailable("the debugger was closed")
        if session.ended:
            return await self._again(f"gdb {session.ended}")
        if session.lost and not await session.recover(stop=False):
            return await self._again(_DEAF)
        session.set_plain()
        return session

    async def selection(self) -> Selection:
        """The selected thread (0: none) and the level of the selected frame (None: no frame)."""
        async with self._taking_turn("engine") as session:
            return await selection_of(session)


def _effect(command: str) -> Effect:
    if changes_prompt(command):
        return Effect.PROMPT
    if opens_body(command):
        return Effect.BODY
    return Effect.READS if reads_terminal(command) else Effect.NONE
