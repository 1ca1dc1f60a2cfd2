"""Which cdb to run: the one that is asked for, that of the Windows Kits, the one on the path."""

import os
import platform
import shutil
import sys
from pathlib import Path

from workbench.debuggers.program import Program, asked_for
from workbench.debuggers.protocol import DebuggerUnavailable

# Folders of "Debugging Tools for Windows" below Windows Kits\\10\\Debuggers, by processor.
_FOLDERS = {"amd64": ("x64",), "x86_64": ("x64",), "arm64": ("arm64", "x64"), "x86": ("x86",)}
_NAMES = ("cdb", "cdbX64", "cdbARM64")
_INSTALL = "install Debugging Tools for Windows (Windows SDK), or name cdb.exe in the settings"


def find_cdb(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if explicit is not None:
        return asked_for("cdb", explicit)
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
