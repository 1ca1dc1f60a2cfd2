"""From a case to the files that an investigation is given: compiled, crashed, changed."""

import hashlib
import os
import re
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
from workbench.model.text import printable

STRIPPING = ("-s", "-Cstrip=symbols")
_BUILD_SECONDS = 600
_SHOWN = 80
# What a corpus may say to gcc, g++ or rustc: no option that names a path, a program or a file to
# write (-o, -B, -specs, -wrapper, -fplugin, -fdump-…, -Clinker, @file), and no -g or -O behind
# which rustc would read another letter (its short options may be joined: -gClinker=…).
_FLAGS = re.compile(
    r"""
    -g(gdb)?[0-3]? | -gdwarf(-[2-5])? | -O([0-3sgz]|fast)?
    | -f(?!plugin|dump|module|profile|auto-profile|opt-info|save-|callgraph|diagnostics|offload
          |compare-debug|self-test|pre-include|test-coverage|(path|condition)-coverage|stack-usage)
       [\w-]+(=[\w,+-]+)?
    | -m[\w.+-]+(=[\w,.+-]+)?
    | -std=[\w+:]+ | -[DU]\w+(=[^\n\r]*)?
    | -pthread | -l[\w+.-]+ | -s | -static(-pie)? | -shared | -(no-)?pie | -rdynamic
    | -W[\w+-]*(=[\w+-]+)?
    | -Wl(,-z,[\w-]+(=\w+)?|,--(build-id(=\w+)?|(no-)?as-needed|export-dynamic|gc-sections))+
    | -C(opt-level|panic|debug-assertions|debuginfo|overflow-checks|force-frame-pointers|strip)=\w+
    """,
    re.VERBOSE | re.ASCII,
)


class Made(NamedTuple):
    """What is opened, and the program where it is known."""

    target: Path
    executable: Path | None


def make(case: Case, cache: Path, allow_build: bool) -> Made:
    """The case's files, before its changes; what is made is kept in ``cache``.

    What does not ship (`templates.ships`) is another's program: it is built and run only with
    ``allow_build``. What comes after (`built`, a change) builds no case that this did not.
    Raises `CannotMake`, `CrashError` and `EvaluationError`.
    """
    if case.make is None:
        executable = inside(case, case.executable) if case.executable else None
        return Made(inside(case, case.target), executable)
    if not allow_build:
        raise CannotMake(f"{case.target} cannot be made here without --allow-build")
    try:
        executable = built(case, cache)
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
    # A core is written in a folder of its own, where no file lies that a command was built beside.
    beside = executable.parent if how.command else Path("/dev/null")
    given = [str(beside / one) if (beside / one).is_file() else one for one in how.arguments]
    if how.run == "log":
        return programs.printed(cache, executable, *given)
    send = Signals[how.signal] if how.run == "sent" else None
    return programs.crash(cache, executable, *given, send=send)


def built(case: Case, cache: Path, *, symbols: bool = False) -> Path:
    """The case's program; with ``symbols`` the one that was not stripped: its functions lie where
    the stripped one has its code."""
    assert case.make is not None
    if case.make.command:
        return _by_command(case, case.make.command, cache)
    flags = case.make.flags
    if symbols:
        flags = tuple(flag for flag in flags if flag not in STRIPPING)
    return compiled(case, cache, flags, case.make.machine)


def compiled(case: Case, cache: Path, flags: tuple[str, ...], machine: str = "") -> Path:
    """The executable of the case's source. Raises `CannotMake` for a flag that no corpus gives."""
    for flag in flags:
        if not _FLAGS.fullmatch(flag):
            raise CannotMake(f"no corpus may give the flag {printable(flag)[:_SHOWN]}")
    return programs.build(cache, inside(case, case.target), *flags, machine=machine)


def _by_command(case: Case, command: tuple[str, ...], cache: Path) -> Path:
    with programs.made_once(cache, "built", case.id, str(folder_of(case)), *command) as made:
        folder, fresh = made
        place = folder / "place"
        if fresh:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(inside(case, Path(case.target).parts[0]), place, symlinks=True)
            done = subprocess.run(
                command,
                cwd=place,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_BUILD_SECONDS,
                stdin=subprocess.DEVNULL,
                check=False,
            )
            if done.returncode != 0:
                raise CannotMake(f"{command[0]} ended with {done.returncode}: {done.stderr[-300:]}")
    return place / case.executable
