"""Who left a bad value in a cell and is not to blame for it."""

from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.blocks import Blocks, is_gone
from workbench.reproduce.given import Given
from workbench.reproduce.moment import at_hit, before, wrote
from workbench.reproduce.observing import Bound, Observed
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.values import copies
from workbench.reproduce.wire import Cell, Hit
from workbench.targets.probes.history import argument, history
from workbench.targets.probes.x86 import FAMILY


class Bystanders(Given, Blocks):
    """Writers that did what they were to do."""

    async def _by_stale_pointer(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool
    ) -> OriginStep | None:
        """The release of a block that was given out again, where the program wrote there by a
        pointer that it had kept from before that."""
        insn = before(self.core, hit.registers.get("rip", 0))
        mem = insn.operands[0].mem if insn is not None and insn.operands else None
        if insn is None or mem is None or mem.base not in hit.registers or self._left <= 2:
            return None
        steps = history(at_hit(self.core, hit), insn.address, mem.base, hit.registers)
        load, value = (steps[0] if steps else None), hit.registers[mem.base]
        if load is None or load.kind != "load" or not is_own(hit.frames[0]):
            return None
        bound = Bound(replace(cell, name="B"), hit.nth, reads)
        place = load.source
        if place is None:
            read = await self._read(load, bound)
            place = read[-1] if read is not None else None
        again = await self._observe(
            "since when that pointer was held",
            cells=(*bound.cells, Cell("C1", place)), blocks=(cell.address,), reads=True,
        ) if place is not None and self._left > 0 else None  # fmt: skip
        if again is None:
            return None
        end = self._end(again.outcome, bound, reads=True)
        held = [h for h in again.outcome.events if h.watch == "C1" and h.order < end
                and h.new == value and wrote(self.core, h)]  # fmt: skip
        blocks = self._blocks(again, cell.address, end)
        if not held or not any(b.address <= value <= b.address + b.size for b in blocks[-1:]):
            return None
        age = await self._age(again, blocks, held[-1], bound)
        gone = [h for n, h in enumerate(blocks) if age is not None and n >= age
                and is_gone(blocks, n)]  # fmt: skip
        if not gone:
            return None
        self.steps.append(self._step(seen, hit, OriginKind.WRITTEN))
        return self._step(again, gone[0], OriginKind.FREED)

    async def _walked_to(self, seen: Observed, lead: Lead, end: int, hits: Sequence[Hit]) -> bool:
        """Whether a pointer was read from a cell that never held one, at a place that had been
        counted on by a step, from where others are stored: it was counted on too far then."""
        moves = [h for h in seen.outcome.events if h.watch == "C2" and h.order < end][-1:]
        if lead.row != "pointer" or any(self.core.region(h.new or 0) for h in hits):
            return False
        if not any(h.new == lead.cells[0].base and self._counted_on(h) for h in moves):
            return False
        step = (moves[0].new or 0) - (moves[0].old or 0)
        cell = lead.cells[0].cell
        cells = (Cell("C1", cell), Cell("E", cell - step))
        again = await self._observe("who stored what was read before", cells=cells)
        last = {h.watch: h for h in again.outcome.events} if again is not None else {}
        return len({h.registers["rip"] for h in last.values()}) > 1

    def _begins_there(self, hit: Hit, lead: Lead) -> bool:
        """Whether the C library was asked to write from the cell on, or from the start of its
        object on, which a call gave to who asked: it did not run over what belongs to another."""
        call = self._asked_by(hit)
        if call is None or copies(hit):
            return False
        start, steps = argument(at_hit(self.core, hit), call, "rdi")
        given = bool(steps) and steps[-1].kind == "call" and start == lead.cells[0].base
        return given or start == hit.address

    def _counted_on(self, hit: Hit) -> bool:
        """Whether a pointer was moved on from where it stood by an addition."""
        insn = before(self.core, hit.registers.get("rip", 0))
        if insn is None or len(insn.operands) != 2 or self.core.region(hit.old or 0) is None:
            return False
        source = FAMILY.get(insn.operands[1].reg or "")
        steps = (
            history(at_hit(self.core, hit), insn.address, source, hit.registers) if source else []
        )
        return insn.mnemonic == "add" or [step.kind for step in steps[:2]] == ["computed", "load"]
