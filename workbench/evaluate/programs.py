"""Compile small programs and make real cores of them: what an evaluation is made on.

Everything made is kept in one folder, ``cache``, keyed by content: the same program is compiled and
crashed once, by whichever process comes first. What a function returns is therefore read-only: copy
it before you damage it.
"""

import ctypes
import fcntl
import functools
import hashlib
import os
import pwd
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.evaluate.errors import CannotMake

_CORE_PATTERN = Path("/proc/sys/kernel/core_pattern")
_PR_SET_PTRACER = 0x59616D61  # prctl(2)
# By the machine that the program is for ("" is this one) and the language.
_COMPILERS = {
    "": {"c": "gcc", "cpp": "g++", "rs": "rustc"},
    "i386": {"c": "i686-linux-gnu-gcc"},
    "aarch64": {"c": "aarch64-linux-gnu-gcc"},
}
_EMULATORS = {"aarch64": "qemu-aarch64"}
# Signals that a healthy program gets, which gdb must not take for the crash (gdb's own default).
_QUIET_SIGNALS = "SIGCHLD SIGWINCH SIGURG SIGIO SIGPROF SIGALRM SIGVTALRM SIG32 SIG33 SIG34"


class CrashError(CannotMake):
    """A program did not compile, did not crash, or left no core; the text says what it printed."""


@functools.cache
def gdbs() -> tuple[Path, ...]:
    """Every gdb here: the one beside this Python, then the one on the PATH."""
    found = [shutil.which(Path(sys.executable).parent / "gdb"), shutil.which("gdb")]
    return tuple(dict.fromkeys(Path(path) for path in found if path))


class ToolMissing(CrashError):
    """What makes a program or its core is not on this machine; the text names it."""


def _compiler(lang: str, machine: str) -> list[str]:
    """The command that compiles without warnings. Raises `ToolMissing`."""
    name = _COMPILERS[machine][lang]
    if lang == "rs":
        return [*_rustc(), "-Awarnings", "--edition=2021"]
    found = shutil.which(name)
    if found is None:
        raise ToolMissing(f"no {name}")
    return [found, "-w"]


@functools.cache
def _rustc() -> tuple[str, ...]:
    """rustup's rustc, which may be on no PATH, is a stand-in: it looks for the compiler in the home
    folder, and ends where there is none."""
    for home in (os.environ.get("HOME", "/"), pwd.getpwuid(os.getuid()).pw_dir):
        for folder in (None, f"{home}/.cargo/bin"):
            found = shutil.which("rustc", path=folder)
            command = ("env", f"HOME={home}", found or "")
            if found and not subprocess.run([*command, "-V"], capture_output=True).returncode:
                return command
    raise ToolMissing("no rustc")


def build(cache: Path, source: Path | str, *flags: str, lang: str = "c", machine: str = "") -> Path:
    """The executable made of ``source`` (a file, or the program's text) by gcc, g++ or rustc.

    ``lang`` counts for text only; a file's ending says its own. ``machine``: i386 or aarch64, by a
    cross compiler. Warnings are off, since most of these programs deserve theirs. A file is
    compiled where it is, so that the debug information names it; text is written beside the
    executable as ``program.c`` or ``program.cpp``. Raises `CrashError` with the compiler's output.
    """
    if isinstance(source, Path):
        text, lang = source.read_text(), source.suffix[1:]
    else:
        text = source
    file_named = str(source) if isinstance(source, Path) else ""
    with made_once(cache, "exe", lang + machine, text, file_named, *flags) as (folder, fresh):
        name = source.stem if isinstance(source, Path) else "program"
        executable = folder / name
        if fresh:
            file = source
            if not isinstance(file, Path):
                file = folder / f"program.{lang}"
                file.write_text(text)
            command = [*_compiler(lang, machine), "-o", str(executable), str(file), *flags]
            made = subprocess.run(command, capture_output=True, text=True, cwd=folder, timeout=120)
            if made.returncode != 0:
                raise CrashError(f"{' '.join(command)}\n{made.stderr}")
    return executable


def crash(
    cache: Path,
    executable: Path,
    *args: str,
    timeout: float = 30.0,
    via: str = "auto",
    send: signal.Signals | None = None,
    until: str | Callable[[int], bool] | None = None,
) -> Path:
    """The core that ``executable`` leaves when a signal ends it, in a folder of its own.

    ``via``: ``kernel`` takes the core that the kernel writes, ``gdb`` runs the program under gdb
    and saves it where the signal stops it (siginfo included), ``auto`` uses the kernel where it
    writes cores into the working folder and gdb elsewhere. With ``send`` the program is waited for
    (``until`` as in `hang`) and then sent that signal from outside. Raises `CrashError`.
    """
    how = ("kernel" if kernel_writes_cores() else "gdb") if via == "auto" else via
    sent = "" if send is None else f"{send.name} {until}"
    with made_once(cache, "core", str(executable), how, sent, *args) as (folder, fresh):
        core = folder / "core"
        if fresh:
            if how == "kernel":
                _crash_by_kernel(executable, args, folder, timeout, send, until)
            elif send is None:
                _crash_under_gdb(executable, args, core, timeout)
            else:
                with _started(executable, args, folder, _cores_by_gdb) as process:
                    settle(process, until, timeout)
                    kill = ("-ex", f"shell kill -{send.value} {process.pid}", "-ex", "continue")
                    _save_core(process.pid, core, timeout, kill)
    return core


def crash_emulated(cache: Path, executable: Path, machine: str, timeout: float = 30.0) -> Path:
    """The core of another machine's program, as QEMU's user mode writes it (no siginfo, no file
    notes). Raises `CrashError`."""
    with made_once(cache, "core", str(executable), machine) as (folder, fresh):
        core = folder / "core"
        if fresh:
            emulator = shutil.which(_EMULATORS[machine])
            if emulator is None:
                raise ToolMissing(f"no {_EMULATORS[machine]}")
            done = subprocess.run(
                [emulator, str(executable)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                preexec_fn=_cores_allowed,
                timeout=timeout,
            )
            found = sorted(folder.glob("qemu_*.core"))
            if not found:
                raise CrashError(f"no core of {executable} by {emulator}: {done.stderr!r}")
            # QEMU dies of the signal too, and leaves a core of its own.
            for own in folder.glob("core*"):
                own.unlink()
            found[0].rename(core)
    return core


def printed(cache: Path, executable: Path, *args: str, timeout: float = 30.0) -> Path:
    """What ``executable`` prints until it ends, as a log: a sanitizer's report names no colours and
    finds its own symbols. Raises `CrashError`."""
    with made_once(cache, "log", str(executable), *args) as (folder, fresh):
        log = folder / f"{executable.name}.log"
        if fresh:
            with _started(executable, args, folder, _cores_by_gdb) as process:
                try:
                    process.wait(timeout)
                except subprocess.TimeoutExpired:
                    raise CrashError(f"{executable} still runs after {timeout} s") from None
            (folder / "output.txt").rename(log)
    return log


def hang(
    cache: Path,
    executable: Path,
    *args: str,
    until: str | Callable[[int], bool] | None = None,
    timeout: float = 30.0,
) -> Path:
    """A snapshot core of ``executable`` while it runs on, by ``gdb -p`` and ``generate-core-file``.

    ``until``: a line that it prints, or a function of its pid that says when, or None: once every
    thread sleeps and none has been scheduled for a quarter of a second. Raises `CrashError`.
    """
    with made_once(
        cache, "hang", str(executable), getattr(until, "__name__", str(until)), *args
    ) as (folder, fresh):
        core = folder / "core"
        if fresh:
            with _started(executable, args, folder, _cores_by_gdb) as process:
                settle(process, until, timeout)
                _save_core(process.pid, core, timeout)
    return core


def has_spun(pid: int) -> bool:
    """True once a process has used a fifth of a second of a processor: utime of proc(5)'s stat."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) >= os.sysconf("SC_CLK_TCK") / 5


@functools.cache
def kernel_writes_cores() -> bool:
    """True when a crash leaves a core in the working folder: core(5), a plain name as pattern and
    a hard limit that allows it."""
    try:
        pattern = _CORE_PATTERN.read_text().strip()
    except OSError:
        return False
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    roomy = hard == resource.RLIM_INFINITY or hard > 1 << 30
    return roomy and bool(pattern) and not pattern.startswith("|") and "/" not in pattern


@contextmanager
def made_once(cache: Path, kind: str, *key: str) -> Iterator[tuple[Path, bool]]:
    """A folder for this key and whether it has to be filled; other processes wait meanwhile."""
    digest = hashlib.sha256("\0".join((kind, *key)).encode()).hexdigest()[:16]
    folder = cache / f"{kind}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    done = folder.with_suffix(".done")
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        fresh = not done.exists()
        yield folder, fresh
        done.touch()


def _as_new() -> None:
    """Runs between fork and exec. What a shell or nohup(1) ignores for a run in the background, a
    program would ignore as well (execve(2)); so would one that gdb starts."""
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def _cores_allowed() -> None:
    """Runs between fork and exec."""
    _as_new()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))


def _cores_by_gdb() -> None:
    """Runs between fork and exec: gdb may attach where Yama restricts ptrace, and the kernel does
    not write a core over gdb's when the signal is delivered at last."""
    _as_new()
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
    ctypes.CDLL(None).prctl(_PR_SET_PTRACER, ctypes.c_ulong(-1), 0, 0, 0)


@contextmanager
def _started(
    executable: Path, args: tuple[str, ...], folder: Path, setup: Callable[[], None]
) -> Iterator[subprocess.Popen[bytes]]:
    """The program running in ``folder``, its output in ``output.txt`` there; killed on the way
    out."""
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            [str(executable), *args],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            preexec_fn=setup,
        )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def _printed(folder: Path) -> str:
    return (folder / "output.txt").read_text(errors="replace")[-2000:]


def _crash_by_kernel(
    executable: Path,
    args: tuple[str, ...],
    folder: Path,
    timeout: float,
    send: signal.Signals | None,
    until: str | Callable[[int], bool] | None,
) -> None:
    with _started(executable, args, folder, _cores_allowed) as process:
        if send is not None:
            settle(process, until, timeout)
            process.send_signal(send)
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise CrashError(f"{executable} still runs after {timeout} s") from None
    if status >= 0:
        raise CrashError(f"{executable} ended with {status}, not by a signal: {_printed(folder)}")
    left = [path for path in folder.iterdir() if path.name.startswith("core")]
    if not left:
        raise CrashError(f"{executable} died of signal {-status} and left no core")
    left[0].rename(folder / "core")


def _gdb(timeout: float, *arguments: str) -> str:
    if not gdbs():
        raise ToolMissing("no gdb here, and the kernel writes no cores")
    # As gcore does: no debug information is needed to write a core.
    command = [str(gdbs()[-1]), "-nx", "-batch", "--readnever", "-iex", "set auto-load no"]
    command += ["-iex", "set debuginfod enabled off", *arguments]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            stdin=subprocess.DEVNULL,
            preexec_fn=_as_new,
        )
    except subprocess.TimeoutExpired as late:
        raise CrashError(f"gdb took over {timeout} s: {late.stdout!r}") from None
    return done.stdout + done.stderr


def _crash_under_gdb(executable: Path, args: tuple[str, ...], core: Path, timeout: float) -> None:
    lines = (
        "set disable-randomization off",
        "set startup-with-shell off",
        "handle all stop print pass",
        f"handle {_QUIET_SIGNALS} nostop noprint pass",
        f"set cwd {core.parent}",
        "run",
        f"generate-core-file {core}",
        "kill",
    )
    run = (word for line in lines for word in ("-ex", line))
    said = _gdb(timeout, *run, "--args", str(executable), *args)
    if not core.exists():
        raise CrashError(f"no core of {executable} under gdb: {said[-2000:]}")


def _save_core(pid: int, core: Path, timeout: float, before: tuple[str, ...] = ()) -> None:
    said = _gdb(timeout, "-p", str(pid), *before, "-ex", f"generate-core-file {core}")
    if not core.exists():
        raise CrashError(f"no core of process {pid}: {said[-2000:]}")


def settle(
    process: subprocess.Popen[bytes], until: str | Callable[[int], bool] | None, timeout: float
) -> None:
    """Wait for ``until``; raises `CrashError` when the program ends first or time runs out."""
    folder = Path(os.readlink(f"/proc/{process.pid}/cwd"))
    deadline = time.monotonic() + timeout
    before, since = None, time.monotonic()
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise CrashError(f"it ended with {process.returncode}: {_printed(folder)}")
        if isinstance(until, str):
            if until in _printed(folder):
                return
        elif until is not None:
            if until(process.pid):
                return
        else:
            now = _schedule(process.pid)
            if now is None or now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > 0.25:
                return
        time.sleep(0.02)
    raise CrashError(f"it did not settle within {timeout} s: {_printed(folder)}")


def _schedule(pid: int) -> tuple[str, ...] | None:
    """What tells whether any thread ran since: ids and context switches (proc(5)); None while one
    of them is running."""
    seen = []
    with suppress(OSError):
        for task in sorted(Path(f"/proc/{pid}/task").iterdir()):
            status = (task / "status").read_text()
            if not re.search(r"^State:\s+S", status, re.MULTILINE):
                return None
            seen += [task.name, *re.findall(r"ctxt_switches:\s+(\d+)", status)]
    return tuple(seen)
