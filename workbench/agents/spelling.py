"""Planned questions in the words of the debugger at hand."""

from collections.abc import Iterable

from workbench.model.evidence import Command
from workbench.model.investigation import Investigation
from workbench.model.target import TargetKind

# The probes that a kind of target answers, where it does not answer all.
_ANSWERED = {
    TargetKind.MACHO_CORE: frozenset(
        {"@health", "@notes", "@mappings", "@modules", "@fault", "@stack", "@call"}
    ),
    TargetKind.MINIDUMP: frozenset(
        {"@health", "@notes", "@mappings", "@modules", "@fault", "@stack", "@threads"}
    ),
    TargetKind.TRANSCRIPT: frozenset({"@health", "@stop"}),
    TargetKind.DOCUMENTS: frozenset({"@health"}),
}


def spelt(state: Investigation, commands: Iterable[Command]) -> tuple[Command, ...]:
    """The commands as the session's debugger knows them, without those it has no words for and
    without probes that this kind of target cannot answer."""
    found = (command.spelt(state.host) for command in commands)
    return tuple(c for c in found if c is not None and _answerable(state, c))


def _answerable(state: Investigation, command: Command) -> bool:
    known = _ANSWERED.get(state.target.kind) if state.target is not None else None
    return known is None or not command.is_probe or command.text.split()[0] in known
