"""Which cdb to run: the one that is asked for, that of the Windows Kits, the one on the path."""

import os
import platform
import shutil
import sys
from pathlib import Path

from workbench.debuggers.program import Program
from workbench.debuggers.protocol import DebuggerUnavailable

# Folders of "Debugging Tools for Windows" below Windows Kits\\10\\Debuggers, by processor.
_FOLDERS = {"amd64": ("x64",), "x86_64": ("x64",), "arm64": ("arm64", "x64"), "x86": ("x86",)}
# What would make it run commands or look elsewhere for code (Debugger Reference, "Environment
# Variables").
_UNWANTED = (
    "_NT_DEBUGGER_EXTENSION_PATH",
    "_NT_EXECUTABLE_IMAGE_PATH",
    "_NT_DEBUG_LOG_FILE_OPEN",
    "_NT_DEBUG_LOG_FILE_APPEND",
    "_NT_EXPR_EVAL",
    "_NT_SOURCE_PATH",
)
_NAMES = ("cdb", "cdbX64", "cdbARM64")
_INSTALL = "install Debugging Tools for Windows (Windows SDK), or name cdb.exe in the settings"


def find_cdb(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if explicit is not None:
        found = shutil.which(str(explicit))
        if found is None:
            raise DebuggerUnavailable(f"no cdb at {explicit}: give the path of a program")
        return Program(Path(found).absolute(), f"asked for: {explicit}")
    if sys.platform != "win32":
        raise DebuggerUnavailable("no cdb here: it runs on Windows")
    for folder in _kits():
        program = folder / "cdb.exe"
        if program.is_file():
            return Program(program, "the cdb of the Windows Kits")
    for name in _NAMES:
        found = shutil.which(name)
        if found is not None:
            return Program(Path(found).absolute(), "the cdb on the path")
    raise DebuggerUnavailable(f"no cdb here: {_INSTALL}")


def _kits() -> list[Path]:
    """Where the Windows Kits put the debuggers, that of this processor first."""
    kinds = _FOLDERS.get(platform.machine().lower(), ("x64", "x86"))
    roots = [os.environ.get(name) for name in ("ProgramFiles(x86)", "ProgramFiles")]
    return [
        Path(root) / "Windows Kits" / "10" / "Debuggers" / kind
        for root in roots
        if root
        for kind in kinds
    ]


def environment(program: Program) -> dict[str, str]:
    """The program's, without what would make it run or load something on its own."""
    return {name: value for name, value in program.environment().items() if name not in _UNWANTED}
