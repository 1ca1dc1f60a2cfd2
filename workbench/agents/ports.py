"""What an agent may reach: commands that become evidence, and nothing else."""

from typing import Protocol

from workbench.model.events import AnyEvent
from workbench.model.evidence import Command, Evidence
from workbench.model.investigation import Investigation


class Ports(Protocol):
    """Given by the engine. `state` is read only and always current."""

    @property
    def state(self) -> Investigation:
        """The investigation so far."""
        ...

    async def ask(self, command: Command, hypothesis: str | None = None) -> Evidence | None:
        """A command's evidence, from the ledger or run now; None when nothing could run it."""
        ...

    async def keep_recorded(self) -> None:
        """What a transcript recorded becomes evidence; nothing happens for a dump."""
        ...

    async def text(self, evidence_id: str) -> str:
        """The stored text of an evidence item."""
        ...

    async def record(self, *events: AnyEvent) -> None:
        """Commit events."""
        ...
