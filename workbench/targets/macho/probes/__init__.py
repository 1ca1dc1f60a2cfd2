"""The probes that a Mach-O core answers, in the line formats that ELF cores answer them in."""

from workbench.targets.probing import Probes

PROBES: Probes = {
    "@health": (f"{__name__}.health", "answer"),
    "@notes": (f"{__name__}.notes", "answer"),
    "@mappings": ("workbench.targets.overview.mappings", "answer"),
    "@memory": ("workbench.targets.overview.memory", "answer"),
    "@modules": (f"{__name__}.health", "modules"),
    "@fault": ("workbench.targets.probes.fault", "probe"),
    "@stack": ("workbench.targets.probes.stack", "probe"),
    "@call": ("workbench.targets.probes.call", "probe"),
}
"""Each probe by its name."""
