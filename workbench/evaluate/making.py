"""From a case to the files that an investigation is given: compiled, crashed, changed."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from signal import Signals
from typing import NamedTuple

from workbench.evaluate import programs
from workbench.evaluate.corpora import folder_of, inside
from workbench.evaluate.errors import CannotMake
from workbench.evaluate.schema import Case, Make

STRIPPING = ("-s", "-Cstrip=symbols")
_BUILD_SECONDS = 600


class Made(NamedTuple):
    """What is opened, and the program where it is known."""

    target: Path
    executable: Path | None


def make(case: Case, cache: Path, allow_commands: bool = False) -> Made:
    """The case's files, before its changes; what is made is kept in ``cache``.

    A corpus's own build command is another's program: it runs only with ``allow_commands``.
    Raises `CannotMake`, `CrashError` and `EvaluationError`.
    """
    if case.make is None:
        executable = inside(case, case.executable) if case.executable else None
        target = inside(case, case.target)
        if not target.is_file():
            raise CannotMake(f"{case.target} is not in the corpus")
        return Made(target, executable)
    try:
        executable = built(case, cache, allow_commands)
        with _environment(case.make.environment, cache) as place:
            return Made(_run(case.make, executable, place), executable)
    except subprocess.TimeoutExpired as error:
        raise CannotMake(f"it took over {error.timeout:g} s to make") from error


@contextmanager
def _environment(given: Mapping[str, str], cache: Path) -> Iterator[Path]:
    """The variables that a program is started with, and where what it leaves is kept."""
    if not given:
        yield cache
        return
    before = dict(os.environ)
    os.environ.update(given)
    try:
        yield (
            cache / f"with-{hashlib.sha256(repr(sorted(given.items())).encode()).hexdigest()[:12]}"
        )
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(how: Make, executable: Path, cache: Path) -> Path:
    if how.machine == "aarch64":
        return programs.crash_emulated(cache, executable, how.machine)
    if how.run == "hang":
        until = programs.has_spun if how.spins else how.until
        return programs.hang(cache, executable, *how.arguments, until=until)
    if how.run == "log":
        return programs.printed(cache, executable, *how.arguments)
    send = Signals[how.signal] if how.run == "sent" else None
    return programs.crash(cache, executable, *how.arguments, send=send)


def built(case: Case, cache: Path, allow_commands: bool = False, *, symbols: bool = False) -> Path:
    """The case's program; with ``symbols`` the one that was not stripped: its functions lie where
    the stripped one has its code."""
    assert case.make is not None
    if case.make.command:
        return _by_command(case, case.make.command, cache, allow_commands)
    flags = case.make.flags
    if symbols:
        flags = tuple(flag for flag in flags if flag not in STRIPPING)
    return programs.build(cache, inside(case, case.target), *flags, machine=case.make.machine)


def _by_command(case: Case, command: tuple[str, ...], cache: Path, allowed: bool) -> Path:
    if not allowed:
        raise CannotMake(f"its own build command was not run: --allow-build permits {command[0]}")
    with programs.made_once(cache, "built", case.id, str(folder_of(case)), *command) as made:
        folder, fresh = made
        place = folder / "place"
        if fresh:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(inside(case, Path(case.target).parts[0]), place, symlinks=True)
            done = subprocess.run(
                command, cwd=place, capture_output=True, text=True, errors="replace",
                timeout=_BUILD_SECONDS, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
            if done.returncode != 0:
                raise CannotMake(f"{command[0]} ended with {done.returncode}: {done.stderr[-300:]}")
    return place / case.executable
