"""The probes that a minidump answers, in the line formats that ELF cores answer them in."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.targets.minidump.dump import MinidumpFile

Probe = Callable[["MinidumpFile", list[str]], str]


def _lazy(module: str) -> Probe:
    def run(dump: "MinidumpFile", words: list[str]) -> str:
        answer: Probe = import_module(f"{__name__}.{module}").answer
        return answer(dump, words)

    return run


_NAMES = ("health", "notes", "mappings", "modules", "fault", "stack", "threads")
PROBES: dict[str, Probe] = {f"@{name}": _lazy(name) for name in _NAMES}
"""Each probe by its name."""
