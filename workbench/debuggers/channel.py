"""The wire to one debugger process: a thread that reads, marks that tell where outputs end."""

import asyncio
import threading
from pathlib import Path

from msgspec import Struct

from workbench.debuggers.display import DisplayStream
from workbench.debuggers.marks import Kind, Mark, MarkScanner, Scanner
from workbench.debuggers.pty import Child
from workbench.debuggers.spool import Spool


class Ended(Struct, frozen=True):
    """The process is gone; ``how`` says by what."""

    how: str


class Marked(Struct, frozen=True):
    """A mark arrived; ``spool`` holds what came since the last line was sent."""

    mark: Mark
    spool: Spool | None


class Listening(Struct):
    """Where the reader puts what it reads now; ``shown`` on the display as well."""

    spool: Spool | None = None
    shown: bool = True


class Channel:
    """Sends lines and turns the byte stream into events. One reader: the owner of ``events``."""

    def __init__(
        self,
        child: Child,
        nonce: str,
        folder: Path,
        display: DisplayStream,
        scanner: Scanner | None = None,
    ) -> None:
        """``scanner`` finds the marks where they are not those of `MarkScanner`."""
        self.child = child
        self.events: asyncio.Queue[Marked | Ended] = asyncio.Queue()
        self.ended: Ended | None = None
        self.bytes_read = 0
        self._scanner = scanner or MarkScanner(nonce)
        self._folder = folder
        self._display = display
        self._listening = Listening()
        self._count = 0
        self._unsent = bytearray()
        self._waiting = False  # for room in the terminal
        self._last = ""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._read, name="debugger-reader", daemon=True)

    def listen(self, limit: int, *, shown: bool) -> Spool:
        """From here on, output goes into a new spool."""
        while not self.events.empty() and self.ended is None:
            self.events.get_nowait()  # a prompt that nobody waited for
        self._count += 1
        spool = Spool(self._folder / f"output-{self.child.pid}-{self._count}.txt", limit)
        self._listening = Listening(spool, shown)
        return spool

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def send(self, line: bytes) -> None:
        """Write to the program's terminal, in order, as fast as the program reads and without
        waiting for it; a program that is gone shows as an event."""
        self._unsent += line
        if self.child.master >= 0 and not self._waiting:
            self._write()

    def _write(self) -> None:
        try:
            while self._unsent:
                del self._unsent[: self.child.write(self._unsent)]
        except BlockingIOError:
            if not self._waiting:
                self._loop.add_writer(self.child.master, self._write)
                self._waiting = True
            return
        except OSError:  # the reader tells of the end
            self._unsent.clear()
        self._stop_writing()

    def _stop_writing(self) -> None:
        if self._waiting:
            self._loop.remove_writer(self.child.master)
            self._waiting = False

    def stop_listening(self) -> None:
        """What comes now belongs to no command."""
        self._listening = Listening()

    async def release(self, line: bytes, id: str) -> bool:
        """Send the line that prints an ECHO mark with this id, and read no further: the process is
        another channel's. False where it does not answer."""
        self._last = id
        self.send(line)
        await self.join()
        return not self._thread.is_alive() and self.ended is None

    async def join(self) -> None:
        """Wait until the reader is done; the child has to be killed before."""
        if self._thread.ident is not None:
            await asyncio.to_thread(self._thread.join, 10)

    def _read(self) -> None:
        feed = self._scanner.feed
        put = self._display.put
        while data := self.child.read():
            self.bytes_read += len(data)
            for part in feed(data):
                listening = self._listening
                if isinstance(part, Mark):
                    if self._last and part.id == self._last:
                        return
                    if part.kind is Kind.OPENING and listening.spool is not None:
                        listening.spool.restart()
                    self._post(Marked(part, listening.spool))
                    continue
                if listening.spool is not None:
                    listening.spool.write(part)
                if listening.shown:
                    put(part)
        rest = self._scanner.flush()
        if rest and self._listening.spool is not None:
            self._listening.spool.write(rest)
        # A program without its terminal is of no use, and one that is gone ignores this.
        self.child.kill()
        self._post(Ended(self.child.reap()))

    def _post(self, event: Marked | Ended) -> None:
        try:
            self._loop.call_soon_threadsafe(self._arrived, event)
        except RuntimeError:  # the loop was closed with the debugger still running
            return

    def _arrived(self, event: Marked | Ended) -> None:
        if isinstance(event, Ended):
            self.ended = event
            self._stop_writing()
            # Here and not in the thread: only the loop writes to it and sets its size.
            self.child.hang_up()
        self.events.put_nowait(event)
