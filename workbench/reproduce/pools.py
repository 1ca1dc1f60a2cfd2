"""Objects that were given back to a pool of the program's own while they were still used.

A pool is known by what it does: one function stores an object's address into a cell (a list's
head), another takes it out of there again.
"""

from collections.abc import Iterator

from workbench.model.aliases import public
from workbench.model.origin import OriginStep
from workbench.reproduce.ages import gives
from workbench.reproduce.given_again import GivenAgain
from workbench.reproduce.makers import made_of
from workbench.reproduce.moment import at_hit, before, stored_by
from workbench.reproduce.observing import WATCHED, Observed, call_of, hits_of, left_at
from workbench.reproduce.owners import in_allocator, innermost, is_own
from workbench.reproduce.reissued import OBJECT, stores
from workbench.reproduce.slices import Lead, callee
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import Kept, gives_back, kept
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.history import argument, history
from workbench.targets.probes.instruction import Instruction, stored_to
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.x86 import FAMILY

_STORES = 12
_MOVES = ("add", "sub", "lea")
BLOCKS = ("malloc", "calloc", "realloc", "operator new", "_Znwm", "_Znam", "operator new[]")
"""What gives a block whose life ends with its free alone."""


class Pools(GivenAgain):
    """What a function that wrote into an object did with the object's address."""

    async def _pooled(self, lead: Lead, last: Hit) -> tuple[OriginStep | None, bool]:
        """Who gave an object back whose last write was made by a pool's function, ``last``; and
        whether it is one for all that is seen: it emptied the object and put it on a list."""
        start = lead.cells[0].base if lead.cells else None
        frame = innermost(last.frames)
        if start is None or frame is None or not 0 <= last.address - start < OBJECT:
            return None, False
        if kind_of(self.core, start) == "stack":
            return None, False  # no pool gives that out
        reissued = await self._reissued(start, last, lead.given)
        if reissued is not None:
            return reissued, False
        code = code_around(self.core, frame.address or 0)
        puts = stores(code) if code is not None else []
        if frame.inlined:  # the code around it is others'
            places = await self._runs.own_places(puts)
            own_ones = zip(puts, places, strict=True)
            puts = [at for at, place in own_ones if place.function == frame.function]
        points = tuple(Point("R", at) for at in puts[:_STORES])
        if not points or self._left <= 2:
            return None, False
        seen = await self._observe("where the object's address is put", points=points)
        heads, put = self._targets(seen, start) if seen is not None else ({}, False)
        # Whether an inlined one gave what it took to who goes on there is not known.
        anew = bool(frame.inlined and heads and not put and all(heads.values()))
        if not self._finds_place(last) or not (put or gives_back(self.core, last)):
            # a list's own member, that was told which one to unlink, or unlinked it for nobody
            heads = {at: taken for at, taken in heads.items() if not taken}
        if seen is None or not heads:
            hits = hits_of(seen)
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
        looped = self._linked_to_itself(seen, start)
        again = await self._observe(
            "what the pool takes and gives", cells=(*asked, *holders),
            points=(*given, *([Point("G", looped)] if looped else ())),
        )  # fmt: skip
        if again is None:
            return None, False
        if looped and (twice := self._given_twice(again, start, frame.function)) is not None:
            return twice, False
        listed = any(h.watch[0] == "P" and h.new == start and call_of(h)[1] == frame.function
                     for h in hits_of(again))  # fmt: skip
        found = self._released(again, start, frame.function, anew)
        return found, found is None and (anew or (listed and last.new == 0))

    async def _is_next_life(self, lead: Lead, last: Hit) -> bool:
        """Whether the call that wrote last found the object's place itself, and filled all of the
        object that others had, or had a function fill it that had done so for others: it is
        another's by then, and who ended its life is not known."""
        base = lead.cells[0].base or last.address - 8
        cells = [Cell(f"N{number}", base + 8 * number) for number in range(4)]
        beside = [one for one in cells if one.address != last.address][:3]
        if self._left <= 0:
            return True
        if kind_of(self.core, base) == "stack" or not self._finds_place(last):
            return False
        insn = before(self.core, last.registers["rip"])
        points = (Point("M", insn.address),) if insn is not None else ()
        seen = await self._observe(
            "what else it filled", cells=(Cell("O", last.address, last.size), *beside),
            points=points,
        )  # fmt: skip
        events = hits_of(seen)
        ends = [v.address + v.size for h in events for v in h.variables
                if v.address <= last.address < v.address + v.size]  # fmt: skip
        beside = [one for one in beside if one.address < min(ends, default=1 << 64)]
        end = max((h.order for h in events if h.watch == "O" and h.new == last.new), default=0)
        by = call_of(last)
        known = {one.name for one in beside}
        now = {h.watch for h in events if h.watch in known and call_of(h) == by}
        then = {h.watch for h in events if h.watch in known and h.order < end and h.new
                and call_of(h)[1] != by[1] and not in_allocator(h.frames)}  # fmt: skip
        until = [h for h in events if h.watch in known and h.order < end]
        within = {call_of(h)[1] for h in until if _is_within(h, by)} - {by[1]}
        others = {call_of(h)[1] for h in until if not _is_within(h, by)}
        return (bool(now) and then <= now) or bool(within & others)

    def _finds_place(self, hit: Hit) -> bool:
        """Whether the address of what was written was not handed to the function that wrote, nor to
        it by malloc: then it is a block of its own."""
        moment = at_hit(self.core, hit)
        insn = stored_by(self.core, hit)
        if (jump := left_at(hit)) and (code := code_around(self.core, jump)) is not None:
            return not made_of(self.core, code, [(code.at[jump], "rdi")])[1]
        if not is_own(hit.frames[0]):
            call = next(callers(moment, hit.registers["rip"], hit.registers, 1), None)
            insn, base = (call.call, "rdi") if call is not None else (None, "")
            steps = argument(moment, call, "rdi")[1] if call is not None else []
        else:
            mem = stored_to(insn)
            if mem is not None and mem.index and mem.scale > 1:
                return False  # an array's element alone
            fills = insn is not None and insn.mnemonic.startswith("rep")
            base = "rdi" if fills else (mem.base if mem is not None else None) or ""
            steps = history(moment, insn.address, base, hit.registers) if insn and base else []
        code = code_around(self.core, insn.address) if insn is not None and base else None
        if insn is None or code is None:
            return bool(steps) and not any(step.kind == "argument" for step in steps)
        made, given = made_of(self.core, code, [(code.at[insn.address], base)])
        asked = [public(callee(self.core, one)) for one in made if one.is_call]
        listed = any(insn.mnemonic == "mov" and (mem := insn.operands[1].mem)
                     and mem.base not in code.frame for insn in made)  # fmt: skip
        if given or (asked and not listed and all(one in BLOCKS for one in asked)):
            return False
        return not any(step.kind == "argument" for step in steps)

    def _targets(self, seen: Observed, start: int) -> tuple[dict[int, bool], bool]:
        """The cells outside of the object that these wrote, those of the object's address first,
        and whether what was put there was read from behind what the cell held: taken, not given.
        And whether the object's address was put into any."""
        found: dict[int, bool] = {}
        first: list[int] = []
        for hit, insn, at, value in self._stored_words(seen):
            mem = insn.operands[0].mem
            if 0 <= at - start < OBJECT and mem is not None and mem.base != "rip":
                continue
            found[at] = self._reads_behind(insn, hit)
            first += [at] if value == start else []
        return {at: found[at] for at in dict.fromkeys([*first, *found])}, bool(first)

    def _stored_words(self, seen: Observed) -> Iterator[tuple[Hit, Instruction, int, int | None]]:
        """What the stores that were stopped at put where: the instruction, the cell, the word."""
        for hit in hits_of(seen):
            insn = insn_at(self.core, hit.address)
            mem = insn.operands[0].mem if insn is not None else None
            source = FAMILY.get(insn.operands[-1].reg or "") if insn is not None else None
            if insn is None or mem is None or source is None or insn.operands[0].size < 8:
                continue
            at = insn.effective(mem, hit.registers)
            if at is not None:
                yield hit, insn, at, hit.registers.get(source)

    def _linked_to_itself(self, seen: Observed, start: int) -> int:
        """The instruction that put an object first in a list, once its link led to itself: it was
        the first one already. 0 where none did."""
        puts = [(insn.address, at) for _, insn, at, value in self._stored_words(seen)
                if value == start]  # fmt: skip
        within = any(0 <= at - start < OBJECT for _, at in puts)
        outside = [by for by, at in puts if not 0 <= at - start < OBJECT
                   and kind_of(self.core, at) != "stack"]  # fmt: skip
        return outside[-1] if within and outside else 0

    def _given_twice(self, seen: Observed, start: int, by: str | None) -> OriginStep | None:
        """Who had put the object on the list when the function ``by`` put it there once more."""
        puts: list[Hit] = []
        for hit in hits_of(seen):
            if hit.watch == "G" and start in hit.registers.values():
                puts.append(hit)
            elif hit.watch[0] in "PQ" and hit.old == start and call_of(hit)[1] != by:
                puts.clear()
        return self._giver(seen, puts[0]) if len(puts) > 1 else None

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

    def _released(
        self, seen: Observed, start: int, by: str | None, anew: bool
    ) -> OriginStep | None:
        """The last time that a pool's cell took the object, after its user had stored where it is,
        or before that, where it was given out again since; ``anew``: had been given out before.
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
            if anew and not (given and taken and taken[0].order < given[-1].order):
                continue
            if len(ends) == 2 and stored and min(stored.values()) < max(ends):
                return None if self._is_moved(given[-1]) else self._giver(seen, given[-1])
        return None

    def _is_moved(self, hit: Hit) -> bool:
        """Whether a cell got what it had held, moved on by a distance: where a stack of objects
        ends, which gives out what lies in front as well, and whose last object who took it off may
        still read."""
        insn = stored_by(self.core, hit)
        code = code_around(self.core, insn.address) if insn is not None else None
        if insn is None or code is None or len(insn.operands) != 2:
            return False
        held = FAMILY.get(insn.operands[1].reg or "", "")
        made = made_of(self.core, code, [(code.at[insn.address], held)])[0] if held else []
        cell = insn.operands[0].mem
        reads = cell is not None and any(
            part.effective(one.mem, hit.registers) == hit.address if one.mem.base == "rip"
            else one.mem == cell for part in made for one in part.operands[1:] if one.mem
        )  # fmt: skip
        return insn.mnemonic in _MOVES or (reads and any(one.mnemonic in _MOVES for one in made))


def _is_within(hit: Hit, call: tuple[int, str | None, int | None]) -> bool:
    """Whether a hit was in a call, or in what that called."""
    return hit.thread == call[0] and call[1:] in {f.call for f in hit.frames}
