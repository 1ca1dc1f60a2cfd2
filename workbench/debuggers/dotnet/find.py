"""Which dotnet-dump to run: the one that is asked for, the one on the path, the user's tool."""

import os
import shutil
import sys
from pathlib import Path

from workbench.debuggers.program import Program
from workbench.debuggers.protocol import DebuggerUnavailable

# No reports to anybody, no banner, no code of others in its process (learn.microsoft.com, ".NET
# environment variables"); English words.
_QUIET = {
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "DOTNET_EnableDiagnostics": "0",
    "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1",
    "NO_COLOR": "1",
}
_UNWANTED = frozenset(
    {
        "DOTNET_STARTUP_HOOKS",
        "DOTNET_ADDITIONAL_DEPS",
        "CORECLR_PROFILER",
        "DOTNET_DIAGNOSTIC_EXTENSIONS",
    }
)


def find_dotnet_dump(explicit: Path | None = None) -> Program:
    """Raises `DebuggerUnavailable` when there is none, or not where the person said."""
    if sys.platform == "win32":
        raise DebuggerUnavailable("dotnet-dump is not driven on Windows: cdb reads .NET there")
    if explicit is not None:
        found = shutil.which(str(explicit))
        if found is None:
            raise DebuggerUnavailable(f"no dotnet-dump at {explicit}: give the path of a program")
        return Program(Path(found).absolute(), f"asked for: {explicit}", extra=_QUIET)
    found = shutil.which("dotnet-dump")
    if found is not None:
        return Program(Path(found).absolute(), "the dotnet-dump on the path", extra=_QUIET)
    tool = Path.home() / ".dotnet" / "tools" / "dotnet-dump"
    if os.access(tool, os.X_OK):
        return Program(tool, "the dotnet-dump among the user's tools", extra=_QUIET)
    raise DebuggerUnavailable(
        "no dotnet-dump here: install it (dotnet tool install --global dotnet-dump)"
    )


def environment(program: Program) -> dict[str, str]:
    """The program's, without what would load code of others into it."""
    return {name: value for name, value in program.environment().items() if name not in _UNWANTED}
