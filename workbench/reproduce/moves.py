"""Values that came to a cell with their block: what ``realloc`` carries over was written before."""

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.observing import Bound, Observed
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Cell, Hit


def moved(birth: Hit) -> bool:
    """Whether a block was born with the content of another."""
    return "realloc" in ((birth.frames[0].function if birth.frames else None) or "")


class Moves(Values):
    """What a block held before it was moved."""

    async def _carried(self, seen: Observed, birth: Hit, cell: Cell) -> OriginStep | None:
        """Where the value of a cell, which nobody wrote since its block was moved to where it is,
        came from: the cell of the block that was given to the call."""
        copied = [
            hit for hit in seen.outcome.events
            if hit.watch == cell.name and hit.order < birth.order and hit.kind == "write"
        ]  # fmt: skip
        if not copied:
            return None
        last = copied[-1]
        bound = Bound(replace(cell, name="B"), last.nth)
        call, (old,) = await self._call(birth, bound, ("rdi",))
        if not old or old == birth.address:
            return None
        before = old + cell.address - birth.address
        self.steps.append(self._step(seen, birth, OriginKind.ALLOCATED))
        place = Place(before, cell.size, last.new, call)
        return await self._follow(Lead(row="moved", cells=(place,), value=last.new), bound)
