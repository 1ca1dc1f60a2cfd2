"""Objects that a function of the program's gave out again while who had got them first used them.

Such a function takes an object from where free ones are kept: the cell that it reads the object's
address from, a number, a mark in the object. Who gives it back makes that what the function found.
"""

import itertools
from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from workbench.model.origin import OriginStep
from workbench.reproduce.ages import gives
from workbench.reproduce.makers import returns
from workbench.reproduce.moment import RED_ZONE, at_hit, before, stored_by, wrote
from workbench.reproduce.observing import WATCHED, Observed, by_program, call_of, hits_of
from workbench.reproduce.owners import is_own
from workbench.reproduce.reissued import Reissued, is_within, moved_by, stores
from workbench.reproduce.slices import Lead
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import Code
from workbench.targets.probes.history import history
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.x86 import FAMILY

_POINTS, _MOST = 48, WATCHED - 1


class _Giver(Struct, frozen=True):
    """Where a pointer to the object is put that whoever failed had: the instruction ``site``, which
    has it in ``register``; the code of the function that gave it, and of those that it calls, or of
    the one that it was inlined into; where it comes back, if it is a function of its own."""

    site: int
    register: str
    codes: Sequence[Code]
    back: Sequence[int]


class GivenAgain(Reissued):
    """Who gave an object back."""

    @cached_property
    def _sought(self) -> set[int]:
        """The objects that were asked for: once is enough."""
        return set()

    async def _reissued_or_given(
        self, seen: Observed, lead: Lead, last: Hit, end: int
    ) -> tuple[OriginStep | None, bool]:
        """Who gave back the object at fault, as an arena's position or as one of a pool's; see
        `_given_again`."""
        start = lead.cells[0].base
        on_stack = start is None or kind_of(self.core, start) == "stack"
        back = None if start is None or on_stack else await self._reissued(start, last, lead.given)
        return (back, False) if back else await self._given_again(seen, lead, last, end)

    async def _given_again(
        self, seen: Observed, lead: Lead, last: Hit, end: int
    ) -> tuple[OriginStep | None, bool]:
        """Who gave an object back after who failed had got it, and before it was given to who wrote
        there last, ``last``; or who gave it back twice. And whether it was given out again and it
        is not known who did: who wrote is no cause then."""
        start = lead.cells[0].base if lead.cells else None
        if start is None or kind_of(self.core, start) == "stack":
            return None, False  # no pool gives that out
        held = got(seen, lead, start, end)
        giver = self._giver_of(held) if held is not None else None
        if held is None or giver is None or self._left <= 2 or start in self._sought:
            return None, False
        self._sought.add(start)
        spoiled = Cell("O", last.address, last.size or 8)
        inside = [Point("S", at) for code in giver.codes for at in stores(code, 1)]
        points = [Point("E", giver.codes[0].start), Point("U", giver.site),
                  *(Point("R", at) for at in giver.back)]  # fmt: skip
        if not inside or len(inside) > _POINTS:
            return None, False
        first = await self._observe(
            "whether the object is given out again", points=(*points, *inside), cells=(spoiled,)
        )
        given, mine = self._given_out(first, giver, held, start, last) if first else ([], 0)
        if first is None or len(given[mine:]) < 2 or is_within(given[-1], lead.given):
            return None, False
        changed = self._changed_by(first, giver, given[-1])
        read, still = self._read_from(first, giver, given[-1], start, last)
        places = list(dict.fromkeys([*read, *still]))[:2]
        outer = [at for at in changed if not 0 <= at - start <= last.address - start]
        asked = dict.fromkeys([*read, *outer[: _MOST - len(places)], *places, *changed])
        cells = [Cell(f"P{n}", at, changed.get(at, 8)) for n, at in enumerate(asked)][:_MOST]
        again = await self._observe(
            "who gives it back", points=tuple(points), cells=(spoiled, *cells), reads=True
        ) if cells else None  # fmt: skip
        given, mine = self._given_out(again, giver, held, start, last) if again else ([], 0)
        if again is None or len(given[mine:]) < 2:
            return None, True
        own_stores = {point.address for point in inside}
        told = {cell: self._backs(again, cell, given[mine:], own_stores, start) for cell in cells}
        taken = (one for cell, (one, _) in told.items() if one and cell.address in changed)
        backs = next(taken, list[Hit]())
        for cell, (found, _) in told.items() if not backs else ():  # of a stack of free ones
            if cell.address not in changed and self._goes_with(again, found, given[-1], own_stores):
                backs += found
        events = sorted([*given, *backs], key=lambda hit: hit.order)
        between = (h for h in backs if given[mine].order < h.order < given[-1].order)
        back = min(between, key=lambda hit: hit.order, default=_twice(events, given, mine))
        if back is None:  # a number in the object may count its users
            return None, any(told[cell][1] for cell in cells if cell.address in outer)
        return self._giver(again, back), False

    def _giver_of(self, got: Hit) -> _Giver | None:
        """Of the hit at which a pointer to an object was put where it is kept."""
        if got.kind == "point":
            site, register, call = got.address, "rax", before(self.core, got.address)
        else:
            insn = stored_by(self.core, got)
            source = insn.operands[1].reg if insn and len(insn.operands) == 2 else None
            if insn is None or insn.mnemonic != "mov" or source not in FAMILY:
                return None
            site, register = insn.address, FAMILY[source]
            steps = history(at_hit(self.core, got), site, register, got.registers)
            ends = steps[-1] if steps else None
            call = self._instruction(ends.at) if ends is not None and ends.kind == "call" else None
        codes = self._called(through_plt(self.core, call.target)) if call and call.target else []
        if codes:
            return _Giver(site, register, codes, returns(codes[0]))
        around = self._called(site)
        return _Giver(site, register, around, ()) if around else None

    def _given_out(
        self, seen: Observed, giver: _Giver, got: Hit, start: int, last: Hit
    ) -> tuple[list[Hit], int]:
        """Each time that the object was given out before it was spoiled, and which of them was the
        one at which who failed got it."""
        events = seen.outcome.events
        ends = [h.order for h in events if h.watch == "O" and h.new == last.new]
        until = max(ends, default=0)
        kept = [h for h in events if h.watch == "U" and h.order < until
                and h.registers.get(giver.register) == start]  # fmt: skip
        mine = [h for h in kept if (h.nth == got.nth if got.kind == "point"
                                    else self._stored_at(h) == got.address)]  # fmt: skip
        out = kept if not giver.back else [
            h for h in events if h.watch == "R" and h.order < until and gives(h) == start
        ]  # fmt: skip
        since = [n for n, h in enumerate(out) if mine and h.order <= mine[-1].order]
        return (out, since[-1]) if since else ([], 0)

    def _changed_by(self, seen: Observed, giver: _Giver, gave: Hit) -> dict[int, int]:
        """The cells, and their sizes, that a giver's call stored to when it gave the object."""
        low, high = _call_around(seen, gave)
        kept = self._kept_in(seen)
        found = dict[int, int]()
        for hit in hits_of(seen):
            if hit.watch != "S" or hit.thread != gave.thread or not low < hit.order < high:
                continue
            insn, at = self._instruction(hit.address), self._stored_at(hit)
            if insn is not None and at is not None and at not in kept:
                found[at] = min(insn.operands[0].size, 8)
        return found

    def _read_from(
        self, seen: Observed, giver: _Giver, gave: Hit, start: int, last: Hit
    ) -> tuple[list[int], list[int]]:
        """The cell that a giver read the object's address from, if the slice says it, and one that
        still holds it and is none of those that its users keep it in."""
        register = "rax" if giver.back else giver.register
        steps = history(at_hit(self.core, gave), gave.address, register, gave.registers)
        loads = [s.source for s in steps if s.kind == "load" and s.source is not None]
        regions = [one for one in self.core.regions if one.kind != "stack"]
        words = [at for one in regions for at in self._words(one, start)]
        kept = self._kept_in(seen)
        read, still = (
            [at for at in found if kind_of(self.core, at) != "stack" and at not in kept
             and not 0 <= at - start <= last.address - start]
            for found in (loads, words)
        )  # fmt: skip
        return read[:1], still[:1]

    def _kept_in(self, seen: Observed) -> set[int | None]:
        return {self._stored_at(hit) for hit in hits_of(seen) if hit.watch == "U"}

    def _backs(
        self, seen: Observed, cell: Cell, given: Sequence[Hit], own_stores: set[int], start: int
    ) -> tuple[list[Hit], bool]:
        """The writes by which others made a cell what a giver found there; and whether another than
        these, with the object's address at hand, changed it in between."""
        hits = [hit for hit in by_program(seen, cell.name) if wrote(self.core, hit)]
        mine = [h for h in hits if self._by(h) in own_stores]
        others = [h for h in hits if h not in mine]
        calls = [(gave.thread, *_call_around(seen, gave)) for gave in given]
        found = [
            next((h.old for h in mine if h.thread == thread and low < h.order < high), None)
            for thread, low, high in calls
        ]
        if not mine:  # of a stack of free ones: it is left where it was
            return [h for h in others if h.new == start], False
        known = set(found)
        backs = [h for h in others if h.new in known and h.new is not None]
        sure = [h for h in backs if h.new == start or self._at_hand(h, start)]
        if start in known or len(known) == 1:
            return sure, len(sure) < len(backs)
        return [], any(self._at_hand(h, start) for h in others if h.order < given[-1].order)

    def _goes_with(
        self, seen: Observed, backs: Sequence[Hit], gave: Hit, own_stores: set[int]
    ) -> bool:
        """Whether each call that put an object's address into a cell moved a number one way that
        the giver moved the other way when it gave it."""
        hits = [h for h in hits_of(seen) if h.watch[0] == "P" and moved_by(h)]
        mine = {h.watch: moved_by(h) for h in hits if self._by(h) in own_stores
                and h.order < gave.order}  # fmt: skip
        return all(
            any(call_of(h) == call_of(back) and moved_by(h) == -mine.get(h.watch, 0) for h in hits)
            for back in backs
        )

    def _by(self, hit: Hit) -> int:
        insn = stored_by(self.core, hit)
        return insn.address if insn is not None else 0

    def _at_hand(self, hit: Hit, start: int) -> bool:
        """Whether the function that wrote had the object's address in a register, or its frame."""
        frames = [frame for frame in hit.frames if not frame.inlined]
        at = next((n for n, frame in enumerate(frames) if is_own(frame)), 0)
        low = hit.registers.get("rsp", 0) - RED_ZONE
        top = frames[at + 1].stack_pointer if at + 1 < len(frames) else None
        stack = bytes.fromhex(hit.stack)[: max((top or low) - low, 0)]
        words = (int.from_bytes(stack[at : at + 8], "little") for at in range(0, len(stack), 8))
        return start in hit.registers.values() or start in words


def _call_around(seen: Observed, gave: Hit) -> tuple[int, int]:
    """Between which events the giver's call was at which it gave an object."""
    begun = [h.order for h in hits_of(seen, "E") if h.thread == gave.thread]
    low = max((order for order in begun if order < gave.order), default=0)
    return low, min((order for order in begun if order > gave.order), default=1 << 60)


def got(seen: Observed, lead: Lead, start: int, end: int) -> Hit | None:
    """When who failed got the object's address: the last write of the cell that it was read from,
    of several that may be the one that is longest ago; else when the call gave it."""
    events = hits_of(seen, until=end)
    names = ["C2"] if len(lead.cells) > 1 else [f"C{n}" for n in range(2, WATCHED + 1)]
    last: Mapping[str, Hit] = {h.watch: h for h in events if h.watch in names}
    kept = [hit for hit in last.values() if hit.new == start and hit.kind == "write"]
    called = [hit for hit in events if hit.watch == "H" and gives(hit) == start]
    return min(kept, key=lambda hit: hit.order, default=called[-1] if called else None)


def _twice(events: Sequence[Hit], given: Sequence[Hit], mine: int) -> Hit | None:
    """The second of two releases between which it was not given out, before it was for the last
    time that who failed got it."""
    pairs = itertools.pairwise(events)
    found = (other for one, other in pairs if one not in given and other not in given)
    return next((one for one in found if one.order < given[mine].order), None)
