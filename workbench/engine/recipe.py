"""How a session is opened. Light to import: the debugger starts while the rest is loaded."""

from enum import StrEnum
from pathlib import Path

from workbench.debuggers.protocol import Recipe
from workbench.model.target import Options, Target


class GateMode(StrEnum):
    """Who answers hypothesis gates: the person, or nobody (headless: they approve themselves)."""

    ASK = "ask"
    HEADLESS = "headless"


def recipe_for(target: Target, options: Options, debugger: str, sessions: Path) -> Recipe:
    """How the debugger opens a target, the first time and at each resume; ``sessions`` is the
    folder that holds the session's."""
    return Recipe(
        spool=sessions,
        debugger=debugger,
        sos=Path(options.sos) if options.sos else None,
        clr_path=Path(options.clr_path) if options.clr_path else None,
        core=Path(target.path),
        executable=Path(target.executable) if target.executable else None,
        sysroot=Path(options.sysroot) if options.sysroot else None,
        source_dirs=tuple(Path(folder) for folder in options.source_dirs),
    )
