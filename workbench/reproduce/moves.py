"""Values that came to a cell with their block: what ``realloc`` carries over was written before."""

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.moment import at_hit
from workbench.reproduce.observing import Bound, Observed
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.frames import callers


def moved(birth: Hit) -> bool:
    """Whether a block was born with the content of another."""
    return "realloc" in ((birth.frames[0].function if birth.frames else None) or "")


class Moves(Values):
    """What a block held before it was moved."""

    async def _carried(self, seen: Observed, birth: Hit, cell: Cell) -> OriginStep | None:
        """Where the value of a cell, which nobody wrote since its block was moved to where it is,
        came from: the cell of the block that was given to the call."""
        call = next(callers(at_hit(self.core, birth), birth.registers["rip"], birth.registers, 1),
                    None)  # fmt: skip
        copied = [
            hit for hit in seen.outcome.events
            if hit.watch == cell.name and hit.order < birth.order and hit.kind == "write"
        ]  # fmt: skip
        if call is None or not copied or self._left <= 1:
            return None
        last = copied[-1]
        again = await self._observe(
            "which block was moved",
            cells=(replace(cell, name="B"),), points=(Point("R", call.call.address),),
        )  # fmt: skip
        if again is None:
            return None
        end = self._end(again.outcome, bound := Bound(replace(cell, name="B"), last.nth))
        given = [h for h in again.outcome.events if h.watch == "R" and h.order < end]
        old = given[-1].registers.get("rdi", 0) if given else 0
        if not old or old == birth.address:
            return None
        before = old + cell.address - birth.address
        self.steps.append(self._step(seen, birth, OriginKind.ALLOCATED))
        place = Place(before, cell.size, last.new, call.call.address)
        return await self._follow(Lead(row="moved", cells=(place,), value=last.new), bound)
