"""What every debugger on a terminal shares: one queue, turns, restarts, the selection kept."""

import asyncio
import contextlib
import re
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from workbench.debuggers import early, protocol
from workbench.debuggers.display import DisplayStream
from workbench.debuggers.head_start import HeadStart
from workbench.debuggers.launch import Launch
from workbench.debuggers.line import raw_line
from workbench.debuggers.listed import sources_only
from workbench.debuggers.matched import matched
from workbench.debuggers.policy import check
from workbench.debuggers.private_folder import PrivateFolder, sweep_out
from workbench.debuggers.program import Program
from workbench.debuggers.session import DebuggerSession, Effect, Words
from workbench.debuggers.typed_ahead import TypedAhead
from workbench.model.prompts import prompt_of


class QueuedDebugger(ABC):
    """A `Debugger` on one dump: see the protocol for what each public method promises.

    What differs between programs is in the methods below "What a program tells".
    """

    name = ""
    words: Words
    emptied: Sequence[str] = ()
    """The commands that let go of a dump; none where it cannot be shared."""
    located: tuple[str, re.Pattern[str]] | None = None
    """The command that tells which source file was listed last, and its path in what that prints;
    None where the debugger lists no sources as gdb and lldb do."""

    def __init__(self, recipe: protocol.Recipe, begun: HeadStart | None = None) -> None:
        """``begun`` is its process on this recipe where that was started already."""
        self.recipe = recipe
        self.begun = begun
        self.program: Program | None = None
        self.version = ""
        self.path = ""
        self.why = ""
        self.restarts = 0
        self.opening = protocol.Output("", None, 0)
        self.on_restart: Callable[[str], None] | None = None
        self.on_awaiting: Callable[[bool], None] | None = None
        self._sink: Callable[[bytes], None] | None = None
        self._display: DisplayStream | None = None
        self._folder: PrivateFolder | None = None
        self._spool: PrivateFolder | None = None  # where large outputs wait, if not there
        self._session: DebuggerSession | None = None
        self._turn = asyncio.Lock()  # first come, first served
        self._running: protocol.Asker | None = None
        self._told = False
        self._ahead = TypedAhead(self._on_awaiting)
        self._unsettled = False
        self._home: protocol.Selection | None = (
            None  # None while the user cannot have moved away from it
        )
        self._closed = False
        self._under_way = asyncio.Event()
        self._size = (recipe.rows, recipe.cols)

    # What a program tells

    launch_of: Callable[[Program, protocol.Recipe, Path], Launch]
    """How a program is started on a recipe; the folder is private."""

    @abstractmethod
    def find(self) -> Program:
        """What to run. Raises `DebuggerUnavailable`."""

    def launch(self, recipe: protocol.Recipe, folder: Path) -> Launch:
        """The program that was found, on a recipe."""
        if self.program is None:
            raise protocol.DebuggerUnavailable("the debugger was closed")
        return self.launch_of(self.program, recipe, folder)

    @abstractmethod
    async def opened(self, session: DebuggerSession) -> None:
        """Called once the dump is loaded: settings that come after it, the version."""

    @abstractmethod
    def settled(self, session: DebuggerSession) -> Sequence[str]:
        """The settings that framing rests on, set again after a user's command that may have
        changed them."""

    @abstractmethod
    def command_line(self, command: str) -> bytes:
        """The bytes to send; empty for a line that would do nothing. Raises `CommandRefused`."""

    @abstractmethod
    async def selection_of(self, session: DebuggerSession) -> protocol.Selection:
        """What is selected now."""

    @abstractmethod
    async def select(self, session: DebuggerSession, selection: protocol.Selection) -> None:
        """Select it again."""

    @abstractmethod
    async def completions(self, session: DebuggerSession, prefix: str) -> list[str]:
        """Whole command lines that begin with ``prefix``. Raises `CommandRefused`."""

    async def prepare(self, session: DebuggerSession, command: str) -> protocol.Output | None:
        """Called before the line of a command is sent; an output ends the command with it."""
        return None

    async def finish(self, session: DebuggerSession, command: str, output: protocol.Output) -> None:
        """Called after a command, before the next one: to wait for what comes late."""
        return

    async def as_new(self, session: DebuggerSession) -> Program | None:
        """The program, where nothing of this dump stays in it once it is ``emptied``."""
        return None

    async def open_stuck(self, stuck: protocol.DebuggerStuck) -> DebuggerSession:
        """A session on a dump that the program waited on for ever, if there is another way."""
        raise stuck

    # What the console uses

    def leaves_debugger(self, command: str) -> bool:
        """True when the command would end the debugger or let go of the dump."""
        return self.words.leaves_debugger(command)

    def moves_selection(self, command: str) -> bool:
        """See the protocol."""
        return self.words.moves_selection(command)

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
            raise protocol.CommandRefused("no command waits for a line")
        self._display.put(data)
        self._session.answer(data)

    def resize(self, rows: int, cols: int) -> None:
        """Set the terminal's size. The program hears of no signal (see `pty.spawn`)."""
        self._size = (rows, cols)
        if self._session is not None:
            self._session.resize(rows, cols)

    async def interrupt(self) -> None:
        """Stop the running command; nothing when none runs."""
        if self._running is not None and self._session is not None:
            self._session.interrupt()

    async def complete(self, prefix: str) -> list[str]:
        """Whole command lines that begin with ``prefix``; none while a command runs."""
        if self._turn.locked() or self._session is None:
            return []
        async with self._turn:
            session = await self._ready()
            try:
                return await self.completions(session, prefix)
            except (protocol.DebuggerDied, protocol.CommandRefused):
                return []

    # Life

    async def start(self) -> None:
        """Start it and load the dump. Raises `DebuggerUnavailable`."""
        try:
            await self._begin()
        finally:
            self._under_way.set()

    async def under_way(self) -> None:
        """See `Debugger.under_way`."""
        await self._under_way.wait()

    async def _begin(self) -> None:
        self.program = self.begun.program if self.begun is not None else self.find()
        self.path, self.why = str(self.program.path), self.program.why
        if self.begun is not None:
            self._folder, self.begun.taken = self.begun.folder, True
            await asyncio.to_thread(sweep_out)
        else:
            self._folder = await asyncio.to_thread(PrivateFolder)
        self._spool = await asyncio.to_thread(_spool_folder, self.recipe.spool)
        self._display = DisplayStream(asyncio.get_running_loop(), prompt_of(self.name))
        self._display.sink = self._sink
        try:
            async with self._turn:
                await self._open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Kill it and remove the spooled outputs; where `early` shares it, it is kept for the next
        dump if it is as new."""
        if self.emptied and early.shares() and not self._turn.locked():
            async with self._turn:
                await self._hand_on()
        self._closed = True
        if self._session is not None:
            await self._session.kill()
        elif self.begun is not None:
            self.begun.taken = False
            await asyncio.to_thread(self.begun.give_up)
        for one in (self._folder, self._spool):
            if one is not None:
                await asyncio.to_thread(one.remove)

    async def _hand_on(self) -> None:
        session, recipe = self._session, self.recipe
        changed = self.restarts or self._unsettled or self._home is not None
        placed = recipe.sysroot or recipe.files is not None or recipe.source_dirs
        if session is None or self._closed or changed or placed:
            return
        try:
            program = await self.as_new(session)
            for line in self.emptied if program is not None else ():
                await session.ask(line)
            child = await session.release() if program is not None else None
        except protocol.DebuggerDied:
            return
        if program is not None and child is not None:
            folder = await asyncio.to_thread(PrivateFolder, sweep=False)
            launch = self.launch(protocol.Recipe(core=None), folder.path)
            self._session = None
            early.keep(HeadStart(program, launch, folder, child))

    async def restart(self, reason: str) -> None:
        """Start again with the same recipe, in its turn. Raises `DebuggerUnavailable`."""
        async with self._turn:
            await self._again(reason)

    async def _again(self, reason: str) -> DebuggerSession:
        if self._session is not None:
            await self._session.kill()
        self.restarts += 1
        session = await self._open()
        if self.on_restart is not None:
            self.on_restart(reason)
        return session

    async def _open(self) -> DebuggerSession:
        try:
            return await self.load(self.recipe)
        except protocol.DebuggerStuck as stuck:
            return await self.open_stuck(stuck)

    def private_folder(self) -> Path:
        """A folder of our own. Raises `DebuggerUnavailable` once closed."""
        if self._closed or self._folder is None:
            raise protocol.DebuggerUnavailable("the debugger was closed")
        return self._folder.path

    async def load(self, recipe: protocol.Recipe) -> DebuggerSession:
        """Start the program on a recipe and make that the session."""
        if self._display is None:
            raise protocol.DebuggerUnavailable("the debugger was closed")
        if recipe.core is not None and not recipe.core.is_file():
            # A debugger that starts without it would answer as if there were nothing to see.
            raise protocol.DebuggerUnavailable(f"the dump is gone: {recipe.core}")
        folder = self.private_folder()
        begun, self.begun = self.begun, None
        if begun is not None:
            launch, child = begun.launch, begun.child
        else:
            recipe = matched(recipe, folder, stubs=self.name == "lldb")
            launch, child = self.launch(recipe, folder), None
        spool = self._spool.path if self._spool is not None else folder
        session = DebuggerSession(launch, recipe, spool, self._display, self._size, child)
        self._session, self._unsettled, self._home = session, False, None
        self._under_way.set()
        session.on_awaiting = self._on_awaiting
        self.opening = await session.open()
        await self.opened(session)
        return session

    def _on_awaiting(self) -> None:
        awaiting = self.awaiting_input
        if awaiting != self._told:
            self._told = awaiting
            if self.on_awaiting is not None:
                self.on_awaiting(awaiting)

    # Commands

    async def execute(self, command: str, *, by: protocol.Asker, timeout: float) -> protocol.Output:  # noqa: ASYNC109
        """Queue one command; see `Debugger.execute`."""
        line = self.command_line(command)
        if not line:
            return protocol.Output("", None, 0)
        with self._ahead.keep(by == "user" and self.words.opens_body(command)) as body:
            async with self._taking_turn(by) as session:
                if self._display is not None:
                    self._display.echo(command.strip(), by)
                return await self._in_turn(session, line, command, by, timeout, body)

    @asynccontextmanager
    async def _taking_turn(self, by: protocol.Asker) -> AsyncIterator[DebuggerSession]:
        async with self._turn:
            session = await self._ready()
            if by == "engine" and self._unsettled:
                session = await self._settle(session)
            self._running = by
            try:
                yield session
            finally:
                self._running = None

    async def _settle(self, session: DebuggerSession) -> DebuggerSession:
        self._unsettled = False
        try:
            for setting in self.settled(session):
                await session.ask(setting)
        except protocol.DebuggerDied as death:
            return await self._again(str(death))
        return session

    async def _in_turn(
        self,
        session: DebuggerSession,
        line: bytes,
        command: str,
        by: protocol.Asker,
        limit: float,
        body: list[bytes],
    ) -> protocol.Output:
        selection: protocol.Selection | None = None
        effect = Effect.NONE
        try:
            if by == "engine":
                selection = await self._go_home(session, command)
            else:
                effect = self.words.effect(command)
                await self._expect_changes(session, command)
            lines = self._ahead.take(body)
            if lines and self._display is not None:
                self._display.put(lines)
            output = await self.prepare(session, command)
            output = output or await session.run(line, by, limit, effect, lines)
            await self.finish(session, command, output)
        except protocol.DebuggerDied as death:
            session = await self._after(death)
            if by == "user":
                raise
            selection = None
            output = await self._retry(session, line, command, limit)
        if by == "engine" and self.located is not None and not session.lost:
            output = await sources_only(output, session.ask, *self.located)
        if session.lost:
            # What was printed counts for more; the next command says why there is no debugger.
            with contextlib.suppress(protocol.DebuggerUnavailable):
                await self._again(self._deaf())
        elif selection is not None:
            await self.select(session, selection)
        return output

    async def _after(self, death: protocol.DebuggerDied) -> DebuggerSession:
        """Start again. Raises `DebuggerDied` with what came when that fails, too."""
        try:
            return await self._again(str(death))
        except protocol.DebuggerUnavailable as error:
            raise protocol.DebuggerDied(f"{death}; {error}", death.partial) from error

    def may_change_settings(self, command: str) -> bool:
        """False for what is known to only print."""
        return not check(command, self.name).accepted

    async def _expect_changes(self, session: DebuggerSession, command: str) -> None:
        """Note what a user's command may leave behind, before it runs."""
        changes = self.may_change_settings(command)
        self._unsettled = self._unsettled or changes
        if self._home is None and (changes or self.words.moves_selection(command)):
            self._home = await self.selection_of(session)

    async def _go_home(self, session: DebuggerSession, command: str) -> protocol.Selection | None:
        """Select what was selected when the dump was loaded: an engine's command means the same
        wherever the user looks. Returns what to put back; None for nothing."""
        if self._home is None:
            return await self.selection_of(session) if self.words.moves_selection(command) else None
        users = await self.selection_of(session)
        if users != self._home:
            await self.select(session, self._home)
        elif not self.words.moves_selection(command):
            return None
        return users

    async def _retry(
        self, session: DebuggerSession, line: bytes, command: str, limit: float
    ) -> protocol.Output:
        try:
            output = await self.prepare(session, command)
            return output or await session.run(line, "engine", limit)
        except protocol.DebuggerDied as death:
            await self._after(death)
            raise

    async def _ready(self) -> DebuggerSession:
        """A session at its prompt. Raises `DebuggerUnavailable`."""
        session = self._session
        if self._closed or session is None:
            raise protocol.DebuggerUnavailable("the debugger was closed")
        if session.ended:
            return await self._again(f"{self.name} {session.ended}")
        if session.lost and not await session.recover(stop=False):
            return await self._again(self._deaf())
        session.set_plain()
        return session

    def _deaf(self) -> str:
        return f"{self.name} did not answer any more"

    async def selection(self) -> protocol.Selection:
        """See the protocol."""
        async with self._taking_turn("engine") as session:
            return await self.selection_of(session)


def _spool_folder(parent: Path | None) -> PrivateFolder | None:
    """A folder on the disk that will keep the outputs, so that they need not be copied. None
    where there can be none: whoever keeps them will say so."""
    if parent is None:
        return None
    try:
        return PrivateFolder(parent)
    except OSError:
        return None
