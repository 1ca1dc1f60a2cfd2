"""In which of a block's lives a pointer to it was got."""

from collections.abc import Sequence

from workbench.model.facts import Region
from workbench.reproduce.leads import given_to_free
from workbench.reproduce.makers import returns
from workbench.reproduce.moment import at_hit, stored_by, wrote
from workbench.reproduce.observing import WATCHED, Bound, Observed, by_program, call_of, hits_of
from workbench.reproduce.owners import in_allocator
from workbench.reproduce.slices import Lead, Place, cells_of, is_librarys, last_step
from workbench.reproduce.stores import copies_whole
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import FAMILY

_SCANNED = 8 << 20
_CALLS_BACK, _WAYS = 3, 8


class Ages(Values):
    """What the lives of a block say of how old a pointer to it is."""

    def _words(self, region: Region, value: int) -> list[int]:
        """The words of writable memory that hold a value, of a stack those of frames that still
        run; the first of many."""
        if "w" not in region.perms:
            return []
        low = max(region.start, self._stack_pointer) if region.kind == "stack" else region.start
        data = self.core.read(low, min(region.end - low, _SCANNED)) or b""
        raw, places = value.to_bytes(8, "little"), list[int]()
        at = data.find(raw)
        while at >= 0 and len(places) < 64:
            places += [low + at] if (low + at) % 8 == 0 else []
            at = data.find(raw, at + 1)
        return places

    def _given(self, free: Hit) -> Place | None:
        """The cell that what was released was read from."""
        cells, derived = cells_of(at_hit(self.core, free), self._way_to(free))
        return cells[0] if cells and cells[0].cell and not derived else None

    def _way_to(self, free: Hit) -> list[Step]:
        """How what was released came to its release."""
        moment = at_hit(self.core, free)
        call = next(callers(moment, free.registers["rip"], free.registers, 1), None)
        return given_to_free(moment, call)[1] if call else []

    def _of_earlier_life(self, hits: Sequence[Hit]) -> bool:
        """Whether the last of a block's events released what a register held since a call that
        asked for the block, but not the last time that it was asked for."""
        steps = self._way_to(hits[-1])
        insn = insn_at(self.core, last_step(steps).at) if steps else None
        asked = [any(insn and one.address == insn.end for one in hit.frames)
                 for hit in hits if hit.kind == "alloc"]  # fmt: skip
        return any(asked) and not asked[-1]

    async def _age(
        self, seen: Observed, hits: Sequence[Hit], stored: Hit, bound: Bound
    ) -> int | None:
        """How many of a block's events were before a pointer to it was got, which a cell that is
        ``stored`` holds: it may have been stored again, without a change, and may be a copy of what
        another cell held since. None where that is not seen."""
        age, reads = sum(hit.order < stored.order for hit in hits), False
        by_call = stored.watch == "H"
        value = gives(stored) if by_call else stored.new
        rewritten = lives(hits[age + 1 :]) > 0 and not by_call
        place: Place | None = Place(stored.address, stored.size, stored.new, 0)
        limit = bound
        if by_call and self._counts:
            return age  # an index out of range needs the runs that are left
        while rewritten or lives(hits[:age]) > 1:
            if by_call:
                place, limit = None, Bound(nth=stored.nth, point=Point("H", stored.address))
            elif not rewritten:
                cell = Cell("B", stored.address, stored.size)
                limit = Bound(cell, stored.nth, reads)
                place = await self._source(stored, limit) or self._object_of(stored, hits[0])
                if await self._is_shared_by(stored, place):
                    return None
            if self._counts and (place is None or is_librarys(self.core, place.at)):
                return age
            kept = (
                (place, limit) if place is not None
                else await self._kept_by_call(hits[:age], stored, limit)
            )  # fmt: skip
            if kept is None:
                return None
            place, limit = kept
            if place is None:
                return age
            value = place.value or value
            again = await self._observe(
                "since when the pointer was held", bound=limit,
                cells=(*limit.cells, Cell("C1", place.cell, place.size)),
                blocks=(hits[0].address,), points=limit.points, reads=True,
            ) if self._left > 0 else None  # fmt: skip
            if again is None:
                return None
            end = self._end(again, limit)
            put = by_program(again, "C1", end)
            held = [hit for hit in put if hit.new == value and wrote(self.core, hit)]
            if not held:
                return None
            stored, reads, rewritten, by_call = held[-1], True, False, False
            age = sum(h.order < stored.order for h in self._blocks(again, hits[0].address, end))
        return age

    async def _age_in_register(self, place: Place, hits: Sequence[Hit], bound: Bound) -> int | None:
        """How many of a block's events were before a register got the pointer to it by which a cell
        was read: from memory or from a call, by whichever instruction set it last. None where it is
        not seen, or where the pointer may have been an older one by then."""
        insn, code = insn_at(self.core, place.at), code_around(self.core, place.at)
        base = next((one.mem.base for one in insn.operands if one.mem), None) if insn else None
        if code is None or base not in FAMILY or base in code.frame or place.at not in code.at:
            return None
        ways = {at for at, _ in Slicer(self.core, code, code.at[place.at], {}).definitions(base)}
        setting = [code.instructions[at] for at in ways if at is not None]
        if not 0 < len(setting) == len(ways) <= _WAYS or not all(
            one.is_call or (one.mnemonic == "mov" and (mem := one.operands[1].mem) is not None
                            and mem.base not in code.frame) for one in setting
        ):  # fmt: skip
            return None
        points = tuple(Point("R", one.end if one.is_call else one.address) for one in setting)
        found = await self._last_at(
            "since when the pointer was held", points, bound, (hits[0].address,)
        )
        stack = self.core.region(self._stack_pointer)
        if found is None or self.core.region(found[1].registers.get("rsp", 0)) is not stack:
            return None
        age = len(self._blocks(found[0], hits[0].address, found[1].order))
        return age if lives(hits[:age]) < 2 else None

    async def _age_of_all(self, hits: Sequence[Hit], pointer: int) -> int | None:
        """The number of a block's events before its last life's first release, where each place
        that still holds a pointer to it, one in memory that was given back too, got it in that
        life; None else."""
        places = [at for region in self.core.regions if region.kind != "stack"
                  for at in self._words(region, pointer)]  # fmt: skip
        cells = [Cell(f"C{number}", at) for number, at in enumerate(places)]
        if not cells or len(cells) > WATCHED:
            return None
        again = await self._observe(
            "in which life of it its holders got it", cells=tuple(cells), blocks=(pointer,)
        )
        known = self._blocks(again, pointer)
        if again is None or len(known) != len(hits):
            return None
        stored = {hit.watch: hit for hit in hits_of(again) if hit.new == pointer}
        kept = [hit.order for hit in stored.values() if not in_allocator(hit.frames)]
        ages = [sum(one.order < order for one in known) for order in kept]
        return min(ages) if ages and not any(lives(hits[age:]) for age in ages) else None

    def _object_of(self, stored: Hit, block: Hit) -> Place | None:
        """The cell that held the pointer to an object of a block, whose member's address was
        stored."""
        _, steps = self._behind_store(stored)
        made = [one for one in steps if one.kind == "computed"]
        loads = [one for one in steps if one.kind == "load" and one.source]
        insn = insn_at(self.core, made[0].at) if made else None
        by = insn.operands[1] if insn is not None and len(insn.operands) == 2 else None
        fixed = len(made) == 1 and by and (by.imm is not None or (by.mem and not by.mem.index))
        start = loads[-1].value or 0 if fixed and loads else 0
        if not block.address <= start < (stored.new or 0) < block.address + block.size:
            return None
        return Place(loads[-1].source or 0, 8, start, loads[-1].at)

    async def _kept_by_call(
        self, hits: Sequence[Hit], stored: Hit, bound: Bound
    ) -> tuple[Place | None, Bound] | None:
        """Where a function of the program's kept what it gave back, which was stored, and what was
        before it came back. No place for what none gave back, or what was asked for in that call,
        which released none of the block's lives, or had it grow where it was; None where that is
        not known."""
        insn, steps = self._behind_store(stored)
        if insn is not None and stored.watch == "H":
            steps = [Step("call", insn.address, "rax", insn.text)]
        for depth in range(_CALLS_BACK):
            last = last_step(steps) if steps else None
            if last is None or last.kind != "call":
                return None if depth else (None, bound)
            call = insn_at(self.core, last.at)
            inside = self._own_called(call) if call is not None else None
            if call is None or inside is None or not returns(inside):
                return None, bound
            there = [one for one in hits if any(f.address == call.end for f in one.frames)]
            if there and there[-1] is hits[-1] and all(one.kind != "free" for one in there):
                return None, bound
            came = await self._left_by(call, inside, bound)
            if came is None or gives(came[0][1]) != (stored.new or gives(stored)):
                return None
            (_, hit), bound = came
            steps = history(at_hit(self.core, hit), hit.registers["rip"], "rax", hit.registers)
            if not steps:  # more ways lead there than one
                hit, steps = await self._given_last(inside, hit, bound)
            cells, derived = cells_of(at_hit(self.core, hit), steps)
            if cells or derived:
                return (cells[0], bound) if not derived else None
            load = last_step(steps) if steps else None
            if load is not None and load.kind == "load":  # from its frame, which was gone by then
                read = await self._read(load.at, bound)
                return (Place(read[-1], 8, gives(came[0][1]), load.at), bound) if read else None
        return None

    async def _given_last(self, code: Code, back: Hit, bound: Bound) -> tuple[Hit, list[Step]]:
        """What a function that came back gave, by the instruction that set it last."""
        end = code.at.get(back.registers["rip"], 0)
        ways = Slicer(self.core, code, end, {}).definitions("rax")
        setting = [code.instructions[index] for index, _ in ways if index is not None]
        points = tuple(Point("R", one.address) for one in setting[:_WAYS])
        found = await self._last_at("what sets the register", points, bound)
        insn = next((one for one in setting if found and one.address == found[1].address), None)
        if found is None or insn is None or not (insn.is_call or insn.mnemonic == "mov"):
            return back, []
        source = None if insn.is_call else insn.operands[1]
        if source is not None and source.reg in FAMILY:
            moment, registers = at_hit(self.core, found[1]), found[1].registers
            return found[1], history(moment, insn.address, FAMILY[source.reg], registers)
        cell = insn.effective(source.mem, found[1].registers) if source and source.mem else None
        kind = "call" if insn.is_call else "load"
        return found[1], [Step(kind, insn.address, "rax", insn.text, cell, gives(back))]

    async def _is_shared_by(self, stored: Hit, place: Place | None, owner: int = 0) -> bool:
        """Whether a pointer was stored with what stands beside it, as both were read from another
        object that was the ``owner``'s, or that stayed and held it until the block was released:
        else it was moved."""
        on_stack = place is None or kind_of(self.core, place.cell) == "stack"
        if place is None or on_stack or not copies_whole(self.core, stored):
            return False
        if place.cell == owner:
            return True
        seen = await self._observe(
            "whether what was copied stayed",
            blocks=(place.cell, stored.new or 0),
            cells=(Cell("C1", place.cell, place.size),),
        )
        known = self._blocks(seen, place.cell)
        if seen is None or any(hit.kind != "alloc" for hit in known):
            return False
        held = hits_of(seen, "C1")
        taken = max((hit.order for hit in held if hit.new == stored.new), default=0)
        ends = [hit.order for hit in self._blocks(seen, stored.new or 0)
                if hit.order > taken and hit.kind != "alloc"]  # fmt: skip
        return not any(taken < hit.order < min(ends, default=0) for hit in held)

    async def _stored(
        self, seen: Observed, lead: Lead, holder: int, end: int, gone: Hit
    ) -> Hit | None:
        """When the cell that holds a pointer was written last, cell number ``holder``; of several
        that may, the one that is longest ago; or when a call gave it, before it was ``gone``: one
        that gave it afterwards handed it on. None where that was not watched."""
        given = hits_of(seen, "H", end)
        if given and holder == 0 and not lead.cells:
            back = given[-1].registers
            return given[-1] if lead.pointer in (back.get("rax"), back.get("rdx")) else None
        base = lead.cells[0].base if lead.cells else None
        came = given[-1] if given and holder == 1 and base == gives(given[-1]) else None
        if came and came.order < gone.order:
            return came
        births = [h.order for h in self._blocks(seen, gone.address, end) if h.kind == "alloc"]
        guessed = range(2, WATCHED + 1) if len(lead.cells) == 1 and holder == 1 else (holder + 1,)
        found: list[Hit] = []
        for number in guessed:
            last = by_program(seen, f"C{number}", end)[-1:]
            found += [h for h in last if len(guessed) == 1 or leads_into(h, gone)]
        born = max(births, default=0)
        found = [h for h in found if len(guessed) == 1 or h.order < born or not self._is_saved(h)]
        if came and any(hit.order < born for hit in found):
            read = await self._read_in_call(lead, found)  # what is of an older life may be unused
            if not read and self._is_made_in(seen, came, gone):
                return came
            found = read or await self._read_since(found, gone.address)
        elif len(guessed) > 1 and any(hit.order < born for hit in found):
            found = await self._read_since(found, gone.address)
        return min(found, key=lambda hit: hit.order, default=None)

    async def _read_in_call(self, lead: Lead, holders: Sequence[Hit]) -> list[Hit]:
        """Of what holds a pointer that which was read last in the call that gave it; none where
        that read nothing of it."""
        again = await self._observe(
            "where the call had it from", points=(Point("H", lead.given),), reads=True,
            cells=tuple(Cell(hit.watch, hit.address, hit.size) for hit in holders),
        ) if self._left > 0 else None  # fmt: skip
        hits = hits_of(again)
        back = next((hit for hit in reversed(hits) if hit.watch == "H"), None)
        ways = {(back.frames[0].address, back.frames[0].stack_pointer)} if back is not None else ()
        read = [
            hit.watch
            for hit in hits
            if back is not None
            and hit.order < back.order
            and any((one.address, one.stack_pointer) in ways for one in hit.frames[1:])
        ]
        return [hit for hit in holders if hit.watch in read[-1:]]

    def _is_saved(self, hit: Hit) -> bool:
        """Whether a function only saved a register of its caller, who may have had it for long."""
        insn = stored_by(self.core, hit)
        return insn is not None and insn.mnemonic == "push"

    async def _read_since(self, holders: Sequence[Hit], block: int) -> list[Hit]:
        """Of what holds a pointer to a block that was given out again, all but what it was released
        by and that nobody wrote or read since: that was only left where it lies."""
        again = await self._observe(
            "what holds the pointer was read since", blocks=(block,), reads=True,
            cells=tuple(Cell(hit.watch, hit.address, hit.size) for hit in holders),
        ) if self._left > 0 else None  # fmt: skip
        hits = self._blocks(again, block)
        born = max((hit.order for hit in hits if hit.kind == "alloc"), default=0)
        used = {hit.watch for hit in hits_of(again) if hit.order > born} if again else set()
        owners = {given.cell for hit in hits if hit.kind != "alloc" and (given := self._given(hit))}
        for gone in (hit for hit in hits if hit.kind != "alloc"):  # a variable's, read for the call
            read = [
                h.address
                for h in hits_of(again, until=gone.order)
                if h.watch != "block" and h.new == block and call_of(h) == call_of(gone)
            ]
            owners |= set(read[-1:])
        return [hit for hit in holders if hit.watch in used or hit.address not in owners]

    def _is_made_in(self, seen: Observed, given: Hit, gone: Hit) -> bool:
        """Whether a call gave a block that was asked for in it: none that was gone before."""
        back = (given.frames[0].address, given.frames[0].stack_pointer)
        return any(
            gone.order < hit.order < given.order and hit.thread == given.thread
            and any((one.address, one.stack_pointer) == back for one in hit.frames)
            for hit in self._blocks(seen, gone.address, given.order) if hit.kind == "alloc"
        )  # fmt: skip


def lives(hits: Sequence[Hit]) -> int:
    """How many lives of a block its events tell of."""
    return sum(hit.kind == "alloc" for hit in hits)


def leads_into(stored: Hit, block: Hit) -> bool:
    """Whether what was stored leads into a block, or to its end; so, too, if it is not known."""
    return stored.new is None or 0 <= stored.new - block.address <= block.size


def gives(hit: Hit) -> int:
    """What a function gives back, at a hit of its return or behind its call."""
    return hit.registers.get("rax", 0)
