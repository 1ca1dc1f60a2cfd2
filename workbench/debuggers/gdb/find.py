"""Which gdb to run: the one that is asked for, the one of the wheel, the one on the path."""

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from workbench.debuggers.program import Program
from workbench.debuggers.protocol import DebuggerUnavailable


def find_gdb(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if explicit is not None:
        found = shutil.which(str(explicit))
        if found is None:
            raise DebuggerUnavailable(f"no gdb at {explicit}: give the path of a program")
        return _recognise_wheel(Path(found).absolute(), f"asked for: {explicit}")
    wheel = _wheel("the gdb that was installed with this package")
    if wheel is not None:
        return wheel
    found = shutil.which("gdb")
    if found is None:
        raise DebuggerUnavailable("no gdb here: install it (apt install gdb)")
    return Program(Path(found).absolute(), "the gdb on the path")


def _recognise_wheel(path: Path, why: str) -> Program:
    """The wheel's script in our own environment stands for the program that it starts."""
    if path == Path(sys.prefix, "bin", "gdb"):
        return _wheel(why) or Program(path, why)
    return Program(path, why)


def _wheel(why: str) -> Program | None:
    """The program inside ``gdb_for_pwndbg``, started as the wheel's own script starts it, without
    the second interpreter that the script costs."""
    spec = importlib.util.find_spec("gdb_for_pwndbg")
    if spec is None or not spec.submodule_search_locations:
        return None
    package = Path(next(iter(spec.submodule_search_locations)))
    program = package / "_vendor" / "bin" / "gdb"
    if not os.access(program, os.X_OK) or not _has_libpython():
        return None
    data = package / "_vendor" / "share" / "gdb"
    # Its Python modules lie beside the package; the standard library is the one we run on.
    extra = {
        "PYTHONHOME": f"{sys.base_prefix}:{sys.base_exec_prefix}",
        "PYTHONPATH": str(package.parent),
    }
    return Program(program, why, ("--data-directory", str(data)), extra)


def _has_libpython() -> bool:
    """The wheel looks for libpython in ``lib`` of the environment; its own code links it there."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if any(Path(sys.prefix, "lib").glob(f"libpython{version}*.so*")):
        return True
    from gdb_for_pwndbg.gdb import check_lib_python  # type: ignore[import-untyped]

    try:
        check_lib_python()
    except (NotImplementedError, RuntimeError, OSError, AttributeError, TypeError):
        return False
    return True
