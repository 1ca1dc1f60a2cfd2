"""The one door to terminals and processes. What differs between systems lives here only."""

import contextlib
import os
import select
import shutil
import signal
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from workbench.debuggers.protocol import DebuggerUnavailable

with contextlib.suppress(ImportError):  # Windows has none of them
    import fcntl
    import resource
    import termios

# Without util-linux: the same in a bare interpreter, which costs some 20 ms more. The parent's
# death between the spawn and prctl(2) is seen by its id.
_LAUNCHER = (
    "import ctypes,os,sys\n"
    "ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)\n"
    "if os.getppid() != int(sys.argv[1]): sys.exit(1)\n"
    "os.execv(sys.argv[2], sys.argv[2:])\n"
)
_MOST_DESCENDANTS = 4096


# A terminal hands out 4 KiB at a time; what is done with it costs less for several together.
_READ, _TOGETHER = 1 << 16, 24 << 10


def set_plain(fd: int) -> None:
    """No echo and no output processing on the terminal (termios(3)), so that what is read from
    it is what the program wrote, byte for byte. Canonical input and signals stay on."""
    mode = termios.tcgetattr(fd)
    wanted = [
        mode[0] & ~termios.IXON,
        mode[1] & ~(termios.OPOST | termios.ONLCR),
        mode[2],
        (mode[3] | termios.ICANON | termios.ISIG)
        & ~(termios.ECHO | termios.ECHONL | termios.ECHOCTL),
        *mode[4:],
    ]
    if wanted != mode:
        termios.tcsetattr(fd, termios.TCSANOW, wanted)


def set_size(fd: int, rows: int, cols: int) -> None:
    """Set the terminal's size in character cells (tty_ioctl(4), TIOCSWINSZ)."""
    size = struct.pack("HHHH", max(1, min(rows, 4096)), max(1, min(cols, 4096)), 0, 0)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, size)


# Those that a shell, nohup(1) or Python may have had ignored: a program that the debugger runs
# would ignore them as well.
_DEFAULT = tuple(
    getattr(signal, f"SIG{name}")
    for name in ("PIPE", "INT", "QUIT", "HUP", "TERM")
    if hasattr(signal, f"SIG{name}")
)


class Child:
    """A program on its own terminal and in its own session. ``master`` is our end, which never
    blocks (O_NONBLOCK): a program that does not read its terminal must not stop us."""

    def __init__(self, pid: int, master: int) -> None:
        self.pid, self.master = pid, master
        self.reaped = False
        self.ran = (-1, -1)  # its ticks in user and kernel mode, as last seen

    def read(self) -> bytes:
        """What it printed, at most some 28 KiB. Blocks until there is some; empty once the terminal
        is hung up. For one thread."""
        while True:
            data, open_still = _read_all(self.master)
            if data or not open_still:
                return data
            poll = select.poll()
            poll.register(self.master, select.POLLIN)
            poll.poll()

    def write(self, data: bytes | bytearray) -> int:
        """Hand it bytes; how many it took. Raises `BlockingIOError` while there is no room."""
        return os.write(self.master, data)

    def hang_up(self) -> None:
        """Close our end."""
        os.close(self.master)
        self.master = -1

    def set_plain(self) -> None:
        """`set_plain` again, after what the program may have run; nothing if it is gone."""
        with contextlib.suppress(termios.error):
            if self.master >= 0:
                set_plain(self.master)

    def set_size(self, rows: int, cols: int) -> None:
        """`set_size` of its terminal; nothing if it is gone."""
        with contextlib.suppress(OSError):
            if self.master >= 0:
                set_size(self.master, rows, cols)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.signal(signal.SIGINT)

    def kill(self) -> None:
        """End it and everything that it started; it is not asked."""
        started = [] if self.reaped else _descendants(self.pid)
        self.signal(signal.SIGKILL)
        for pid in started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)

    def signal(self, number: int) -> None:
        """Send a signal to the program and what it runs in the foreground; nothing if gone."""
        if self.reaped:
            return  # the id may be another's by now
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def reap(self) -> str:
        """Wait for the end of the program (blocks) and say how it ended."""
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:
            return "ended"
        finally:
            self.reaped = True
        if os.WIFSIGNALED(status):
            return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
        return f"exited with status {os.waitstatus_to_exitcode(status)}"

    def is_waiting(self) -> bool:
        """True when the program sleeps (proc(5), state S), as one that reads its terminal does,
        and no thread of it ran since this was asked before. Where the system does not tell, True.
        """
        fields = self._status()
        if not fields:
            return True
        before, self.ran = self.ran, (int(fields[11]), int(fields[12]))
        return fields[0] == b"S" and before == self.ran

    def is_stopped(self) -> bool:
        """True when a signal has stopped the program (proc(5), state T): it answers nothing."""
        return self._status()[:1] == [b"T"]

    def is_at_rest(self) -> bool:
        """True when no thread of the program runs, is about to (proc(5), state R) or waits for a
        disk (D): a signal that it was sent has been taken. Where the system does not tell, True."""
        threads = Path(f"/proc/{self.pid}/task").glob("*/stat")
        return all(_status_of(thread)[:1] not in ([b"R"], [b"D"]) for thread in threads)

    def _status(self) -> list[bytes]:
        return _status_of(Path(f"/proc/{self.pid}/stat"))


def _status_of(stat: Path) -> list[bytes]:
    """/proc's status line from the state on; empty where there is none."""
    try:
        line = stat.read_bytes()
    except OSError:
        return []
    return line[line.rfind(b")") + 2 :].split()


def spawn(argv: Sequence[str], env: Mapping[str, str], rows: int, cols: int) -> Child:
    """Start ``argv[0]`` (an absolute path) on a new terminal, which has no size where ``rows`` or
    ``cols`` is 0.

    posix_spawn(3) runs no Python in the child, so other threads of ours cannot hold a lock that
    the child needs. It makes the child a session leader; opening the terminal then makes that its
    controlling terminal, which the kernel hangs up when our end closes. On Linux the child gets
    SIGKILL when the thread that spawns it ends: call this from the main thread. SIGWINCH is
    blocked in the child: gdb answers it by setting its line width. A debugger that crashes leaves
    no core: it would be written over the one beside it that is looked at.
    """
    if sys.platform == "win32":
        from workbench.debuggers.conpty import spawn_on_console

        return spawn_on_console(argv, env, rows)
    if "termios" not in sys.modules or sys.modules["termios"] is None:
        raise DebuggerUnavailable("debuggers need a Unix terminal; this system has none")
    if not hasattr(os, "posix_spawn"):
        raise DebuggerUnavailable("debuggers need posix_spawn; this system has none")
    master, slave = os.openpty()
    try:
        os.set_blocking(master, False)
        set_plain(slave)
        if rows and cols:
            set_size(slave, rows, cols)
        actions: list[tuple[int, int, str, int, int] | tuple[int, int, int] | tuple[int, int]] = [
            (os.POSIX_SPAWN_OPEN, 0, os.ttyname(slave), os.O_RDWR, 0),
            (os.POSIX_SPAWN_DUP2, 0, 1),
            (os.POSIX_SPAWN_DUP2, 0, 2),
        ]
        actions += [(os.POSIX_SPAWN_CLOSE, fd) for fd in _inheritable()]
        command = [*die_with_parent(), *argv]
        with _no_core():
            pid = os.posix_spawn(
                command[0],
                command,
                env,
                file_actions=actions,
                setsid=True,
                setsigmask=[signal.SIGWINCH],
                setsigdef=_DEFAULT,
            )
    except OSError as error:
        os.close(master)
        raise DebuggerUnavailable(f"cannot start {argv[0]}: {error.strerror}") from error
    finally:
        os.close(slave)
    return Child(pid, master)


@contextlib.contextmanager
def _no_core() -> Iterator[None]:
    """What is spawned here dumps no core unless it asks for that itself (getrlimit(2))."""
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))


def _descendants(pid: int) -> list[int]:
    """What a process started and what that started (proc(5), children); none where the system
    does not tell."""
    found: list[int] = []
    waiting = [pid]
    while waiting and len(found) < _MOST_DESCENDANTS:
        tasks = Path(f"/proc/{waiting.pop()}/task")
        with contextlib.suppress(OSError, ValueError):
            for task in tasks.iterdir():
                children = [int(one) for one in (task / "children").read_bytes().split()]
                found += children
                waiting += children
    return found


def die_with_parent() -> list[str]:
    """What to put before a command so that it dies with us (prctl(2), PR_SET_PDEATHSIG)."""
    if not sys.platform.startswith("linux"):
        return []
    setpriv = shutil.which("setpriv", path="/usr/bin:/bin")
    # Busybox has a setpriv that knows no --pdeathsig.
    if setpriv and Path(setpriv).resolve().name == "setpriv":
        return [setpriv, "--pdeathsig", "KILL", "--"]
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid())]


def _inheritable() -> list[int]:
    """Descriptors that a child would get by mistake. Python's own are never among them."""
    found = []
    try:
        names = os.listdir("/dev/fd")
    except OSError:
        return []
    for name in names:
        fd = int(name)
        with contextlib.suppress(OSError):
            if fd > 2 and os.get_inheritable(fd):
                found.append(fd)
    return found


def _read_all(fd: int) -> tuple[bytes, bool]:
    """What is there now, at most some 28 KiB; and False once the terminal is hung up."""
    parts: list[bytes] = []
    size = 0
    while size < _TOGETHER:
        try:
            data = os.read(fd, _READ)
        except BlockingIOError:
            return b"".join(parts), True
        except OSError:  # EIO: the terminal was hung up
            data = b""
        if not data:
            return b"".join(parts), False
        parts.append(data)
        size += len(data)
    return b"".join(parts), True
