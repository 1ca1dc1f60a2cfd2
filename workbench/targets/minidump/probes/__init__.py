"""The probes that a minidump answers, in the line formats that ELF cores answer them in."""

from workbench.targets.probing import Probes

_NAMES = ("health", "notes", "mappings", "modules", "fault", "stack", "threads")
PROBES: Probes = {f"@{name}": (f"{__name__}.{name}", "answer") for name in _NAMES}
"""Each probe by its name."""
