"""How a session is opened. Light to import: the debugger starts while the rest is loaded."""

from enum import StrEnum
from pathlib import Path

from workbench.debuggers.dotnet.find_sos import find_sos
from workbench.debuggers.protocol import Recipe
from workbench.model.target import Options, Target, path_of


class GateMode(StrEnum):
    """Who answers gates: the person; nobody (headless: hypotheses approve themselves); or in a
    conversation the person, and only what its turns ask."""

    ASK = "ask"
    HEADLESS = "headless"
    CONVERSE = "converse"


def recipe_for(target: Target, options: Options, debugger: str, sessions: Path) -> Recipe:
    """How the debugger opens a target, the first time and at each resume; ``sessions`` is the
    folder that holds the session's."""
    sos, clr_path = _sos(target, options)
    return Recipe(
        spool=sessions, debugger=debugger, sos=sos, clr_path=clr_path, core=Path(target.path),
        executable=path_of(target.executable),
        sysroot=path_of(options.sysroot), files=_files(target),
        left_out=target.left_out, source_dirs=tuple(Path(folder) for folder in options.source_dirs),
    )  # fmt: skip


def _files(target: Target) -> tuple[tuple[str, Path | None], ...] | None:
    if target.files is None:
        return None
    return tuple((recorded, path_of(file)) for recorded, file in target.files)


def _sos(target: Target, options: Options) -> tuple[Path | None, Path | None]:
    """SOS and the folder of the runtime: what the person named, else what is found."""
    plugin = Path(options.sos).absolute() if options.sos else None
    clr = Path(options.clr_path).absolute() if options.clr_path else None
    if target.runtime is None:
        return plugin, clr
    found = find_sos(Path(target.path), path_of(target.runtime_path), plugin, clr)
    return found.plugin, found.clr
