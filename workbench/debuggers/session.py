"""One debugger process from its start to its end: lines in, outputs out, in step by marks."""

import asyncio
import secrets
import time
from collections.abc import Callable
from enum import Enum
from pathlib import Path

from msgspec import Struct

from workbench.debuggers import protocol, pty
from workbench.debuggers.channel import Channel, Ended
from workbench.debuggers.display import DisplayStream
from workbench.debuggers.launch import Launch, spawn
from workbench.debuggers.marks import Kind
from workbench.debuggers.spool import Spool, clean

_INTERNAL_LIMIT = 16 << 20
_POLL = 0.25
# A command that printed part of a line and then nothing for this long seems to ask something.
_QUIET = 0.6
# An engine's command is not left waiting for an answer, nor an interrupt for a prompt.
_PATIENCE = 3.0
_RECOVERY = (1.0, 1.0, 2.0, 3.0)
_LATE = 1.0


class Effect(Enum):
    """What a user's command does to the conversation: ``PROMPT`` may take the marks out of the
    prompt, ``READS`` lets another program, or a script, read the terminal, ``BODY`` goes on in
    the lines that follow."""

    NONE = "none"
    PROMPT = "prompt"
    READS = "reads"
    BODY = "body"


class DebuggerSession:
    """A running debugger. Its owner sees to it that one method runs at a time."""

    def __init__(
        self,
        launch: Launch,
        recipe: protocol.Recipe,
        folder: Path,
        display: DisplayStream,
        size: tuple[int, int],
        child: pty.Child | None = None,
    ) -> None:
        """Start it on a terminal of ``size`` rows and columns, unless it was by now: then
        ``child`` is its process. Large outputs go into ``folder``. Raises
        `DebuggerUnavailable`."""
        self.nonce = launch.nonce
        self.lost = True  # until it has loaded the dump
        self.on_awaiting: Callable[[], None] | None = None
        self._launch = launch
        self._recipe = recipe
        self._size = size
        self._interrupted = 0.0
        self._answered = False
        self._awaiting = False
        self._in_body = False
        self._sizeless = launch.sizeless
        if child is None:
            child = spawn(launch, size)
        elif not launch.sizeless:
            child.set_size(*size)
        scanner = launch.scanner() if launch.scanner is not None else None
        self._channel = Channel(child, self.nonce, folder, display, scanner)

    @property
    def ended(self) -> str:
        """How the process ended; empty while it runs."""
        return self._channel.ended.how if self._channel.ended else ""

    @property
    def awaiting(self) -> bool:
        """True while the user's command seems to wait for a line."""
        return self._awaiting

    async def open(self) -> protocol.Output:
        """Wait until the dump is loaded; what that printed. Raises `DebuggerUnavailable`, as
        `DebuggerStuck` when it waits for a file that the dump names."""
        channel, name = self._channel, self._launch.name
        started = time.monotonic()
        deadline = started + self._recipe.start_timeout
        spool = channel.listen(_INTERNAL_LIMIT, shown=False)
        channel.start()
        channel.send(self._launch.set_up)
        how = await loaded(channel, deadline)
        if self._launch.load and how == "":
            self._sizeless = False
            self.resize(*self._size)
            spool = channel.listen(_INTERNAL_LIMIT, shown=False)
            channel.send(self._launch.load)
            how = await loaded(channel, deadline)
        channel.stop_listening()
        if how == "":
            self.lost = False
            return await self._output(spool, started)
        await self.kill()
        whole = clean(spool.memory()).partition("\x1b")[0]  # of a mark it may have begun
        said = whole.strip().split("\n")[-1][:200]
        if isinstance(how, Ended):
            raise protocol.DebuggerUnavailable(
                f"{name} {how.how} at its start: {said or self._launch.argv[0]}"
            )
        if how == "stuck":
            raise protocol.DebuggerStuck(
                f"{name} waits for a file that the dump names{said and f': {said}'}"
            )
        raise protocol.DebuggerUnavailable(
            f"{name} did not load the dump: {how}: {self._launch.argv[0]}"
        )

    async def release(self) -> pty.Child | None:
        """The process at its prompt for another session, or None: then it has to be killed."""
        id = secrets.token_hex(8)
        released = not self.lost and await self._channel.release(self._launch.echo(id), id)
        return self._channel.child if released else None

    async def kill(self) -> None:
        """End the process and wait for it."""
        self._channel.child.kill()
        await self._channel.join()

    def resize(self, rows: int, cols: int) -> None:
        """Set the terminal's size, of one that starts without it after its first prompt."""
        self._size = (rows, cols)
        if self._sizeless:
            return
        self._channel.child.set_size(rows, cols)

    def interrupt(self) -> None:
        """SIGINT for the running command."""
        self._interrupted = time.monotonic()
        self._channel.child.interrupt()

    def answer(self, data: bytes) -> None:
        """A line for the running command, as it is."""
        self._answered = True
        self._set_awaiting(self._in_body)
        self._channel.send(data)

    async def run(
        self,
        line: bytes,
        by: protocol.Asker,
        limit: float,
        effect: Effect = Effect.NONE,
        answers: bytes = b"",
    ) -> protocol.Output:
        """Send a line, with those that answer it so far, and wait for the prompt, at most
        ``limit`` seconds.

        Sets ``lost`` when the debugger has to be restarted. Raises `DebuggerDied`.
        """
        repair = self._launch.repair if effect is Effect.PROMPT else b""
        channel = self._channel
        spool = channel.listen(self._recipe.output_limit, shown=True)
        self._interrupted, self._answered = 0.0, bool(answers)
        started = time.monotonic()
        channel.send(line + self._launch.after + answers + repair)
        self._in_body = effect is Effect.BODY
        self._set_awaiting(self._in_body)
        try:
            reason = await self._await_prompt(spool, by, started + limit, effect is Effect.READS)
        except asyncio.CancelledError:
            # Whoever waited is gone: the command is stopped, and put right before the next one.
            self.lost = True
            channel.child.interrupt()
            raise
        finally:
            channel.stop_listening()
            self._in_body = False
            self._set_awaiting(False)
        if isinstance(reason, Ended):
            how, sent = f"{self._launch.name} {reason.how}", line.decode("utf-8", "replace").strip()
            raise protocol.DebuggerDied(
                f"{how} during: {sent}", await self._output(spool, started, how)
            )
        finished = reason in {"", "prompt"}
        moved = repair or self._answered or reason == "prompt"
        reason = "" if reason == "prompt" else reason
        if finished and self._interrupted:
            reason = protocol.INTERRUPTED
        if reason == "time":
            reason = f"timed out after {limit:g} s"
        if reason or moved:
            self.lost = True
            output = await self._output(spool, started, reason)
            await self.recover(stop=not finished)
            return output
        return await self._output(spool, started)

    async def ask(self, line: str, limit: float = 10.0) -> str:
        """Run a line that is neither shown nor stored; its cleaned output, empty when it did not
        come to its end. Raises `DebuggerDied`."""
        spool = self._channel.listen(_INTERNAL_LIMIT, shown=False)
        started = time.monotonic()
        self._channel.send(line.encode() + b"\n" + self._launch.after)
        try:
            reason = await self._await_prompt(spool, "engine", started + limit)
        except asyncio.CancelledError:
            self.lost = True
            raise
        finally:
            self._channel.stop_listening()
        if isinstance(reason, Ended):
            raise protocol.DebuggerDied(f"{self._launch.name} {reason.how}")
        if reason:
            self.lost = True
            await self.recover(stop=True)
            return ""
        return (await self._output(spool, started)).read()

    async def recover(self, *, stop: bool) -> bool:
        """Bring it back to a prompt that is known to answer our own last line. ``stop``
        interrupts first what still runs. False, with ``lost`` set, when it stays deaf.

        Prompts are not counted: an interrupt that arrives late prints one of its own. What it
        echoes cannot be guessed by any output.
        """
        channel, launch = self._channel, self._launch
        if channel.child.is_stopped():
            return False
        channel.listen(_INTERNAL_LIMIT, shown=False)
        for attempt, patience in enumerate(_RECOVERY):
            if stop or attempt:
                channel.child.interrupt()
            id = secrets.token_hex(8)
            channel.send((launch.leave if attempt else b"") + launch.repair + launch.echo(id))
            if await self._echoed(id, patience):
                await self._at_rest()
                channel.stop_listening()
                self.lost = False
                return True
            if self.ended:
                break
        return False

    async def _at_rest(self) -> None:
        """Until an interrupt that a thread of the debugger has yet to take is taken: lldb has one
        for that, which on a busy machine may come round to it only in the next command."""
        until = time.monotonic() + _LATE
        while not self._channel.child.is_at_rest() and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(_LATE / 50)

    def set_plain(self) -> None:
        """Undo what a program run from the debugger did to the terminal."""
        self._channel.child.set_plain()

    async def _echoed(self, id: str, patience: float) -> bool:
        echoed = False
        try:
            async with asyncio.timeout(patience):
                while True:
                    event = await self._channel.events.get()
                    if isinstance(event, Ended):
                        return False
                    if event.mark.kind is Kind.ECHO:
                        echoed = event.mark.id == id
                    elif echoed:
                        return True
        except TimeoutError:
            return False

    async def _await_prompt(
        self, spool: Spool, by: protocol.Asker, deadline: float, reads: bool = False
    ) -> str | Ended:
        """Wait for the prompt. Empty when it came by itself, ``time`` at the deadline, ``prompt``
        when it seems to show another one than ours, else what cut the output."""
        channel = self._channel
        seen, quiet_since = -1, time.monotonic()
        while (now := time.monotonic()) < deadline or self._awaiting:
            try:
                wait = _POLL if self._awaiting else min(_POLL, deadline - now)
                async with asyncio.timeout(wait):
                    event = await channel.events.get()
            except TimeoutError:
                now = time.monotonic()
                if spool.trouble:
                    return spool.trouble
                if self._interrupted and now - self._interrupted > _PATIENCE:
                    return protocol.INTERRUPTED
                if channel.bytes_read != seen:
                    seen, quiet_since = channel.bytes_read, now
                    self._set_awaiting(self._in_body)
                elif now - quiet_since >= _QUIET and self._asks(spool):
                    if by == "user" and (reads or self._launch.question.search(spool.last)):
                        self._set_awaiting(True)
                        deadline += _POLL
                    elif by == "user":
                        return "prompt"
                    elif now - quiet_since >= _PATIENCE:
                        return f"{self._launch.name} asked a question"
                continue
            if isinstance(event, Ended):
                return event
            if event.mark.kind is Kind.PROMPT:
                return spool.trouble
        return "time"

    def _asks(self, spool: Spool) -> bool:
        """True when the command seems to wait for a line: its own is not finished, and the
        debugger (or what it runs) sleeps."""
        unfinished = bool(spool.last) and not spool.last.endswith(b"\n")
        return unfinished and self._channel.child.is_waiting()

    def _set_awaiting(self, awaiting: bool) -> None:
        if awaiting != self._awaiting:
            self._awaiting = awaiting
            if self.on_awaiting is not None:
                self.on_awaiting()

    async def _output(self, spool: Spool, started: float, reason: str = "") -> protocol.Output:
        seconds = time.monotonic() - started
        spool.seal()
        if not spool.in_file:
            text = clean(spool.memory())
            return protocol.Output(text, None, len(text.encode()), bool(reason), reason, seconds)
        return protocol.Output(
            None,
            spool.path,
            spool.written,
            bool(reason),
            reason,
            seconds,
            spool.sha256,
            spool.lines,
        )


# What a debugger's command words do to the conversation: one table of questions a debugger.
Question = Callable[[str], bool]


def never(command: str) -> bool:
    """The answer of a debugger that has no such command."""
    return False


class Words(Struct, frozen=True):
    """Each question is asked of a whole command line.

    ``moves_selection``: another thread or frame may be selected afterwards.
    ``leaves_debugger``: it would end the debugger or let go of the dump. ``opens_body``: the lines
    that follow are a part of it. ``changes_prompt``: the marks in the prompt may be gone.
    ``reads_terminal``: it asks for input.
    """

    moves_selection: Question
    leaves_debugger: Question
    opens_body: Question = never
    changes_prompt: Question = never
    reads_terminal: Question = never

    def effect(self, command: str) -> Effect:
        """What a person's command does to the conversation."""
        if self.changes_prompt(command):
            return Effect.PROMPT
        if self.opens_body(command):
            return Effect.BODY
        return Effect.READS if self.reads_terminal(command) else Effect.NONE


# Waiting for gdb to load a dump: it asks nothing, and may take long while it works.
# A gdb that loads sleeps without a tick of work for this long only when it waits for ever.
_STUCK = 5.0


async def loaded(channel: Channel, deadline: float) -> str | Ended:
    """Wait for the first prompt until ``deadline`` (time.monotonic). Empty when it came, ``stuck``
    when gdb waits for something else than the processor, ``time`` at the deadline."""
    worked = time.monotonic()
    while (now := time.monotonic()) < deadline:
        try:
            async with asyncio.timeout(min(_POLL, deadline - now)):
                event = await channel.events.get()
        except TimeoutError:
            child = channel.child
            if not child.is_waiting() or not child.is_at_rest():
                worked = time.monotonic()
            elif time.monotonic() - worked > _STUCK:
                return "stuck"
            continue
        if isinstance(event, Ended):
            return event
        if event.mark.kind is Kind.PROMPT:
            return ""
    return "time"
