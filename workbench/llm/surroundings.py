"""What the models' facade needs of the session that asks."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from workbench.model.events import AnyEvent
from workbench.model.investigation import Investigation
from workbench.model.models import Content

if TYPE_CHECKING:  # it is loaded where a model is looked for, found or not
    from workbench.llm.port import Models


class Surroundings(Protocol):
    """Given by the session. ``state`` is read only and always current."""

    @property
    def state(self) -> Investigation:
        """The investigation so far."""

    @property
    def folder(self) -> Path:
        """The session's folder, where payloads and traces are kept."""

    def environment(self) -> list[tuple[str, str]]:
        """Names and values of the dead process's environment: private, all of them."""

    async def text(self, evidence_id: str) -> str:
        """The stored text of an item of evidence."""

    async def record(self, *events: AnyEvent) -> None:
        """Commit events."""

    async def ask_cloud(
        self, subjects: tuple[str, ...], question: str, allowed: bool
    ) -> frozenset[Content] | None:
        """Show a person what would leave the machine, and wait: the kinds of content that no call
        may carry, None for no. ``subjects`` are the payload's id, its address, the provider and
        the model; ``allowed`` answers where nobody is asked."""


MakeModels = Callable[[Surroundings], "Models"]
"""Makes a session's models; it is known before the session is."""
