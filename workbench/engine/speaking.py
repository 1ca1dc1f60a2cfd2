"""The models of a session: which are asked, who hears their words, how one is stopped or picked."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from workbench.engine.gates import IntentError
from workbench.model.models import Effort

if TYPE_CHECKING:  # an offline run loads nothing of models
    from workbench.llm.discover import FoundServer
    from workbench.llm.picking import Picking
    from workbench.llm.surroundings import MakeModels, Surroundings
    from workbench.llm.watched import Speech, WatchedModels


class Speaking:
    """``models`` are None as long as the run is offline. ``make_picking`` is given by a front end
    in which a person may pick others."""

    def __init__(
        self,
        surroundings: "Surroundings",
        make_models: "MakeModels | None",
        changed: Callable[[], None],
    ) -> None:
        """``changed`` is called when others are asked from now on."""
        self._surroundings = surroundings
        self._changed = changed
        self._listeners: list[Callable[[Speech], None]] = []
        self.models: WatchedModels | None = None
        self.make_picking: Callable[[], Picking] | None = None
        if make_models is not None:
            self._begin(make_models)

    def listen(self, listener: "Callable[[Speech], None]") -> Callable[[], None]:
        """Tell ``listener`` a model's words as they come; returns what ends that."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def picking(self) -> "Picking":
        """What models there are to pick from. Raises `IntentError` where none may be."""
        if self.make_picking is None:
            raise IntentError("this session was opened without a choice of models")
        return self.make_picking()

    async def use(self, server: "FoundServer", model: str | None, effort: Effort) -> None:
        """Ask this model from the next call on. Raises `TierMissing`."""
        make_models = await self.picking().make(server, model, effort)
        if self.models is None:
            self._begin(make_models)
        else:
            await self.models.use(make_models(self._surroundings))
        self._changed()

    def stop(self) -> bool:
        """Cancel the call of a model that runs now; False when none does."""
        return self.models is not None and self.models.stop()

    async def close(self) -> None:
        """Let go of the models."""
        if self.models is not None:
            await self.models.close()

    def _begin(self, make_models: "MakeModels") -> None:
        from workbench.llm.watched import WatchedModels

        self.models = WatchedModels(make_models(self._surroundings))
        self.models.listen(self._tell)

    def _tell(self, speech: "Speech") -> None:
        for listener in tuple(self._listeners):
            listener(speech)
