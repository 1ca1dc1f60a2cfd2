"""Elements that were added behind the end of their array: who adds them, or who asked for room."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.blocks import Blocks
from workbench.reproduce.loops import Counter, loaded_for, obeyed, wrapped
from workbench.reproduce.makers import added, made_of, times
from workbench.reproduce.moment import at_hit, frame_of, stored_by
from workbench.reproduce.observing import Observed, fitting, hits_of
from workbench.reproduce.owners import innermost, is_own, own
from workbench.reproduce.sizes import Sizes
from workbench.reproduce.slices import Lead, Place
from workbench.reproduce.stores import copies
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step, explain_at
from workbench.targets.probes.history import handed_on, history, slicer_at
from workbench.targets.probes.places import crashing_thread, kind_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import FAMILY

_BESIDE = 32
"""How far from an array's pointer the object that holds it may say how many elements it has."""
_ROUNDED = 15
"""What malloc adds to a size at most, but for the smallest (glibc, malloc/malloc.c)."""

Room = tuple[int, int, int, tuple[int, Sequence[tuple[int, int]]], int]
"""See `Rooms._element`."""


class Rooms(Sizes, Blocks):
    """No language has a rule that who adds an element is to ask whether there is room: it may rely
    on a caller that asked for it, or ask for what the array was not made for."""

    async def _for_room(
        self, over: Hit, place: Room | None = None
    ) -> tuple[OriginStep | None, bool]:
        """Of a store at a count that is kept beside its array's pointer, behind the end of the
        array's block: the allocation, where the count was held to a number that was stored for
        more than was asked for; and whether, if that is not shown, another than who stored may be
        to blame: not where the size is a constant, nor where the object says how much room there
        is, and who stored did not look."""
        place = place or self._element(over)
        if place is None or not self._may_be_heap(place[0]) or self._left <= 0:
            return None, False
        base, stride, array, (count, limits), front = place
        cells = [Cell("C1", *one) for one in limits[:1] if one[0]]
        seen = await self._observe("how much room it has", blocks=(base,), cells=tuple(cells))
        blocks = self._blocks(seen, base)
        births = [hit for hit in blocks if hit.kind == "alloc" and hit.address == base]
        if seen is None or not births or over.address < base + births[-1].size:
            return None, False
        if limits and not limits[0][0]:
            return None, True
        if limits:
            return self._short(seen, births[-1], stride, front), True
        asked = self._asked(births[-1])
        handed = any(one.kind == "argument" for one in asked)
        if asked and asked[-1].kind == "constant" and not handed:
            return None, False
        wanted, whole, now = self._wanted(births[-1]), births[-1].size, at_hit(self.core, over)
        sizes = range(whole - _ROUNDED, whole + 1) if wanted is None else (wanted,)
        near = (at for at in range(array - _BESIDE, array + _BESIDE, 4) if at != count)
        kept = (now.number(at, 4) or 0 for at in near)
        if any(one in sizes or one * stride in sizes for one in kept):
            return None, False
        return None, True

    def _is_told_no_room(self, over: Hit) -> bool:
        """Whether a store at a count that is kept beside the pointer to an array of a frame, in an
        object that is not its function's own, went by nothing that says how much room there is:
        who lent the array to the object is to look."""
        place = self._element(over)
        if place is None or place[3][1] or place[2] == place[0]:
            return False
        holder = frame_of(over.frames, place[2])
        return kind_of(self.core, place[0]) == "stack" and (
            holder is None or holder[0].call != over.frames[0].call
        )

    def _short(self, seen: Observed, birth: Hit, stride: int, front: int) -> OriginStep | None:
        """The function that asked for a block and stored for how many elements it is, which it has
        no room for behind the ``front`` bytes that stand there."""
        stored = [hit for hit in hits_of(seen, "C1") if hit.kind == "write"]
        room = stored[-1].new if stored else None
        frame = innermost(stored[-1].frames) if stored else None
        if frame is None or not room or wrapped(room):
            return None
        call = frame.call
        inner = [one.index for one in birth.frames if is_own(one)]
        makers = [one for one in birth.frames if one.call == call]
        if not makers or not self._behind_end(
            birth, Cell("", birth.address + front + room * stride - 1)
        ):
            return None
        made = tuple(one for one in inner if one < makers[0].index)  # which hand a block on
        if not made and self._is_told(birth):
            return None
        return self._step(seen, replace(birth, made=made), OriginKind.TOO_SMALL)

    async def _was_another_array(self) -> bool:
        """Whether the pointer by which the failing access set out had held another address before,
        of memory in which an element of that number lies: whoever put this one there may be to
        blame."""
        thread, to = crashing_thread(self.core), self.crash.outcome.address or 0
        slicer = slicer_at(self.core, thread.pc or 0, thread.registers) if thread else None
        insn = slicer.code.instructions[slicer.end] if slicer is not None else None
        at, pair = added(self.core, slicer.code, insn) if slicer and insn else (0, None)
        if slicer is None or thread is None or pair is None:
            return False
        trail = (at, None) if at != slicer.end else None
        known = {name: slicer.known(name, trail) or 0 for name in pair if name}
        array = next((name for name, value in known.items() if self.core.region(value)), "")
        steps = explain_at(slicer, array, None, trail or (slicer.end, None)) if array else []
        steps = handed_on(self.core, thread.pc or 0, thread.registers, steps)
        cell = next((s.source for s in steps if s.kind == "load" and s.matches), None)
        if cell is None or self._is_spent():
            return False
        seen = await self._observe("whether it was another array", cells=(Cell("C1", cell),))
        hits = hits_of(seen, "C1")
        place = self._place_of(hits[-1], cell) if hits else None
        hits = [hit for hit in hits if self._place_of(hit, cell) == place]
        held = [hit.new for hit in hits] + [hit.old for hit in hits if place is None]
        were = {one for one in held if one and one != known[array]
                and (self.core.region(one) or self._may_be_heap(one))}  # fmt: skip
        more = await self._observe("how large it was", blocks=tuple(were)) if were else None
        born = hits_of(more, "block")
        for one in were:
            sizes = [hit.size for hit in born if hit.kind == "alloc" and hit.address == one]
            there, region = one + to - known[array], self.core.region(one)
            if there < one + sizes[-1] if sizes else region and region is self.core.region(there):
                return True
        return False

    async def _was_its_length(self, step: OriginStep, lead: Lead) -> bool:
        """Whether a number by which the program went out of an array was given before that was
        made, for as many elements: it says how many there are, and is right, but no index."""
        frame, array, known = own(step.stack), lead.array, (*lead.cells, *lead.steps, lead.end)
        at = frame.address if frame is not None else None
        number = next((one.value for one in known if one is not None and one.value), 0)
        if step.kind not in (OriginKind.PASSED, OriginKind.WRITTEN) or not (at and array):
            return False
        seen = await self._observe(
            "whether it was the array's length", points=(Point("R", at),), blocks=(array,)
        ) if self._left > 0 else None  # fmt: skip
        births = [hit for hit in self._blocks(seen, array) if hit.kind == "alloc"]
        wanted = self._wanted(births[-1]) if births else None
        given = [hit.order for hit in hits_of(seen, "R")]
        return bool(wanted and number and given) and (
            (wanted or 0) % number == 0 and max(given) < births[-1].order
        )

    async def _outgrown(self, hit: Hit, at: int, index: str) -> OriginStep | None:
        """The write by which a count beside an array's pointer became more than the array has room
        for, which had been asked for in as many elements as the count said then."""
        start, stride, place = self._counted_array(hit, at, index)
        if place is None or self._left <= 0:
            return None
        seen = await self._observe(
            "whether its count was raised", blocks=(start,),
            cells=(Cell("N", place.cell, place.size),),
        )  # fmt: skip
        blocks = self._blocks(seen, start)
        births = [one for one in blocks if one.kind == "alloc"]
        wanted = self._wanted(births[-1]) if births else None
        if seen is None or wanted is None or births[-1].address != start:
            return None
        since = [one for one in hits_of(seen, "N") if one.kind == "write"
                 and one.order > births[-1].order]  # fmt: skip
        fits = [at for at, one in enumerate(since) if (one.old or 0) * stride == wanted]
        later = since[fits[-1] :] if fits else []
        if not later or any((one.new or 0) * stride <= wanted for one in later):
            return None
        near = range(place.cell - _BESIDE, place.cell + _BESIDE, place.size)
        alike = [Cell(f"N{at}", at, place.size) for at in near
                 if at != place.cell and self.core.number(at, place.size) == later[0].old
                 ]  # fmt: skip
        more = await self._observe(
            "what else says how many", blocks=(start,), cells=fitting(alike)
        ) if alike else seen  # fmt: skip
        born = self._blocks(more, start)[-1:]
        set_since = {one.watch for one in hits_of(more) if born and one.order > born[0].order}
        if any(one.name not in set_since for one in alike):
            return None  # it still says how many there are, and the loop may have gone by the wrong
        return self._step(seen, later[0], OriginKind.COMPUTED)

    def _counted_array(self, hit: Hit, at: int, index: str) -> tuple[int, int, Place | None]:
        """Of an element that a loop reads: where its array begins, bytes of an element, and the
        cell beside the array's pointer that the loop's number is less than, if it is."""
        moment, code, seen = at_hit(self.core, hit), code_around(self.core, at), hit.registers
        if code is None or at not in code.at:
            return 0, 1, None
        insn = code.instructions[code.at[at]]
        mem = next((one.mem for one in insn.operands if one.mem), None)
        pair = (
            {mem.base, mem.index} if mem else {FAMILY.get(one.reg or "") for one in insn.operands}
        )
        start = "".join(one for one in pair - {index, None} if one in seen)
        number, array = (history(moment, at, one, seen) if one else [] for one in (index, start))
        load, holder = next((one for one in number if one.kind == "load"), None), _loaded(array)
        counters: list[Counter] = [index]
        if load is not None and load.at in code.at:
            read = next(
                (o.mem for o in code.instructions[code.at[load.at]].operands if o.mem), None
            )
            counters += [(read.base, read.disp)] if read is not None and read.base else []
        now = load.value if load is not None else seen[index]
        rounds = (obeyed(moment, at, seen, one, now) for one in counters)
        place = next((one[2] for one in rounds if one is not None and one[2].cell), None)
        beside = place is not None and holder and 0 < abs(holder - place.cell) <= _BESIDE
        stride = times(self.core, number) * (mem.scale if mem is not None and mem.index else 1)
        return seen.get(start, 0), max(stride, 1), place if beside else None

    def _is_told(self, birth: Hit) -> bool:
        """Whether the size that was asked for is made of two numbers that its function was given:
        one of them may be wrong."""
        moment = at_hit(self.core, birth)
        for caller in callers(moment, birth.registers["rip"], birth.registers, 2):
            code = code_around(self.core, caller.call.address)
            at = code.at.get(caller.call.address) if code is not None else None
            if code is not None and at is not None:
                _, given = made_of(self.core, code, [(at, "rdi"), (at, "rsi")])
                return len(given) > 2
        return False

    def _element(self, over: Hit) -> Room | None:
        """Of a store to an array's element at a count that is kept beside the array's pointer, or
        in front of the array in its block: the array or block, bytes of an element (1 if not
        known), the cells of pointer and count, with their sizes those that the count was compared
        with on the way, and how many bytes of the block are in front of the array."""
        insn = stored_by(self.core, over)
        moment = at_hit(self.core, over)
        slicer = slicer_at(moment, insn.address, over.registers) if insn is not None else None
        if insn is None or slicer is None or not over.frames or not is_own(over.frames[0]):
            return None
        at, pair = added(self.core, slicer.code, insn)
        trail = (at, None) if at != slicer.end else None
        for base, index in (pair, pair[::-1]) if pair else ():
            known = slicer.known(base, trail) if base else None
            if known is None or index is None or self.core.region(known) is None:
                continue
            begun = trail or (slicer.end, None)
            number = explain_at(slicer, index, None, begun)
            array, count = _loaded(explain_at(slicer, base or "", None, begun)), _loaded(number)
            within = count is not None and 0 <= count - known <= _BESIDE
            array = known if within else array
            if array is None or count is None or not (within or 0 < abs(array - count) <= _BESIDE):
                return None
            found = [one for one in _compared(slicer, count) if abs(one[0] - array) <= _BESIDE
                     or not one[0]]  # fmt: skip
            limits = sorted(found, reverse=True)  # those that are known first
            scale = next((o.mem.scale for o in slicer.code.instructions[at].operands
                          if o.mem and o.mem.index), 1)  # fmt: skip
            stride = max(times(self.core, number) * scale, 1)
            ends = (at + size - known for at, size in limits if at)
            front = max(ends, default=0) if within else 0
            return known, stride, array, (count, limits), front
        return None

    def _held_to(self, over: Hit) -> Room | None:
        """See `_element`, of a store that its function, or of bytes that the C library copied for a
        caller who, had compared something before with a number beside the pointer to their block,
        which says that there is room for them."""
        moment, insn, registers = (
            at_hit(self.core, over),
            stored_by(self.core, over),
            over.registers,
        )
        at, by = insn.address if insn is not None else 0, innermost(over.frames)
        stride = insn.operands[0].size if insn is not None else 1
        if copies(over):
            calls = callers(moment, registers.get("rip", 0), registers, len(over.frames))
            caller = next((one for one in calls if by and one.call.end == by.address), None)
            at, stride = (caller.call.address, 1) if caller is not None else (0, 1)
            registers = caller.registers if caller is not None else registers
        elif not over.frames or not is_own(over.frames[0]):
            return None
        slicer = slicer_at(moment, at, registers) if at else None
        for index, rest, _ in slicer.back() if slicer is not None else ():
            insn = slicer.code.instructions[index] if slicer and index is not None else None
            if slicer is None or insn is None or index is None or insn.mnemonic != "cmp":
                continue
            for one in insn.operands:
                cell, plain = loaded_for(slicer, one, (index, rest))
                room = moment.number(cell, one.size) if cell is not None else None
                near = range(cell - _BESIDE, cell + _BESIDE, 8) if cell and room and plain else ()
                words = ((moment.read_word(at) or 0, at) for at in near)
                for base, array in words:
                    if cell and room and 0 < base < over.address < base + room * stride:
                        return base, stride, array, (0, [(cell, one.size)]), 0
        return None


def _loaded(steps: Sequence[Step]) -> int | None:
    """The cell that the steps begin from, if one is known."""
    return next((one.source for one in steps if one.kind == "load"), None)


def _compared(slicer: Slicer, count: int) -> Iterator[tuple[int, int]]:
    """The cells, with their sizes, that a count's was compared with on the way; 0 for one where
    either number was worked out before it was compared."""
    for index, rest, _ in slicer.back():
        insn = slicer.code.instructions[index] if index is not None else None
        if insn is None or index is None or insn.mnemonic != "cmp":
            continue
        for one, other in (insn.operands, insn.operands[::-1]):
            (here, plain), (there, same) = (
                loaded_for(slicer, each, (index, rest)) for each in (one, other)
            )
            if here == count and there not in (None, count):
                yield (there or 0) if plain and same else 0, other.size
