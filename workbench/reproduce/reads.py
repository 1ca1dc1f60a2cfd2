"""What was read to be stored or used: from which cell, as which element, and of what kind."""

import itertools
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.facts import Frame
from workbench.reproduce.loops import builds_up, puts_together
from workbench.reproduce.moment import at_hit, frame_of, since, stored_by
from workbench.reproduce.observing import Bound, Observed, Observing, hits_of
from workbench.reproduce.owners import is_own, own
from workbench.reproduce.slices import Lead, Place, came_from, cells_of
from workbench.reproduce.stores import copies
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, leaves_block, slicer_at, summed
from workbench.targets.probes.instruction import MASK, Instruction, Memory
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.x86 import FAMILY


def beside_index(hit: Hit, mem: Memory, index: str) -> int:
    """The array of which a register says the element."""
    return hit.registers.get((mem.base if index == mem.index else mem.index) or "", 0)


class Reads(Observing):
    """What an instruction read when it ran."""

    async def _read(self, at: int, bound: Bound) -> tuple[Hit, Instruction, Memory, int] | None:
        """The last time that an instruction runs which reads a cell, and the cell."""
        hit = await self._last_at("what is read there", (Point("R", at),), bound)
        insn = insn_at(self.core, at)
        mem = next((o.mem for o in insn.operands if o.mem), None) if insn is not None else None
        cell = insn.effective(mem, hit[1].registers) if hit and insn and mem else None
        return (hit[1], insn, mem, cell) if hit and insn and mem and cell is not None else None

    def _apart(self, hit: Hit, insn: Instruction, mem: Memory) -> tuple[Hit, int, Memory]:
        """A read at an address that was added up of two registers right before, as if it had been
        made there, by both."""
        slicer = slicer_at(self.core, insn.address, hit.registers) if not mem.index else None
        ways = list(slicer.definitions(mem.base or "")) if slicer is not None else []
        at = ways[0][0] if len(ways) == 1 else None
        if slicer is None or at is None or at != slicer.code.at[insn.address] - 1:
            return hit, insn.address, mem
        add, base = slicer.code.instructions[at], mem.base or ""
        other = (summed(add, base) or ("", ""))[1]
        if add.mnemonic != "add" or other in ("", base) or other not in hit.registers:
            return hit, insn.address, mem
        then = {**hit.registers, base: (hit.registers[base] - hit.registers[other]) & MASK}
        return replace(hit, registers=then), add.address, replace(mem, index=other)

    def _index_of(self, hit: Hit, mem: Memory, cell: int) -> tuple[str, bool]:
        """The register that says which element of an array is read, empty for none, and whether
        what it reads is none of the array's."""
        pairs = ((mem.base or "", mem.index or ""), (mem.index or "", mem.base or ""))
        known = {name: hit.registers[name] for name in pairs[0] if name in hit.registers}
        if len(known) < 2:
            return "", False
        for start, index in pairs[: 2 if mem.scale == 1 else 1]:
            if leaves_block(self.core, known[start], cell):
                return index, True
        plain = [name for name, value in known.items() if self.core.region(value) is None]
        return (mem.index or "") if mem.scale > 1 else "".join(plain[:1]), False

    def _signs(self, load: Instruction) -> bool:
        """Whether a number is taken for one with a sign when it is loaded."""
        after = insn_at(self.core, load.end)
        part = after.operands[1].reg if after is not None and len(after.operands) == 2 else None
        widened = part in FAMILY and FAMILY[part] == FAMILY.get(load.operands[0].reg or "")
        return load.mnemonic == "movsx" or bool(
            widened and after is not None and after.mnemonic == "movsx"
        )

    async def _call(
        self, hit: Hit, bound: Bound, registers: Sequence[str]
    ) -> tuple[int, Sequence[int]]:
        """The call of the library's function that a hit is in, and what it was given in registers:
        as the stack of the hit shows, else as a run does; zeros where neither is known."""
        moment = at_hit(self.core, hit)
        call = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
        unknown = [0] * len(registers)
        if call is None:
            return 0, unknown
        site = call.call.address
        values = [argument(moment, call, one)[0] for one in registers]
        stale = (
            since(moment)
            and len(values) > 1
            and not (0 <= hit.address - (values[0] or 0) < (values[-1] or 0))
        )
        if None not in values and not stale:  # else what they are made of was written since
            return site, [one or 0 for one in values]
        found = await self._last_at("what the library was given", (Point("R", site),), bound)
        return site, [found[1].registers[one] for one in registers] if found else unknown

    def _wide(self, hit: Hit, insn: Instruction) -> Lead | None:
        """Where a vector register was loaded from that was stored over a cell and what lies beside
        it: a structure that was copied."""
        code, target = code_around(self.core, insn.address), insn.operands[0].mem
        to = insn.effective(target, hit.registers) if target else None
        if code is None or to is None or insn.address not in code.at:
            return None
        changed = set[str]()
        for index in range(code.at[insn.address] - 1, -1, -1):
            one = code.instructions[index]
            if one.is_call or one.is_jump or one.is_return:
                return None
            pair = one.operands if len(one.operands) == 2 else ()
            if pair and pair[0].reg == insn.operands[1].reg:
                mem = pair[1].mem if one.mnemonic.startswith("mov") else None
                if mem is None or {mem.base, mem.index} & changed:
                    return None
                start = one.effective(mem, hit.registers)
                if start is None:
                    return None
                place = Place(start + hit.address - to, hit.size or 8, hit.new, one.address)
                return Lead(row="copy", cells=(place,), value=hit.new)
            changed |= set(one.writes)
        return None

    def _is_fixed(self, cell: int) -> bool:
        """Whether what is read from a cell is a constant: nobody may write there."""
        region = self.core.region(cell)
        return region is not None and "w" not in region.perms

    def _behind_store(self, hit: Hit) -> tuple[Instruction | None, list[Step]]:
        """The instruction of a hit, and the steps behind the register that it stored."""
        insn = stored_by(self.core, hit)
        name = FAMILY.get(insn.operands[-1].reg or "", "") if insn and insn.operands else ""
        moment = at_hit(self.core, hit)
        steps = came_from(moment, insn.address, name, hit.registers) if insn and name else []
        return insn, steps

    async def _source(self, hit: Hit, bound: Bound) -> Place | None:
        """The cell that a word was read from to be stored as it was: by the C library, or by the
        load in front of a store. What the cell holds by now says nothing of it."""
        if copies(hit):
            call, (to, start, size) = await self._call(hit, bound, ("rdi", "rsi", "rdx"))
            inside = to <= hit.address < to + size
            there = start + hit.address - to
            return Place(there, hit.size or 8, hit.new, call) if inside else None
        insn = stored_by(self.core, hit)
        stored = insn.operands[1].reg if insn is not None and len(insn.operands) == 2 else None
        if insn is None or stored is None or not insn.mnemonic.startswith("mov"):
            return None
        if stored not in FAMILY:
            wide = self._wide(hit, insn)
            return wide.cells[0] if wide is not None else None
        moment = at_hit(self.core, hit)
        steps = came_from(moment, insn.address, FAMILY[stored], hit.registers)
        if not steps or stored[0] != "r":
            return None
        load = steps[0]
        if load.kind != "load":  # it was given it
            cells, derived = cells_of(moment, steps)
            if cells or derived:
                return cells[0] if not derived and cells[0].value == hit.new else None
            load = steps[-1]
        still = load.value in (None, hit.new)  # else its cell holds another by now
        if load.kind != "load" or not (still or load is steps[0]):
            return None
        place = Place((load.source if still else None) or 0, 8, hit.new, load.at)
        return await self._then(moment, place, bound)

    async def _then(self, moment: Dump, place: Place, bound: Bound) -> Place | None:
        """A cell that was read before a hit, as a run shows it where what led there may have been
        set anew since: by a count that has been stepped on."""
        if place.cell and since(moment) <= {place.cell}:
            return place
        read = await self._read(place.at, bound) if self._left > 1 else None
        if read is None or read[-1] == place.cell:
            return place if read is not None else None
        return replace(place, cell=read[-1], base=None)

    def _leads(self, hit: Hit, value: int) -> bool:
        """Whether a value is an address: of code where that is what the cell was used for, in
        memory that nobody writes where it was a table's of such, and where such an object lies."""
        region = self.core.region(value)
        if value % 8 != self._aligned.get(hit.address, value % 8):
            return False
        if region is not None and hit.address == self._table:
            return "w" not in region.perms
        return region is not None and (hit.address != self._code or "x" in region.perms)

    async def _pointed(self, place: Place, bound: Bound, hit: Hit) -> bool:
        """Whether a cell that a value was copied from had held an address before it held that: one
        of pointers, which copies may move; data that were written too far never stood there. What
        was on the stack before its frame is none of it, nor what stands where none is stored."""
        if place.cell % 8:
            return False
        cell = Cell("C1", place.cell)
        seen = await self._observe(
            "whether what was copied had been a pointer", bound=bound,
            cells=(*bound.cells, cell), reads=bound.reads,
        )  # fmt: skip
        if seen is None or not (end := self._end(seen, bound)):
            return True  # it may have been
        stored = [h for h in hits_of(seen, "C1", end) if h.kind == "write"]
        if kind_of(self.core, place.cell) == "stack":
            last = next(h for h in hits_of(seen) if h.order == end)
            frame = self._place_of(last, place.cell)
            stored = [h for h in stored if self._place_of(h, place.cell) == frame]
        held = any(self._leads(hit, h.new or 0) for h in stored)
        return held and any(h.new == place.value for h in stored)

    def _place_of(self, hit: Hit, cell: int) -> tuple[str | None, int] | None:
        """In whose frame a cell lies at a hit: function and where the frame ends."""
        found = frame_of(hit.frames, cell)
        return (found[0].function, found[1]) if found is not None else None

    def _was_there(self, seen: Observed, hit: Hit) -> bool:
        """Whether what a cell held was put there for it: of a place in a frame not what another
        function had left on the stack."""
        if kind_of(self.core, hit.address) != "stack":
            return True
        earlier = [h for h in hits_of(seen, hit.watch) if h.order < hit.order]
        now, then = (self._place_of(h, hit.address) for h in (hit, (earlier or [hit])[-1]))
        by_main = now is None and bool(earlier) and own(earlier[-1].frames) is not None
        return bool(earlier and now == then and (now or by_main))

    def _put_before(self, seen: Observed, hit: Hit) -> bool:
        """Whether the instruction that wrote had stored an address in that cell before: the place
        is one of those that it fills, and what it was given to store is to blame."""
        return any(
            one.watch == hit.watch and one.order < hit.order and one.kind == "write"
            and one.registers.get("rip") == hit.registers.get("rip")
            and self._leads(one, one.new or 0)
            for one in hits_of(seen)
        )  # fmt: skip

    def _built_in(self, frame: Frame) -> bool:
        """A library's generic code, which stands in the program itself."""
        module = self.core.module_at(frame.address or 0)
        return (
            frame.file is not None and module is not None and (not is_runtime_library(module.name))
        )

    def _moved(self, hit: Hit) -> bool:
        """Whether a library's generic code wrote, which only moves what the program gave it: it is
        no origin itself."""
        inner = itertools.takewhile(lambda frame: not is_own(frame), hit.frames)
        return any(self._built_in(frame) for frame in inner)

    def _is_built_up(self, at: int, value: int | None) -> bool:
        """Whether an instruction built up a number in a loop that is not below zero, in 32 or 64
        bits, or a pointer that is not released: that may not have been moved on at all. What puts a
        number together out of its bits is as right as they are."""
        if puts_together(self.core, at):
            return True
        below = value is not None and (value >> 63 or value >> 31 == 1)
        return not self._releases and not below and builds_up(self.core, at)
