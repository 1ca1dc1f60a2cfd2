"""What the person named, as a file that can be opened: a running process, the newest core, an
archive are turned into one first."""

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from msgspec.structs import replace
from platformdirs import user_cache_path

from workbench.bundle.unpack import is_bundle, unpack
from workbench.model.models import OFFLINE, ModelWish
from workbench.model.target import Options
from workbench.model.text import counted
from workbench.opening import Request
from workbench.samples import demo_files
from workbench.settings import Settings
from workbench.store.session_row import CORES
from workbench.targets.errors import TargetError

BUNDLES = "bundles"


def acquire(request: Request, pid: int | None, say: Callable[[str], None]) -> Request:
    """The request on a file. Cores and archives go into folders beside the sessions, since a
    session is resumed with them. Raises `TargetError` and `OSError`."""
    _check_named(request.options)
    if pid is not None:
        if request.target:
            raise TargetError(f"--pid {pid}", f"so is {request.target}", "give one target only")
        return replace(request, target=str(core_of_process(pid, request.base, say)))
    folder = Path(request.target)
    if os.path.isfile(folder / "evidence.db"):
        where = shlex.quote(str(folder.parent))
        todo = f"name the session: {folder.name} --sessions-dir {where}"
        raise TargetError(request.target, "it is a session's folder", todo)
    if not request.target:
        raise TargetError("no target", "none was named", "give a core, a log, --pid PID or @last")

    if request.target == LAST and not Path(LAST).exists():
        return replace(request, target=str(newest(request.base, say)))
    return _unpacked(request, say)


def _check_named(options: Options) -> None:
    """What the person named for SOS has to be there: left out silently it would be missed."""
    if options.sos and not Path(options.sos).is_file():
        raise TargetError(f"--sos {options.sos}", "no such file", "name libsosplugin.so itself")
    if options.clr_path and not Path(options.clr_path).is_dir():
        todo = "name the folder that holds libcoreclr.so"
        raise TargetError(f"--clr-path {options.clr_path}", "no such folder", todo)


def core_of_process(pid: int, base: Path, say: Callable[[str], None]) -> Path:
    """A core of a running process."""
    from workbench.live.take import take_core

    say(f"taking a core of process {pid}")
    taken = take_core(pid, _new_core(base, f"pid{pid}"))
    say(
        f"{taken.path} ({taken.size >> 20} MiB, {counted(taken.threads, 'thread')}; "
        f"the process stood still for {taken.stopped:.2f} s)"
    )
    return taken.path


def newest(base: Path, say: Callable[[str], None]) -> Path:
    """The newest core of coredumpctl."""
    say("asking coredumpctl for its newest core")
    core = newest_core(_new_core(base, "last"))
    say(f"{core} ({core.stat().st_size >> 20} MiB)")
    return core


def _new_core(base: Path, what: str) -> Path:
    folder = base / CORES
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    stem = f"core.{what}.{datetime.now():%Y%m%d_%H%M%S}"
    names = [stem, *(f"{stem}_{number}" for number in range(2, 100))]
    return next(folder / name for name in names if not (folder / name).exists())


def _unpacked(request: Request, say: Callable[[str], None]) -> Request:
    path = Path(request.target)
    if not is_bundle(path):
        return request
    say(f"unpacking {path}")
    found = unpack(path, request.base.absolute() / BUNDLES)
    given = request.options
    return replace(
        request,
        target=str(found.core),
        options=replace(
            given,
            executable=given.executable or (str(found.executable) if found.executable else None),
            sysroot=given.sysroot or str(found.sysroot),
        ),
    )


def demo_request(
    options: Options, base: Path, settings: Settings, wanted: ModelWish = OFFLINE
) -> Request:
    """The sample crash, unpacked into the user's cache. Raises `SampleError`."""
    sample = demo_files(user_cache_path("workbench"))
    return Request(
        target=str(sample.core),
        options=replace(
            options, executable=str(sample.executable), source_dirs=(str(sample.source_dir),)
        ),
        base=base,
        settings=settings,
        wanted=wanted,
    )


LAST = "@last"
_PATIENCE = 600.0  # seconds; a large core is unpacked meanwhile


def newest_core(path: Path) -> Path:
    """Write coredumpctl's newest core to ``path`` (0600) and return it. Raises `TargetError`."""
    program = shutil.which("coredumpctl")
    if program is None:
        raise TargetError(
            LAST,
            "coredumpctl is not installed, so nothing here keeps a list of cores",
            "name the core file (cat /proc/sys/kernel/core_pattern says where they go); the latest "
            "session is `workbench sessions resume @last`",
        )
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        _dump(program, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _dump(program: str, path: Path) -> None:
    command = [program, "--no-pager", "--quiet", "dump", f"--output={path}"]
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_PATIENCE,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TargetError(LAST, f"coredumpctl failed: {error}", "name the core file") from None
    path.chmod(0o600)  # it writes a file of its own, for all to read
    if done.returncode or not path.stat().st_size:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = said[-1] if said else f"coredumpctl ended with status {done.returncode}"
        raise TargetError(LAST, why, "coredumpctl list shows what there is; name a core file")
