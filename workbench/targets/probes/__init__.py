"""Probes: questions that our own reader answers from the dump's bytes.

A probe takes the open core and the words behind its name and gives plain text: one fact a line,
each address in it, nothing that is not in the dump. Each module is imported when it is first used,
since the disassembler alone costs 50 ms.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.targets.dump import Dump

Probe = Callable[["Dump", list[str]], str]


def _lazy(module: str) -> Probe:
    def run(core: "Dump", args: list[str]) -> str:
        probe: Probe = import_module(f"{__name__}.{module}").probe
        return probe(core, args)

    return run


PROBES: dict[str, Probe] = {
    f"@{name}": _lazy(name)
    for name in ("fault", "locks", "abort", "exception", "heap", "stack", "call", "monitors")
}
"""Each probe by its name."""
