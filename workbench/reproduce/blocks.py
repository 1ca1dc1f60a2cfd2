"""Heap blocks and pages that were gone when they were used."""

import itertools
from collections.abc import Sequence

from msgspec.structs import replace

from workbench.model.aliases import public
from workbench.model.facts import Frame, Region
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.leads import given_to_free
from workbench.reproduce.makers import returns, through
from workbench.reproduce.moment import RED_ZONE, at_hit, before, frame_of, is_same_call, wrote
from workbench.reproduce.observing import STEP, WATCHED, Bound, Observed, call_of
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.slices import FREES, Lead, Place, cells_of, last_step
from workbench.reproduce.stores import copies_whole, moved
from workbench.reproduce.values import Values
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import alike, kept
from workbench.targets.probes.callees import callee_name
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.malloc.heaps import find_heaps
from workbench.targets.probes.malloc.lists import free_chunks
from workbench.targets.probes.places import kind_of, read_some
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import FAMILY, decode_one

_SCANNED = 8 << 20
_CALLS = 24
_CALLS_BACK, _WAYS = 3, 8
_ENTRY = 32
"""Bytes of an entry of a queue: what is to be called, what with, a link and a state."""
_FRONT = 16
"""Bytes of what malloc maps for a block in front of its memory (glibc, malloc/malloc.c)."""
_ANY = 3
"""PROT_READ and PROT_WRITE: a call that allows both takes nothing away."""


class Blocks(Values):
    """What the births and deaths of a block say of a pointer to it."""

    def _holders(self, lead: Lead) -> list[Cell]:
        """Where else a pointer to the first cell's object is kept, when the slice does not say
        which cell it was read from: in globals, the heap, and frames that still run."""
        base = lead.cells[0].base if lead.cells else None
        on_stack = base is not None and kind_of(self.core, base) == "stack"
        if len(lead.cells) != 1 or base is None or self.core.region(base) is None:
            return []
        found: list[int] = []
        for wanted in dict.fromkeys((base, self._block_start(base) or base)):
            for region in self.core.regions:
                stack = region.kind == "stack"
                if stack and on_stack:
                    continue
                places = [at for at in self._words(region, wanted) if not self._is_free(at)]
                found += places[-2:] if stack else places[:2]  # the oldest frames' first
            if found:
                break
        return [Cell(f"C{number}", at) for number, at in enumerate(dict.fromkeys(found), 2)]

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

    def _is_free(self, address: int) -> bool:
        """Whether malloc holds what lies there as free: what it kept holds nothing."""
        heaps = find_heaps(self.core)
        free = free_chunks(self.core, heaps).by_start if heaps else {}
        found = ((heap, heap.walk.holder(address)) for heap in heaps)
        return any(at is not None and heap.walk.starts[at] in free for heap, at in found)

    async def _freed_before(
        self, seen: Observed, lead: Lead, pointer: int, bound: Bound
    ) -> OriginStep | None:
        """The release before the one that failed, of the same life of the block; of one that was
        given a pointer to a life before, the release that had ended that. None where of several
        lives it is not known which one the pointer is of."""
        hits = self._blocks(seen, pointer, 1 << 60)  # the fault is the last
        if not hits or hits[-1].kind not in ("free", "realloc"):
            return None
        end = self._end(seen.outcome, bound)
        stored = await self._stored(seen, lead, 0, end, hits[-1])
        holder = lead.cells[0] if lead.cells else None
        if stored and holder and await self._was_left(seen, stored, holder, bound, rounds=True):
            return await self._unset(lead, 0, bound)
        given = self._given(hits[-1])
        self._note_births(seen, hits)
        whole = self._whole(seen, hits[-1], [place.cell for place in lead.cells], end)
        way = alike(self.core, hits[-1], whole, self.crash.outcome.frames)
        told = replace(whole, made=(*whole.made, *way))
        first: OriginStep | None = self._step(seen, told, OriginKind.FREED)
        if given and holder and given.cell != holder.cell and self._same_code(given, holder, told):
            return await self._shared_by(hits, given, holder)  # the same code, of two owners
        if holder is None and _same_calls(told.frames, self.crash.outcome.frames):
            first = None  # so did the same call, of two elements
        if _by_one_call(told.frames, self.crash.outcome.frames):
            first = None  # or of two members
        if lives(hits) < 2 or self._left <= 1:
            return first
        age = await self._age(seen, hits, stored, bound) if stored is not None else None
        age = await self._age_of_all(hits, pointer) if stored is None else age
        if age is None:
            return None
        gone = next((hit for number, hit in enumerate(hits) if number >= age
                     and is_gone(hits, number)), hits[-1])  # fmt: skip
        if gone is not hits[-1]:
            holders = [place.cell for place in lead.cells]
            earlier: OriginStep | None = self._step(
                seen, self._whole(seen, gone, holders, end), OriginKind.FREED
            )
        else:
            earlier = await self._earlier(hits, pointer)
        if earlier is not None and first is not None:
            self.steps.append(first)
        return earlier or first

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
        known = self._blocks(again, pointer, 1 << 60) if again is not None else []
        if again is None or len(known) != len(hits):
            return None
        stored = {hit.watch: hit for hit in again.outcome.events if hit.new == pointer}
        kept = [hit.order for hit in stored.values() if not in_allocator(hit.frames)]
        ages = [sum(one.order < order for one in known) for order in kept]
        return min(ages) if ages and not any(lives(hits[age:]) for age in ages) else None

    async def _earlier(self, hits: Sequence[Hit], pointer: int) -> OriginStep | None:
        """The release behind which a pointer was kept that another release was given."""
        given = self._given(hits[-1])
        if given is None:
            return None
        lead = Lead(row=FREES[0], pointer=pointer)
        again = await self._observe(
            "where that pointer was kept", cells=(Cell("C1", given.cell),), blocks=(pointer,)
        )
        known = self._blocks(again, pointer, 1 << 60) if again is not None else []
        if again is None or len(known) != len(hits):
            return None
        return (await self._gone(again, lead, known[-1].order, Bound()))[0]

    def _given(self, free: Hit) -> Place | None:
        """The cell that what was released was read from."""
        moment = at_hit(self.core, free)
        call = next(callers(moment, free.registers["rip"], free.registers, 1), None)
        cells, derived = cells_of(moment, given_to_free(moment, call)[1] if call else [])
        return cells[0] if cells and cells[0].cell and not derived else None

    async def _gone(
        self, seen: Observed, lead: Lead, end: int, bound: Bound
    ) -> tuple[OriginStep | None, bool]:
        """A block that was freed after the pointer to it had been stored for the last time; and
        whether the first cell lies in one that was given out again, of which life the pointer is
        not known: who wrote there since is no cause then."""
        unknown = False
        if lead.row == "moved":
            return None, False  # it was there until then
        used = [(lead.pointer, 0)] if lead.pointer is not None else []
        used += [(place.cell, number) for number, place in enumerate(lead.cells, 1)]
        for address, holder in used:
            if address is None:
                continue
            hits = self._blocks(seen, address, end)
            frees = [hit for number, hit in enumerate(hits) if is_gone(hits, number)]
            if not frees:
                continue
            births = [hit.order for hit in hits if hit.kind == "alloc"]
            after = [hit for hit in frees if hit.order > max(births, default=0)]
            stored = await self._stored(seen, lead, holder, end, frees[-1])
            if stored is not None and not _leads_into(stored, hits[0]):
                continue  # by another pointer than that
            kept = lead.cells[holder : holder + 1]
            if stored and kept and await self._was_left(seen, stored, kept[0], bound):
                never = await self._unset(lead, holder, bound)
                return never, never is None
            age = await self._age(seen, hits, stored, bound) if stored is not None else None
            if age is None and len(births) > 1:
                guessed = lead.row != "copy" or (len(lead.cells) == 1 and lead.cells[0].base)
                unknown = unknown or bool(holder == 1 and guessed)  # which was read then
                continue
            # Another's by now: a pointer that is older than the release is stale.
            stale = [hit for hit in frees if age is not None and hit in hits[age:]]
            gone = hits[: age or 0][-1:]
            if gone and gone[0] in frees:  # it was stale when it was stored
                if sum(order < gone[0].order for order in births) > 1:
                    unknown = unknown or (holder == 1 and births[-1] > gone[0].order)
                    continue
                stale = gone
            after = stale or after
            if after and holder == 1 and self._stood_there(seen, after[0], end):
                continue
            if after:
                self._note_births(seen, [hit for hit in hits if hit.order < after[0].order])
                self._note_write(seen, after[0], end)
                holders = [place.cell for place in lead.cells[holder:]]
                whole = self._whole(seen, after[0], holders, end)
                if self._is_scheduled(whole) or await self._is_shared(seen, whole, stored):
                    self.aside = self._step(seen, whole, OriginKind.FREED)
                    return None, True
                if holder == 1 and _by_one_call(whole.frames, self.crash.outcome.frames):
                    return None, True  # two members are one: who shared it is to blame
                by_local = kept and kind_of(self.core, kept[0].cell) == "stack"
                if (
                    stored and by_local
                    and await self._was_left(seen, stored, kept[0], bound, rounds=True)
                ):  # fmt: skip
                    never = await self._unset(lead, holder, bound)
                    return never, never is None
                asked = self._asked_to_move(seen, whole) if lead.outside else whole
                step = self._step(seen, asked, OriginKind.FREED) if asked is not None else None
                return step, step is None
        return None, unknown

    def _kept_itself(self, hit: Hit) -> bool:
        """Whether a function wrote by a pointer that it had in a place of its own, which it lent to
        nobody: what it read from elsewhere others may have left stale."""
        insn = before(self.core, hit.registers.get("rip", 0))
        code = code_around(self.core, insn.address) if insn is not None else None
        base = (
            insn.operands[0].mem.base if insn and insn.operands and insn.operands[0].mem else None
        )
        if insn is None or code is None or base is None or not is_own(hit.frames[0]):
            return False
        at = code.at[insn.address]
        place = through(self.core, code, at, base)
        if isinstance(place, str):
            made = list(Slicer(self.core, code, at, {}).definitions(place))
            ones = [code.instructions[index] for index, _ in made if index is not None]
            return len(ones) != 1 or ones[0].operands[-1].mem is None
        return not any(one.mnemonic == "lea" and kept(code, one, 1) == place
                       for one in code.instructions)  # fmt: skip

    def _asked_to_move(self, seen: Observed, gone: Hit) -> Hit | None:
        """A realloc as asked for by the call that went on to write to where the block had been: a
        block may move, and who had it grow knows that. None where another did: who kept the old
        pointer for it is not known."""
        wrote_there = [
            hit for hit in seen.outcome.events
            if hit.watch == "C1" and hit.order > gone.order and not in_allocator(hit.frames)
        ]  # fmt: skip
        if gone.kind != "realloc":
            return gone
        if not wrote_there:
            return None
        call = call_of(wrote_there[0])[1:]
        calls = [(one.function, one.stack_pointer) for one in gone.frames]
        if call not in calls or not self._kept_itself(wrote_there[0]):
            return None
        made = range(calls.index(call))
        return replace(gone, made=(*gone.made, *(gone.frames[at].index for at in made)))

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
            if place is None and self._counts:
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
                "since when the pointer was held",
                cells=(*limit.cells, Cell("C1", place.cell, place.size)),
                blocks=(hits[0].address,), points=limit.points, reads=True,
            ) if self._left > 0 else None  # fmt: skip
            if again is None:
                return None
            end = self._end(again.outcome, limit)
            held = [h for h in again.outcome.events if h.watch == "C1" and h.order < end
                    and h.new == value and wrote(self.core, h)
                    and not in_allocator(h.frames)]  # fmt: skip
            if not held:
                return None
            stored, reads, rewritten, by_call = held[-1], True, False, False
            age = sum(h.order < stored.order for h in self._blocks(again, hits[0].address, end))
        return age

    def _object_of(self, stored: Hit, block: Hit) -> Place | None:
        """The cell that held the pointer to an object of a block, whose member's address was
        stored."""
        _, steps = self._behind_store(stored)
        made = [one for one in steps if one.kind == "computed"]
        loads = [one for one in steps if one.kind == "load" and one.source]
        insn = decode_one(read_some(self.core, made[0].at, 16), made[0].at) if made else None
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
        which released none of the block's lives; None where that is not known."""
        insn, steps = self._behind_store(stored)
        if insn is not None and stored.watch == "H":
            steps = [Step("call", insn.address, "rax", insn.text)]
        for depth in range(_CALLS_BACK):
            last = last_step(steps) if steps else None
            if last is None or last.kind != "call":
                return None if depth else (None, bound)
            call = decode_one(read_some(self.core, last.at, 16), last.at)
            inside = self._own_called(call) if call is not None else None
            if call is None or inside is None or not returns(inside):
                return None, bound
            there = [one for one in hits if any(f.address == call.end for f in one.frames)]
            if there and there[-1] is hits[-1] and lives(there) == len(there):
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

    async def _unset(self, lead: Lead, holder: int, bound: Bound) -> OriginStep | None:
        """Who should have set the cell number ``holder``, which nobody had for who read it."""
        cells = lead.cells[holder:]
        behind = replace(lead, row="copy", cells=cells, pointer=None, left=True)
        return await self._follow(behind, bound)

    async def _was_left(
        self, seen: Observed, stored: Hit, holder: Place, bound: Bound, rounds: bool = False
    ) -> bool:
        """Whether nobody put a pointer into the memory that it was read from, a frame's or a
        block's, or from which it came there with the whole of an object: it had been left there by
        who had that memory before. ``rounds`` tells calls that a loop makes again apart."""
        cell, limit = Cell("C1", holder.cell, holder.size), bound
        local = rounds and kind_of(self.core, holder.cell) == "stack"
        if not (local or self._is_older(seen, stored, bound) or copies_whole(self.core, stored)):
            return False
        entry = self._entry(seen, cell.address, bound) if local and bound.point is None else ()
        while self._left > 1:
            again = await self._observe(
                "whether the pointer was put there", bound=limit, cells=(cell, *limit.cells),
                blocks=(cell.address,), points=(*entry, *limit.points), reads=True,
            )  # fmt: skip
            end = self._end(again.outcome, limit) if again is not None else 0
            held = [h for h in again.outcome.events if h.watch == "C1" and h.order < end
                    and wrote(self.core, h) and not in_allocator(h.frames)
                    ] if again is not None else []  # fmt: skip
            if again is None or not held:
                return False
            if self._is_older(again, held[-1], limit):
                return True
            limit, entry = Bound(replace(cell, name="B"), held[-1].nth, True), ()
            whole = copies_whole(self.core, held[-1])
            place = await self._source(held[-1], limit) if whole else None
            if place is None:
                return False
            cell = Cell("C1", place.cell, place.size)
        return False

    def _read_in(
        self, seen: Observed, address: int, end: int
    ) -> tuple[Sequence[Frame], tuple[Frame, int] | None]:
        """The stack in which a cell was read, and the program's frame that the cell lies in."""
        read = next((h for h in seen.outcome.events if h.order == end), None)
        frames = read.frames if read is not None else self.crash.outcome.frames
        found = frame_of(frames, address)
        return frames, found if found is not None and is_own(found[0]) else None

    def _entry(self, seen: Observed, address: int, bound: Bound) -> tuple[Point, ...]:
        """Where the function begins whose frame holds a cell."""
        _, found = self._read_in(seen, address, self._end(seen.outcome, bound))
        code = function_bounds(self.core, found[0].address or 0) if found is not None else None
        return (Point("E", code[0]),) if code is not None else ()

    def _is_older(self, seen: Observed, stored: Hit, bound: Bound) -> bool:
        """Whether a cell's last write was before the frame, or the block, that it was read in."""
        end = self._end(seen.outcome, bound)
        frames, now = self._read_in(seen, stored.address, end)
        owner = self._owner(stored.address)
        inlined = owner[1].function if owner is not None and owner[1].inlined else None
        reads, put = ({one.function for one in stack} for stack in (frames, stored.frames))
        if inlined is not None and inlined in reads - put:
            return True  # it was another's, that was inlined into the same function
        then = frame_of(stored.frames, stored.address)
        if then is not None and now is not None:
            entered = (
                hit.order
                for hit in seen.outcome.events
                if hit.watch == "E"
                and hit.order < end
                and hit.registers.get("rsp", 0) + 8 == now[1]
            )
            same = (then[0].function, then[1]) == (now[0].function, now[1])
            same = same and is_same_call(stored.frames, frames, now[1])
            return not same or stored.order < max(entered, default=0)
        births = [h for h in self._blocks(seen, stored.address, end) if h.kind == "alloc"]
        return bool(births) and stored.order < births[-1].order and not moved(births[-1])

    def _stood_there(self, seen: Observed, free: Hit, end: int) -> bool:
        """Whether the first cell held the bad value before its block was given back, which took
        nothing away then, unless who gave it back had written that there first."""
        hits = [h for h in seen.outcome.events if h.watch == "C1" and h.order < end]
        if not hits or hits[-1].order > free.order:
            return False
        return not _in_call_of(free, _outside_destructor(hits[-1]))

    def _whole(self, seen: Observed, part: Hit, holders: Sequence[int], end: int) -> Hit:
        """Of the release of what an object owned, behind a pointer in it that was read when the
        object was gone too: the release of the object, where that ended in the same call."""
        for cell in holders:
            for hit in self._blocks(seen, cell, end):
                if hit.kind == "free" and hit.order > part.order and _in_call_of(part, hit):
                    return self._whole(seen, hit, holders[holders.index(cell) + 1 :], end)
        return part

    async def _is_shared(self, seen: Observed, free: Hit, stored: Hit | None) -> bool:
        """Whether the pointer that was used, or the one that was released, came to its place with
        the whole of another object: both own the block then, and who copied may be to blame."""
        place = self._given(free)
        given = place.cell if place is not None else 0
        if stored is None or await self._copied_whole(stored, given):
            return stored is not None
        held = given and given != stored.address and kind_of(self.core, given) != "stack"
        if not held or self._left <= 1:
            return False
        again = await self._observe(
            "who set the pointer that was released",
            cells=(Cell("C1", given),), blocks=(free.address,),
        )  # fmt: skip
        before = len(self._blocks(seen, free.address, free.order))
        life = self._blocks(again, free.address, 1 << 60)[before:] if again is not None else []
        hits = [h for h in again.outcome.events if h.watch == "C1" and h.new == free.address
                and h.order < life[0].order] if again is not None and life else []  # fmt: skip
        return bool(hits) and await self._copied_whole(hits[-1])

    def _same_code(self, given: Place, holder: Place, free: Hit) -> bool:
        """Whether one statement released of two places, also where it was inlined twice."""
        by, again = own(free.frames), own(self.crash.outcome.frames)
        if given.at == holder.at or by is None or again is None:
            return given.at == holder.at
        places = {(one.function, one.file, one.line) for one in (by, again)}
        return by.inlined and again.inlined and len(places) == 1

    async def _shared_by(
        self, hits: Sequence[Hit], given: Place, holder: Place
    ) -> OriginStep | None:
        """Who copied the whole of an object, with the pointer to a block that it owns: the same
        code released the block through both, at the last of its ``hits`` through ``given``."""
        for place, owner in ((holder, given.cell), (given, holder.cell)):
            cell, bound = Cell("C1", place.cell, place.size), Bound()
            before = place is given
            while self._left > 1:
                seen = await self._observe(
                    "who copied what owns it", bound=bound, blocks=(hits[-1].address,),
                    cells=(cell, *bound.cells),
                )  # fmt: skip
                end = self._end(seen.outcome, bound) if seen is not None else 0
                known = self._blocks(seen, hits[-1].address, end) if seen is not None else []
                if before and known:
                    end = known[-1].order
                put = [h for h in seen.outcome.events if h.watch == "C1" and h.order < end
                       and not in_allocator(h.frames)] if seen is not None else []  # fmt: skip
                if seen is None or not put or put[-1].new != hits[-1].address:
                    break
                bound, before = Bound(replace(cell, name="B"), put[-1].nth), False
                whole = copies_whole(self.core, put[-1])
                read = await self._source(put[-1], bound) if whole else None
                if read is None:
                    break
                if read.cell == owner:
                    alive = [hit for hit in known if hit.order < put[-1].order]
                    if len(alive) + 1 != len(hits):
                        break  # it was released when it was copied, or another block
                    return self._step(seen, put[-1], OriginKind.SHARED)
                cell = Cell("C1", read.cell, read.size)
        return None

    async def _copied_whole(self, stored: Hit, owner: int = 0) -> bool:
        bound = Bound(Cell("B", stored.address, stored.size), stored.nth)
        place = await self._source(stored, bound) if copies_whole(self.core, stored) else None
        return await self._is_shared_by(stored, place, owner)

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
        known = self._blocks(seen, place.cell, 1 << 60) if seen is not None else ()
        if seen is None or any(hit.kind != "alloc" for hit in known):
            return False
        held = [hit for hit in seen.outcome.events if hit.watch == "C1"]
        taken = max((hit.order for hit in held if hit.new == stored.new), default=0)
        ends = [hit.order for hit in self._blocks(seen, stored.new or 0, 1 << 60)
                if hit.order > taken and hit.kind != "alloc"]  # fmt: skip
        return not any(taken < hit.order < min(ends, default=0) for hit in held)

    def _is_scheduled(self, free: Hit) -> bool:
        """Whether the program called what releases through a pointer that it read beside what is
        to be released: another put both there, as into a queue of what is to be done later. An
        allocator's hook is given what its caller chose."""
        frame, moment = own(free.frames), at_hit(self.core, free)
        call = before(self.core, frame.address or 0) if frame is not None else None
        if call is None or not call.is_call or call.target or callee_name(self.core, call):
            return False
        above = callers(moment, free.registers["rip"], free.registers, len(free.frames))
        caller = next((one for one in above if one.call.address == call.address), None)
        slicer = slicer_at(moment, call.address, caller.registers) if caller is not None else None
        if caller is None or slicer is None:
            return True
        mem, register = call.operands[0].mem, FAMILY.get(call.operands[0].reg or "", "")
        given = argument(moment, caller, "rdi")[1]
        what = self._loaded_from(given)
        if mem is not None:
            bases = {name: slicer.known(name) for name in (mem.base, mem.index) if name}
            goal = call.effective(mem, {name: at for name, at in bases.items() if at is not None})
        else:
            goal = self._loaded_from(history(moment, call.address, register, caller.registers))
        return not given or goal is None or (what is not None and abs(what - goal) <= _ENTRY)

    def _loaded_from(self, steps: Sequence[Step]) -> int | None:
        """The cell, in no function's frame, that a value was read from."""
        cells = (step.source for step in steps if step.kind == "load" and step.source is not None)
        return next((cell for cell in cells if kind_of(self.core, cell) != "stack"), None)

    async def _stored(
        self, seen: Observed, lead: Lead, holder: int, end: int, gone: Hit
    ) -> Hit | None:
        """When the cell that holds a pointer was written last, cell number ``holder``; of several
        that may, the one that is longest ago; or when a call gave it, before it was ``gone``: one
        that gave it afterwards handed it on. None where that was not watched."""
        given = [h for h in seen.outcome.events if h.watch == "H" and h.order < end]
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
            own_writes = [
                hit
                for hit in seen.outcome.events
                if hit.watch == f"C{number}" and hit.order < end and not in_allocator(hit.frames)
            ]
            found += [h for h in own_writes[-1:] if len(guessed) == 1 or _leads_into(h, gone)]
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
        hits = again.outcome.events if again is not None else ()
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
        insn = before(self.core, hit.registers.get("rip", 0))
        return insn is not None and insn.mnemonic == "push"

    async def _read_since(self, holders: Sequence[Hit], block: int) -> list[Hit]:
        """Of what holds a pointer to a block that was given out again, all but what it was released
        by and that nobody wrote or read since: that was only left where it lies."""
        again = await self._observe(
            "what holds the pointer was read since", blocks=(block,), reads=True,
            cells=tuple(Cell(hit.watch, hit.address, hit.size) for hit in holders),
        ) if self._left > 0 else None  # fmt: skip
        hits = self._blocks(again, block, 1 << 60) if again is not None else []
        born = max((hit.order for hit in hits if hit.kind == "alloc"), default=0)
        used = {hit.watch for hit in again.outcome.events if hit.order > born} if again else set()
        owners = {given.cell for hit in hits if hit.kind != "alloc" and (given := self._given(hit))}
        for gone in (hit for hit in hits if hit.kind != "alloc"):  # a variable's, read for the call
            read = [h.address for h in (again.outcome.events if again is not None else ())
                    if h.order < gone.order and h.watch != "block" and h.new == block
                    and call_of(h) == call_of(gone)]  # fmt: skip
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

    def _note_births(self, seen: Observed, hits: Sequence[Hit]) -> None:
        births = [hit for hit in hits if hit.kind == "alloc"]
        if births:
            self.steps.append(self._step(seen, births[-1], OriginKind.ALLOCATED))

    def _note_write(self, seen: Observed, free: Hit, end: int) -> None:
        """Who wrote last to the cell that was read, after its memory had been given back."""
        hits = [
            hit for hit in seen.outcome.events
            if hit.watch == "C1" and free.order < hit.order < end and hit.old != hit.new
            and not in_allocator(hit.frames)
        ]  # fmt: skip
        self.steps += [self._step(seen, hit, OriginKind.WRITTEN) for hit in hits[-1:]]

    def _unmapped(self, seen: Observed, lead: Lead, end: int) -> OriginStep | None:
        """Who took away what the access needed. None where the pages were mapped again since:
        of which life the pointer is, is not known; nor where nothing shows where it came from and
        it may have run out of what lies in front."""
        hits = [h for h in seen.outcome.events if h.watch == "pages" and h.order < end]
        left = [h for h in hits if h.kind == "mprotect" and (h.new or 0) & _ANY == _ANY]
        gone = [hit for hit in hits if hit.kind != "mmap" and hit not in left]
        if not gone or any(hit.kind == "mmap" and hit.order > gone[0].order for hit in hits):
            return None
        if not lead.cells and self.core.region(gone[-1].address - 1) is not None:
            return None
        freed = in_allocator(gone[-1].frames)
        if freed and self._ran_there(gone[-1]):
            return None
        return self._step(seen, gone[-1], OriginKind.FREED if freed else OriginKind.UNMAPPED)

    def _ran_there(self, gone: Hit) -> bool:
        """Whether the access came to what malloc had mapped out of the memory in front."""
        return 0 <= (self.crash.outcome.address or 0) - gone.address < _FRONT

    async def _moved_under(self, lead: Lead) -> OriginStep | None:
        """The call in which who failed had a block moved that it held a pointer to (realloc(3)) and
        went on to use: pages alone show it, of a block that malloc had mapped for itself."""
        used = next((one for one in self.crash.outcome.frames if _is_call(one)), None)
        held, page = lead.pointer, lead.page
        if used is None or not (held and page and self._was_mapped_alone(held)) or self._left <= 0:
            return None
        seen = await self._observe("who had it moved", pages=(page,))
        gone = [h for h in seen.outcome.events if h.watch == "pages"][-1:] if seen else []
        names = [public(one.function or "") for hit in gone for one in hit.frames]
        if seen is None or "realloc" not in names or gone[0].kind not in ("mremap", "munmap"):
            return None
        if self._ran_there(gone[0]):
            return None
        if (
            lead.cells
            and lead.cells[0].value == held
            and kind_of(self.core, lead.cells[0].cell) != "stack"
        ):
            return self._step(seen, gone[0], OriginKind.FREED)  # what it moved left a pointer there
        call = (used.function, used.stack_pointer)
        inner = [one for one in gone[0].frames if _is_call(one)]
        calls = [(one.function, one.stack_pointer) for one in inner]
        if call not in calls or not self._holds(gone[0], used):
            return None
        made = range(inner[calls.index(call)].index)
        return self._step(seen, replace(gone[0], made=tuple(made)), OriginKind.FREED)

    def _holds(self, hit: Hit, used: Frame) -> bool:
        """Whether a call on the stack has a pointer into what a hit takes away, in its frame or in
        a register that is kept."""
        low = hit.registers.get("rsp", 0) - RED_ZONE
        above = callers(at_hit(self.core, hit), hit.registers["rip"], hit.registers, _CALLS)
        for caller, outer in itertools.pairwise(above):
            here, end = (one.registers.get("rsp", 0) for one in (caller, outer))
            if here == used.stack_pointer:
                stack = bytes.fromhex(hit.stack)[here - low : end - low]
                words = [int.from_bytes(stack[at : at + 8], "little")
                         for at in range(0, len(stack), 8)]  # fmt: skip
                held = (*caller.registers.values(), *words)
                return any(0 <= one - hit.address < hit.size for one in held)
        return False

    def _ran_out(self, seen: Observed, lead: Lead, end: int) -> bool:
        """Whether the pointer was moved on out of memory that is still there, step by step: who
        gave back what had lain behind that is no cause."""
        moves = [h for h in seen.outcome.events if h.watch == "C1" and h.order < end][-1:]
        return lead.row in ("pointer", "copy") and any(
            hit.new is not None and hit.old is not None and 0 < abs(hit.new - hit.old) <= STEP
            and self.core.region(hit.old) is not None and self.core.region(hit.new) is None
            for hit in moves
        )  # fmt: skip


def _is_call(frame: Frame) -> bool:
    return is_own(frame) and not frame.inlined


def lives(hits: Sequence[Hit]) -> int:
    """How many lives of a block its events tell of."""
    return sum(hit.kind == "alloc" for hit in hits)


def _in_call_of(hit: Hit, other: Hit) -> bool:
    """Whether a hit was in the call in which the program made another."""
    made = own([frame for frame in other.frames if frame.index not in other.made])
    calls = {(one.function, one.stack_pointer) for one in hit.frames}
    return made is not None and (made.function, made.stack_pointer) in calls


def _outside_destructor(hit: Hit) -> Hit:
    """A hit as of who had the object destroyed, where a destructor made it (C++, [class.dtor]):
    that gives it back next."""
    inner = [one.index for one in hit.frames if "::~" in (one.function or "")]
    return replace(hit, made=(*hit.made, *range(max(inner, default=-1) + 1)))


def _leads_into(stored: Hit, block: Hit) -> bool:
    """Whether what was stored leads into a block, or to its end; so, too, if it is not known."""
    return stored.new is None or 0 <= stored.new - block.address <= block.size


def gives(hit: Hit) -> int:
    """What a function gives back, at a hit of its return or behind its call."""
    return hit.registers.get("rax", 0)


def _by_one_call(one: Sequence[Frame], other: Sequence[Frame]) -> bool:
    """Whether a function that calls itself released, and went on to use, what one call of it gave
    on from two places: a call before would have failed at the first."""
    by = own(one)
    calls = {(f.function, f.stack_pointer): f.address for f in one if by and not f.inlined
             and f.function == by.function and f.index > by.index}  # fmt: skip
    failed = own(other)
    return failed is not None and any(
        not f.inlined and f.address != calls.get((f.function, f.stack_pointer), f.address)
        for f in other if f.index > failed.index
    )  # fmt: skip


def _same_calls(free: Sequence[Frame], fault: Sequence[Frame]) -> bool:
    """Whether one call came to the allocator from the same place both times."""
    ways = []
    for frames in (free, fault):
        last = max((at for at, one in enumerate(frames) if in_allocator([one])), default=-1)
        outer = [one for one in frames[last + 1 :] if not one.inlined]
        ways.append([(one.address, one.stack_pointer) for one in outer])
    return ways[0] != [] and all(one == other for one, other in zip(*ways, strict=False))


def is_gone(hits: Sequence[Hit], number: int) -> bool:
    """A release; of a realloc only where the block does not stay where it is."""
    hit = hits[number]
    if hit.kind == "free":
        return True
    stays = (one.kind == "alloc" and one.address == hit.address and moved(one)
             for one in hits[number + 1 : number + 2])  # fmt: skip
    return hit.kind == "realloc" and not any(stays)
