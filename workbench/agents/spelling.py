"""Planned questions in the words of the debugger at hand."""

from collections.abc import Iterable

from workbench.model.evidence import Command
from workbench.model.investigation import Investigation


def spelt(state: Investigation, commands: Iterable[Command]) -> tuple[Command, ...]:
    """The commands as the session's debugger knows them, without those it has no words for."""
    found = (command.spelt(state.host) for command in commands)
    return tuple(command for command in found if command is not None)
