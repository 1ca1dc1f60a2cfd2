"""Objects that were given back to a pool of the program's own while they were still used.

A pool is known by what it does: one function stores an object's address into a cell (a list's
head), another takes it out of there again.
"""

from workbench.model.origin import OriginStep
from workbench.reproduce.blocks import gives
from workbench.reproduce.moment import wrote
from workbench.reproduce.observing import WATCHED, Observed, call_of
from workbench.reproduce.owners import in_allocator, is_own
from workbench.reproduce.reissued import OBJECT, Reissued, stores
from workbench.reproduce.slices import Lead
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import Kept, kept
from workbench.targets.probes.code import code_around
from workbench.targets.probes.instruction import Instruction
from workbench.targets.probes.places import kind_of, read_some
from workbench.targets.probes.x86 import FAMILY, decode_one

_STORES = 12


class Pools(Reissued):
    """What a function that wrote into an object did with the object's address."""

    async def _pooled(self, lead: Lead, last: Hit) -> tuple[OriginStep | None, bool]:
        """Who gave an object back whose last write was made by a pool's function, ``last``; and
        whether it is one for all that is seen: it emptied the object and put it on a list."""
        start = lead.cells[0].base if lead.cells else None
        frame = next((frame for frame in last.frames if is_own(frame)), None)
        if start is None or frame is None or not 0 <= last.address - start < OBJECT:
            return None, False
        if kind_of(self.core, start) == "stack":
            return None, False  # no pool gives that out
        reissued = await self._reissued(start, last)
        if reissued is not None:
            return reissued, False
        code = code_around(self.core, frame.address or 0)
        points = tuple(Point("R", at) for at in stores(code)[:_STORES]) if code is not None else ()
        if not points or self._left <= 2:
            return None, False
        seen = await self._observe("where the object's address is put", points=points)
        heads = self._targets(seen, start) if seen is not None else {}
        if seen is None or not heads:
            hits = seen.outcome.events if seen is not None else ()
            return await self._slotted(hits, start, last), False
        given = (Point("H", lead.given),) if lead.given else ()
        known = [place.cell for place in lead.cells[1:2]]
        known = known or [c.address for c in self._holders(lead) if not given]
        holders = [Cell(f"H{number}", at) for number, at in enumerate(known[:2])]
        free = WATCHED - len(holders)
        asked = [
            Cell(f"{'Q' if taken else 'P'}{number}", at)
            for number, (at, taken) in enumerate(list(heads.items())[:free])
        ]
        again = await self._observe(
            "what the pool takes and gives", cells=(*asked, *holders), points=given
        )
        if again is None:
            return None, False
        listed = any(h.watch[0] == "P" and h.new == start and call_of(h)[1] == frame.function
                     for h in again.outcome.events)  # fmt: skip
        found = self._released(again, start, frame.function)
        return found, found is None and listed and last.new == 0

    async def _begins(self, last: Hit, cell: Cell) -> bool:
        """Whether the function that cleared a cell was the first to write there, before another one
        set it: it begins an object's life so, and who ended the life before is not known."""
        if self._left <= 0 or kind_of(self.core, cell.address) == "stack":
            return self._left <= 0
        seen = await self._observe(
            "who begins with it", cells=(cell,), blocks=(cell.address,), reads=True
        )
        events = seen.outcome.events if seen is not None else ()
        births = [hit.order for hit in events if hit.kind == "alloc"]
        by = [call_of(hit)[1] for hit in events if hit.watch == cell.name and wrote(self.core, hit)
              and hit.order > max(births, default=0) and not in_allocator(hit.frames)]  # fmt: skip
        return by[:1] == [call_of(last)[1]] and any(one != by[0] for one in by)

    def _targets(self, seen: Observed, start: int) -> dict[int, bool]:
        """The cells outside of the object that these wrote, those of the object's address first;
        and whether what was put there was read from behind what the cell held: taken, not given."""
        found: dict[int, bool] = {}
        first: list[int] = []
        for hit in seen.outcome.events:
            insn = decode_one(read_some(self.core, hit.address, 16), hit.address)
            mem = insn.operands[0].mem if insn is not None else None
            source = FAMILY.get(insn.operands[-1].reg or "") if insn is not None else None
            if insn is None or mem is None or source is None or insn.operands[0].size < 8:
                continue
            at = insn.effective(mem, hit.registers)
            if at is None or (0 <= at - start < OBJECT and mem.base != "rip"):
                continue
            found[at] = self._reads_behind(insn, hit)
            first += [at] if hit.registers.get(source) == start else []
        return {at: found[at] for at in dict.fromkeys([*first, *found])}

    def _reads_behind(self, store: Instruction, hit: Hit) -> bool:
        """Whether what is stored was read through the pointer that the cell held: going back in
        the function's code through copies and loads, the cell itself is read."""
        code, cell = code_around(self.core, store.address), store.operands[0].mem
        if code is None or cell is None or store.address not in code.at:
            return False
        wanted: Kept = FAMILY[store.operands[1].reg or ""]
        loads = 0
        for index in range(code.at[store.address] - 1, -1, -1):
            insn = code.instructions[index]
            if insn.mnemonic != "mov" or len(insn.operands) != 2 or kept(code, insn, 0) != wanted:
                continue
            source = insn.operands[1]
            if source.mem is None or source.mem.base in code.frame:
                wanted = kept(code, insn, 1)
                continue
            same = (
                insn.effective(source.mem, hit.registers) == store.effective(cell, hit.registers)
                if "rip" in (cell.base, source.mem.base)
                else source.mem.disp == cell.disp and loads > 0
            )
            if same:
                return loads > 0
            wanted, loads = source.mem.base or "", loads + 1
        return False

    def _released(self, seen: Observed, start: int, by: str | None) -> OriginStep | None:
        """The last time that a pool's cell took the object, after its user had stored where it is,
        or before that, where it was given out again since:
        ``P`` are cells that the function ``by`` gives to, ``Q`` those that it takes from."""
        events = seen.outcome.events
        got = [hit for hit in events if hit.watch[0] == "H" and start == (
            gives(hit) if hit.kind == "point" else hit.new)]  # fmt: skip
        stored = {hit.watch: hit.order for hit in got}
        for name in sorted({hit.watch for hit in events if hit.watch[0] in "PQ"}):
            hits = [hit for hit in events if hit.watch == name]
            given = [
                h for h in hits if h.new == start and (call_of(h)[1] == by) == (name[0] == "P")
            ]
            taken = [
                h for h in hits if h.old == start and (call_of(h)[1] == by) == (name[0] == "Q")
            ]
            ends = [hits[-1].order for hits in (given, taken) if hits]
            if len(ends) == 2 and stored and min(stored.values()) < max(ends):
                return self._giver(seen, given[-1])
        return None
