"""Who left a bad value in a cell and is not to blame for it."""

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.blocks import Blocks, is_gone
from workbench.reproduce.given import Given
from workbench.reproduce.loops import obeyed
from workbench.reproduce.makers import added, element_of, kept_by, through
from workbench.reproduce.moment import at_hit, before, wrote
from workbench.reproduce.observing import Bound, Observed
from workbench.reproduce.owners import is_own
from workbench.reproduce.slices import Lead
from workbench.reproduce.stores import copies
from workbench.reproduce.wire import Cell, Hit
from workbench.reproduce.wrappers import kept
from workbench.targets.probes.code import code_around
from workbench.targets.probes.history import argument, history


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

    def _begins_there(self, hit: Hit, lead: Lead) -> bool:
        """Whether the C library was asked to write from the cell on, or from the start of its
        object on, which a call gave to who asked: it did not run over what belongs to another."""
        call = self._asked_by(hit)
        if call is None or copies(hit) or self._built_in(hit.frames[0]):
            return False
        start, steps = argument(at_hit(self.core, hit), call, "rdi")
        given = [step.kind for step in steps if step.kind in ("call", "argument")] == ["call"]
        return (given and start == lead.cells[0].base) or start == hit.address

    def _told_how_far(self, hit: Hit) -> bool | None:
        """Whether a store to an element of an array that an object has went by a number that obeyed
        what that object says of how many there are; False where another said so. None for any
        other store."""
        insn = before(self.core, hit.registers.get("rip", 0))
        code = code_around(self.core, insn.address) if insn is not None else None
        mem = insn.operands[0].mem if insn is not None and insn.operands else None
        if insn is None or code is None or mem is None or not is_own(hit.frames[0]):
            return None
        made, _ = element_of(self.core, insn, hit.registers)
        cells = [kept(code, one, 1) for one in made if one.mnemonic.startswith("mov")]
        moment, value = at_hit(self.core, hit), hit.registers.get(mem.index or "")
        counters = [one for one in (mem.index or "", *cells) if one]
        rounds = (obeyed(moment, insn.address, hit.registers, c, value) for c in counters)
        bound = next((one for one in rounds if one is not None), None)
        at, pair = added(self.core, code, insn)
        arrays = {kept_by(self.core, code, at, one) for one in pair or () if one} - {""}
        return through(self.core, code, *bound) in arrays if bound and arrays else None
