"""The probes that a minidump answers, in the line formats that ELF cores answer them in."""

from workbench.targets.probing import Probes

_NAMES = ("health", "notes", "modules", "fault", "stack")
PROBES: Probes = {
    **{f"@{name}": (f"{__name__}.{name}", "answer") for name in _NAMES},
    "@mappings": (f"{__name__}.modules", "mappings"),
    "@memory": ("workbench.targets.overview.memory", "answer"),
    "@threads": (f"{__name__}.stack", "threads"),
}
"""Each probe by its name."""
