"""Probes: questions that our own reader answers from the dump's bytes.

A probe takes the open dump and the words behind its name and gives plain text: one fact a line,
each address in it, nothing that is not in the dump.
"""

from workbench.targets.probing import Probes

_OVERVIEW = ("health", "notes", "mappings", "modules", "memory")
_NAMES = (
    *("fault", "locks", "loop", "abort", "exception", "heap", "stack", "call", "monitors"),
    "reported",
)
PROBES: Probes = {
    **{f"@{name}": (f"workbench.targets.overview.{name}", "answer") for name in _OVERVIEW},
    **{f"@{name}": (f"{__name__}.{name}", "probe") for name in _NAMES},
}
"""Each probe by its name."""
