"""What an agent may reach: commands that become evidence, in the words of the debugger at hand, and
models where there are any."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from workbench.model.events import AnyEvent
from workbench.model.evidence import Command, Evidence
from workbench.model.investigation import Investigation

if TYPE_CHECKING:  # an offline run loads nothing of models
    from workbench.llm.port import Models
    from workbench.model.report import Report

from collections.abc import Iterable

from workbench.model.target import TargetKind


class Ports(Protocol):
    """Given by the engine. `state` is read only and always current."""

    @property
    def state(self) -> Investigation:
        """The investigation so far."""

    @property
    def models(self) -> "Models | None":
        """The way to a model; None in an offline run, whose expert does it all."""

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence | None:
        """A command's evidence, from the ledger or run now; None when nothing could run it."""

    def foresee(self, commands: Sequence[Command]) -> None:
        """Say what will be asked in this order, so that the debugger may begin with it."""

    async def keep_recorded(self) -> None:
        """What a transcript recorded becomes evidence; nothing happens for a dump."""

    async def text(self, evidence_id: str) -> str:
        """The stored text of an evidence item."""

    async def record(self, *events: AnyEvent) -> None:
        """Commit events."""

    def post(self, *events: AnyEvent) -> object:
        """Commit events with those that are recorded next."""

    async def recognise(self) -> None:
        """Look whether this signature was seen before (`Recognised`)."""

    async def build_report(self) -> "Report":
        """The canonical report of the state as it is now."""


async def texts_of(ports: Ports) -> dict[str, str]:
    """The stored text of every evidence item."""
    return {name: await ports.text(name) for name in ports.state.evidence}


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
