"""A load at which a slice stops: the cell, why that element, and who kept its number too narrow."""

from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.moment import at_hit, stored_by, wrote
from workbench.reproduce.narrowed import reads_unsigned
from workbench.reproduce.observing import Bound, Observed, hits_of
from workbench.reproduce.owners import is_own
from workbench.reproduce.reads import Reads, beside_index
from workbench.reproduce.slices import (
    FREES,
    Lead,
    Place,
    cells_of,
    from_steps,
    given_by,
    last_step,
    signed_at,
)
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history, slicer_at
from workbench.targets.probes.x86 import FAMILY


class Loads(Reads):
    """Why a load gave what it did."""

    async def _behind_write(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool = False
    ) -> OriginStep | None:
        """Where what a write stored was made; `Values` knows."""
        raise NotImplementedError

    async def _ended(
        self, end: Step, bound: Bound, steps: Sequence[Step] = ()
    ) -> OriginStep | None:
        """What the last step of a slice is; `Ends` knows."""
        raise NotImplementedError

    async def _loaded(self, lead: Lead, load: Step, bound: Bound) -> OriginStep | None:
        """The cell that an instruction reads, seen when it runs for the last time."""
        read = await self._read(load.at, bound)
        if read is None:
            return None
        hit, insn, mem, cell = read
        seen, into = hit.registers, FAMILY.get(insn.operands[0].reg or "")
        size = next(one.size for one in insn.operands if one.mem)
        moment = at_hit(self.core, hit)
        then, at, parts = self._apart(hit, insn, mem)
        index, leaves = self._index_of(then, parts, cell)
        if leaves:  # no element of it
            return await self._chosen(then, at, index, bound, beside_index(then, parts, index))
        known = load.value is not None and load.matches
        raw = None if known else moment.read(cell, size)
        value = int.from_bytes(raw, "little") if raw else load.value or 0
        if size < 4 and self._counts and value >> (8 * size - 1) == 1 and self._signs(insn):
            kept, narrow = await self._kept_narrow(replace(load, source=cell), bound)
            if narrow:
                return kept
        base, code = mem.base, code_around(self.core, load.at)
        framed = code is not None and base in code.frame
        if into and framed and not mem.index:  # of its own frame: who stored it there
            behind = {**seen, into: value}
            steps = history(moment, insn.end, into, behind)
            cells = cells_of(moment, steps)[0]
        else:
            steps = history(moment, load.at, base, seen) if base in seen and not framed else []
            start = cell - mem.disp if not mem.index and base != "rip" else None
            place = Place(cell, min(size, 8), value, load.at, start)
            cells = (place, *cells_of(moment, steps)[0])
        if cells:
            pointer = value if lead.row in FREES else lead.pointer
            bound = Bound(bound.cell, hit.nth, bound.reads, Point("L", load.at))
            if len(cells) == 1 and steps and base:
                cells = (*cells, *await self._holder(last_step(steps), seen.get(base), bound))
            return await self._follow(
                Lead(row=lead.row, cells=cells, pointer=pointer, page=lead.page,
                     freed_twice=lead.freed_twice, given=given_by(moment, cells, steps)), bound
            )  # fmt: skip
        return await self._ended(last_step(steps), bound, steps) if steps else None

    async def _holder(self, load: Step, held: int | None, bound: Bound) -> tuple[Place, ...]:
        """Where the address was ``held`` that an object was read at, by the load of a register that
        led there itself, and has changed with it."""
        if load.kind != "load" or load.source is not None or held is None or self._left <= 2:
            return ()
        read = await self._read(load.at, bound)
        if read is None:
            return ()
        _, _, mem, cell = read
        start = cell - mem.disp if not mem.index and mem.base != "rip" else None
        return (Place(cell, 8, held, load.at, start),)

    async def _chosen(
        self, hit: Hit, at: int, index: str, bound: Bound, array: int = 0
    ) -> OriginStep | None:
        """Why an instruction read that element of an array which a register says; not where the
        ``array`` took another's place since: of that it may have been one."""
        steps = history(at_hit(self.core, hit), at, index, hit.registers)
        steps = steps or [Step("defined", at, index, "")]
        return await self._chosen_by(hit, steps, bound, array)

    async def _chosen_by(
        self, hit: Hit, steps: list[Step], bound: Bound, array: int
    ) -> OriginStep | None:
        """The same of the steps behind the number of the element."""
        moment, self._counts = at_hit(self.core, hit), True
        if (signed := signed_at(steps)) is not None:
            return await self._ended(replace(signed, kind="computed"), bound)
        led = from_steps(moment, "index", steps) or Lead(row="index", end=last_step(steps))
        if led.cells and await self._is_newer(array, led.cells[0], bound):
            return None
        return await self._follow(led, bound)

    async def _is_newer(self, array: int, index: Place, bound: Bound) -> bool:
        """Whether an array's block was asked for after the number of an element had been kept."""
        if self._is_spent() or not self._may_be_heap(array):
            return False
        cell = Cell("C1", index.cell, index.size)
        seen = await self._observe(
            "whether the array is newer", cells=(cell, *bound.cells), blocks=(array,),
            points=bound.points, reads=bound.reads, bound=bound,
        )  # fmt: skip
        end = self._end(seen, bound)
        born = [hit.order for hit in self._blocks(seen, array, end) if hit.kind != "free"]
        kept = [h.order for h in hits_of(seen, "C1", end) if wrote(self.core, h)]
        return bool(born and kept) and born[-1] > kept[-1]

    async def _kept_narrow(self, load: Step, bound: Bound) -> tuple[OriginStep | None, bool]:
        """Who stored a number that a ``load`` of a byte or two made negative: where it was none
        before, its cell is too narrow for it. And whether that is known: it is not of what was
        copied as narrow as it stands there, as a text's characters are."""
        if self._is_spent():
            return None, True
        insn = insn_at(self.core, load.at)
        cell = Cell("C1", load.source or 0, insn.operands[1].size if insn is not None else 1)
        seen = await self._observe(
            "who kept the number", bound=bound, cells=(cell, *bound.cells), points=bound.points,
            reads=bound.reads,
        )  # fmt: skip
        end = self._end(seen, bound)
        hits = [h for h in hits_of(seen, cell.name, end) if wrote(self.core, h)]
        store = stored_by(self.core, hits[-1]) if hits else None
        inner = hits[-1].frames[0] if hits and hits[-1].frames else None
        known = inner is not None and (is_own(inner) or self._built_in(inner))
        if seen is None or store is None or not known:
            return None, False
        held = FAMILY.get(store.operands[-1].reg or "")
        slicer = slicer_at(self.core, store.address, hits[-1].registers) if held else None
        ways = slicer.definitions(held or "") if slicer is not None else ()
        sets = [slicer.code.instructions[at] for at, _ in ways if slicer and at is not None]
        if any(o.mem and o.size <= cell.size for one in sets for o in one.operands[1:]):
            return None, False
        if held and not hits[-1].registers.get(held, 0) >> 31 & 1:
            again = await self._observe("who takes it without a sign", cells=(cell,), reads=True)
            if any(reads_unsigned(self.core, h.registers.get("rip", 0)) for h in hits_of(again)):
                return None, True  # it lost nothing: who takes it to have one is to blame
            return self._step(seen, hits[-1], OriginKind.TRUNCATED), True
        at = replace(cell, name="B")
        return await self._behind_write(seen, hits[-1], at, bound.reads), True
