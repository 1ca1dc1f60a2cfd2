"""A debugger's program to run, and the environment it is given."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from workbench.debuggers.protocol import DebuggerUnavailable

# What would change a debugger's answers or let a stranger's code into it (gdb manual,
# "Environment"; lldb's debuginfod client reads the same variable; WinDbg's Debugger Reference,
# "Environment Variables"; learn.microsoft.com, ".NET environment variables").
_UNWANTED = (
    "DEBUGINFOD_URLS", "GDBHISTFILE", "GDBHISTSIZE", "HISTSIZE", "INPUTRC", "COLUMNS", "LINES",
    "LANGUAGE", "PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONINSPECT",
    "_NT_DEBUGGER_EXTENSION_PATH", "_NT_EXECUTABLE_IMAGE_PATH", "_NT_DEBUG_LOG_FILE_OPEN",
    "_NT_DEBUG_LOG_FILE_APPEND", "_NT_EXPR_EVAL", "_NT_SOURCE_PATH", "DOTNET_STARTUP_HOOKS",
    "DOTNET_ADDITIONAL_DEPS", "CORECLR_PROFILER", "DOTNET_DIAGNOSTIC_EXTENSIONS",
)  # fmt: skip


class Program(NamedTuple):
    """A debugger to run: ``path`` with ``options`` before all others and ``extra`` environment;
    ``why`` says for a person how it was chosen."""

    path: Path
    why: str
    options: tuple[str, ...] = ()
    extra: Mapping[str, str] = MappingProxyType({})

    def environment(self) -> dict[str, str]:
        """Ours without what it must not see; messages in English, text in UTF-8."""
        env = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
        env |= {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "INPUTRC": "/dev/null"}
        env |= {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        env.update(self.extra)
        return env


def asked_for(name: str, explicit: Path) -> Program:
    """The program that a person named. Raises `DebuggerUnavailable` where it is none."""
    found = shutil.which(str(explicit))
    if found is None:
        raise DebuggerUnavailable(f"no {name} at {explicit}: give the path of a program")
    return Program(Path(found).absolute(), f"asked for: {explicit}")


def in_wheel(package: str, name: str) -> Path | None:
    """The program inside a wheel, to be started as the wheel's own script starts it, without the
    second interpreter that the script costs; None where it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return None
    program = Path(next(iter(spec.submodule_search_locations)), "_vendor", "bin", name)
    return program if os.access(program, os.X_OK) else None


def standard_library(modules: Path) -> dict[str, str]:
    """The environment in which a wheel's program embeds the Python that we run on: its standard
    library and the folder of the program's ``modules``. Its own site-packages stay out: whatever
    stands in a ``.pth`` file there would run in each debugger, for a quarter of its start."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    pure, built = (
        Path(one, sys.platlibdir, version) for one in (sys.base_prefix, sys.base_exec_prefix)
    )
    folders = (pure, built / "lib-dynload", modules)
    return {"PYTHONHOME": "/nonexistent", "PYTHONPATH": os.pathsep.join(map(str, folders))}
