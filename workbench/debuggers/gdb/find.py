"""Which gdb to run: the one that is asked for, the one of the wheel, the one on the path."""

import shutil
import sys
from pathlib import Path

from workbench.debuggers.program import Program, asked_for, in_wheel, standard_library
from workbench.debuggers.protocol import DebuggerUnavailable


def find_gdb(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if explicit is not None:
        named = asked_for("gdb", explicit)
        # The wheel's script in our own environment stands for the program that it starts.
        script = named.path == Path(sys.prefix, "bin", "gdb")
        return (_wheel(named.why) if script else None) or named
    wheel = _wheel("the gdb that was installed with this package")
    if wheel is not None:
        return wheel
    found = shutil.which("gdb")
    if found is None:
        raise DebuggerUnavailable("no gdb here: install it (apt install gdb)")
    return Program(Path(found).absolute(), "the gdb on the path")


def _wheel(why: str) -> Program | None:
    program = in_wheel("gdb_for_pwndbg", "gdb")
    if program is None or not _has_libpython():
        return None
    data = program.parents[1] / "share" / "gdb"
    # Its Python modules lie beside the package.
    extra = standard_library(program.parents[3])
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
