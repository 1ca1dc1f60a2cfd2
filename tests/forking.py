"""The command line in processes of their own that need not import it first: `workbench` asks this
module, as a program, to fork. What a start itself does is tested with ``python -m workbench``."""

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

_PRELOADED = (
    "analyzers", "workbench.debuggers.gdb", "workbench.engine", "workbench.fronts.acquire",
    "workbench.fronts.analyzing", "workbench.fronts.asking", "workbench.fronts.cli",
    "workbench.fronts.headless", "workbench.fronts.sessions", "workbench.targets",
)  # fmt: skip
_OF_MODELS = ("workbench.agents.assisted", "workbench.llm", "openai.resources")
"""What takes a second more, for the first command that asks a model."""
_WORKER = "workbench.evaluate.worker"
_popen = subprocess.Popen


def workbench(
    *words: object,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float = 250.0,
    said: str = "",
    within: Sequence[str] = (),
) -> subprocess.CompletedProcess[str]:
    """``workbench WORDS`` to its end, with ``said`` in a file as its standard input; ``within`` is
    the start of a command line that runs the rest of it elsewhere, as with mounts of its own.
    Raises `subprocess.TimeoutExpired`."""
    server = _server(*within)
    assert server.stdin is not None
    assert server.stdout is not None
    with tempfile.TemporaryDirectory(prefix="workbench-run-") as folder:
        argv = ["workbench", *map(str, words)]
        environment = dict(os.environ if env is None else env)
        Path(folder, "in").write_text(said, "utf-8")
        wish = [argv, str(cwd or Path.cwd()), environment, timeout, folder]
        server.stdin.write(json.dumps(wish) + "\n")
        server.stdin.flush()
        status = json.loads(server.stdout.readline())
        out, err = (Path(folder, name).read_text("utf-8") for name in ("out", "err"))
    if status is None:
        raise subprocess.TimeoutExpired(argv, timeout, out, err)
    return subprocess.CompletedProcess(argv, status, out, err)


@functools.cache
def _server(*within: str) -> subprocess.Popen[str]:
    """One for each process of the test run; it ends with that."""
    return ends_with_us(subprocess.Popen(
        [*within, sys.executable, "-m", "tests.forking"], text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ))  # fmt: skip


def ends_with_us(server: subprocess.Popen[str]) -> subprocess.Popen[str]:
    """A program that ends where its standard input does, which is closed when this process ends:
    nothing of it is left open then, of which Python would warn."""
    atexit.register(server.communicate)
    return server


def _serve(wishes: IO[str], answers: IO[str]) -> None:
    from tests.crashes import read_no_debug_files
    from workbench import __main__ as program

    read_no_debug_files()
    _load(*_PRELOADED)
    for wish in wishes:
        argv, cwd, env, timeout, folder = json.loads(wish)
        if "evaluate" in argv:
            _load("workbench.evaluate")
        if {"local", "cloud"} & set(argv):
            _load(*_OF_MODELS)
        child = os.fork()
        if child == 0:
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(env)
            sys.argv = [str(program.__file__), *argv[1:]]
            sys.modules["__main__"] = program  # as ``python -m workbench`` has it
            for number, name in enumerate(("in", "out", "err")):
                os.dup2(os.open(f"{folder}/{name}", os.O_RDWR | os.O_CREAT, 0o600), number)
            subprocess.Popen = _worker_forked  # type: ignore[assignment,misc]
            program.main()
            os._exit(0)  # never back into this loop
        answers.write(json.dumps(_status(child, timeout)) + "\n")
        answers.flush()


def _worker_forked(command: Sequence[str], **given: Any) -> subprocess.Popen[Any]:
    """`subprocess.Popen`, of which the worker of an evaluation is a fork."""
    if list(command[-2:]) == ["-m", _WORKER]:
        given["preexec_fn"] = _work
    return _popen(command, **given)


def _work() -> None:
    """In place of the program to be executed."""
    os.closerange(3, 1 << 12)  # also what tells the parent of an exec that failed
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python starts
    importlib.import_module(_WORKER).main()
    os._exit(0)


@functools.cache
def _load(*names: str) -> None:
    """Import modules, and packages with all that they hold."""
    for name in names:
        within = getattr(importlib.import_module(name), "__path__", ())
        for found in pkgutil.walk_packages(within, f"{name}."):
            importlib.import_module(found.name)
    gc.freeze()


def _status(child: int, timeout: float) -> int | None:
    """As `subprocess` says it; None for one that had to be killed."""
    ends = time.monotonic() + timeout
    late = False
    while (done := os.waitpid(child, os.WNOHANG))[0] == 0:
        if time.monotonic() > ends:
            late = True
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        time.sleep(0.005)
    return None if late else os.waitstatus_to_exitcode(done[1])


if __name__ == "__main__":
    with os.fdopen(os.dup(0)) as wishes, os.fdopen(os.dup(1), "w") as answers:
        _serve(wishes, answers)
