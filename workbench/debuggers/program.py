"""A debugger's program to run, and the environment it is given."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct, field

# What would change a debugger's answers or let a stranger's code into it (gdb manual,
# "Environment"; lldb's debuginfod client reads the same variable).
_UNWANTED = (
    "DEBUGINFOD_URLS",
    "GDBHISTFILE",
    "GDBHISTSIZE",
    "HISTSIZE",
    "INPUTRC",
    "COLUMNS",
    "LINES",
    "LANGUAGE",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONINSPECT",
)


class Program(Struct, frozen=True):
    """A debugger to run: ``path`` with ``options`` before all others and ``extra`` environment;
    ``why`` says for a person how it was chosen."""

    path: Path
    why: str
    options: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Ours without what it must not see; messages in English, text in UTF-8."""
        env = {name: value for name, value in os.environ.items() if name not in _UNWANTED}
        env |= {"LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "INPUTRC": "/dev/null"}
        env |= {"PYTHONNOUSERSITE": "1", "PYTHONDONTWRITEBYTECODE": "1"}
        env.update(self.extra)
        return env
