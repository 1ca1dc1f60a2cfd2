"""Which lldb to run: the one that is asked for, the one of the wheel, the newest on the path."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from sysconfig import get_config_var

from workbench.debuggers.program import Program, asked_for, in_wheel, standard_library
from workbench.debuggers.protocol import DebuggerUnavailable

NEWEST, OLDEST = 23, 14
# SOS clears what it cannot load at its start where there is no ICU; without this it dies of it.
_ALWAYS = {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}


def find_lldb(explicit: Path | None = None, *, sos: bool = False) -> Program:
    """``sos`` when plugins made for the system's C++ library are to be loaded: the wheel is built
    with another one, which kills it. Raises `DebuggerUnavailable` when there is none, or not where
    the person said."""
    if explicit is not None:
        named = asked_for("lldb", explicit)
        # The wheel's script in our own environment stands for the program that it starts.
        if named.path == Path(sys.prefix, "bin", "lldb"):
            return _wheel(named.why) or named
        return _system(named.path, named.why)
    wheel = _wheel("the lldb that was installed with this package")
    if wheel is not None and not sos:
        return wheel
    for name in _names():
        found = shutil.which(name)
        if found is not None and Path(found).absolute() != Path(sys.prefix, "bin", "lldb"):
            return _system(Path(found).absolute(), f"the {name} on the path")
    if wheel is not None:
        return wheel
    raise DebuggerUnavailable(
        "no lldb here: install it (pip install 'workbench[lldb]' or apt install lldb)"
    )


def _names() -> Iterator[str]:
    """What lldb is called, the newest first; the plain name is the system's own choice."""
    yield "lldb"
    yield from (f"lldb-{version}" for version in range(NEWEST, OLDEST - 1, -1))


def _system(path: Path, why: str) -> Program:
    """An lldb with the folder of its own Python modules: Debian's looks for it where it is not."""
    extra = dict(_ALWAYS)
    for folder in sorted(path.resolve().parent.parent.glob("lib/python3*/*-packages")):
        if (folder / "lldb" / "__init__.py").is_file():
            extra["PYTHONPATH"] = str(folder)
    return Program(path, why, extra=extra)


def _wheel(why: str) -> Program | None:
    program, library = in_wheel("lldb_for_pwndbg", "lldb"), _libpython()
    if program is None or library is None:
        return None
    extra = {
        "PYTHONLOADER_LIBPYTHON": str(library),
        "LLDB_DEBUGSERVER_PATH": str(program.with_name("lldb-server")),
    }
    return Program(program, why, extra=_ALWAYS | standard_library(program.parents[3]) | extra)


def _libpython() -> Path | None:
    """The shared library of the Python that we run on, which the wheel loads."""
    name, folder = str(get_config_var("INSTSONAME")), str(get_config_var("LIBDIR"))
    places = (Path(sys.base_exec_prefix, "lib", name), Path(folder, name))
    return next((path for path in places if ".so" in name and path.exists()), None)
