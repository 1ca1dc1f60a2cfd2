"""The last write of a cell: who made it, or who should have."""

import itertools
import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.ages import lives
from workbench.reproduce.blocks import is_gone
from workbench.reproduce.bystanders import Bystanders
from workbench.reproduce.given import sums
from workbench.reproduce.given_again import got
from workbench.reproduce.hits import (
    changed_whole,
    first_of_run,
    in_library,
    is_from,
    is_inside,
    left_by_library,
    not_only_moved,
    overlaps,
    part,
    sets_constant,
    stepped_both_ways,
    without_counting,
)
from workbench.reproduce.leads import CANARY, below_zero
from workbench.reproduce.left_frames import LeftFrames
from workbench.reproduce.loops import spends, wrapped
from workbench.reproduce.makers import asks_for_null, made_of
from workbench.reproduce.moment import at_hit, before, frame_of, stored_by, wrote
from workbench.reproduce.observing import (
    COUNTS,
    STEP,
    WATCHED,
    Bound,
    Observed,
    by_program,
    call_of,
    hits_of,
)
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.pools import Pools
from workbench.reproduce.rooms import Rooms
from workbench.reproduce.rounds import TEXTS
from workbench.reproduce.slices import FREES, Lead, Place, callee, cells_of, last_step
from workbench.reproduce.stores import FILLS, copies, ends_list, moved
from workbench.reproduce.unset import Unset, births_of, is_zeroing
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import count_of, fills_by_number
from workbench.targets.dump import Dump
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.instruction import Instruction, stored_to
from workbench.targets.probes.malloc.heaps import find_heaps
from workbench.targets.probes.places import crashing_thread, kind_of
from workbench.targets.probes.x86 import FAMILY

_FAR = 1 << 20
"""Bytes that an array is thought to have at most."""
_NONE = re.compile(r"core::option::(?:unwrap|expect)_failed")
"""What a Rust program calls that unwraps None: who put that there took the value."""
_REFUSED = re.compile(r"core::cell::(?:panic_already_|RefCell<.*>::borrow)")
_TAKES = re.compile(r"^core::mem::replace<core::mem::maybe_uninit::")
"""Rust's own, by which an element is moved out of a place that holds nothing valid from then on."""
_BOUNDED = re.compile(r"_*v?snprintf(?:_chk)?")
_SORTS = re.compile(r"qsort|msort")  # glibc, stdlib/msort.c and qsort.c

_NEXT = 32
"""Bytes of code behind a call in which what it gave is read at once."""

_AHEAD = 8
"""Instructions in which what was loaded is stored."""


class Writes(LeftFrames, Unset, Bystanders, Rooms, Pools):
    """What the writes of one cell come to."""

    def _borrows(self, seen: Observed, written: Sequence[Hit]) -> OriginStep | None:
        """Who took the borrow that a RefCell's count tells of: 1 of one reader, -1 of a writer
        (Rust's core::cell, BorrowFlag). Of several readers each may be one too many."""
        last = written[-1] if written else None
        if last is None or last.old != 0 or last.new not in (1, (1 << 64) - 1):
            return None
        return self._step(seen, last, OriginKind.WRITTEN)

    async def _chosen_writes(
        self, seen: Observed, lead: Lead, cell: Cell, end: int, reads: bool, births: Sequence[Hit]
    ) -> list[Hit] | None:
        """The writes of a cell of which the last one may have made its value bad; None where it is
        known that more than that one, or another than who wrote, may be to blame."""
        hits = hits_of(seen, cell.name, end)
        written = [
            hit
            for hit in by_program(seen, cell.name, end)
            if (not reads and hit.old is not None and hit.old != hit.new) or wrote(self.core, hit)
        ]
        written = [one for one in written if not overlaps(hits, one)]
        written = [hit for hit in written if not is_zeroing(hit, births)]
        written = not_only_moved(self.core, written, lead)
        fitting = [hit for hit in written if lead.value is not None and hit.new == lead.value]
        if lead.row == "copy" and written and not fitting and lead.value is not None:
            return None  # a part of it alone was copied
        if fitting and part(self.core, fitting[-1], cell):  # with what it had begun to write there
            written = written[: written.index(fitting[-1]) + 1]
        else:
            written = fitting or written
        borrows = self._is_borrow(lead)
        if lead.row in COUNTS and written and not borrows:
            stepped, written = written[-1], without_counting(written, cell)
            if lead.row == "index" and stepped != written[-1] and (
                call_of(stepped) == call_of(written[-1]) and not self._came_to_it(written[-1], hits)
            ):  # fmt: skip
                return None  # where it began to count in that call, and how far, is its bound's
            if stepped_both_ways(hits, written[-1]):
                return None  # which of the steps was one too many, or left out, is not known
            if await self._counted_anew(hits, written[-1], cell, end):
                return None  # there was nothing to count
        if lead.outside:  # nobody's: the first write since the allocator's own went too far
            kept = max((hit.order for hit in hits if in_allocator(hit.frames)), default=0)
            written = [hit for hit in written if hit.order > kept][:1] or written
        if lead.row in ("canary", "return address"):
            laid = max((hit.order for hit in written if self._lays(hit)), default=1 << 60)
            written = [hit for hit in written if hit.order > laid][:1] or written
        return written

    def _lays(self, hit: Hit) -> bool:
        """Whether a store was that of a frame's beginning: of where it returns to, or its canary,
        which what went too far changes then."""
        insn = stored_by(self.core, hit)
        slicer = slicer_at(self.core, insn.address, hit.registers) if insn is not None else None
        if insn is None or slicer is None or insn.is_call or len(insn.operands) != 2:
            return insn is not None and insn.is_call
        code, source = slicer.code, FAMILY.get(insn.operands[1].reg or "", "")
        ways = slicer.definitions(source) if source and insn.operands[1].size == 8 else ()
        return any(
            one.mem is not None and (one.mem.segment, one.mem.disp) == ("fs", CANARY)
            for index, _ in ways if index is not None for one in code.instructions[index].operands
        )  # fmt: skip

    def _came_to_it(self, hit: Hit, hits: Sequence[Hit]) -> bool:
        """Whether a store came to a counter as to an element of an array beside it: by an index, or
        with an address, which is wider than what others had counted by."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        if insn is None or mem is None or not hit.old:
            return False
        put = hit.registers.get(FAMILY.get(insn.operands[-1].reg or "", ""), 0)
        earlier = [stored_by(self.core, one) for one in hits if one.order < hit.order]
        counted = any(one and one.operands[:1] and one.operands[0].size == hit.size
                      for one in earlier)  # fmt: skip
        wider = insn.operands[0].size > (hit.size or 8) and counted
        return mem.index is not None or (wider and self.core.region(put) is not None)

    def _is_borrow(self, lead: Lead) -> bool:
        frames = self.crash.outcome.frames
        return lead.row == "check" and any(_REFUSED.match(f.function or "") for f in frames)

    async def _by_place(
        self, seen: Observed, lead: Lead, cell: Cell, end: int, bound: Bound, written: Sequence[Hit]
    ) -> tuple[OriginStep | None, bool]:
        """Why a cell's last write is not to blame for where its value, or the cell itself, lies: in
        a frame that is another call's by the fault, or was when it was written; and whether it is
        not."""
        last, hits = written[-1], hits_of(seen, cell.name, end)
        if self._is_data(lead, first_of_run(self.core, written, cell)):
            behind = replace(lead, row="pointer", cells=lead.cells[1:], derived=False)
            partly = await self._follow(behind, bound)
            if partly is not None and (
                partly.kind is OriginKind.RELEASED_EARLY or partly.evidence in self._changed_in_part
            ):
                return partly, True
        if lead.row in ("pointer", "copy") and kind_of(self.core, last.new or 0) == "stack":
            left = self._left_frame(seen, last, last.new or 0, self.crash.outcome)
            if left is not None:  # whoever has the address of a local by then
                return (left if await self._came_back(seen, left) else None), True
        then = next((hit for hit in hits_of(seen) if hit.order == end), None)
        owner = self._owner(cell.address, then)
        holder = frame_of(then.frames if then is not None else self.crash.outcome.frames,
                          cell.address)  # fmt: skip
        in_own = holder is not None and is_own(holder[0]) and not lead.stack_block
        place = (holder[0].function, holder[1]) if holder is not None and in_own else None
        others = last.new and not any(
            self._place_of(hit, cell.address) in (None, place) for hit in written
        )
        if place and (lead.left or others):
            return await self._never_set(lead, cell, place, bound), True
        before_it = place and self._place_of(last, cell.address) not in (None, place)
        if holder is not None and before_it and last.new == 0:  # another left null there before
            return (await self._same_value(lead, cell, bound, holder[0]))[0], True
        if owner is not None and not lead.stack_block:
            function = owner[1]
            within = self._within(last, function, hits)
            if (then is None or is_inside(then, function)) and not within:
                return (await self._same_value(lead, cell, bound, function))[
                    0
                ], True  # null over it
        known = bound == Bound() and is_own(self.crash.outcome.frames[0]) and not lead.stack_block
        lay = frame_of(last.frames, cell.address)
        by_library = holder is None and lay is not None and not is_own(lay[0])
        if owner is None and (by_library or (known and self._is_its_own(last))):
            return None, True  # who kept the address of what was there before is to blame
        return None, False

    async def _wrote_over(
        self, seen: Observed, lead: Lead, cell: Cell, run: tuple[Hit, Hit], width: int,
        small: OriginStep | None, bound: Bound,
    ) -> OriginStep | None:  # fmt: skip
        """Who wrote over what is another's, by the first and the last write of one call, ``width``
        bytes of a pointer each; or who made it go there."""
        last, newest = run
        if self._had_no_room(last):
            return None
        written_over = self._step(seen, last, OriginKind.WRITTEN)
        self._changed_in_part |= {written_over.evidence} if width else set()
        size = self._copied_size(last)
        if size and size[0].value is not None and size[0].value >> 63:  # below zero
            self.steps.append(written_over)
            cells, derived = cells_of(at_hit(self.core, last), size)
            last_of = None if cells else last_step(size)
            number = Lead(row="index", cells=cells, end=last_of, derived=derived)
            return await self._follow(below_zero(size) or number, bound)
        copied = width and small is None
        by = await self._in_parts(newest, cell, bound.reads) if copied else small
        if by is None and lead.outside:
            by = await self._wrote_to_gone(last, cell)
        if by is not None:
            self.steps.append(written_over)
            return by
        if lead.outside:
            led = self._was_given_place(last) or await self._was_stepped(last, cell)
            return None if led else written_over
        if kind_of(self.core, last.address) == "stack":
            if self._is_told_no_room(last):
                return None
            obeyed = self._unless_room_given(written_over, last)
            if lead.stack_block or obeyed not in (None, written_over):
                return obeyed
        return await self._unless_given(written_over, last, bound)

    async def _last_write(
        self, seen: Observed, lead: Lead, cell: Cell, end: int, bound: Bound
    ) -> OriginStep | None:
        """Who made the value of a cell bad that a run watched before the order ``end``."""
        reads = bound.reads
        if (early := await self._read_early(seen, lead, cell, end)) is not None:
            return early
        if not (lead.outside or lead.stack_block) and self._is_size(cell.address):
            return None  # the allocator's own word: who went in front of his block is to blame
        hits = hits_of(seen, cell.name, end)
        births = births_of(self._blocks(seen, cell.address, end))
        born = births[-1].order if births else 0
        written = await self._chosen_writes(seen, lead, cell, end, reads, births)
        if written is None or self._is_borrow(lead):
            return self._borrows(seen, written) if written is not None else None
        last = written[-1] if written else None
        if last is not None and bound == Bound() and cell.address == self._first:
            self.aside = self.aside or self._step(seen, last, OriginKind.WRITTEN)
        gone = self._frame_gone(seen, lead, end)
        if gone is not None and not await self._came_back(seen, gone):
            return None  # what takes such a pointer away again was passed over
        if self._is_filled(seen, lead, cell, bound) if births and not hits else (
            hits and bound == Bound() and self._changed_since(lead, hits[-1])
        ):  # fmt: skip
            return gone  # by another process, or the system for one
        if births and self._beside(seen, lead, births[-1]):
            return None
        if last is not None and not lead.outside and self._is_beside(last, cell):
            return None  # who led there is to blame, or took a mark for a part of it
        if last is not None and in_library(last, _SORTS):
            return None  # what it was given to sort is not known
        if last is not None and in_library(last, _TAKES):
            return None  # it was taken out: who came to its place again is to blame
        if last is not None and fills_by_number(self.core, last):
            return None
        if last is not None and lead.row == "flag" and not self._was_there(seen, last):
            return None  # with what it began with
        if last is not None and last.new == 0 and count_of(self.core, last) is not None:
            return None  # it went with its last holder: which release was one too many is not known
        if last is not None and last.order > born and len(births) > 1:
            stale, unknown = await self._by_stale_pointer(seen, last, cell, reads)
            if stale is not None or unknown:
                return stale
        if last is None or last.order < born:
            same, was_set = await self._same_value(lead, cell, bound)
            if same is not None or was_set:
                return same
            if lead.outside or not births:
                return None if births else await self._row_left_out(lead, cell)
            if moved(births[-1]):
                return await self._carried(seen, births[-1], cell)
            if self._behind_end(births[-1], cell):
                return None  # whoever went that far is to blame
            return await self._left_out(seen, lead, births[-1], cell)
        if gone is not None:
            return gone
        placed, is_known = await self._by_place(seen, lead, cell, end, bound, written)
        if is_known:
            return placed
        width = 0 if lead.stack_block else part(self.core, last, cell)
        begun = first_of_run(self.core, written, cell) if width else last
        if lead.derived and not self.core.region(begun.old or 0):  # it may be a number's
            width, begun = 0, last
        how_far = self._told_how_far(begun)
        may_be_small = width or lead.outside or self._copied_size(last) or how_far is not None
        if may_be_small and not self._counts and await self._read_past(begun, cell):
            return None  # it was told to copy more than there was: by whom is not known
        small = await self._too_small(lead, begun) if may_be_small else None
        room = self._held_to(begun) if lead.outside and small is None else None
        said, _ = await self._for_room(begun, room) if room is not None else (None, False)
        if said is not None:
            self.steps.append(self._step(seen, begun, OriginKind.WRITTEN))
            return said
        if small is None and self._either:
            return None
        whole = changed_whole(written, width)
        over = bool(width and self.core.region(begun.old or 0))  # a pointer stood there
        over = over or (width > 1 and whole)
        if width and not (over or whole or small or lead.outside):
            # What it stored is not what was read.
            return await self._led_to_data(lead) if bound == Bound() else None
        last = begun if over or small else last
        was, now = (self._leads(last, one or 0) for one in (last.old, last.new))
        beside = lead.row in COUNTS and self._came_to_it(last, hits)
        spoilt = small is None and (
            over or lead.outside or beside or (was and not now and bool(last.new))
        )
        small_room, unknown = await self._for_room(last) if spoilt else (None, False)
        if small_room is not None:
            self.steps.append(self._step(seen, last, OriginKind.WRITTEN))
            return small_room
        led = how_far is not None and (how_far or self._measured)
        if unknown or (spoilt and led):
            return None  # who told it, or made the array, may be to blame
        bound_here = Bound(replace(cell, name="B"), last.nth, reads)
        earlier = [
            h
            for h in hits
            if born < h.order < last.order
            and h.new
            and self._place_of(h, cell.address) == self._place_of(last, cell.address)
        ]
        first = lead.row not in FREES and all(call_of(h) == call_of(last) for h in earlier)
        made = bool(births) and is_from(births[-1], last)
        first = first and (made or (is_own(last.frames[0]) and not width))
        later = _took_later(seen, lead, last, end)
        if spoilt and not lead.outside and self._begins_there(seen, last, lead):
            pooled, _ = await self._pooled(lead, last)
            return None if later else pooled  # to whom it was given, too
        others = any(call_of(h)[1] != call_of(last)[1] for h in earlier)
        if spoilt and over and not (first or lead.outside or lead.stack_block):
            back, unknown = await self._reissued_or_given(seen, lead, last, end)
            if back is not None or unknown:
                return None if later else back
        outside = lead.outside or lead.stack_block or beside
        if small is not None or (over and not first) or outside:
            return await self._wrote_over(
                seen, lead, cell, (last, written[-1]), width, small, bound_here
            )
        in_use = cell.address == lead.cells[0].cell and lead.row != "copy"
        ran_on = self._ran_on(last)  # no object is filled so
        begun_here = bool(births) and births[-1].address == lead.cells[0].base and (
            call_of(births[-1]) == call_of(last)
            and not any(born < one.order < last.order and one.new for one in hits)
        )  # fmt: skip
        if in_use and not ran_on:  # of the object in use
            pooled, emptied = (None, False) if begun_here else await self._pooled(lead, last)
            none = any(_NONE.match(f.function or "") for f in self.crash.outcome.frames)
            if pooled is not None or emptied or (
                others and not none and await self._is_next_life(lead, last)
            ):  # fmt: skip
                again = later or (pooled is not None and await self._took_again(lead, last))
                return None if again else pooled
        if (spoilt or others) and not (over or ran_on):
            asked_for = self._given_again if in_use else self._reissued_or_given
            back, unknown = await asked_for(seen, lead, last, end)
            if back is not None or unknown:
                return None if later else back
        lent = 0 if reads else self._lends(last)
        if lent:
            since, unknown = await self._stored_since(cell, lent, bound)
            if since is not None or unknown:
                return since
        found = await self._behind_write(seen, last, replace(cell, name="B"), reads)
        at = last.registers.get("rip")
        by, free = before(self.core, at or 0), not reads and self._left > 0
        if found is None and not last.new and by and free and not lent:
            return (await self._stored_since(cell, by.address, bound))[0]  # it began as null
        here = (Citation(seen.id, last.first, last.last),)
        is_number = self._counts or wrapped(last.new)
        plain = (OriginKind.WRITTEN, *(() if is_number else (OriginKind.COMPUTED,)))
        # who fills it each time takes nothing away
        again = is_own(last.frames[0]) and any(h.registers.get("rip") == at for h in earlier)
        told = (*(plain if first else ()), *((OriginKind.CLEARED,) if again else ()))
        if found is None or found.evidence != here:
            return found
        given = await self._unless_given(found, last, bound_here)
        if given == found and found.kind in told:
            self.aside = found
            return None  # whether another value belongs there is not known
        data = spoilt and (  # over an address of code
            self.core.region(last.new or 0) is not None or not is_own(last.frames[0])
        )
        meant = lead.row not in COUNTS and not (data or ran_on)
        asked = meant and self._asked_for(last, lead)
        ends = found.kind is OriginKind.CLEARED and ends_list(self.core, last)
        if given == found and (asked or ends):
            self.aside = found
            return None
        if found.kind is OriginKind.CLEARED and spends(self.core, lead.cells[0].at, at or 0):
            return None  # whoever came for it once more is to blame
        if (
            given == found
            and found.kind is OriginKind.CLEARED
            and await self._begins_anew(lead, last)
        ):
            return None  # who gave it out again has not set it
        if by and free and not lent and found.kind is OriginKind.CLEARED and given == found:
            since, others = await self._stored_since(cell, by.address, bound, found)
            return since if others else given
        return given

    def _is_beside(self, hit: Hit, cell: Cell) -> bool:
        """Whether a store of a word lies across a pointer's cell, where none lies: not at a
        multiple of its size (System V ABI, AMD64, 3.1.2)."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        at = insn.effective(mem, hit.registers) if insn is not None and mem else None
        whole = insn is not None and insn.operands[0].size == cell.size == 8
        return whole and cell.address % 8 != 0 and at not in (None, cell.address)

    async def _counted_anew(self, hits: Sequence[Hit], last: Hit, cell: Cell, end: int) -> bool:
        """Whether a number was set to zero for a function that had counted it up before, and that
        ran since: it came upon nothing to count."""
        begun = max((n + 2 for n, h in enumerate(hits) if left_by_library(h, cell)), default=0)
        steps = [h for h in hits[begun:] if h.order < last.order
                 and (h.new or 0) == (h.old or 0) + 1
                 and h.registers.get("rip") != last.registers.get("rip")
                 and not sets_constant(self.core, h)]  # fmt: skip
        counter = own(steps[-1].frames) if steps and not last.new else None
        if counter is None or counter.function in (one.function for one in last.frames):
            return counter is not None
        code = code_around(self.core, counter.address or 0)
        seen = await self._observe(
            "whether who counts ran since", cells=(cell,), points=(Point("R", code.start),)
        ) if code is not None and end == 1 << 60 and self._left > 0 else None  # fmt: skip
        events = hits_of(seen)
        cleared = [h.order for h in events if h.watch == cell.name and not h.new][-1:]
        return any(h.watch == "R" and cleared and h.order > cleared[0] for h in events)

    def _is_size(self, cell: int) -> bool:
        """Whether malloc keeps the size of a block in a cell, which is nobody's else."""
        return any(cell - 8 in heap.walk.starts for heap in find_heaps(self.core))

    async def _took_again(self, lead: Lead, last: Hit) -> bool:
        """Whether who failed stored the object's address where it had been kept before, behind its
        last write: what stood there was the same, which reads alone tell of."""
        start, holder = lead.cells[0].base, next((one.cell for one in lead.cells[1:2]), None)
        if start is None or holder is None or self._left <= 0:
            return False
        cells = (Cell("O", last.address, last.size or 8), Cell("H", holder))
        seen = await self._observe("whether it was taken again", cells=cells, reads=True)
        hits = [h for h in hits_of(seen) if wrote(self.core, h)]
        done = max((h.order for h in hits if h.watch == "O" and h.new == last.new), default=None)
        return done is not None and any(
            h.watch == "H" and h.order > done and h.new == start for h in hits
        )

    async def _begins_anew(self, lead: Lead, last: Hit) -> bool:
        """Whether a function that was not told which one it is wrote into the object after its last
        write, where that call had written as well: it began another life of it."""
        beside = [Cell(f"N{by}", last.address + by) for by in (-16, -8, 8) if last.size == 8]
        start = lead.cells[0].base
        if not beside or self._left <= 0 or kind_of(self.core, last.address) == "stack":
            return False
        own_block = start is not None and self._block_start(start) == start
        if own_block or not self._by_register(last):
            return False  # malloc's, or a variable that its name leads to
        seen = await self._observe("who writes beside it", cells=(Cell("O", last.address), *beside))
        hits = [h for h in hits_of(seen) if h.kind == "write"]
        done = [h for h in hits if h.watch == "O" and h.new == last.new][-1:]
        ended = {h.watch for h in hits if done and call_of(h) == call_of(done[0])}
        return any(
            h.watch in ended and h.order > done[0].order and call_of(h)[1] != call_of(done[0])[1]
            and is_own(h.frames[0]) and self._by_register(h) and self._finds_place(h) for h in hits
        )  # fmt: skip

    def _by_register(self, hit: Hit) -> bool:
        """Whether a store went by an address in a register."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        return mem is not None and mem.base not in (None, "rip")

    async def _wrote_to_gone(self, hit: Hit, cell: Cell) -> OriginStep | None:
        """The release of the block that a write to another's header set out from, where that had
        been released before."""
        seen, blocks = await self._set_out_from(hit, cell)
        gone = seen is not None and blocks and is_gone(blocks, len(blocks) - 1)
        if seen is None or not gone or self._is_scheduled(blocks[-1]):
            return None
        return self._step(seen, blocks[-1], OriginKind.FREED)

    async def _wrote_behind_its_own(self, hit: Hit, cell: Cell) -> bool:
        """Whether a write set out from a block that its owner had, and went past its end."""
        given = await self._copied_with(hit, cell)
        if given.get("rdx", 0) >> 63 and FILLS.match(hit.function):
            return True  # below zero: without end
        _, blocks = await self._set_out_from(hit, cell, given.get("rdi"))
        last = blocks[-1] if blocks else None
        return last is not None and last.kind == "alloc" and (
            hit.address >= last.address + last.size)  # fmt: skip

    async def _copied_with(self, hit: Hit, cell: Cell) -> Mapping[str, int]:
        """The registers at the call in which the C library copied over a cell; none of another's
        write: only there it is sure to hold what it was given."""
        name = hit.function
        call = next(callers(at_hit(self.core, hit), hit.registers["rip"], hit.registers, 1), None)
        if call is None or not (FILLS.match(name) or TEXTS.match(name)):
            return {}
        bound = Bound(replace(cell, name="B"), hit.nth)
        seen = await self._last_at("what it was given", (Point("R", call.call.address),), bound)
        return seen[1].registers if seen is not None else {}

    async def _read_past(self, hit: Hit, cell: Cell) -> bool:
        """Whether the C library's copy read on behind another block than it wrote to."""
        given = await self._copied_with(hit, cell) if copies(hit) and self._left > 1 else {}
        to, start, size = (given.get(name, 0) for name in ("rdi", "rsi", "rdx"))
        if not self._may_be_heap(start) or self._left <= 0:
            return False
        watched = replace(cell, name="B")
        seen = await self._observe("what it copied from", cells=(watched,), blocks=(start,))
        last = self._blocks(seen, start, self._end(seen, Bound(watched, hit.nth)))[-1:]
        ends = [one.address + one.size for one in last if one.kind == "alloc"]
        return any(end < start + size and not last[0].address <= to < end for end in ends)

    async def _set_out_from(
        self, hit: Hit, cell: Cell, start: int | None = None
    ) -> tuple[Observed | None, list[Hit]]:
        """The block that the pointer of a write to ``cell``, or the ``start`` of a copy, leads
        into: what became of it until then, and the run that showed it."""
        insn = stored_by(self.core, hit)
        base = (
            insn.operands[0].mem.base if insn and insn.operands and insn.operands[0].mem else None
        )
        if insn is None or base not in hit.registers or self._left <= 0:
            return None, []
        steps = history(at_hit(self.core, hit), insn.address, base, hit.registers)
        known = [(step.value or 0, step.source) for step in steps if step.kind != "computed"]
        known += [(start, None)] if start is not None else []
        held = [one for one in known if 0 <= hit.address - one[0] < _FAR
                and self._may_be_heap(one[0])]  # fmt: skip
        if not held:
            return None, []
        value, watched = held[-1][0], replace(cell, name="B")
        there = value == hit.address  # what is stepped on leads to where it writes by itself
        kept = [Cell("C1", at) for one, at in held if one == value and at is not None][:1]
        cells = (*Bound(watched, hit.nth).cells, *kept)
        seen = await self._observe(
            "whose memory it wrote by", cells=cells, blocks=(value,), reads=there
        )
        events = hits_of(seen)
        end = next((h.order for h in events if h.watch == "B" and h.nth == hit.nth), 0)
        blocks = self._blocks(seen, value, end)
        stored = [h for h in events if h.watch == "C1" and h.new == value and h.order < end
                  and (not there or wrote(self.core, h))]  # fmt: skip
        if there and not any(put.order < one.order for put in stored[-1:] for one in blocks[-1:]):
            return None, []  # it came there just now, whoever had what lies there
        if seen is None or not stored or lives(blocks) < 2:
            return seen, blocks
        # What was released since the pointer was got is what it leads to, whoever has it by now.
        age = await self._age(seen, blocks, stored[-1], Bound(watched, hit.nth))
        gone = (number for number in range(age or 0, len(blocks)) if is_gone(blocks, number))
        return seen, blocks[: next(gone, len(blocks)) + 1] if age is not None else []

    async def _was_stepped(self, hit: Hit, cell: Cell) -> bool:
        """Whether a store went by a pointer, kept in memory, that is moved on and back, as a
        stack's top is: which of the steps was one too many is not known."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        if insn is None or mem is None or mem.index or mem.base is None or self._left <= 0:
            return False
        slicer = slicer_at(at_hit(self.core, hit), insn.address, hit.registers)
        if slicer is None:
            return False
        kept = set[int | None]()
        for index, rest in slicer.definitions(mem.base):
            made = slicer.code.instructions[index] if index is not None else None
            source = made.operands[-1].mem if made and made.mnemonic == "mov" else None
            if index is not None and source is not None:
                kept.add(slicer.effective(source, (index, rest)))
        cells = [Cell("C1", at) for at in kept if at is not None]
        if len(cells) != 1:
            return False
        watched = replace(cell, name="B")
        seen = await self._observe("how its pointer was moved", cells=(watched, *cells))
        there = self._place_of(hit, cells[0].address)
        hits = [one for one in hits_of(seen, "C1", self._end(seen, Bound(watched, hit.nth)))
                if self._place_of(one, cells[0].address) == there]  # fmt: skip
        moves = [(one.new or 0) - (one.old or 0) for one in hits if self.core.region(one.old or 0)]
        return any(0 < by <= STEP for by in moves) and any(-STEP <= by < 0 for by in moves)

    def _was_given_place(self, hit: Hit) -> bool:
        """Whether a store went by a pointer that a function of the program's had given back, and
        that was no block's: it led astray already."""
        insn = stored_by(self.core, hit)
        mem = stored_to(insn)
        if insn is None or mem is None or mem.index or mem.base not in hit.registers:
            return False
        at, moment = hit.registers[mem.base], at_hit(self.core, hit)
        steps = history(moment, insn.address, mem.base, hit.registers)
        call = insn_at(self.core, steps[-1].at) if steps and steps[-1].kind == "call" else None
        plain = all(one.kind in ("load", "store", "copy") for one in steps[:-1])
        made = call is not None and plain and self._own_called(call) is not None
        return made and self._block_start(at) != at

    def _is_its_own(self, hit: Hit) -> bool:
        """Whether a cell of the stack lay in the frame of the function that wrote there."""
        frame, found = own(hit.frames), frame_of(hit.frames, hit.address)
        return (
            frame is not None and found is not None
            and kind_of(self.core, hit.address) == "stack"
            and found[0].stack_pointer == frame.stack_pointer
        )  # fmt: skip

    def _is_data(self, lead: Lead, hit: Hit) -> bool:
        """Whether the C library filled a cell, as which a pointer is read, with what is none, where
        none was before: it may be no pointer's, and what led to it to blame."""
        outer = not hit.frames or is_own(hit.frames[0]) or self._built_in(hit.frames[0])
        if lead.row not in ("pointer", "copy") or lead.outside or lead.stack_block or outer:
            return False
        return (
            bool(hit.new and lead.cells[1:])
            and not copies(hit)
            and self.core.region(hit.old or 0) is None
        )

    async def _led_to_data(self, lead: Lead) -> OriginStep | None:
        """Of data that a call read as an address of code: who made what led there lead to it, by a
        store to an element of an array, where it had led to an object with such an address."""
        behind = lead.cells[1:]
        if lead.row != "code pointer" or not behind or behind[0].value is None:
            return None
        table = Cell("B", behind[0].cell)
        away = lead.cells[0].cell - behind[0].value
        seen = await self._observe("who changed what led there", cells=(table,))
        hits = [one for one in by_program(seen, "B") if wrote(self.core, one)]
        if seen is None or not hits or hits[-1].new != behind[0].value:
            return None
        meant = self.core.read_word((hits[-1].old or 0) + away)
        code = self.core.region(meant or 0)
        if code is None or "x" not in code.perms or not _is_summed(self.core, hits[-1]):
            return None
        return await self._unless_given(
            self._step(seen, hits[-1], OriginKind.WRITTEN), hits[-1], Bound(table, hits[-1].nth)
        )

    def _changed_since(self, lead: Lead, hit: Hit) -> bool:
        """Whether a cell does not hold what was stored there last by all that was seen. A canary is
        another in each run: of its cell, only what was written over it is compared."""
        raw, thread = self.core.read(hit.address, hit.size), crashing_thread(self.core)
        if raw is None or hit.new is None:
            return False
        kept, put = b"", hit.new.to_bytes(hit.size, "little")
        if lead.row == "canary" and thread is not None:
            kept = self.core.read((thread.fs_base or 0) + CANARY, hit.size) or b""
        return any(
            now != then and now != was for now, then, was in itertools.zip_longest(raw, put, kept)
        )

    def _is_filled(self, seen: Observed, lead: Lead, cell: Cell, bound: Bound) -> bool:
        """Whether a cell of the heap that nobody was seen to write held more than zeros, as which
        the system gives memory."""
        now = self.core.number(cell.address, cell.size) if bound == Bound() else None
        held = lead.value if lead.value is not None else now
        return bool(held) and not seen.outcome.totals.get(cell.name)

    def _ran_on(self, hit: Hit) -> bool:
        """Whether a copy that is given no length went on over a pointer behind where it began:
        whoever calls it so is to blame, whoever gave the text."""
        name = hit.function
        if not TEXTS.match(name) or self.core.region(hit.old or 0) is None:
            return False
        moment = at_hit(self.core, hit)
        call = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
        start = argument(moment, call, "rdi")[0] if call is not None else None
        return start is not None and start < hit.address

    def _had_no_room(self, hit: Hit) -> bool:
        """Whether a store was snprintf's (ISO C, 7.21.6.5), which was told of room below zero: it
        wrote no more than that allows, and who reckoned so stands before it."""
        call = self._asked_by(hit)
        if call is None or not _BOUNDED.fullmatch(callee(self.core, call.call)):
            return False
        room = argument(at_hit(self.core, hit), call, "rsi")[0]
        return room is not None and room >> 63 == 1

    def _copied_size(self, hit: Hit) -> list[Step]:
        """The steps behind the number of bytes that the C library was asked to write."""
        if not FILLS.match(hit.function):
            return []
        moment = at_hit(self.core, hit)
        call = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
        return argument(moment, call, "rdx")[1] if call is not None else []

    async def _in_parts(self, hit: Hit, cell: Cell, reads: bool) -> OriginStep | None:
        """Where a pointer came from that the program's own copy moved in parts: the cell that they
        were read from holds the same, and has held an address. Else it was written over."""
        moment = at_hit(self.core, hit)
        insn = stored_by(self.core, hit)
        mem, source = (insn.operands[0].mem, insn.operands[1].reg) if insn else (None, None)
        at = insn.effective(mem, hit.registers) if insn and mem else None
        if insn is None or at is None or source not in FAMILY or self._left <= 1:
            return None
        steps = history(moment, insn.address, FAMILY[source], hit.registers)
        cells, derived = cells_of(moment, steps)
        if derived or not cells:
            return None
        place = Place(cells[0].cell - (at - cell.address), 8, hit.new, cells[0].at)
        bound = Bound(replace(cell, name="B"), hit.nth, reads)
        if self.core.read_word(place.cell) != hit.new or not await self._pointed(place, bound, hit):
            return None
        return await self._follow(Lead(row="copy", cells=(place,), value=hit.new), bound)

    def _beside(self, seen: Observed, lead: Lead, birth: Hit) -> bool:
        """Whether the pointer by which the first cell was reached is of another block than the
        cell: what was written there is that block's own, and no cause. The pointer's cell may have
        been given another since it was read."""
        held = lead.cells[1].value if len(lead.cells) > 1 else lead.cells[0].base
        if held is None or lead.row in ("check", "flag") or lead.outside or lead.stack_block:
            return False
        once = [h.new for h in hits_of(seen, "C2") if h.kind == "write"]
        if any(birth.address <= (one or 0) <= birth.address + birth.size for one in once):
            return False
        return self._may_be_heap(held) and not birth.address <= held <= birth.address + birth.size

    async def _read_early(
        self, seen: Observed, lead: Lead, cell: Cell, end: int
    ) -> OriginStep | None:
        """Who copied null from a cell that a function which he called next set for good; of the
        address of a function, from a cell that was set for good at any time since."""
        then = next((hit for hit in hits_of(seen) if hit.order == end), None)
        if lead.row != "copy" or then is None or not any(map(is_own, then.frames[:1])):
            return None
        reader, held = then.frames[0], self.core.read_word(cell.address)
        came = {frame.stack_pointer for frame in self.crash.outcome.frames
                if frame.function == reader.function}  # fmt: skip
        later = [hit for hit in hits_of(seen, cell.name) if hit.order > end and hit.kind == "write"]
        inside = [hit for hit in later if any(one.call == reader.call for one in hit.frames[1:])]
        only = len(later) == 1 and later[0].old == 0 and later[0].new == held
        code = self.core.region(held or 0) if self._code else None
        if not only or not held:
            return None
        if inside != later or reader.stack_pointer not in came:
            earlier = [one for one in by_program(seen, cell.name) if one.order < end]
            if code is None or "x" not in code.perms or earlier:
                return None
        if await self._may_hold_null(cell, then):
            return None
        return self._step(seen, then, OriginKind.READ_EARLY)

    async def _may_hold_null(self, cell: Cell, copied: Hit) -> bool:
        """Whether null may be what who copied a cell wanted: he reads or sets it once more himself,
        as who keeps what was there before does, or somebody who does not set it asks whether it, or
        what was copied from there in the same way to others, is null."""
        insn = _store_behind(self.core, copied.registers.get("rip", 0))
        mem = stored_to(insn)
        puts = await self._observe(
            "where else it was copied to", points=(Point("R", insn.address),)
        ) if insn is not None and mem is not None and self._left > 1 else None  # fmt: skip
        places = [insn.effective(mem, hit.registers) for hit in hits_of(puts) if insn and mem]
        others = [at for at in dict.fromkeys(places) if at and kind_of(self.core, at) != "stack"]
        seen = await self._observe(
            "whether null was meant", reads=True,
            cells=(cell, *(Cell(f"N{n}", at) for n, at in enumerate(others[: WATCHED - 1]))),
        ) if self._left > 0 else None  # fmt: skip
        hits = hits_of(seen)
        set_by = [(hit.watch, call_of(hit)) for hit in hits if wrote(self.core, hit)]
        once = {hit.registers.get("rip") for hit in hits
                if hit.watch == cell.name and call_of(hit) == call_of(copied)}  # fmt: skip
        return len(once) != 1 or any(
            (hit.watch, call_of(hit)) not in set_by
            and asks_for_null(self.core, hit.registers.get("rip", 0))
            for hit in hits
        )

    async def _same_value(
        self, lead: Lead, cell: Cell, bound: Bound, within: Frame | None = None
    ) -> tuple[OriginStep | None, bool]:
        """A write of the value that the cell held already changes nothing that a watchpoint on
        writes would tell of: once more with reads; ``within`` a call of the cell's owner. Where
        that value came from, and whether somebody wrote it."""
        if lead.row == "same value" or lead.outside or self._left <= 0:
            return None, False
        seen = await self._observe(
            f"writes of the same value to {cell.address:#x}", bound=bound,
            cells=(cell, *bound.cells), points=bound.points, blocks=(cell.address,), reads=True,
        )  # fmt: skip
        end = self._end(seen, bound)
        if seen is None or not end:
            return None, seen is not None
        births = births_of(self._blocks(seen, cell.address))
        born = births[-1].order if births else 0
        hits = [
            hit
            for hit in by_program(seen, cell.name, end)
            if hit.order > born
            and (wrote(self.core, hit) or hit.kind == "filled")
            and not is_zeroing(hit, births)
            and (within is None or self._within(hit, within, seen.outcome.events))
        ]
        if not hits or hits[-1].kind == "filled" or part(self.core, hits[-1], cell):
            return None, bool(hits)  # who stores a part of it, the same, makes no pointer
        if any(
            hit.order > hits[-1].order and hit.old != hit.new
            for hit in by_program(seen, cell.name, end)
        ):
            return None, False  # in a call before: another wrote there since
        if births and self._made_by_lookup(seen, hits[-1], births[-1]):
            return self._step(seen, hits[-1], OriginKind.NEVER_SET), True
        behind = await self._behind_write(seen, hits[-1], replace(cell, name="B"), reads=True)
        return behind, True

    def _made_by_lookup(self, seen: Observed, empty: Hit, birth: Hit) -> bool:
        """Whether a library's call made an object without a value (C++, [map.access]) and gave it
        to who called, who reads it next: what was looked for was not there."""
        made, by = own(birth.frames), own(empty.frames)
        read = next((hit for hit in hits_of(seen, empty.watch) if hit.order > empty.order), None)
        if read is None or made is None or by is None or empty.new or is_own(empty.frames[0]):
            return False
        reads = read.frames[0] if is_own(read.frames[0]) else None
        places = {(one.function, one.stack_pointer, one.address) for one in (made, by)}
        return (
            reads is not None and len(places) == 1
            and reads.call == by.call
            and 0 <= (reads.address or 0) - (by.address or 0) < _NEXT
        )  # fmt: skip

    def _within(self, hit: Hit, function: Frame, hits: Sequence[Hit]) -> bool:
        """Whether a cell of a function's frame was written in that call: inside of it, or after
        such a write by another thread, which leaves nothing of its own on that stack."""
        if is_inside(hit, function):
            return True
        begun = any(is_inside(one, function) for one in hits
                    if one.watch == hit.watch and one.order < hit.order)  # fmt: skip
        stack = self.core.region(hit.registers.get("rsp", 0))
        return begun and stack is not self.core.region(hit.address)


def _store_behind(core: Dump, load: int) -> Instruction | None:
    """The instruction that stores what another loads, of those behind it that run right then."""
    code = code_around(core, load)
    at = code.at.get(load) if code is not None else None
    if code is None or at is None:
        return None
    held = FAMILY.get(code.instructions[at].operands[0].reg or "", "-")
    ahead = code.instructions[at + 1 : at + 1 + _AHEAD]
    straight = itertools.takewhile(lambda one: not (one.is_call or one.is_jump), ahead)
    return next((one for one in straight if stored_to(one) is not None
                 and FAMILY.get(one.operands[-1].reg or "") == held), None)  # fmt: skip


def _is_summed(core: Dump, hit: Hit) -> bool:
    """Whether the address that a store went to was added up of two numbers."""
    insn = stored_by(core, hit)
    mem = stored_to(insn)
    code = code_around(core, insn.address) if insn is not None else None
    if insn is None or mem is None or code is None:
        return False
    made = made_of(core, code, [(code.at[insn.address], mem.base or "")])[0]
    return mem.index is not None or any(map(sums, made))


def _took_later(seen: Observed, lead: Lead, last: Hit, end: int) -> bool:
    """Whether who failed got the object's address after it was written to last: a release in front
    of that took nothing away."""
    start = lead.cells[0].base if lead.cells else None
    taken = got(seen, lead, start, end) if start is not None else None
    return taken is not None and taken.order > last.order
