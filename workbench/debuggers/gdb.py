"""gdb 12 to 18 behind the protocol: started safe, one queue, restarted when it dies."""

import asyncio
import re
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from workbench.debuggers import pty
from workbench.debuggers.channel import Channel, Ended
from workbench.debuggers.clean import clean, clean_file
from workbench.debuggers.display import DisplayStream
from workbench.debuggers.find_gdb import Gdb, find_gdb
from workbench.debuggers.gdb_recipe import arguments, settled
from workbench.debuggers.gdb_words import (
    changes_prompt,
    leaves_debugger,
    may_change_settings,
    moves_selection,
)
from workbench.debuggers.marks import Kind, mark_escaped
from workbench.debuggers.protocol import (
    Asker,
    CommandRefused,
    DebuggerDied,
    DebuggerUnavailable,
    Output,
    Recipe,
)
from workbench.debuggers.spool import Spool

# A terminal in canonical mode cuts longer lines (termios(3): 4096 with the line end).
LONGEST_LINE = 4095
_INTERNAL_LIMIT = 16 << 20
_POLL = 0.25
_QUIET = 0.6
_PATIENCE = 3.0
_VERSION = re.compile(r"GNU gdb.*?(\d+\.\d[\w.]*)\s*$", re.MULTILINE)
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class GdbDebugger:
    """A `Debugger` on one dump. See the protocol for what each method promises."""

    name = "gdb"

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.version = ""
        self.path = ""
        self.why = ""
        self.restarts = 0
        self.on_restart: Callable[[str], None] | None = None
        self.opening = Output("", None, 0)
        self._display_sink: Callable[[bytes], None] | None = None
        self._gdb: Gdb | None = None
        self._nonce = ""
        self._channel: Channel | None = None
        self._display: DisplayStream | None = None
        self._folder: Path | None = None
        self._turn = asyncio.Lock()
        self._running: Asker | None = None
        self._interrupted = False
        self._awaiting = False
        self._unsettled = False
        self._lost = False
        self._closed = False
        self._size = (recipe.rows, recipe.cols)

    # What the console uses

    @property
    def display(self) -> Callable[[bytes], None] | None:
        """Where the coloured stream goes."""
        return self._display_sink

    @display.setter
    def display(self, sink: Callable[[bytes], None] | None) -> None:
        self._display_sink = sink
        if self._display is not None:
            self._display.sink = sink

    @property
    def awaiting_input(self) -> bool:
        """True while the user's command waits for more lines."""
        return self._awaiting

    def answer(self, line: str) -> None:
        """Give a line to the command that waits for one. Raises `CommandRefused`."""
        data = _line(line, keep_empty=True)
        if self._channel is None or self._running != "user":
            raise CommandRefused("no command waits for a line")
        self._awaiting = False
        if self._display is not None:
            self._display.put(data)
        self._channel.send(data)

    def resize(self, rows: int, cols: int) -> None:
        """Set the terminal's size. gdb does not hear of it (see `pty.spawn`): its width stays."""
        self._size = (rows, cols)
        channel = self._channel
        if channel is not None and channel.child.master >= 0:
            pty.set_size(channel.child.master, rows, cols)

    def leaves_debugger(self, command: str) -> bool:
        """True when the command would end gdb or let go of the dump."""
        return leaves_debugger(command)

    async def interrupt(self) -> None:
        """Stop the running command; nothing when none runs."""
        if self._running is not None and self._channel is not None:
            self._interrupted = True
            self._channel.child.signal(signal.SIGINT)

    # Life

    async def start(self) -> None:
        """Start gdb and load the dump. Raises `DebuggerUnavailable`."""
        self._gdb = find_gdb(self.recipe.gdb)
        self.path, self.why = str(self._gdb.path), self._gdb.why
        self._folder = Path(tempfile.mkdtemp(prefix="workbench-", dir=_existing(self.recipe.spool)))
        self._display = DisplayStream(asyncio.get_running_loop())
        self._display.sink = self._display_sink
        try:
            async with self._turn:
                await self._open()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Kill gdb and remove the spooled outputs."""
        self._closed = True
        if self._channel is not None:
            self._channel.child.signal(signal.SIGKILL)
            await self._channel.join()
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    async def restart(self, reason: str) -> None:
        """Start again with the same recipe, after its turn. Raises `DebuggerUnavailable`."""
        async with self._turn:
            await self._again(reason)

    async def _again(self, reason: str) -> None:
        assert self._channel is not None
        self._channel.child.signal(signal.SIGKILL)
        await self._channel.join()
        self.restarts += 1
        await self._open()
        if self.on_restart is not None:
            self.on_restart(reason)

    async def _open(self) -> None:
        assert self._gdb is not None
        assert self._folder is not None
        assert self._display is not None
        self._nonce = secrets.token_hex(16)
        argv = arguments(self._gdb, self.recipe, self._nonce, self._folder)
        child = pty.spawn(argv, self._gdb.environment(), *self._size)
        channel = self._channel = Channel(child, self._nonce, self._folder, self._display)
        self._unsettled = self._lost = self._awaiting = False
        channel.listen(_INTERNAL_LIMIT, shown=False)
        channel.start()
        before = time.monotonic()
        spool = None
        try:
            async with asyncio.timeout(self.recipe.start_timeout):
                while True:
                    event = await channel.events.get()
                    if isinstance(event, Ended):
                        raise DebuggerUnavailable(self._no_start(event.how, spool))
                    if event.mark.kind is Kind.PROMPT:
                        break
        except TimeoutError:
            child.signal(signal.SIGKILL)
            await channel.join()
            seconds = self.recipe.start_timeout
            raise DebuggerUnavailable(
                f"gdb did not load the dump in {seconds:g} s: {self.path}"
            ) from None
        spool = event.spool
        assert spool is not None
        self.opening = await self._output(spool, before)
        if not self.version:
            found = _VERSION.search(await self._ask("show version"))
            self.version = found[1] if found else "unknown"

    def _no_start(self, how: str, spool: Spool | None) -> str:
        return f"gdb does not start ({how}): {self.path}"

    # Commands

    async def execute(self, command: str, *, by: Asker, timeout: float) -> Output:  # noqa: ASYNC109 - the command is stopped
        """Queue one command; see `Debugger.execute`."""
        line = _line(command)
        if not line:
            return Output("", None, 0)
        async with self._turn:
            self._running, self._interrupted = by, False
            try:
                return await self._in_turn(line, command.strip(), by, timeout)
            except asyncio.CancelledError:
                # Whoever waited is gone; the command is stopped before the next one's turn.
                self._lost = True
                if self._channel is not None:
                    self._channel.child.signal(signal.SIGINT)
                raise
            finally:
                self._running, self._awaiting = None, False

    async def _in_turn(self, line: bytes, command: str, by: Asker, limit: float) -> Output:
        await self._ready(by)
        assert self._display is not None
        self._display.echo(command, by)
        selection = None
        if by == "engine" and moves_selection(command):
            selection = await self.selection()
        try:
            output = await self._attempt(line, command, by, limit)
        except DebuggerDied as death:
            await self._again(str(death))
            if by == "user":
                raise
            try:
                output = await self._attempt(line, command, by, limit)
            except DebuggerDied as again:
                await self._again(str(again))
                raise
        if by == "user" and may_change_settings(command):
            self._unsettled = True
        if selection is not None:
            await self._select(*selection)
        return output

    async def _ready(self, by: Asker) -> None:
        """The debugger is alive, at its prompt, and set as we need it."""
        if self._closed or self._channel is None:
            raise DebuggerUnavailable("the debugger was closed")
        if self._channel.ended is not None:
            await self._again(f"gdb {self._channel.ended.how}")
        if self._lost and not await self._recover():
            await self._again("gdb did not answer any more")
        pty.set_plain(self._channel.child.master)
        if by == "engine" and self._unsettled:
            self._unsettled = False
            for setting in settled(self._nonce):
                await self._ask(setting)

    async def _attempt(self, line: bytes, command: str, by: Asker, limit: float) -> Output:
        channel = self._channel
        assert channel is not None
        spool = channel.listen(self.recipe.output_limit, shown=True)
        started = time.monotonic()
        resets = changes_prompt(command)
        if resets:
            line += f"set prompt {mark_escaped(Kind.PROMPT, self._nonce)}\n".encode()
        channel.send(line)
        reason = await self._await_prompt(channel, spool, by, started + limit, limit)
        if reason == "" and self._interrupted:
            reason = "interrupted"
        channel.stop_listening()
        if isinstance(reason, Ended):
            partial = await self._output(spool, started, f"gdb {reason.how}")
            raise DebuggerDied(f"gdb {reason.how} during: {command}", partial)
        if (reason or resets) and not await self._recover():
            reason = f"{reason}; gdb did not answer any more and was started again"
            output = await self._output(spool, started, reason)
            await self._again(reason)
            return output
        return await self._output(spool, started, reason)

    async def _await_prompt(
        self, channel: Channel, spool: Spool, by: Asker, deadline: float, limit: float
    ) -> str | Ended:
        """Wait for the prompt. Empty when it came by itself, else what cut the output."""
        seen, quiet_since = -1, time.monotonic()
        while True:
            now = time.monotonic()
            if self._awaiting:
                deadline += _POLL
            if now >= deadline:
                return f"timed out after {limit:g} s"
            try:
                async with asyncio.timeout(min(_POLL, deadline - now)):
                    event = await channel.events.get()
            except TimeoutError:
                if spool.trouble:
                    return spool.trouble
                now = time.monotonic()
                if channel.bytes_read != seen:
                    seen, quiet_since = channel.bytes_read, now
                    self._awaiting = False
                elif now - quiet_since >= _QUIET and _asks(spool, channel):
                    self._awaiting = by == "user"
                    if by == "engine" and now - quiet_since >= _PATIENCE:
                        return "gdb asked a question"
                continue
            if isinstance(event, Ended):
                return event
            if event.mark.kind is Kind.PROMPT:
                return spool.trouble

    async def _recover(self) -> bool:
        """Bring gdb back to a prompt that is known to be the answer to our own last line.

        False when it stays deaf. Prompts are not counted: an interrupt that arrives late prints
        one of its own.
        """
        channel = self._channel
        assert channel is not None
        channel.listen(_INTERNAL_LIMIT, shown=False)
        for patience in (0.2, 2.0, _PATIENCE, _PATIENCE):
            id = secrets.token_hex(8)
            prompt = mark_escaped(Kind.PROMPT, self._nonce)
            echo = mark_escaped(Kind.ECHO, self._nonce, id)
            channel.send(f"set prompt {prompt}\necho {echo}\n".encode())
            echoed = False
            try:
                async with asyncio.timeout(patience):
                    while True:
                        event = await channel.events.get()
                        if isinstance(event, Ended):
                            return False
                        if event.mark.kind is Kind.ECHO:
                            echoed = event.mark.id == id
                        elif echoed:
                            channel.stop_listening()
                            self._lost = False
                            return True
            except TimeoutError:
                channel.child.signal(signal.SIGINT)
        return False

    # Questions of our own, which no one sees

    async def _ask(self, line: str, limit: float = 10.0) -> str:
        """Run a line that is neither shown nor stored; its cleaned output."""
        channel = self._channel
        assert channel is not None
        spool = channel.listen(_INTERNAL_LIMIT, shown=False)
        channel.send(line.encode() + b"\n")
        now = time.monotonic()
        reason = await self._await_prompt(channel, spool, "engine", now + limit, limit)
        channel.stop_listening()
        if isinstance(reason, Ended):
            raise DebuggerDied(f"gdb {reason.how}")
        if reason and not await self._recover():
            await self._again("gdb did not answer any more")
            return ""
        return (await self._output(spool, now)).read()

    async def selection(self) -> tuple[int, int | None]:
        """The selected thread (0: none) and frame level (None: no frame). In a turn only."""
        thread = re.match(r"\d+", await self._ask("output $_thread"))
        frame = re.match(r"Stack level (\d+),", await self._ask("info frame"))
        return int(thread[0]) if thread else 0, int(frame[1]) if frame else None

    async def _select(self, thread: int, frame: int | None) -> None:
        if thread:
            await self._ask(f"thread {thread}")
        if frame is not None:
            await self._ask(f"frame level {frame}")

    async def complete(self, prefix: str) -> list[str]:
        """Whole command lines that begin with ``prefix``; none while a command runs."""
        if self._turn.locked() or self._channel is None:
            return []
        try:
            line = _line(f"complete {prefix}")
        except CommandRefused:
            return []
        async with self._turn:
            await self._ready("engine")
            text = await self._ask(line.decode().rstrip("\n"), 3.0)
        return [one for one in text.split("\n") if one and "*** List may be truncated" not in one]

    async def _output(self, spool: Spool, started: float, reason: str = "") -> Output:
        seconds = time.monotonic() - started
        spool.seal()
        if not spool.in_file:
            text = clean(spool.memory())
            return Output(text, None, len(text.encode()), bool(reason), reason, seconds)
        path = spool.path.with_suffix(".txt")
        size = await asyncio.to_thread(clean_file, spool.path, path)
        spool.path.unlink()
        return Output(None, path, size, bool(reason), reason, seconds)


def _line(command: str, keep_empty: bool = False) -> bytes:
    """The bytes to send for one command; empty for a blank one, which gdb would take as "again".

    Raises `CommandRefused`.
    """
    command = command.rstrip(" \t\r\n") if not keep_empty else command.rstrip("\r\n")
    if not keep_empty:
        command = command.lstrip(" \t")
        if not command or command.startswith("#"):
            return b""
    if _CONTROL.search(command):
        raise CommandRefused("a command is one line without control characters")
    # gdb would wait for the next line.
    if command.endswith("\\"):
        command += " "
    line = command.encode("utf-8", "surrogateescape") + b"\n"
    if len(line) > LONGEST_LINE:
        raise CommandRefused(
            f"the command has {len(line)} bytes; a terminal takes {LONGEST_LINE}: put it in parts"
        )
    return line


def _asks(spool: Spool, channel: Channel) -> bool:
    """True when the command seems to wait for a line: unfinished line, and gdb sleeps."""
    if spool.last and not spool.last.endswith(b"\n"):
        return channel.child.is_waiting()
    return False


def _existing(folder: Path | None) -> Path | None:
    if folder is not None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
