"""What the models' facade needs of the session that asks."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from workbench.llm.port import Models
from workbench.model.events import AnyEvent
from workbench.model.investigation import Investigation


class Surroundings(Protocol):
    """Given by the session. ``state`` is read only and always current."""

    @property
    def state(self) -> Investigation:
        """The investigation so far."""
        ...

    @property
    def folder(self) -> Path:
        """The session's folder, where payloads and traces are kept."""
        ...

    async def record(self, *events: AnyEvent) -> None:
        """Commit events."""
        ...


MakeModels = Callable[[Surroundings], Models]
"""Makes a session's models; it is known before the session is."""
