"""What the cases of one component share in a worker: the process of gdb or lldb and the models'
servers, both cleared between; isolated, nothing."""

import asyncio
from typing import Self

from workbench.debuggers import early
from workbench.evaluate.records import Mode
from workbench.llm.choosing import line_up
from workbench.llm.lineup import Lineup
from workbench.llm.models import SharedModels
from workbench.llm.surroundings import MakeModels
from workbench.model.models import ModelWish, TierWish
from workbench.settings import Settings


class Shared:
    """A debugger is emptied of its dump (`early.keep`), or ended where something of it would stay.
    Models are looked for once; what a session remembers of them is made for each."""

    def __init__(self, runner: asyncio.Runner) -> None:
        self._runner = runner
        self._component = ""
        self._lineup: Lineup | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def begin(self, mode: Mode, component: str, with_model: bool) -> None:
        """Before each case: one of another component begins anew."""
        if mode == "batched_by_component":
            early.share(new_values=with_model)
        if component != self._component:
            self._end()
            self._component = component

    async def models(self, settings: Settings, wish: ModelWish) -> MakeModels | None:
        """A session's models; None for a run by code alone. Raises `TierMissing`."""
        if wish.tier is TierWish.OFFLINE:
            return None
        lineup = self._lineup = self._lineup or await line_up(settings, wish)
        if lineup is None:
            return None
        return lambda around: SharedModels(around, lineup, wish, settings)

    def _end(self) -> None:
        early.give_up()
        lineup, self._lineup = self._lineup, None
        if lineup is not None:
            self._runner.run(lineup.close())
