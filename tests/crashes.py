"""Real cores of small programs, for every test that needs one: `workbench.evaluate.programs` makes
them, in one folder for the whole test run, shared by pytest-xdist's workers."""

import atexit
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from tests.soak import SOAK
from workbench.debuggers.gdb import recipe
from workbench.debuggers.lldb import recipe as lldb_recipe
from workbench.evaluate import programs
from workbench.evaluate.programs import CrashError, ToolMissing, gdbs, kernel_writes_cores

__all__ = ["CrashError", "ToolMissing", "gdbs", "kernel_writes_cores"]

CACHE_VARIABLE = "WORKBENCH_TEST_CRASHES"


NO_DEBUG_FILES = "set debug-file-directory /nonexistent"


def cache_dir() -> Path:
    """The run's folder: made by tests/conftest.py, or by the first call outside pytest."""
    known = os.environ.get(CACHE_VARIABLE)
    if known is None:
        known = tempfile.mkdtemp(prefix="workbench-crashes-")
        os.environ[CACHE_VARIABLE] = known
        atexit.register(shutil.rmtree, known, ignore_errors=True)
    return Path(known)


def lldbs() -> tuple[Path, ...]:
    """Every lldb that the tests need: the wheel's beside this Python, and Debian's oldest. Where a
    test's parameter is not there, it is not run (tests/conftest.py)."""
    return Path(sys.executable).parent / "lldb", Path("/usr/bin/lldb-14")


def needed(tool: str | Path) -> Path:
    """The path of what a test needs from this machine. Raises `ToolMissing`."""
    found = shutil.which(tool)
    if found is None:
        raise ToolMissing(f"no {Path(tool).name}")
    return Path(found)


def read_no_debug_files() -> None:
    """For this process: gdb and lldb find no debug information beside what is loaded. Libc's, which
    few machines have, takes them two thirds of what a small dump does; `make soak` reads it."""
    if not SOAK:
        recipe._SAFE = (*recipe._SAFE, NO_DEBUG_FILES)  # type: ignore[assignment]
        lldb_recipe._DEBUG_FILES = "/nonexistent"


def build(source: Path | str, *flags: str, lang: str = "c", machine: str = "") -> Path:
    """`programs.build` in the run's folder."""
    return programs.build(cache_dir(), source, *flags, lang=lang, machine=machine)


def crash(
    executable: Path,
    *args: str,
    timeout: float = 30.0,
    via: str = "auto",
    send: signal.Signals | None = None,
    until: str | Callable[[int], bool] | None = None,
) -> Path:
    """`programs.crash` in the run's folder."""
    return programs.crash(
        cache_dir(), executable, *args, timeout=timeout, via=via, send=send, until=until
    )


def crash_emulated(executable: Path, machine: str) -> Path:
    """`programs.crash_emulated` in the run's folder."""
    return programs.crash_emulated(cache_dir(), executable, machine)


def made_once(kind: str, *key: str) -> AbstractContextManager[tuple[Path, bool]]:
    """`programs.made_once` in the run's folder."""
    return programs.made_once(cache_dir(), kind, *key)


def hang(
    executable: Path, *args: str, until: str | Callable[[int], bool] | None = None,
    timeout: float = 30.0,
) -> Path:  # fmt: skip
    """`programs.hang` in the run's folder."""
    return programs.hang(cache_dir(), executable, *args, until=until, timeout=timeout)
