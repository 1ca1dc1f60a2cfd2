"""Heap blocks that were gone when they were used."""

import itertools
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.ages import Ages, leads_into, lives
from workbench.reproduce.hits import changed_whole, is_from, part
from workbench.reproduce.makers import table_word, through
from workbench.reproduce.moment import at_hit, before, frame_of, is_same_call, stored_by, wrote
from workbench.reproduce.observing import STEP, Bound, Observed, by_program, call_of, hits_of
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.pages import Pages
from workbench.reproduce.slices import FREES, Lead, Place, callee
from workbench.reproduce.stores import copies_whole, is_bitwise, moved
from workbench.reproduce.told import Link
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import alike, kept
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import callee_name
from workbench.targets.probes.cfi import Caller, callers, callers_of_thread
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.malloc.lists import heaps_of
from workbench.targets.probes.places import crashing_thread, kind_of, variable_at
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_ARRAY = 1 << 16
"""How far apart two elements of an array that is no block of the heap may lie."""
_OWNER, _GLUE, _DEEP = 24, 8, 24
"""Bytes of what owns a block by a pointer, of Rust's (alloc::raw_vec, alloc::string); how many
calls it is destroyed by, and how many lie around those in one that fails."""
_DROPS = re.compile(r"drop_in_place|4drop17h[0-9a-f]{16}E|as core::ops::drop::Drop>::drop")
_ENTRY = 32
"""Bytes of an entry of a queue: what is to be called, what with, a link and a state."""


class Blocks(Ages, Pages):
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

    def _is_free(self, address: int) -> bool:
        """Whether malloc holds what lies there as free: what it kept holds nothing."""
        heaps, free = heaps_of(self.core)
        found = ((heap, heap.walk.holder(address)) for heap in heaps)
        return any(at is not None and heap.walk.starts[at] in free.by_start for heap, at in found)

    async def _freed_before(
        self, seen: Observed, lead: Lead, pointer: int, bound: Bound
    ) -> OriginStep | None:
        """The release before the one that failed, of the same life of the block; of one that was
        given a pointer to a life before, the release that had ended that. None where of several
        lives it is not known which one the pointer is of."""
        hits = self._blocks(seen, pointer)  # the fault is the last
        if not hits or hits[-1].kind not in ("free", "realloc"):
            return None
        end = self._end(seen, bound)
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
        other = (
            given and holder and given.cell != holder.cell and self._same_code(given, holder, told)
        )
        if other:
            first = None  # who shared it between two owners is to blame
        destroyed = holder is None or _destroys(told.frames)
        if destroyed and _same_calls(told.frames, self.crash.outcome.frames):
            first = None  # so did the same call, of two elements or members
        if holder is None and _destroys_both(seen, told):
            first = None  # two that share it were destroyed, or one twice
        if _by_one_call(told.frames, self.crash.outcome.frames):
            first = None  # or of two members
        if (
            stored and stored.order > hits[-1].order and copies_whole(self.core, stored)
            and kind_of(self.core, stored.address) != "stack" and lives(hits) < 2
        ):  # fmt: skip
            first = None  # it came there since, with an object that held it too
        alone = given and holder and given.cell == holder.cell and whole is hits[-1]
        if not alone and _inlined_again(hits[-1], self.crash.outcome.frames):
            first = None  # what who called it gave to it is in no frame
        if given and holder and other and lives(hits) < 2:
            return await self._shared_by(hits, given, holder)
        if holder is None and lives(hits) < 2:
            pair = self._dropped_of(hits[-1], pointer)
            unwinds = self.core.symbol("libgcc", "_Unwind_RaiseException")
            shared = (
                await self._shared_by(hits, pair[0], pair[1], unwinds)
                if len(pair) == 2 and unwinds is not None else None
            )  # fmt: skip
            if shared is not None or first is None:
                return shared
            if len(pair) == 2 and self._went_with_its_scope(hits[-1]):
                return None  # who made it the second that owns the block is to blame
        if lives(hits) < 2 or self._left <= 1:
            return first
        age = await self._age(seen, hits, stored, bound) if stored is not None else None
        age = await self._age_of_all(hits, pointer) if stored is None else age
        if age is None:
            return await self._destroyed_there(pointer)
        gone = next((hit for number, hit in enumerate(hits) if number >= age
                     and is_gone(hits, number)), hits[-1])  # fmt: skip
        if gone is not hits[-1]:
            holders = [place.cell for place in lead.cells]
            earlier: OriginStep | None = self._step(
                seen, self._whole(seen, gone, holders, end), OriginKind.FREED
            )
        else:
            earlier = await self._earlier(hits, pointer)
            if given is None and self._of_earlier_life(hits):
                first = None  # nor who kept what that one was given
        if earlier is not None and first is not None:
            self.steps.append(first)
        if given and holder and other and earlier is None:
            return await self._shared_by(hits, given, holder)
        return earlier or first

    async def _earlier(self, hits: Sequence[Hit], pointer: int) -> OriginStep | None:
        """The release behind which a pointer was kept that another release was given."""
        given = self._given(hits[-1])
        if given is None:
            return None
        lead = Lead(row=FREES[0], pointer=pointer)
        again = await self._observe(
            "where that pointer was kept", cells=(Cell("C1", given.cell),), blocks=(pointer,)
        )
        known = self._blocks(again, pointer)
        if again is None or len(known) != len(hits):
            return None
        return (await self._gone(again, lead, known[-1].order, Bound()))[0]

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
            hits = self._blocks(seen, address, end)
            frees = [hit for number, hit in enumerate(hits) if is_gone(hits, number)]
            if not frees:
                continue
            births = [hit.order for hit in hits if hit.kind == "alloc"]
            after = [hit for hit in frees if hit.order > max(births, default=0)]
            stored = await self._stored(seen, lead, holder, end, frees[-1])
            if stored is not None and not leads_into(stored, hits[0]):
                continue  # by another pointer than that
            if stored is not None and _spoils(self.core, seen, stored, end):
                continue  # what was written over a part of a pointer leads there by chance
            kept = lead.cells[holder : holder + 1]
            if stored and kept and await self._was_left(seen, stored, kept[0], bound):
                never = await self._unset(lead, holder, bound)
                return never, never is None
            age = await self._age(seen, hits, stored, bound) if stored is not None else None
            if stored is None and holder == 1 and len(births) > 1:
                age = await self._age_in_register(lead.cells[0], hits, bound)
            holders = [place.cell for place in lead.cells[holder:]]
            lines = {(step.function, step.line) for step in (
                self._step(seen, self._whole(seen, one, holders, end), OriginKind.FREED)
                for one in frees
            )}  # fmt: skip
            # Where each of its lives ended at one line, it does not matter whose the pointer is.
            if age is None and len(births) > 1 and not (after and len(lines) == 1):
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
                if _inlined_again(whole, self.crash.outcome.frames) and not _at_one_site(
                    whole, self.crash.outcome.frames
                ):
                    self.aside = self._step(seen, whole, OriginKind.FREED)
                    return None, True  # what who called it gave to it is in no frame
                by_gone = await self._by_gone_owner(seen, whole, holders)
                if by_gone is not None:
                    self.steps.append(self._step(seen, whole, OriginKind.FREED))
                    return by_gone, False
                asked = self._asked_to_move(seen, whole) if lead.outside else whole
                step = self._step(seen, asked, OriginKind.FREED) if asked is not None else None
                return step, step is None
        return None, unknown

    async def _by_gone_owner(
        self, seen: Observed, free: Hit, holders: Sequence[int]
    ) -> OriginStep | None:
        """The release, or the move, of an object in which the pointer stood that a later release
        was given: who kept the object's address past that let it happen."""
        given = self._given(free)
        if given is None or given.cell in holders or self._left <= 0 or (
            self._block_start(given.cell) is None
        ):  # fmt: skip
            return None
        (reader,) = await self._runs.places([given.at])
        again = await self._observe(
            "whether what it was released by was there", blocks=(given.cell, free.address),
            links=(Link(free.address, given.cell, free.address, reader),),
        )  # fmt: skip
        number = len(self._blocks(seen, free.address, free.order))
        known = self._blocks(again, free.address)[number : number + 1]
        owner = self._blocks(again, given.cell, known[0].order) if known else []
        if again is None or not owner or not is_gone(owner, len(owner) - 1):
            return None
        return replace(self._step(again, owner[-1], OriginKind.FREED), owner=True)

    def _kept_itself(self, hit: Hit) -> bool:
        """Whether a function wrote by a pointer that it had in a place of its own, which it lent to
        nobody: what it read from elsewhere others may have left stale."""
        insn = stored_by(self.core, hit)
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
        wrote_there = [hit for hit in by_program(seen, "C1") if hit.order > gone.order]
        if gone.kind != "realloc":
            return gone
        if not wrote_there:
            return None
        call = call_of(wrote_there[0])[1:]
        calls = [one.call for one in gone.frames]
        if call not in calls or not self._kept_itself(wrote_there[0]):
            return None
        made = range(calls.index(call))
        if any(is_own(gone.frames[at]) and gone.frames[at].inlined for at in made):
            return None  # what an inlined one gave back to who called it is not known
        return replace(gone, made=(*gone.made, *(gone.frames[at].index for at in made)))

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
            end = self._end(again, limit)
            held = [hit for hit in by_program(again, "C1", end) if wrote(self.core, hit)]
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
        read = next((h for h in hits_of(seen) if h.order == end), None)
        frames = read.frames if read is not None else self.crash.outcome.frames
        found = frame_of(frames, address)
        return frames, found if found is not None and is_own(found[0]) else None

    def _entry(self, seen: Observed, address: int, bound: Bound) -> tuple[Point, ...]:
        """Where the function begins whose frame holds a cell."""
        _, found = self._read_in(seen, address, self._end(seen, bound))
        code = function_bounds(self.core, found[0].address or 0) if found is not None else None
        return (Point("E", code[0]),) if code is not None else ()

    def _is_older(self, seen: Observed, stored: Hit, bound: Bound) -> bool:
        """Whether a cell's last write was before the frame, or the block, that it was read in."""
        end = self._end(seen, bound)
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
                for hit in hits_of(seen, "E", end)
                if hit.registers.get("rsp", 0) + 8 == now[1]
            )
            same = (then[0].function, then[1]) == (now[0].function, now[1])
            same = same and is_same_call(stored.frames, frames, now[1])
            return not same or stored.order < max(entered, default=0)
        births = [h for h in self._blocks(seen, stored.address, end) if h.kind == "alloc"]
        return bool(births) and stored.order < births[-1].order and not moved(births[-1])

    def _stood_there(self, seen: Observed, free: Hit, end: int) -> bool:
        """Whether the first cell held the bad value before its block was given back, which took
        nothing away then, unless who gave it back had written that there first."""
        hits = hits_of(seen, "C1", end)
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
        the whole of another object, or one instruction gave it to both: both own the block then,
        and who gave it on may be to blame."""
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
        life = self._blocks(again, free.address)[before:]
        hits = [h for h in hits_of(again, "C1") if h.new == free.address
                and h.order < life[0].order] if again is not None and life else []  # fmt: skip
        by_one = hits and (
            hits[-1].registers.get("rip") == stored.registers.get("rip")
            or _inlined_again(hits[-1], stored.frames, line=True)
        )
        return bool(hits) and (by_one or await self._copied_whole(hits[-1]))

    def _same_code(self, given: Place, holder: Place, free: Hit) -> bool:
        """Whether one statement released of two places, also where it was inlined twice."""
        by, again = own(free.frames), own(self.crash.outcome.frames)
        if given.at == holder.at or by is None or again is None:
            return given.at == holder.at
        places = {(one.function, one.file, one.line) for one in (by, again)}
        return by.inlined and again.inlined and len(places) == 1

    def _dropped_of(self, free: Hit, pointer: int) -> list[Place]:
        """The two places, if there are, by which Rust destroyed what owns a block, at its release
        and at the one that failed: code that it makes is given the owner, and leaves for the
        allocator by a jump."""
        moment, thread = at_hit(self.core, free), crashing_thread(self.core)
        ways = [callers(moment, free.registers["rip"], free.registers, _GLUE)]
        ways += [callers_of_thread(self.core, thread, _DEEP)] if thread is not None else []
        found = [_owner_given(core, way, pointer)
                 for core, way in zip((moment, self.core), ways, strict=False)]  # fmt: skip
        return list({one.cell: one for one in found if one is not None}.values())

    async def _destroyed_there(self, pointer: int) -> OriginStep | None:
        """The first release of a block since its pointer was put where the fault found it in what
        Rust destroyed: by who destroyed that in the same place, in whichever life of the block."""
        thread = crashing_thread(self.core)
        outer = callers_of_thread(self.core, thread, _DEEP) if thread is not None else ()
        again = _owner_given(self.core, outer, pointer)
        if again is None or self._is_spent():
            return None
        cells = (Cell("C1", again.cell),)
        seen = await self._observe("who destroyed it there", blocks=(pointer,), cells=cells)
        put = max((hit.order for hit in hits_of(seen, "C1")), default=1 << 60)
        known = self._blocks(seen, pointer)
        gone = next((hit for number, hit in enumerate(known)
                     if hit.order > put and is_gone(known, number)), None)  # fmt: skip
        if seen is None or gone is None or self._went_with_its_scope(gone):
            return None
        moment = at_hit(self.core, gone)
        calls = callers(moment, gone.registers["rip"], gone.registers, _GLUE)
        place = _owner_given(moment, calls, pointer)
        there = place is not None and place.cell == again.cell
        return self._step(seen, gone, OriginKind.FREED) if there else None

    def _went_with_its_scope(self, free: Hit) -> bool:
        """Whether Rust destroyed a local variable of the program's function as it went, by which a
        block was released: nobody wrote that."""
        frame, moment = own(free.frames), at_hit(self.core, free)
        call = before(self.core, frame.address or 0) if frame is not None else None
        if frame is None or call is None or "drop_in_place" not in callee(self.core, call):
            return False
        above = callers(moment, free.registers["rip"], free.registers, len(free.frames) + 1)
        for caller, outer in itertools.pairwise(above):
            if caller.call.address == call.address:
                given, _ = argument(moment, caller, "rdi")
                return caller.registers["rsp"] <= (given or 0) < outer.registers["rsp"]
        return False

    async def _shared_by(
        self, hits: Sequence[Hit], given: Place, holder: Place, unwinds: int = 0
    ) -> OriginStep | None:
        """Who copied the pointer to a block, alone or with the object that owns it, for another:
        the same code released it through both, at the last of its ``hits`` through ``given``. None
        where the copy may only have moved it, over another's place in the same array; of objects of
        Rust's, unless the program itself copied the bytes in a call that a panic left then, which
        runs the function that ``unwinds``."""
        for place, owner in ((holder, given.cell), (given, holder.cell)):
            cell, bound = Cell("C1", place.cell, place.size), Bound()
            before = place is given
            while self._left > 1:
                seen = await self._observe(
                    "who copied what owns it", bound=bound, blocks=(hits[-1].address,),
                    cells=(cell, *bound.cells), points=(Point("P", unwinds),) if unwinds else (),
                )  # fmt: skip
                end = self._end(seen, bound)
                known = self._blocks(seen, hits[-1].address, end)
                if before and known:
                    end = known[-1].order
                put = by_program(seen, "C1", end)
                if seen is None or not put or put[-1].new != hits[-1].address:
                    break
                bound, before = Bound(replace(cell, name="B"), put[-1].nth), False
                read = await self._source(put[-1], bound)
                if read is None:
                    break
                if read.cell == owner:
                    panics = any(
                        one.order > put[-1].order and is_from(one, put[-1])
                        for one in hits_of(seen, "P")
                    )
                    copied = is_bitwise(put[-1]) and panics
                    if not copied if unwinds else self._was_moved(put[-1], owner):
                        break
                    alive = [hit for hit in known if hit.order < put[-1].order]
                    if len(alive) + 1 != len(hits):
                        break  # it was released when it was copied, or another block
                    return self._step(seen, put[-1], OriginKind.SHARED)
                cell = Cell("C1", read.cell, read.size)
        return None

    def _was_moved(self, put: Hit, source: int) -> bool:
        """Whether a pointer was put over another, from beside it: the place it came from is unused
        since, as far as who counts the array's elements knows."""
        blocks = [self._block_start(at) for at in (source, put.address)]
        apart = abs(put.address - source) if None in blocks else 0
        frames = {found and found[1] for at in (source, put.address)
                  for found in [frame_of(put.frames, at)]}  # fmt: skip
        beside = blocks[0] == blocks[1] and apart < _ARRAY and len(frames) == 1
        return beside and bool(put.old) and self.core.region(put.old or 0) is not None

    async def _copied_whole(self, stored: Hit, owner: int = 0) -> bool:
        bound = Bound(Cell("B", stored.address, stored.size), stored.nth)
        place = await self._source(stored, bound) if copies_whole(self.core, stored) else None
        return await self._is_shared_by(stored, place, owner)

    def _is_scheduled(self, free: Hit) -> bool:
        """Whether the program called what releases through a pointer that it read beside what is
        to be released, or in it: another put both there, as into a queue of what is to be done
        later, or a handler into its object, which left by a jump. An allocator's hook is given what
        its caller chose, and no other block; what a virtual function does is its caller's doing
        where it ends the object (Itanium C++ ABI, 5.1.4.3: D0)."""
        frame, moment = own(free.frames), at_hit(self.core, free)
        call = before(self.core, frame.address or 0) if frame is not None else None
        if call is None or not call.is_call or call.target or callee_name(self.core, call):
            return False
        if (slot := table_word(self.core, call)) is not None:
            entries = [self.core.read_word(one + slot) for one in free.words]
            lefts = [one and self.core.symbolize(one) for one in entries]
            tables = [(at, left[0]) for at, left in enumerate(lefts) if left and not left[1]]
            if not tables and entries[:1] == [0] and self._is_table(free.words[0]):
                return False  # of a class of which no object is but while one ends
            # By which of several tables it was called is not known.
            return len(tables) != 1 or tables[0][0] != 0 or not tables[0][1].endswith("D0Ev")
        above = callers(moment, free.registers["rip"], free.registers, len(free.frames))
        caller = next((one for one in above if one.call.address == call.address), None)
        slicer = slicer_at(moment, call.address, caller.registers) if caller is not None else None
        if caller is None or slicer is None:
            return True
        mem, register = call.operands[0].mem, FAMILY.get(call.operands[0].reg or "", "")
        if free.address not in [argument(moment, caller, name)[0] for name in ARGUMENTS]:
            return True
        given = argument(moment, caller, "rdi")[1]
        what = self._loaded_from(given)
        if mem is not None:
            bases = {name: slicer.known(name) for name in (mem.base, mem.index) if name}
            goal = call.effective(mem, {name: at for name, at in bases.items() if at is not None})
        else:
            goal = self._loaded_from(history(moment, call.address, register, caller.registers))
        if not given or goal is None or 0 <= goal - free.address < free.size:
            return True
        return what is not None and abs(what - goal) <= _ENTRY

    def _is_table(self, address: int) -> bool:
        """Whether virtual functions' addresses begin there (Itanium C++ ABI, 2.5.2)."""
        name = variable_at(self.core, address) or ""
        return name.startswith("_ZTV") and name.endswith("+0x10")

    def _loaded_from(self, steps: Sequence[Step]) -> int | None:
        """The cell, in no function's frame, that a value was read from."""
        cells = (step.source for step in steps if step.kind == "load" and step.source is not None)
        return next((cell for cell in cells if kind_of(self.core, cell) != "stack"), None)

    def _note_births(self, seen: Observed, hits: Sequence[Hit]) -> None:
        births = [hit for hit in hits if hit.kind == "alloc"]
        if births:
            self.steps.append(self._step(seen, births[-1], OriginKind.ALLOCATED))

    def _note_write(self, seen: Observed, free: Hit, end: int) -> None:
        """Who wrote last to the cell that was read, after its memory had been given back."""
        hits = [h for h in by_program(seen, "C1", end) if h.order > free.order and h.old != h.new]
        self.steps += [self._step(seen, hit, OriginKind.WRITTEN) for hit in hits[-1:]]

    def _ran_out(self, seen: Observed, lead: Lead, end: int) -> bool:
        """Whether the pointer was moved on out of memory that is still there, step by step: who
        gave back what had lain behind that is no cause."""
        moves = hits_of(seen, "C1", end)[-1:]
        return lead.row in ("pointer", "copy") and any(
            hit.new is not None and hit.old is not None and 0 < abs(hit.new - hit.old) <= STEP
            and self.core.region(hit.old) is not None and self.core.region(hit.new) is None
            for hit in moves
        )  # fmt: skip


def _in_call_of(hit: Hit, other: Hit) -> bool:
    """Whether a hit was in the call in which the program made another."""
    made = own([frame for frame in other.frames if frame.index not in other.made])
    calls = {one.call for one in hit.frames}
    return made is not None and made.call in calls


def _outside_destructor(hit: Hit) -> Hit:
    """A hit as of who had the object destroyed, where a destructor made it (C++, [class.dtor]):
    that gives it back next."""
    inner = [one.index for one in hit.frames if "::~" in (one.function or "")]
    return replace(hit, made=(*hit.made, *range(max(inner, default=-1) + 1)))


def _spoils(core: Dump, seen: Observed, stored: Hit, end: int) -> bool:
    """Whether the last write of a pointer's cell changed a part of it alone."""
    width = part(core, stored, Cell("", stored.address, 8))
    hits = hits_of(seen, stored.watch, end)
    return bool(width) and not changed_whole(hits, width)


def _destroys_both(seen: Observed, free: Hit) -> bool:
    """Whether the destructor of one class released both times, the second in vain."""
    last = [h for h in hits_of(seen) if h.kind == "free" and h.address == free.address][-1:]
    by, again = own(free.frames), own(last[0].frames if last else ())
    places = {(one.function, one.line) if one is not None else None for one in (by, again)}
    return by is not None and "::~" in (by.function or "") and len(places) == 1


def _inlined_again(hit: Hit, frames: Sequence[Frame], line: bool = False) -> bool:
    """Whether a function that was inlined made a hit, and another stack is in it, too, or in the
    same ``line``. Of what the pc stands behind gdb has no inlined frame: it lies where its
    caller's does."""
    made = own([frame for frame in hit.frames if frame.index not in hit.made])
    through = {frame.function for frame in hit.frames if frame.index in hit.made}
    again = own([frame for frame in frames if frame.function not in through])
    if made is None or again is None or (line and made.line != again.line):
        return False
    inside = made.inlined or any(
        one.address == made.address for one in hit.frames if one.index > made.index
    )
    return inside and (made.function, made.file) == (again.function, again.file)


def _at_one_site(hit: Hit, frames: Sequence[Frame]) -> bool:
    """Whether a hit and another stack are in a function that was inlined from the same lines, in
    the same frame."""
    sites = []
    for stack in ([one for one in hit.frames if one.index not in hit.made], frames):
        inner = own(stack)
        outer = [one for one in stack if inner is not None and one.index > inner.index]
        at = next((n for n, one in enumerate(outer) if not one.inlined), None)
        sites.append(at is not None and [
            (one.function, one.line, one.stack_pointer) for one in outer[: at + 1]])  # fmt: skip
    return bool(sites[0]) and sites[0] == sites[1]


def _by_one_call(one: Sequence[Frame], other: Sequence[Frame]) -> bool:
    """Whether a function that calls itself released, and went on to use, what one call of it gave
    on from two places: a call before would have failed at the first."""
    by = own(one)
    calls = {f.call: f.address for f in one if by and not f.inlined
             and f.function == by.function and f.index > by.index}  # fmt: skip
    failed = own(other)
    return failed is not None and any(
        not f.inlined and f.address != calls.get(f.call, f.address)
        for f in other if f.index > failed.index
    )  # fmt: skip


def _owner_given(core: Dump, calls: Iterable[Caller], pointer: int) -> Place | None:
    """Where the innermost call of what destroys an object of Rust's, which was given the object,
    finds the pointer."""
    for one in calls:
        if not _DROPS.search(callee(core, one.call)):
            continue
        given, _ = argument(core, one, "rdi")
        for at in range(given, given + _OWNER, 8) if given else ():
            if core.read_word(at) == pointer:
                return Place(at, 8, pointer, one.call.address, given)
    return None


def _same_calls(free: Sequence[Frame], fault: Sequence[Frame]) -> bool:
    """Whether one call of the program's came to the allocator from the same place both times."""
    last = max((at for at, one in enumerate(free) if in_allocator([one])), default=-1)
    inner = next((at for at, one in enumerate(free) if at > last and is_own(one)), last + 1)
    ways = [[(one.address, one.stack_pointer) for one in frames if not one.inlined]
            for frames in (free[inner:], fault)]  # fmt: skip
    return ways[0] != [] and ways[1][-len(ways[0]) :] == ways[0]


def _destroys(frames: Sequence[Frame]) -> bool:
    """Whether a standard library destroyed what the program's innermost function let go."""
    inner = itertools.takewhile(lambda one: not is_own(one), frames)
    return any("::~" in (one.function or "") or _DROPS.search(one.function or "") for one in inner)


def is_gone(hits: Sequence[Hit], number: int) -> bool:
    """A release; of a realloc only where the block does not stay where it is."""
    hit = hits[number]
    if hit.kind == "free":
        return True
    stays = (one.kind == "alloc" and one.address == hit.address and moved(one)
             for one in hits[number + 1 : number + 2])  # fmt: skip
    return hit.kind == "realloc" and not any(stays)
