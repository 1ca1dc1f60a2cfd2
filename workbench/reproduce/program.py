"""The program to run: its terminal, what it starts with, and that nothing of it stays behind."""

import asyncio
import contextlib
import os
import secrets
import shlex
import shutil
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from workbench.debuggers.private_folder import clear, marked
from workbench.targets.errors import TargetError

_TAIL = 64 << 10
_SMALL_FILES = 1 << 22  # 512-byte blocks: 2 GiB
_FUTEX, _PRIVATE, _LIMIT = "202", 128, 4
"""futex(2) on x86-64, its flag, and which word of ``syscall`` is the time limit."""
_STUCK = 3
"""Looks in a row that find all threads waiting for each other."""


class Program(Struct, frozen=True, kw_only=True):
    """What a person wants to be run: ``path`` is absolute, ``stdin`` a file or None (end of file
    at once), ``environment`` is added to ours, ``timeout`` bounds one run in seconds."""

    path: Path
    arguments: tuple[str, ...] = ()
    cwd: Path = Path()
    stdin: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    tries: int = 10
    timeout: float = 60.0

    def command_line(self) -> str:
        """The arguments as /bin/sh reads them, for gdb's ``starti``."""
        words = shlex.join(self.arguments)
        return f"{words} < {shlex.quote(str(self.stdin))}" if self.stdin else words

    def shown(self) -> str:
        """For a person."""
        return shlex.join([str(self.path), *self.arguments])


def program_of(
    command: Sequence[str], cwd: Path, stdin: Path | None, environment: Sequence[str], tries: int,
    timeout: float,
) -> Program:  # fmt: skip
    """What a command line asks for. Raises `TargetError` for what cannot be run."""
    cwd = cwd.absolute()
    first = command[0]
    found = str(cwd / first) if "/" in first else shutil.which(first)
    if found is None or not os.access(found, os.X_OK) or not Path(found).is_file():
        raise TargetError(first, "no such program", "give the command as in a shell, after --")
    with open(found, "rb") as file:
        if file.read(4) != b"\x7fELF":
            todo = "name the program that it starts (the interpreter, for a script)"
            raise TargetError(first, "not an ELF program", todo)
    if stdin is not None and not stdin.is_file():
        raise TargetError(str(stdin), "no such file for stdin", "give a readable file")
    for text in (found, *command, str(cwd), str(stdin or "")):
        if not text.isprintable():  # a line of gdb's commands ends where a line of it does
            todo = "give it by a file, or by a folder or link of another name"
            raise TargetError(ascii(text), "a control character in a command line", todo)
    if not cwd.is_dir():
        raise TargetError(str(cwd), "no such folder", "give an existing folder with --cwd")
    pairs = []
    for one in environment:
        name, equals, value = one.partition("=")
        if not equals or not name.isidentifier() or not value.isprintable():
            raise TargetError(one, "not an environment setting", "write --env NAME=VALUE")
        pairs.append((name, value))
    return Program(
        path=Path(found).resolve(), arguments=tuple(command[1:]), cwd=cwd,
        stdin=stdin.absolute() if stdin else None, environment=tuple(pairs), tries=tries,
        timeout=timeout)  # fmt: skip


def limits(program: Program) -> tuple[str, ...]:
    """Words before the program that set limits (setrlimit(2)): no core of its own, a bound on
    processor time and on what it writes."""
    seconds = int(program.timeout) + 5
    script = f'ulimit -c 0; ulimit -t {seconds}; ulimit -f {_SMALL_FILES}; exec "$@"'
    return ("/bin/sh", "-c", script, "sh")


def mark_in(folder: Path) -> str:
    """A mark of one run; a later start knows it by the folder's name, whatever becomes of us."""
    return f"{folder.name}/{secrets.token_hex(8)}"


class Stage:
    """A terminal for one run, with a reader that keeps the tail of what the program prints, and a
    clock that stops it and says what it waits for."""

    def __init__(
        self, folder: Path, program: Program, say: Callable[[str], None], most: float
    ) -> None:
        self.spent, self.cut = 0.0, False
        """Seconds of processor time, the debugger's too, and whether those were more than ``most``:
        unlike other time they do not depend on what else the machine does."""
        self._say, self._most = say, most
        self.mark = mark_in(folder)
        self.pid_file = folder / f"pid-{secrets.token_hex(8)}"
        self.tail = bytearray()
        self._timeout = program.timeout
        self._typed = b"" if program.stdin else b"\x04"
        self._master, self._slave = os.openpty()
        os.set_blocking(self._master, False)
        self.tty = os.ttyname(self._slave)
        self._clock: asyncio.Task[None] | None = None

    def __enter__(self) -> "Stage":
        asyncio.get_running_loop().add_reader(self._master, self._read)
        os.write(self._master, self._typed or b"\x04")
        self._clock = asyncio.ensure_future(self._stop_late())
        return self

    def __exit__(self, *_: object) -> None:
        if self._clock is not None:
            self._clock.cancel()
        asyncio.get_running_loop().remove_reader(self._master)
        os.close(self._master)
        os.close(self._slave)
        clear(self.mark)
        self.pid_file.unlink(missing_ok=True)

    def _read(self) -> None:
        with contextlib.suppress(OSError):
            self.tail += os.read(self._master, 1 << 16)
            del self.tail[:-_TAIL]

    async def _stop_late(self) -> None:
        """SIGSTOP cannot be caught or blocked (signal(7)), and gdb takes it before the program."""
        while not self.pid_file.exists():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        loop, stuck = asyncio.get_running_loop(), 0
        begun, told = loop.time(), 1.0
        before = await asyncio.to_thread(used, marked(self.mark))
        while (took := loop.time() - begun) < self._timeout and stuck < _STUCK and not self.cut:
            if took >= told:
                self._say(f"still runs after {took:.0f} s")
                told *= 2
            await asyncio.sleep(0.5)
            pids = marked(self.mark)
            self.spent = max(self.spent, await asyncio.to_thread(used, pids) - before)
            self.cut = self.spent > self._most
            stuck = stuck + 1 if await asyncio.to_thread(is_stuck, pids) else 0
            if stuck == 1:
                self._say("all its threads wait for each other, it seems")
                told = max(told, 4.0)
        while True:
            await asyncio.to_thread(stop, self.mark)
            await asyncio.sleep(5)


def used(pids: Sequence[int]) -> float:
    """Seconds of processor time that these processes and who traces them have used (proc(5):
    /proc/PID/stat, fields 14 and 15)."""
    found, ticks = set(pids), 0
    for pid in pids:
        with contextlib.suppress(OSError, IndexError):
            status = Path(f"/proc/{pid}/status").read_text()
            found.add(int(status.split("TracerPid:")[1].split()[0]))
    for pid in found - {0}:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def is_stuck(pids: Sequence[int]) -> bool:
    """Whether every thread of these processes waits without a time limit for a futex that only its
    own process wakes, or, as pthread_join does, for the end of a thread of them (futex(2), proc(5):
    /proc/PID/task/TID/syscall). False where the system does not tell."""
    calls: dict[int, list[str]] = {}
    try:
        for pid in pids:
            for task in Path(f"/proc/{pid}/task").iterdir():
                calls[int(task.name)] = (task / "syscall").read_text().split()
    except OSError:
        return False
    return bool(calls) and all(
        len(call) > _LIMIT
        and call[0] == _FUTEX
        and int(call[_LIMIT], 16) == 0
        and (int(call[2], 16) & _PRIVATE or int(call[3], 16) & 0xFFFFFFFF in calls)
        for call in calls.values()
    )


def stop(mark: str) -> None:
    """Stop the process of a run that a debugger follows: gdb takes the signal."""
    for pid in marked(mark):
        with contextlib.suppress(OSError):
            if "TracerPid:\t0\n" not in Path(f"/proc/{pid}/status").read_text():
                os.kill(pid, signal.SIGSTOP)
