"""The probes that a Mach-O core answers, in the line formats that ELF cores answer them in."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.targets.macho.core import MachCore

Probe = Callable[["MachCore", list[str]], str]


def _lazy(module: str, function: str) -> Probe:
    def run(core: "MachCore", words: list[str]) -> str:
        answer: Probe = getattr(import_module(module), function)
        return answer(core, words)

    return run


PROBES: dict[str, Probe] = {
    "@health": _lazy(f"{__name__}.health", "answer"),
    "@notes": _lazy(f"{__name__}.notes", "answer"),
    "@mappings": _lazy("workbench.targets.overview.mappings", "answer"),
    "@modules": _lazy(f"{__name__}.modules", "answer"),
    "@fault": _lazy("workbench.targets.probes.fault", "probe"),
    "@stack": _lazy("workbench.targets.probes.stack", "probe"),
    "@call": _lazy("workbench.targets.probes.call", "probe"),
}
"""Each probe by its name."""
