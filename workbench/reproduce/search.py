"""From the fault back to its origin: what one run showed decides what the next one watches."""

import itertools
import re
from collections.abc import Awaitable, Callable, Sequence

from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Hit
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce import wire
from workbench.reproduce.ages import gives
from workbench.reproduce.blocks import Blocks
from workbench.reproduce.inputs import Inputs
from workbench.reproduce.leads import THROWN, overrun
from workbench.reproduce.locks import Locks
from workbench.reproduce.lookups import Lookups
from workbench.reproduce.loops import begins, builds_up, made_ring, spends
from workbench.reproduce.makers import asks_for_null, is_asked_for_null, returns
from workbench.reproduce.moment import before, frame_of, wrote
from workbench.reproduce.narrowed import narrow_beside
from workbench.reproduce.nulls import Nulls
from workbench.reproduce.observing import (
    COUNTS,
    Bound,
    Observed,
    by_program,
    call_of,
    fitting,
    hits_of,
    origin_of,
)
from workbench.reproduce.owners import in_allocator, is_nameless, is_own, own
from workbench.reproduce.preserved import Preserved
from workbench.reproduce.references import References
from workbench.reproduce.slices import FREES, Lead, Place, member_of
from workbench.reproduce.tags import Tags
from workbench.reproduce.told import Link
from workbench.reproduce.wire import Cell, Point
from workbench.reproduce.writes import Writes
from workbench.targets.dump import Dump
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step
from workbench.targets.probes.machines.x86 import accesses
from workbench.targets.probes.places import kind_of, variable_at

_SHIFTED = 8
"""Instructions behind one that made a number in which it is shifted to the right."""
_COUNTS = ("add ", "sub ", "inc ", "dec ", "lea ")
"""What counts; a mark of whoever keeps an address is a bit of it, and set by another."""
_BESIDE = 128
"""Bytes of an object at fault in which a run and a dump are compared."""


class Search(Preserved, Inputs, Tags, Writes, Blocks, References, Locks, Lookups, Nulls):
    """One fault's. ``find`` gives the origin, or None where the runs do not show one."""

    async def find(self, lead: Lead) -> Origin | None:
        """Follow a lead to its end; where it names no cell, and data runs across a header of the
        heap, from there: what failed may have been written over with it."""
        step = await self._found(lead)
        if step is None and lead.row in ("pointer", "index") and self._left > 1:
            step = await self._unkept()
        open_yet = step is None and lead.row in ("pointer", "index") and not lead.cells
        if open_yet and (header := overrun(self.core)) is not None:
            self.steps.clear()
            step = await self._found(header)
            wrote_over = step is not None and step.kind is OriginKind.WRITTEN
            stack = step.stack if step is not None and wrote_over else ()
            if any(not one.inlined for one in itertools.takewhile(lambda f: not is_own(f), stack)):
                step = None  # a library's copy: who gave it the number may be to blame
        if step is None and lead.row in ("pointer", "index"):
            self.steps.clear()
            step = await self._unchecked()
        if step is None:
            return None
        used = self._used()
        steps = [one for one in self.steps if one != step] + [step, *used]
        return origin_of(step, dict.fromkeys(steps))

    async def _found(self, lead: Lead) -> OriginStep | None:
        self._until, self._page, self._counts = lead.until, lead.page, lead.row in COUNTS
        self._releases = lead.row in FREES
        self._beyond = lead.row == "index" and not _fell(lead)
        self._first = lead.cells[0].cell if lead.cells else 0
        if lead.row == "code pointer":
            self._code, self._table, *_ = (*(one.cell for one in lead.cells[:2]), 0, 0)
        step = (
            await self._moved_under(lead) or await self._retagged(lead)
            or await self._was_an_index(lead) or await self._moved_off(lead)
        )  # fmt: skip
        if step is None:
            step = await self._follow(lead, Bound())
            at = lead.cells[0].cell if lead.cells else 0
            if step is not None and step.address != at and await self._in_a_union(lead):
                return None  # it was moved there, with what says of which kind it is
        step = step or await self._never_in_its_call(lead)
        asked = step is not None and step.kind is OriginKind.TRUNCATED  # where its size was, too
        if lead.row == "index" and lead.array and not (asked or _fell(lead)):  # it may be right
            step = await self._too_small(lead) or step or await self._grown(lead)
        if step is None and lead.row in ("pointer", "code pointer"):
            at, cell = lead.end.at if lead.end is not None else 0, 0
            for place in lead.cells[:1]:
                at, cell = place.at, place.cell
            step = await self._misled(at, cell)
        fixed = step is not None and self._is_constant(step)
        step = await self._passed_by(step) if step is not None else None
        if step is not None and lead.length is not None:
            step = await self._unless_shortened(step, lead)
        if step is not None and lead.row == "index" and (
            (self._is_within(step) and not _fell(lead)) or await self._was_another_array()
            or await self._was_its_length(step, lead)
        ):  # fmt: skip
            return None
        if step is None or self._cut_off or not self._takes_away(step) or self._may_be_null():
            return None
        if fixed and self._is_told_null(step):
            return None
        if lead.row == THROWN and step.kind not in (OriginKind.FREED, OriginKind.RELEASED_EARLY):
            return None
        if await self._others_knew(step, lead):
            return None
        used = step.kind is OriginKind.COMPUTED and self._is_use(step)
        if used and lead.row != "divisor" and not _fell(lead):
            return None  # what the failing line computed with may have been as bad
        used_by = own(self.crash.outcome.frames)
        fixed = fixed or step.kind is OriginKind.PASSED
        if fixed and self._is_use(step) and used_by and used_by.inlined:
            return None  # the compiler knew what memory held that it had laid out itself
        if self._releases and step.kind is OriginKind.COMPUTED and not self._moved_on(step):
            return None  # a member's address, or a base's, is right until somebody releases it
        return step

    async def found_narrowed(self, lead: Lead | None) -> Origin | None:
        """Who stored a number in a member too narrow for it, which led away from what its object
        points to."""
        element, array = (lead.element, lead.array) if lead is not None else (0, 0)
        load = narrow_beside(self.core, element, array)
        step = (await self._kept_narrow(load, Bound()))[0] if load is not None else None
        if step is None or step.kind is not OriginKind.TRUNCATED:
            return None
        return origin_of(step, [step, *self._used()])

    async def _grown(self, lead: Lead) -> OriginStep | None:
        """See `_outgrown`, of the element that a lead tells of."""
        read = await self._read(lead.element, Bound()) if lead.element and self._left > 2 else None
        if read is None:
            return None
        hit, at, mem = self._apart(*read[:3])
        index, _ = self._index_of(hit, mem, read[3])
        return await self._outgrown(hit, at, index) if index else None

    def _moved_on(self, step: OriginStep) -> bool:
        """Whether an address took the place of the one that it was computed from, which was right:
        in its variable, or as a loop does with its own."""
        at = next((frame.address for frame in step.stack if frame.address), None)
        code = code_around(self.core, at) if at is not None else None
        seen = code is not None and at in code.at
        return step.old not in ("", "0x0") or (seen and builds_up(self.core, at or 0))

    async def _passed_by(self, step: OriginStep) -> OriginStep | None:
        """A step of which the crash alone tells, as seen by a run that passed its instruction; None
        where none did: it is no observation."""
        at = next((frame.address for frame in step.stack if frame.address), None)
        shown = step.kind is OriginKind.RECURSED or step.evidence != (Citation(self.crash.id),)
        if shown or at is None:
            return step
        seen = await self._last_at("whether it ran", (Point("R", at),), Bound())
        if seen is None or await self._began_as_null(step, at):
            return None
        member = (
            step.kind is OriginKind.CLEARED and step.address is None and seen[1].frames[0].inlined
        )
        if member and begins(self.core, at):
            return None  # of an object in registers, whose value before is in none
        return replace(step, evidence=self._step(*seen, step.kind).evidence)

    async def _began_as_null(self, step: OriginStep, at: int) -> bool:
        """Whether a local that the instruction ``at`` set to null had held nothing in that call
        before, as far as a run shows: nothing was cleared."""
        cell = step.address or 0
        if step.kind is not OriginKind.CLEARED or kind_of(self.core, cell) != "stack":
            return False
        seen = await self._observe(
            "what it held before", points=(Point("R", at),), cells=(Cell("C1", cell),)
        ) if not self._is_spent() else None  # fmt: skip
        hits = hits_of(seen)
        last = next((hit for hit in reversed(hits) if hit.watch == "R"), None)
        return last is None or not any(
            hit.watch == "C1" and hit.new and hit.order < last.order
            and self._place_of(hit, cell) == self._place_of(last, cell)
            for hit in hits
        )  # fmt: skip

    async def _others_knew(self, step: OriginStep, lead: Lead) -> bool:
        """Whether another function than the one that failed asked, after the step had put null (0,
        or a number below that) there, whether it is, and came back, or asks it of who put it there,
        who gave it back as well: it may be null, and who used it did not ask. Or whether who used
        it had asked in the same call, and read it again: somebody was to set it in between."""
        used, at = own(self.crash.outcome.frames), step.address or 0
        cell = Cell("C1", at, next((one.size for one in lead.cells if one.cell == at), 8))
        kept, value = (_kept(self.core, lead) if step.kind is OriginKind.RETURNED else None), 0
        if kept is not None:
            cell, value = kept
        elif step.kind not in (OriginKind.CLEARED, OriginKind.WRITTEN) or step.new != "0x0":
            return False
        if not cell.address or used is None or step.function == used.function:
            return False
        if self._was_lent(step, cell.address):
            return True
        if self._left <= 0:
            return False
        maker = next((one for one in step.stack if one.function == step.function), None)
        code = code_around(self.core, maker.address or 0) if maker is not None else None
        asked = code is not None and is_asked_for_null(self.core, code.start)
        ends = tuple(Point("E", one) for one in returns(code)) if code and asked else ()
        seen = await self._observe(
            "whether others asked for null", cells=(cell,), reads=True, points=ends
        )
        hits = hits_of(seen)
        put = max((h.order for h in hits if wrote(self.core, h) and h.new == value),
                  default=1 << 60)  # fmt: skip
        back = next((h for h in hits if h.watch == "E" and h.order > put), None)
        if back is not None and not gives(back):
            return True
        running = {one.call for one in self.crash.outcome.frames}
        again = max((h.order for h in hits if call_of(h)[1:] == used.call), default=0)
        return any(
            h.watch == cell.name and h.order > put and h.new == value
            and asks_for_null(self.core, h.registers.get("rip", 0))
            and (h.order < again if call_of(h)[1:] == used.call
                 else call_of(h)[1:] not in running and call_of(h)[1] != used.function)
            for h in hits
        )  # fmt: skip

    def _was_lent(self, step: OriginStep, cell: int) -> bool:
        """Whether null was put into a pointer of the failing function's own by another to which
        that had lent it in the same call: it was told so, and did not look."""
        holder = frame_of(self.crash.outcome.frames, cell)
        alone = any((one.address, one.size) == (cell, 8) for one in self.crash.outcome.variables)
        call = (holder[0].function, holder[0].stack_pointer) if alone and holder else None
        return call in [one.call for one in step.stack]

    async def _moved_off(self, lead: Lead) -> OriginStep | None:
        """Who moved the pointer to the first cell, of a pointer, off where such a one lies: at a
        multiple of its size (System V ABI, AMD64, 3.1.2), as who counts by one does. What stands
        there is a part of one."""
        first, *led = lead.cells[:2] or (None,)
        odd = first is not None and first.size == 8 and first.cell % 8 != 0
        if first is None or not odd or not led or lead.row not in ("pointer", "code pointer"):
            return None
        seen = await self._observe("who moved it off", cells=(Cell("C1", led[0].cell),))
        last = by_program(seen, "C1")[-1:]
        insn, steps = self._behind_store(last[0]) if last else (None, [])
        made = [one.text for one in (insn, *steps[:1]) if one is not None]
        counted = any(one.startswith(_COUNTS) for one in made)
        was = last[0].old if last and counted and last[0].new == led[0].value else None
        there = first.cell - (led[0].value or 0) + was if was else 1
        near = there % 8 == 0 and abs(there - first.cell) < 8
        if not near or self.core.region(self.core.read_word(there) or 0) is None:
            return None
        self._aligned = {led[0].cell: (was or 0) % 8}
        behind = replace(lead, row="pointer", cells=lead.cells[1:], derived=False)
        return await self._follow(behind, Bound())

    async def _was_an_index(self, lead: Lead) -> OriginStep | None:
        """Who took elements away after the cell that a check read had got its index, which was
        right then."""
        length, held = lead.length, lead.cells[0] if lead.cells else None
        if length is None or held is None or not held.value or held.value != length.value:
            return None
        index = held.value - lead.ends
        return (await self._shortened(length, index, Cell("C1", held.cell, held.size)))[0]

    async def _unless_shortened(self, step: OriginStep, lead: Lead) -> OriginStep | None:
        """A step that gave an index, or what took its length below it when it had been given:
        it was right then."""
        frame, length = own(step.stack), lead.length
        at = (frame.address or 0) if frame is not None else 0
        if length is None or not at:
            return step
        index = max((length.value or int(step.new or "0", 16)) - lead.ends, 0)
        if not lead.ends and length.value == 0:
            return None  # the first element is there whenever any is
        fell, seen = await self._shortened(length, index, Point("R", at))
        return fell if fell is not None or seen else step

    async def _shortened(
        self, length: Step, index: int, given: Cell | Point
    ) -> tuple[OriginStep | None, bool]:
        """Who took the ``length`` to an ``index`` or below it after that had been ``given`` last,
        when it was right; and whether it fell so at all."""
        read = None if length.source and length.matches else await self._read(length.at, Bound())
        cell = Cell("N", read[-1] if read is not None else length.source or 0)
        held, used = frame_of(self.crash.outcome.frames, cell.address), own(
            self.crash.outcome.frames)  # fmt: skip
        spilled = held is not None and held[0] == used and not any(
            one.address <= cell.address < one.address + one.size
            for one in self.crash.outcome.variables
        )  # fmt: skip
        if not (index and cell.address) or spilled or self._is_spent():
            return None, False
        seen = await self._observe(
            "whether it was right then",
            cells=(cell, *((given,) if isinstance(given, Cell) else ())),
            points=(given,) if isinstance(given, Point) else (),
        )
        hits = hits_of(seen)
        got = max((hit.order for hit in hits if hit.watch == given.name), default=0)
        fell = [hit for hit in hits if hit.watch == "N" and hit.order > got
                and (hit.old or 0) > index >= (hit.new or 0)]  # fmt: skip
        if seen is None or not fell:
            return None, False
        return self._step(seen, fell[-1], OriginKind.WRITTEN) if got else None, True

    def _is_within(self, step: OriginStep) -> bool:
        """Whether a number was what a division by another left, or that under another's bits, or as
        many upper bits as another says: it is what that allows then, which may be wrong itself, and
        the array too small for it."""
        at = next((frame.address for frame in step.stack if frame.address), 0)
        code = code_around(self.core, at) if step.kind is OriginKind.COMPUTED else None
        end = code.at.get(at, 0) if code is not None else 0
        near = code.instructions[max(end - 3, 0) : end + 2] if code is not None else []
        made = code.instructions[end].writes if near and code is not None else ()
        behind = code.instructions[end : end + _SHIFTED] if code is not None else ()
        return any(
            one.mnemonic in ("shr", "shrx") and one.operands[-1].imm is None and any(
                name in made for name in one.writes) for one in behind if len(one.operands) > 1
        ) or any(
            (one.mnemonic in ("div", "idiv") and _LEFT_OVER.match(then.text))
            or (one.mnemonic == "and" and one.operands[1].imm is None)
            for one, then in itertools.pairwise(near)
        )  # fmt: skip

    async def went_another_way(self, origin: Origin, lead: Lead, dump: Dump, then: Lead) -> bool:
        """Whether the call that an origin lies in stored constants into the object at fault, or
        beside it, that a ``dump`` does not hold, of which ``then`` is the lead: that failed in the
        same line for another reason."""
        here, there = (one.cells[0].base if one.cells else None for one in (lead, then))
        maker = next((one for one in origin.stack if one.function == origin.function), None)
        if here is None or there is None or maker is None or self._left <= 0:
            return False
        cells = []
        for at in range(0, _BESIDE, 8):
            now, was = self.core.read_word(here + at), dump.read_word(there + at)
            if now is None or was is None or self.core.region(now) or dump.region(was):
                continue
            cells += [Cell(f"D{at}", here + at)] if now != was else []
        asked = fitting(cells)
        seen = await self._observe("what it stored beside", cells=asked) if asked else None
        last = {hit.watch: hit for hit in hits_of(seen)}
        by = (origin.function, maker.stack_pointer)
        made = [
            before(self.core, h.registers["rip"]) for h in last.values() if call_of(h)[1:] == by
        ]
        return any(one and one.operands[1:] and one.operands[1].imm is not None for one in made)

    def _takes_away(self, step: OriginStep) -> bool:
        """Whether without an event the access would have had what it needed, for all that the runs
        show: no line of the program's own did what starts a program; null over null changes
        nothing, nor does the line that declares what it is in; a place of the stack that the
        failing line itself filled for a call only handed on what it had; and what a library cleared
        on that line went with what failed."""
        if step.function is None and not any(map(is_nameless, step.stack)):
            return False
        if (step.function, step.line) == ("main", None) and any(
            one.line for one in self.crash.outcome.frames if is_own(one)
        ):
            return False  # it calls the main function of Rust
        if step.kind not in (OriginKind.WRITTEN, OriginKind.CLEARED) or step.address is None:
            return True
        if step.new == "0x0" and (step.old in ("", "0x0") or self._is_spent_there(step)):
            return False
        owner = self._owner(step.address) if step.kind is OriginKind.CLEARED else None
        if owner is not None and (owner[0], owner[1].function) == (step.line, step.function):
            return False  # its own constructor: it is new in each round
        frames = self.crash.outcome.frames
        handed_on = self._is_use(step) and own(frames) is not frames[0]
        went = step.kind is OriginKind.CLEARED and not any(map(is_own, step.stack[:1]))
        return not (handed_on and (went or kind_of(self.core, step.address) == "stack"))

    def _is_spent_there(self, step: OriginStep) -> bool:
        """Whether the function that failed had put null there itself, behind its use in a way
        without a round: in a call before, after which the object was handed to it again."""
        cleared, used = own(step.stack), own(self.crash.outcome.frames)
        here = (used.address or 0) if used is not None else 0
        return spends(self.core, here, (cleared.address or 0) if cleared is not None else 0)

    def _is_use(self, step: OriginStep) -> bool:
        """Whether a step is the program's line that failed."""
        frame = own(self.crash.outcome.frames)
        used = (frame.function, frame.file, frame.line) if frame is not None else None
        return (step.function, step.file, step.line) == used

    def _used(self) -> list[OriginStep]:
        frame = own(self.crash.outcome.frames)
        if frame is None:
            return []
        return [
            OriginStep(
                kind=OriginKind.USED,
                function=frame.function,
                file=frame.file,
                line=frame.line,
                evidence=(Citation(self.crash.id),),
                address=self.crash.outcome.address,
                stack=self.crash.outcome.frames,
            )
        ]

    async def _follow(self, lead: Lead, bound: Bound) -> OriginStep | None:
        if self._is_spent():
            return None
        if lead.locks:
            return await self._lock(lead)
        if lead.row == "hang":
            return await self._looped(lead)
        if lead.row == "recursion":
            return await self._recursed(lead)
        known = lead.freed_twice and lead.pointer is not None
        if lead.end is not None and not lead.cells and not known:
            if lead.end.kind == "load":
                return await self._loaded(lead, lead.end, bound)
            plain = lead.row in ("index", "divisor") or not lead.derived
            of = None if plain else member_of(lead.end)
            found = (
                await self._ended(lead.end, bound, lead.steps)
                if plain
                else (await self._defined(lead.end.at, of, bound) if of else None)
            )
            if found is not None and lead.derived and self._is_use(found):
                return None  # of what that was worked out is not known
            if found is not None or (lead.pointer is None and lead.page is None):
                return found
        return await self._watch(lead, bound)

    async def _looped(self, lead: Lead) -> OriginStep | None:
        """The program's function whose round never ends, when a second run is inside of it too;
        the first line of the round, since at which one a run is stopped is chance."""
        frames = self.crash.outcome.frames
        cells = tuple(Cell(f"C{number}", place.cell) for number, place in enumerate(lead.cells, 1))
        watched = cells if len(cells) == len(fitting(cells)) else ()
        if cells and not watched:
            return None  # a loop over a list is right, if another made a ring of the list
        seen = await self._observe(
            "a second look at what still runs",
            cells=watched,
            blocks=tuple(place.cell for place in lead.cells),
        )
        at = [frame.index for frame in frames if frame.address == lead.loops]
        if seen is None or not at:
            return None
        round_ = await self._runs.runner.common(lead.loop)
        named = [number for number in at if frames[number].function == round_.function]
        chosen = next((f for f in frames[(named or at[-1:])[0] :] if is_own(f)), None)
        if chosen is None:
            return None
        outer = [frame.function for frame in frames[chosen.index :]]
        if [frame.function for frame in seen.outcome.frames][-len(outer) :] != outer:
            return None
        written = by_program(seen)
        made = made_ring(lead.cells, written) if written else []
        if made and made == written[-1:]:
            return await self._closed(seen, lead, written)
        given_again = any(one.kind == "free" for place in lead.cells
                          for one in self._blocks(seen, place.cell))  # fmt: skip
        if made and given_again and len(cells) > 1:  # which are meant to be there is unknown
            until = written[: written.index(made[-1]) + 1]
            closed = await self._closed(seen, lead, until)
            return closed if closed is not None and closed.kind is OriginKind.FREED else None
        return OriginStep(
            kind=OriginKind.LOOPED, function=chosen.function, file=chosen.file,
            line=round_.line if chosen.index in named and round_.line else chosen.line,
            evidence=(Citation(seen.id),), stack=seen.outcome.frames)  # fmt: skip

    async def _recursed(self, lead: Lead) -> OriginStep | None:
        """Who closed the ring of objects that the calls go around. None where one line linked them
        all, as it is told by input: then who called it, or who follows, is to look for a ring. Or
        the call of a function that can not but call itself."""
        frames = self.crash.outcome.frames
        call = next((one for one in frames if lead.loops and one.address == lead.loops), None)
        if call is not None:
            return OriginStep(
                kind=OriginKind.RECURSED, function=call.function, file=call.file, line=call.line,
                evidence=(Citation(self.crash.id),), stack=frames)  # fmt: skip
        cells = [Cell(f"C{number}", place.cell) for number, place in enumerate(lead.cells, 1)]
        seen = await self._observe(
            "who linked the objects", cells=tuple(cells),
            blocks=tuple(place.cell for place in lead.cells),
        ) if len(cells) == len(fitting(cells)) else None  # fmt: skip
        written = [hit for hit in by_program(seen) if hit.watch != "block"]
        last = {hit.watch: own(hit.frames) for hit in written}
        if seen is None or len(last) != len(cells):
            return None
        lines = {(one.function, one.line) if one is not None else None for one in last.values()}
        if len(cells) > 1 and len(lines) == 1:
            return None
        closed = await self._closed(seen, lead, written)
        lives = [hit for place in lead.cells for hit in self._blocks(seen, place.cell)]
        if (
            closed is None
            or closed.kind is OriginKind.FREED
            or all(h.kind == "alloc" for h in lives)
        ):
            return closed
        return None  # something may lead there still that knew the object before

    async def _closed(
        self, seen: Observed, lead: Lead, written: Sequence[wire.Hit]
    ) -> OriginStep | None:
        """The write that made a ring of links, or why what it wrote to was still linked."""
        gone = self._left_frame(seen, written[-1], written[-1].address, self.crash.outcome)
        freed, unknown = await self._freed_in_list(seen, lead.cells, written)
        if gone is None and unknown:
            return None
        return gone or freed or self._step(seen, written[-1], OriginKind.WRITTEN)

    async def _freed_in_list(
        self, seen: Observed, links: Sequence[Place], written: Sequence[wire.Hit]
    ) -> tuple[OriginStep | None, bool]:
        """Who freed a node that the list still led to: its memory, given out again and put into the
        list once more, made the ring. Of one that leads to itself it is asked since when the list's
        head, which it was linked to, led there; whether it was in the list already, as who put it
        there once more should have known, or nobody took it out, is not known else."""
        last = written[-1]
        if len(links) == 1 and links[0].cell == last.address:
            head = await self._source(last, Bound())
            if head is None or kind_of(self.core, head.cell) in (None, "stack"):
                return None, head is None  # it was made as a ring, or seems so where optimised
            again = await self._observe(
                "since when its head led there", cells=(Cell("H", head.cell),),
                blocks=(links[0].value or 0,),
            ) if self._left > 0 else None  # fmt: skip
            events = hits_of(again)
            led = max((h.order for h in events if h.watch == "H" and h.new == links[0].value),
                      default=1 << 60)  # fmt: skip
            lives = self._blocks(again, links[0].value or 0)
            gone = next((hit for hit in lives if hit.kind == "free" and hit.order > led), None)
            if again is None or gone is None:
                return None, True
            return self._step(again, gone, OriginKind.FREED), False
        for link in links:
            lives = self._blocks(seen, link.value or 0, last.order)
            freed = [hit.order for hit in lives if hit.kind == "free"]
            led = max((hit.order for hit in written[:-1] if hit.address == link.cell), default=0)
            if led and freed and led < freed[-1] and lives[-1].kind == "alloc":
                gone = next(hit for hit in lives if hit.kind == "free" and hit.order > led)
                return self._step(seen, gone, OriginKind.FREED), False
        return None, False

    async def _watch(self, lead: Lead, bound: Bound) -> OriginStep | None:
        cells = [
            Cell(f"C{number}", place.cell, place.size) for number, place in enumerate(lead.cells, 1)
        ]
        asked = fitting([*bound.cells, *cells, *self._holders(lead)])
        cells = [cell for cell in cells if cell in asked]
        blocks = {place.cell for place in lead.cells} | ({lead.pointer} if lead.pointer else set())
        blocks |= {held} if (held := _held(lead)) is not None else set()
        header = lead.row == "damaged header"
        if (lead.outside and not header) or lead.stack_block:
            blocks = set()
        checked = (Point("K", lead.cells[0].at),) if lead.compared else ()
        given = (Point("H", lead.given),) if lead.given else ()
        seen = await self._observe(
            f"{lead.row}: {', '.join(f'writes of {c.address:#x}' for c in cells) or 'heap'}",
            cells=tuple(asked),
            points=(*bound.points, *checked, *given),
            blocks=tuple(sorted(blocks)),
            pages=(self._page,) if self._page else (),
            reads=bound.reads,
            links=await self._links(lead, bound),
        )
        if seen is None:
            return await self._unmapped_by(lead)
        end = self._end(seen, bound)
        if not end:
            return None  # what is bound did not come: of what was before it the run tells nothing
        if header and (led := self._led_by_list(seen, lead.cells[0])) is not None:
            return await self._follow(replace(lead, cells=(led[0],)), led[1])
        if lead.freed_twice and lead.pointer is not None:
            before = await self._freed_before(seen, lead, lead.pointer, bound)
            if before is None and (cell := self._damaged(seen, lead.pointer)) is not None:
                front = Place(cell, 8, None, 0)
                return await self._follow(
                    Lead(row="damaged header", cells=(front,), outside=True), bound
                )
            return await self._surplus(seen, before) if before is not None else None
        inside = self._blocks(seen, lead.cells[0].cell, end)[-1:] if header else []
        if inside and inside[0].kind == "alloc":
            front = Place(inside[0].address - 8, 8, None, 0)  # what led astray who looked for it
            return await self._follow(replace(lead, cells=(front,)), bound)
        if self._ran_past(seen, lead, end):  # who had what lies there has nothing to do with it
            return await self._misled(lead.cells[0].at, lead.cells[0].cell)
        if self._ran_out(seen, lead, end):
            return await self._too_small(lead) if lead.page is not None else None
        gone, unknown = await self._gone(seen, lead, end, bound)
        since = [h for h in hits_of(seen, "C1", end) if inside and h.order > inside[0].order]
        later = (gone is not None or unknown) and any(in_allocator(hit.frames) for hit in since)
        if later and await self._wrote_behind_its_own(since[-1], cells[0]):
            # The header was made there later: of what had lain there only a stale pointer knows.
            gone, unknown = None, False
        if unknown and gone is None and lead.outside:  # by whose pointer is seen where it was used
            over = by_program(seen, "C1", end)
            gone = await self._wrote_to_gone(over[-1], cells[0]) if over else None
        if gone is not None or unknown:
            return await self._surplus(seen, gone) if gone is not None else None
        freed = lead.pointer if lead.row == FREES[1] else None
        if freed is not None and any(h.kind == "alloc" and h.address == freed
                                     for h in self._blocks(seen, freed, end)):  # fmt: skip
            front = Place(freed - 8, 8, None, 0)  # it was malloc's: what says so is damaged
            return await self._follow(
                Lead(row="damaged header", cells=(front,), outside=True), bound
            )
        if self._page is not None and (unmapped := self._unmapped(seen, lead, end)):
            return unmapped
        if lead.page is not None and lead.row != "code pointer":
            small = await self._too_small(lead)
            if small is not None:
                return small
        first = lead.cells[0].value if lead.cells else None
        if not cells or (lead.derived and lead.row == "pointer" and self.core.region(first or 0)):
            added = next((one for one in lead.steps if one.kind == "computed"), None)
            return await self._summed_up(added, bound) if added else None  # it is one itself
        if checked:
            cells = self._changed(seen, cells, end)
            if len(cells) != 1:
                return None  # either may be to blame
        tables = [h for h in hits_of(seen) if h.address == self._table and h.order < end]
        for hit in tables[-1:]:
            if self._leads(hit, hit.old or 0) and not self._leads(hit, hit.new or 0):
                lead, cells = replace(lead, row="pointer", cells=lead.cells[1:]), cells[1:]
        static = variable_at(self.core, cells[0].address) is not None
        if static and not first and not any(h.order < end for h in hits_of(seen, cells[0].name)):
            cite = (Citation(seen.id),)
            self.aside = next((replace(one, kind=OriginKind.NEVER_SET, evidence=cite)
                               for one in self._used()), None)  # fmt: skip
        return await self._last_write(seen, lead, cells[0], end, bound)

    def _led_by_list(self, seen: Observed, head: Place) -> tuple[Place, Bound] | None:
        """The link by which the ``head`` of a tcache's list first came to lead to no chunk: it
        stands in the one that malloc handed out then (glibc, malloc/malloc.c, tcache_get); and
        before what it was written over."""
        led = next((h for h in hits_of(seen, "C1") if head.value and h.new == head.value), None)
        link = led.old or 0 if led is not None and in_allocator(led.frames) else 0
        if led is None or self._block_start(link) != link:
            return None
        return Place(link, 8, None, 0), Bound(Cell("B", head.cell), led.nth)

    def _damaged(self, seen: Observed, start: int) -> int | None:
        """The size word of a block that was released once alone, or of the chunk behind it, which
        says by now what malloc did not leave there (glibc, malloc/malloc.c, prev_inuse): a double
        free that malloc told of was none."""
        lives = [hit for hit in hits_of(seen) if hit.watch == "block" and hit.address == start]
        born = max((at for at, hit in enumerate(lives) if hit.kind == "alloc"), default=len(lives))
        birth, gone = lives[born : born + 1], lives[born + 1 :]
        if not birth or len(gone) > 1:
            return None
        if any(hit.size != birth[0].size for hit in gone):
            return start - 8
        behind = start + birth[0].size
        return behind if (self.core.read_word(behind) or 1) & 1 == 0 else None

    async def _unmapped_by(self, lead: Lead) -> OriginStep | None:
        """Who took the page away that the fault's pointer leads to, of malloc's own for one block:
        without its cell, which is written too often to be watched."""
        page = self._page
        if page is None or not self._was_mapped_alone(page) or self._left <= 0:
            return None
        seen = await self._observe("who took its page away", pages=(page,))
        return self._unmapped(seen, lead, self._end(seen, Bound())) if seen else None

    def _ran_past(self, seen: Observed, lead: Lead, end: int) -> bool:
        """Whether the first cell lies behind the end of the block that the pointer to it is of."""
        held = _held(lead)
        if held is None or lead.outside or lead.stack_block or lead.compared:
            return False
        cell = lead.cells[0].cell
        last = self._blocks(seen, held, end)[-1:]
        return any(one.kind == "alloc" and cell >= one.address + one.size for one in last)

    async def _links(self, lead: Lead, bound: Bound) -> list[Link]:
        """Where the way back from what is bound, or from the fault, comes by."""
        places = await self._runs.places([place.at for place in lead.cells if place.at])
        at = {frame.address: frame for frame in places}
        into, found = self._into(bound), []
        used = (lead.pointer, lead.page)
        found += [Link(into, one) for one in dict.fromkeys(used) if one is not None]
        for place in lead.cells:
            found.append(Link(into, place.cell, place.value, at.get(place.at)))
            into = place.cell
        return found

    def _changed(self, seen: Observed, cells: Sequence[Cell], end: int) -> list[Cell]:
        """Of two numbers that a check compared those that were written since it held."""
        looked = [
            hit.order for hit in hits_of(seen, "K", end) if self._reads(hit, cells[0].address)
        ]
        held = looked[-2] if len(looked) > 1 else 0
        written = {hit.watch for hit in hits_of(seen) if held < hit.order < end}
        return [cell for cell in cells if cell.name in written]

    def _reads(self, hit: wire.Hit, cell: int) -> bool:
        """Whether an instruction that is about to run reads a cell."""
        insn = insn_at(self.core, hit.address)
        found = accesses(insn, hit.registers) if insn is not None else ()
        return any(access.address == cell for access in found)


_LEFT_OVER = re.compile(r"mov\w* .+, [er]?dx$")
"""What takes the rest of a division (Intel SDM 2A, IDIV)."""

Keep = Callable[[str, str, Sequence[Hit]], Awaitable[str]]
"""Stores a run's text (why it was run, the text, the facts that it says) and gives its evidence
id."""


def _kept(core: Dump, lead: Lead) -> tuple[Cell, int] | None:
    """Where a number below zero was kept that was an index then, and that number."""
    end = lead.end
    insn = insn_at(core, end.at) if end is not None and end.matches else None
    size = insn.operands[-1].size if insn is not None and insn.operands else 0
    if end is None or not end.source or not size or not (end.value or 0) >> (8 * size - 1):
        return None
    return Cell("C1", end.source, size), end.value or 0


def _held(lead: Lead) -> int | None:
    """The pointer by which the first cell was reached, as far as it is known."""
    held = lead.cells[1].value if len(lead.cells) > 1 else None
    return held if held is not None or len(lead.cells) != 1 else lead.cells[0].base


def _fell(lead: Lead) -> bool:
    """Whether the fault's value is a number of 32 or 64 bits below zero."""
    held = [place.value for place in lead.cells[:1]] + [lead.end.value if lead.end else None]
    return any(one is not None and (one >> 31 == 1 or one >> 63) for one in held)
