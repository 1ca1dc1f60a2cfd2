"""`workbench collect`: an archive of a request's target, and what it lacks."""

from collections.abc import Callable
from pathlib import Path

from workbench.bundle.collect import collect
from workbench.model.target import TargetKind, path_of
from workbench.model.text import counted
from workbench.opening import Request, recognise
from workbench.targets.errors import TargetError


def collect_target(request: Request, output: Path, say: Callable[[str], None]) -> None:
    """Write the archive and say what is in it. Raises `TargetError` and `OSError`."""
    target = recognise(request)
    if target.kind is not TargetKind.ELF_CORE:
        raise TargetError(
            request.target,
            f"it is a {target.kind}, which holds all that it will ever hold",
            "copy the file; collect takes ELF cores and process ids",
        )
    executable, sysroot = path_of(request.options.executable), path_of(request.options.sysroot)
    made = collect(Path(request.target), output, executable, sysroot, say)
    for line in made.left_out:
        say(f"not in it, since this machine has it not: {line}")
    say(
        f"{made.path}: {made.size >> 10} KiB, {counted(made.files, 'file')} "
        f"for {counted(made.modules, 'module')}; "
        f"`workbench open {made.path.name}` opens it anywhere"
    )
