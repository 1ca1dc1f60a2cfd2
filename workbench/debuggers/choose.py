"""Which debugger opens a target, and why: the best one that is installed."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path

from msgspec import Struct

from workbench.debuggers import early
from workbench.debuggers.dotnet.find_sos import find_sos, loads_plugins
from workbench.debuggers.head_start import HeadStart, head_start
from workbench.debuggers.program import Program
from workbench.debuggers.protocol import Debugger, DebuggerUnavailable, Recipe
from workbench.model.target import Target, TargetKind

NONE = "none"

# A backend's name: its module and class, and the module and function that finds its program.
_BACKENDS: dict[str, tuple[str, str, str | None, str | None]] = {
    "gdb": ("gdb.debugger", "GdbDebugger", "gdb.find", "find_gdb"),
    "cdb": ("cdb.debugger", "CdbDebugger", "cdb.find", "find_cdb"),
    "lldb": ("lldb.debugger", "LldbDebugger", "lldb.find", "find_lldb"),
    "dotnet-dump": ("dotnet.debugger", "DotnetDumpDebugger", "dotnet.debugger", "find_dotnet_dump"),
    "replay": ("replay", "ReplayDebugger", None, None),
}


class Choice(Struct, frozen=True):
    """A backend's name (``none`` where nothing can open it), and for a person why it is that."""

    name: str
    why: str


def choose(
    target: Target, wanted: str, programs: Mapping[str, Path], sos: Path | None = None
) -> Choice:
    """The debugger for a target. ``wanted`` is a backend's name or ``auto``; ``programs`` are the
    programs that the settings name, by backend; ``sos`` is the SOS plugin that the person named.

    One that is asked for, or whose program a setting names, is taken whether it is there or not:
    starting it says what is missing.
    """
    if target.recorded:
        return Choice("replay", "a log is replayed")
    if wanted != "auto":
        return Choice(wanted, "asked for with --debugger")
    tried: list[str] = []
    for name, why in _candidates(target, programs, sos):
        if name in programs:
            return Choice(name, f"{why}; the settings name {programs[name]}")
        missing = _missing(name)
        if missing is None:
            return Choice(name, why if not tried else f"{why}; {'; '.join(tried)}")
        tried.append(missing)
    return Choice(NONE, "; ".join(tried) or "no debugger here opens it")


def _candidates(
    target: Target, programs: Mapping[str, Path], sos: Path | None
) -> list[tuple[str, str]]:
    """Backends that can open a target, the best first."""
    if target.kind is TargetKind.MACHO_CORE:
        return [("lldb", "lldb reads Mach-O cores")]
    if target.kind is TargetKind.MINIDUMP:
        own = [("cdb", "cdb reads minidumps best")] if sys.platform == "win32" else []
        return [*own, ("lldb", "lldb reads minidumps")]
    if target.runtime is not None:
        return _for_managed(target, programs.get("lldb"), sos)
    return [("gdb", "gdb reads ELF cores best"), ("lldb", "lldb reads ELF cores")]


def _for_managed(target: Target, lldb: Path | None, sos: Path | None) -> list[tuple[str, str]]:
    """lldb where it can load SOS; dotnet-dump has its own."""
    from workbench.debuggers.lldb.find import find_lldb

    runtime = Path(target.runtime_path) if target.runtime_path else None
    found = find_sos(Path(target.path), runtime, sos)
    lacks = found.why if found.plugin is None else ""
    try:
        if not lacks and not loads_plugins(find_lldb(lldb, sos=True).path):
            lacks = "SOS needs a distribution's lldb (apt install lldb)"
    except DebuggerUnavailable as error:
        lacks = str(error)
    own = ("dotnet-dump", "dotnet-dump reads .NET")
    if lacks:
        return [own, ("gdb", f"gdb reads the native side of .NET; {lacks}")]
    return [("lldb", f"lldb reads .NET with {found.why}"), own]


def find_program(name: str, given: Path | None) -> Program | None:
    """A backend's program, None for one that needs none. Raises `DebuggerUnavailable`, which says
    what installs it."""
    _, _, module, function = _BACKENDS[name]
    if module is None or function is None:
        return None
    find: Callable[[Path | None], Program] = getattr(
        import_module(f"workbench.debuggers.{module}"), function
    )
    return find(given)


def _missing(name: str) -> str | None:
    """Why a backend cannot be used here, or None."""
    try:
        find_program(name, None)
    except DebuggerUnavailable as error:
        return str(error)
    return None


class Installed(Struct, frozen=True):
    """A backend's program; None with ``missing``: why it cannot be used and what installs it."""

    name: str
    program: Program | None
    missing: str = ""


def installed(programs: Mapping[str, Path]) -> list[Installed]:
    """Every debugger that could be used, installed or not."""
    found: list[Installed] = []
    for name in _BACKENDS:
        try:
            program = find_program(name, programs.get(name))
        except DebuggerUnavailable as error:
            found.append(Installed(name, None, str(error)))
            continue
        if program is not None:
            found.append(Installed(name, program))
    return found


def begin(recipe: Recipe, programs: Mapping[str, Path]) -> HeadStart | None:
    """A recipe's process, started before `make`, which is to be given it. See `head_start`."""
    if recipe.debugger == NONE or recipe.sos is not None:  # which asks for a certain lldb
        return None
    try:
        program = find_program(recipe.debugger, programs.get(recipe.debugger))
    except DebuggerUnavailable:
        return None
    if program is None:
        return None
    return head_start(recipe, program, early.take(program))


def make(
    recipe: Recipe, programs: Mapping[str, Path], begun: HeadStart | None = None
) -> Debugger | None:
    """The debugger of a recipe, not yet started, or ``begun``; None for ``none``."""
    if recipe.debugger == NONE:
        return None
    module, name, _, _ = _BACKENDS[recipe.debugger]
    backend: Callable[..., Debugger] = getattr(import_module(f"workbench.debuggers.{module}"), name)
    recipe = recipe._replace(program=programs.get(recipe.debugger))
    return backend(recipe) if begun is None else backend(recipe, begun)
