"""Answers probes: questions about the dump that our own code answers from its bytes."""

from collections.abc import Callable
from importlib import import_module

from workbench.targets.core import CoreFile
from workbench.targets.errors import ProbeError

__all__ = ["DumpReader", "ProbeError"]

Probe = Callable[[CoreFile, list[str]], str]

_OVERVIEW = ("@health", "@notes", "@mappings", "@modules")


class DumpReader:
    """Answers probes about one open core."""

    def __init__(self, core: CoreFile) -> None:
        self.core = core

    def answer(self, probe: str) -> str:
        """The answer as plain text; ``probe`` is like ``@heap 0x4052a0``. Raises ``ProbeError``
        for one that does not exist or whose arguments make no sense."""
        words = probe.split()
        if not words:
            raise ProbeError("an empty probe")
        return _find(words[0])(self.core, words[1:])


def _find(name: str) -> Probe:
    if name in _OVERVIEW:
        found: Probe = import_module(f"workbench.targets.overview.{name[1:]}").answer
        return found
    from workbench.targets.probes import PROBES

    if name not in PROBES:
        raise ProbeError(f"{name}: no such probe")
    return PROBES[name]
