"""Blocks that were too small, because the size that was asked for had lost its upper part."""

import itertools
import math
import re
from collections.abc import Collection, Sequence
from itertools import pairwise

from msgspec.structs import replace

from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.given import Given
from workbench.reproduce.losing import LOSING, loses
from workbench.reproduce.makers import added, made_of, returns, times
from workbench.reproduce.moment import at_hit, since, stored_by
from workbench.reproduce.observing import LEFT, Observed, call_of, hits_of
from workbench.reproduce.owners import SIZES, is_own, own
from workbench.reproduce.rounds import TEXTS, Round, filled, had_more_to_write, varies
from workbench.reproduce.slices import Lead, Place, cells_of, is_product
from workbench.reproduce.stores import copies_inline, truncated
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.reproduce.wrappers import kept
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import callee_name
from workbench.targets.probes.cfi import Caller, callers
from workbench.targets.probes.code import code_around, insn_at
from workbench.targets.probes.explain import Step, explain_at
from workbench.targets.probes.history import argument, history, slicer_at
from workbench.targets.probes.instruction import Instruction, stored_to
from workbench.targets.probes.malloc.heaps import find_heaps
from workbench.targets.probes.places import kind_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_LOWER = re.compile(r"and \w+, (?:0x[0-7]?[0-9a-f]{1,7}|\d)$|sub \w+, [a-z]")
_FEW = re.compile(r"s[ha]r \w+, 0x[1-3][0-9a-f]$")
"""A shift that leaves few bits of a number, as of a hash."""
_HALVES = re.compile(r"s[ha]r \w+, (\w+)$")
_MAPPED = 2
"""IS_MMAPPED in a chunk's size word (glibc, malloc/malloc.c)."""
_MOST, _MOST_POINTS, _NEAR, _ELEMENT = 4, 32, 8, 1 << 12


class Sizes(Given):
    """Which arithmetic made a block too small."""

    _either = False  # who wrote may be to blame, or who worked out how much to ask for

    async def _too_small(self, lead: Lead, over: Hit | None = None) -> OriginStep | None:
        """Of the blocks that the fault may have run out of, the one whose size was cut: the line
        that cut it, or the allocation where both are one; and the one that has no room for the
        member that the write ``over`` went to."""
        near = [*_in_front(self.core), *_below(self.core, lead.page)]
        block = self._block_start(lead.array) if lead.array and over is None else None
        near += [block] if block is not None else []
        based = self._based(over) if over is not None else []
        blocks = tuple(dict.fromkeys([*near, *based]))
        if not blocks or self._left <= 1:
            return None
        seen = await self._observe("the block in front", blocks=blocks[:_MOST])
        if seen is None:
            return None
        for block in blocks[:_MOST]:
            births = [h for h in self._blocks(seen, block) if h.kind == "alloc"]
            if block not in near:
                if births and over and await self._is_member(over, births[-1]):
                    return self._step(seen, births[-1], OriginKind.TOO_SMALL)
                continue
            steps = self._asked(births[-1]) if births else []
            on = self._handed_on(births[-1]) if births else []
            narrow = _losing(self._made_of_size(births[-1])) if births else ()
            cuts = (*_points(self.core, steps), *_points(self.core, on), *narrow)
            cut = await self._cut(tuple(dict.fromkeys(cuts)), block)
            if cut is None and births:
                cut = await self._stored_part(steps, births[-1], block)
            if cut is not None:
                return cut
            if not births or over is None:
                continue
            if self._is_rounded_down(steps, births[-1], over):
                return self._step(seen, births[-1], OriginKind.TOO_SMALL)
            varies = bool(steps) and steps[-1].kind != "constant"
            self._measured = self._measured or varies
            if varies and self._made_for(over, births[-1]):  # which does no more than hand it on
                return self._step(seen, replace(births[-1], made=()), OriginKind.TOO_SMALL)
            more, made = self._fills(over, births[-1])
            if more:
                return self._step(seen, replace(births[-1], made=made), OriginKind.TOO_SMALL)
            self._either = self._either or more is None
            self._either = self._either or (varies and self._at_a_count(over))
            if await self._is_member(over, births[-1]):
                return self._step(seen, births[-1], OriginKind.TOO_SMALL)
        return None

    def _based(self, over: Hit) -> list[int]:
        """The blocks behind whose end a write is whose address was worked out from theirs."""
        moment, insn = at_hit(self.core, over), stored_by(self.core, over)
        mem = stored_to(insn)
        names = [one for one in (mem.base, mem.index) if one] if mem is not None else []
        steps = [step for name in names if insn is not None
                 for step in history(moment, insn.address, name, over.registers)]  # fmt: skip
        starts = [step.value for step in steps if step.kind == "load" and step.value is not None
                  and kind_of(self.core, step.value) == "heap"]  # fmt: skip
        sizes = [(self.core.read_word(start - 8) or 0) & ~7 for start in starts]
        return [start for start, size in zip(starts, sizes, strict=True)
                if size and over.address >= start - 8 + size]  # fmt: skip

    def _is_rounded_down(self, steps: Sequence[Step], birth: Hit, over: Hit) -> bool:
        """Whether the size that was asked for is the whole part of a quotient with a rest, and the
        write went to where the same divisor leads for a number below that: the last of as many as
        were asked for have no room."""
        far, wanted = over.address - birth.address, self._wanted(birth) or 0
        for cut, behind in pairwise(steps):
            bits = _HALVES.match(cut.text) if cut.kind == "computed" else None
            by, total = int(bits[1], 0) if bits else 0, behind.value or 0
            if bits is None or not total & (1 << by) - 1:
                continue
            each = wanted // (total >> by) if total >> by else 1
            if any(one < total and (one >> by) * each == far for one in self._numbers(over)):
                return True
        return False

    def _made_for(self, over: Hit, birth: Hit) -> bool:
        """Whether a text was copied to the start of a block that was asked for in the same call, in
        a size that was worked out for it."""
        call = self._asked_by(over)
        if call is None or not TEXTS.match(over.function):
            return False
        start = argument(at_hit(self.core, over), call, "rdi")[0]
        calls = {frame.call for frame in birth.frames}
        return start == birth.address and call_of(over)[1:] in calls

    def _fills(self, over: Hit, birth: Hit) -> tuple[bool | None, tuple[int, ...]]:
        """Whether the call that asked for a block, and wrote behind its end, had that to write (see
        `had_more_to_write`), and the frames that handed the block on to it. None where another did
        for it that was not told how much room there is: either may be wrong."""
        wanted, call = self._wanted(birth) or birth.size, self._asked_by(over)
        insn, moment = stored_by(self.core, over), at_hit(self.core, over)
        site = call or (Caller(insn, dict(over.registers)) if insn is not None else None)
        code = code_around(self.core, site.call.address) if site is not None else None
        frame = self._in_one_call(birth, over)
        asks, names = self._asks_in(birth, frame, wanted)
        outer = code_around(self.core, asks.call.address) if asks is not None else None
        if not (site and code and asks and outer and frame):
            return False, ()
        way = filled(self.core, moment, code, site, (birth.address, wanted))
        inner = tuple(one.index for one in birth.frames if is_own(one) and one.index < frame.index)
        goes = way is not None and bool(way.counters) and way.round is not Round.LAST
        if not names:  # it is worked out inside, and who wrote goes by another number
            meant = way is not None and way.round is Round.MEANT and self._varies_inside(birth)
            return None if goes and inner and meant else False, ()
        if set(inner) - set(birth.made):  # another decides how much to ask for
            return None if goes else False, ()
        if way is None or code.start != outer.start:
            above = callers(moment, over.registers["rip"], over.registers, len(over.frames))
            by = next((one for one in above if one.call.address in outer.at), None)
            told = [argument(moment, by, one)[0] for one in ARGUMENTS[1:4]] if by else [wanted]
            free = goes and wanted not in told
            return None if free and varies(self.core, outer, asks.call, names) else False, ()
        within = self.core.symbolize(asks.call.address)
        folded = frame.inlined or (within is not None and ".constprop" in within[0])
        asked = asks.call, names
        return had_more_to_write(self.core, code, site.call, asked, way, folded), inner

    def _in_one_call(self, birth: Hit, over: Hit) -> Frame | None:
        """The innermost function in one call of which a block was asked for and written to."""
        calls = [one.call for one in over.frames if is_own(one)]
        return next((one for call in calls for one in birth.frames if one.call == call), None)

    def _asks_in(
        self, birth: Hit, frame: Frame | None, wanted: int
    ) -> tuple[Caller | None, list[str]]:
        """The call of a function that asked for a block, or had another do so, and the registers of
        its size."""
        moment = at_hit(self.core, birth)
        above = callers(moment, birth.registers["rip"], birth.registers, len(birth.frames))
        asks = next((one for one in above if frame and one.call.end == frame.address), None)
        if asks is None:
            return None, []
        name = (callee_name(moment, asks.call) or "").rsplit("_", 1)[-1]
        if name in SIZES:
            return asks, [SIZES[name], *(["rsi"] if name == "calloc" else [])]
        return asks, [one for one in ARGUMENTS[:2] if argument(moment, asks, one)[0] == wanted]

    def _varies_inside(self, birth: Hit) -> bool:
        """Whether the size of a block is no constant of the function that asked for it."""
        frame = own([one for one in birth.frames if one.index not in birth.made])
        asks, names = self._asks_in(birth, frame, self._wanted(birth) or birth.size)
        code = code_around(self.core, asks.call.address) if asks is not None else None
        return bool(code and asks and names and varies(self.core, code, asks.call, names))

    def _at_a_count(self, over: Hit) -> bool:
        """Whether a write went to where a pointer and a number, both in memory, lead: behind what
        was written before, for which there may have been room if more had been asked for."""
        call, insn = self._asked_by(over), stored_by(self.core, over)
        site = call.call if call is not None else insn
        code = code_around(self.core, site.address) if site is not None else None
        if site is None or code is None or insn is None:
            return False
        held = FAMILY.get(insn.operands[-1].reg or "", "") if insn.operands else ""
        parts = made_of(self.core, code, [(code.at[site.address], held)])[0] if held else []
        last = [*parts, insn][0].operands
        fixed = bool(last) and last[-1].imm is not None  # as what stands between two texts
        copied = call is not None or copies_inline(self.core, over)
        if not copied and not (fixed and len(parts) < 2):
            return False  # who adds one element is to ask whether there is room
        mem = insn.operands[0].mem if insn.operands and call is None else None
        names = (mem.base, mem.index) if mem is not None else ("rdi",)
        made, _ = made_of(self.core, code, [(code.at[site.address], one) for one in names if one])
        reads = {o.mem for one in made if one.mnemonic != "lea" for o in one.operands[1:]
                 if o.mem and o.mem.base not in ("rip", *code.frame)}  # fmt: skip
        return len(reads) > 1

    async def _is_member(self, over: Hit, birth: Hit) -> bool:
        """Whether a write behind what was asked for went to a member of a structure that begins
        with the block, as the type of a pointer in the writing function says; not where who asked
        for the block has it in a pointer of a type that it is enough for: that is another's."""
        call = self._asked_by(over)
        insn = call.call if call is not None else stored_by(self.core, over)
        if insn is None or not self._behind_end(birth, Cell("", over.address)) or self._left <= 0:
            return False
        asked = own([one for one in birth.frames if one.index not in birth.made])
        code = code_around(self.core, asked.address or 0) if asked is not None else None
        at = code.at.get(asked.address or 0, 0) if code is not None and asked is not None else 0
        behind = code.instructions[at : at + _NEAR] if code is not None and at else ()
        seen = await self._observe(
            "what is written there",
            points=tuple(Point("M", one.address) for one in (insn, *behind)),
        )
        hits = hits_of(seen)
        lies = [(hit.address == insn.address, one.address + one.size) for hit in hits
                for one in hit.variables if one.address == birth.address]  # fmt: skip
        enough = birth.address + (self._wanted(birth) or birth.size)
        member = any(wrote and end > over.address for wrote, end in lies) and not any(
            not wrote and end <= enough for wrote, end in lies
        )
        mem = insn.operands[0].mem if call is None and insn.operands else None
        there = [insn.effective(mem, h.registers) if mem is not None else h.registers.get("rdi")
                 for h in hits if h.address == insn.address]  # fmt: skip
        typed = {one.size for hit in hits for one in hit.variables if one.size
                 and not (one.address - birth.address) % one.size
                 and birth.address <= one.address <= over.address}  # fmt: skip
        return member or self._is_counted(birth, over, [one for one in there if one], typed)

    def _is_counted(
        self, birth: Hit, last: Hit, written: Sequence[int], typed: Collection[int]
    ) -> bool:
        """Whether an element behind what was asked for is one of as many as were asked for, by the
        distance of those that one instruction wrote: each was taken for smaller than it is. Not
        where its number says that it is no larger, as of a loop that leaves elements out. Where the
        number has since been lost, the distance has to be the size of what is ``typed`` there."""
        over = last.address
        moment, wanted = at_hit(self.core, birth), self._wanted(birth) or 0
        asked = self._asks(birth)[-1:]
        if not asked:
            return False
        ((caller, name),) = asked
        steps = argument(moment, caller, name)[1]
        numbered = (callee_name(moment, caller.call) or "").endswith("calloc")
        each = argument(moment, caller, "rsi")[0] if numbered else None
        loads = [step.value for step in steps if step.kind == "load"]
        inside = [at for at in written if birth.address <= at <= over]
        known = sorted(set(inside if len(inside) > 1 else written))
        step = math.gcd(*(after - before for before, after in pairwise(known)))
        # Room for a part of an element: what it is the size of may be wrong.
        self._either = self._either or (step in typed and wanted % step != 0)
        lost = bool(since(moment)) or len(loads) != 1
        by = times(self.core, steps) if lost and not numbered else 0
        number = wanted // by if by else loads[0] if not lost else 0
        if is_product(steps) or not number or wanted % number:
            return False
        size = each if numbered else wanted // number
        if not size or any(one * size == over - birth.address for one in self._numbers(last)):
            return False
        counted = 1 < size < step and (over - birth.address) // step < number
        return counted and (not lost or step in typed)

    def _numbers(self, over: Hit) -> list[int]:
        """The numbers in memory that the address of a write was made of."""
        insn = stored_by(self.core, over)
        moment = at_hit(self.core, over)
        slicer = slicer_at(moment, insn.address, over.registers) if insn is not None else None
        at, pair = added(self.core, slicer.code, insn) if slicer and insn else (0, None)
        trail = (at, None)
        return [
            step.value
            for name in pair or ()
            if slicer is not None and name is not None
            for step in explain_at(slicer, name, None, trail)
            if step.kind == "load" and step.value is not None
        ]

    async def _stored_part(self, steps: list[Step], birth: Hit, block: int) -> OriginStep | None:
        """The same of the numbers that were read to make a size: of the one that the slice follows,
        and of all others, which may have been narrow before."""
        first = cells_of(self.core, steps)[0][:1]
        for place in first:
            if (cut := await self._stored_size(place, block)) is not None:
                return cut
        made, asked = self._made_of_size(birth), self._asks(birth)[-1:]
        code = code_around(self.core, asked[0][0].call.address) if asked else None
        read = [one for one in made if len(one.operands) == 2 and (mem := one.operands[1].mem)
                and one.mnemonic != "lea" and code and mem.base not in code.frame]  # fmt: skip
        points = tuple(Point("R", one.address) for one in read)[:_MOST_POINTS]
        seen = await self._observe(
            "what its size was made of", points=points, blocks=(block,)
        ) if points and self._left > 1 else None  # fmt: skip
        births = self._blocks(seen, block)
        end = max((hit.order for hit in births if hit.kind == "alloc"), default=0)
        hits = hits_of(seen, until=end)
        for one in read:
            last = next((h for h in reversed(hits) if h.address == one.address), None)
            mem, size = one.operands[1].mem, one.operands[1].size
            cell = one.effective(mem, last.registers) if last is not None and mem else None
            if cell is not None and cell not in {place.cell for place in first}:
                cut = await self._stored_size(Place(cell, size, None, one.address), block)
                if cut is not None:
                    return cut
        return None

    async def _stored_size(self, place: Place, block: int) -> OriginStep | None:
        """Where a size lost a part that was read from a cell: as it was stored there, or before."""
        cell = Cell("C1", place.cell, place.size)
        seen = await self._observe("where its size was kept", cells=(cell,), blocks=(block,))
        births = [h for h in self._blocks(seen, block) if h.kind == "alloc"] if seen else []
        end = births[-1].order if births else 0
        hits = hits_of(seen, "C1", end)
        if seen is None or not hits:
            return None
        if truncated(self.core, hits[-1]):
            self.steps.append(self._step(seen, births[-1], OriginKind.ALLOCATED))
            return self._step(seen, hits[-1], OriginKind.TRUNCATED)
        insn = stored_by(self.core, hits[-1])
        source = insn.operands[1].reg if insn is not None and len(insn.operands) == 2 else None
        if insn is None or source not in FAMILY:
            return None
        moment, then = at_hit(self.core, hits[-1]), hits[-1].registers
        steps = history(moment, insn.address, FAMILY[source], then)
        return await self._cut(_points(self.core, steps), block)

    def _made_of_size(self, birth: Hit) -> Sequence[Instruction]:
        """What the function that asked for a block made the size of, but for that of which it was
        to have a part, a rest or a difference alone."""
        asked = self._asks(birth)[-1:]
        code = code_around(self.core, asked[0][0].call.address) if asked else None
        starts = [(code.at[caller.call.address], name) for caller, name in asked] if code else []
        if code is None:
            return ()
        made = made_of(self.core, code, starts)[0]
        parts = [(code.at[one.address], place) for one in made
                 if _takes_part(one) for place in [kept(code, one, 0)] if place]  # fmt: skip
        behind = made_of(self.core, code, parts)[0]
        return [one for one in made if one not in behind]

    def _behind_end(self, birth: Hit, cell: Cell) -> bool:
        """Whether a cell lies behind the size that was asked for, in what the allocator gives."""
        wanted = self._wanted(birth)
        return wanted is not None and cell.address - birth.address >= wanted

    def _wanted(self, birth: Hit) -> int | None:
        """The size that was asked for."""
        moment, sizes = at_hit(self.core, birth), dict[str, int | None]()
        for caller in callers(moment, birth.registers["rip"], birth.registers, 4):
            name = (callee_name(moment, caller.call) or "").rsplit("_", 1)[-1]
            if name not in SIZES:
                break
            wanted = (SIZES[name], "rsi") if name == "calloc" else (SIZES[name],)
            sizes = {r: argument(moment, caller, r)[0] for r in wanted}
        known = [one for one in sizes.values() if one is not None]
        return math.prod(known) if len(known) == len(sizes) > 0 else None

    def _asked(self, birth: Hit) -> list[Step]:
        """The steps that made the size which was asked for."""
        moment, asked = at_hit(self.core, birth), self._asks(birth)[-1:]
        return [step for caller, name in asked for step in argument(moment, caller, name)[1]]

    def _handed_on(self, birth: Hit) -> list[Step]:
        """The steps of the number that the program gave a function of a library's, which asked for
        a block of as many elements (``std::vector::resize``)."""
        moment, wanted = at_hit(self.core, birth), self._wanted(birth) or 0
        frame, asks = own(birth.frames), [caller.call for caller, _ in self._asks(birth)]
        above = callers(moment, birth.registers["rip"], birth.registers, len(birth.frames))
        by = next((one for one in above if frame and one.call.end == frame.address), None)
        for name in ARGUMENTS[1:3] if by is not None and by.call not in asks else ():
            number, steps = argument(moment, by, name) if by is not None else (None, [])
            fits = number and not wanted % number and wanted // number <= _ELEMENT
            if steps and (fits or number is None):
                return steps
        return []

    def _asks(self, birth: Hit) -> list[tuple[Caller, str]]:
        """The calls that asked for a block, and where they take its size; last the outermost one:
        ``new[]`` hands it on to ``new`` and ``malloc``."""
        moment, found = at_hit(self.core, birth), list[tuple[Caller, str]]()
        for caller in callers(moment, birth.registers["rip"], birth.registers, 4):
            name = (callee_name(moment, caller.call) or "").rsplit("_", 1)[-1]
            if name in SIZES:
                found.append((caller, SIZES[name]))
            elif found:
                break
        return found

    async def _cut(self, cuts: tuple[Point, ...], block: int) -> OriginStep | None:
        if not cuts or self._left <= 0:
            return None
        seen = await self._observe("what its size was computed to", points=cuts, blocks=(block,))
        if seen is None:
            return None
        births = [h for h in self._blocks(seen, block) if h.kind == "alloc"]
        end = births[-1].order if births else 0
        last = {h.address: h for h in hits_of(seen, "R") if h.order < end}
        lost = [hit for hit in last.values() if loses(self.core, hit)]
        if not lost:
            return None
        cut = min(lost, key=self._first_lost)
        given = await self._gave_narrow(seen, cut, births[-1])
        return given or await self._declared_narrow(self._told(seen, cut, births[-1]), cut)

    async def _declared_narrow(self, step: OriginStep, cut: Hit) -> OriginStep:
        """Of a number that is read on in part, the line that made it where that declares a variable
        as wide as the part: an optimiser narrows it where it is used."""
        code, insn = code_around(self.core, cut.address), insn_at(self.core, cut.address)
        if code is None or insn is None or not _is_part(insn) or insn.mnemonic == "mov":
            return step
        source, at = insn.operands[1], code.at[cut.address]
        ways = Slicer(self.core, code, at, {}).definitions(FAMILY[source.reg or ""])
        sets = [code.instructions[index] for index, _ in ways if index is not None]
        if len(sets) != 1 or sets[0].mnemonic not in LOSING:
            return step
        (made,) = await self._runs.own_places([sets[0].address])
        (sizes,) = await self._runs.runner.widths([sets[0].address])
        if made.function != step.function or source.size not in sizes:
            return step
        return replace(step, line=made.line)

    async def _gave_narrow(self, seen: Observed, cut: Hit, birth: Hit) -> OriginStep | None:
        """The line that gave a number of which a function of the program's gives back a part,
        as its type says, and who called it goes on with that part (System V ABI, AMD64, 3.2.3)."""
        code = code_around(self.core, cut.address)
        insn = code.instructions[code.at[cut.address]] if code is not None else None
        source = insn.operands[-1].reg if insn is not None and insn.operands else None
        if code is None or insn is None or not insn.mnemonic.startswith(("movz", "movs")):
            return None
        ways = Slicer(self.core, code, code.at[cut.address], {}).definitions(
            FAMILY.get(source or "", "")
        )
        sets = [code.instructions[at] for at, _ in ways if at is not None]
        goal = sets[0].target if len(sets) == 1 and sets[0].is_call else None
        inside = code_around(self.core, goal) if goal is not None else None
        if inside is None:
            return None
        ends = (Slicer(self.core, inside, inside.at[at], {}) for at in returns(inside))
        last = {at for one in ends for at, _ in one.definitions("rax") if at is not None}
        places = await self._runs.own_places([inside.instructions[at].address for at in last])
        if len({one.line for one in places}) != 1 or not is_own(places[0]):
            return None
        self.steps.append(self._step(seen, birth, OriginKind.ALLOCATED))
        inner, step = replace(places[0], index=LEFT), self._step(seen, cut, OriginKind.TRUNCATED)
        return replace(step, function=inner.function, file=inner.file, line=inner.line,
                       stack=(inner, *step.stack))  # fmt: skip

    def _first_lost(self, cut: Hit) -> tuple[bool, int]:
        """A number that is read again in part was kept so before."""
        insn = insn_at(self.core, cut.address)
        return insn is not None and insn.mnemonic.startswith(("movz", "movs")), cut.order

    def _told(self, seen: Observed, cut: Hit, birth: Hit) -> OriginStep:
        born = self._step(seen, birth, OriginKind.TOO_SMALL)
        insn = insn_at(self.core, cut.address)
        moved = insn is not None and insn.mnemonic.startswith("mov")
        made = self._step(seen, cut, OriginKind.TRUNCATED if moved else OriginKind.COMPUTED)
        frames = [frame for frame in birth.frames if is_own(frame)]
        whole = next((at for at, frame in enumerate(frames, 1) if not frame.inlined), 0)
        inside = [(frame.function, frame.line) for frame in frames[:whole]]  # one function's code
        read = self._first_lost(cut)[0] and made.function == born.function  # nothing kept it so
        if made.function is None or (made.function, made.line) in inside or read:
            return born
        self.steps.append(replace(born, kind=OriginKind.ALLOCATED))
        return made


def _points(core: Dump, steps: Sequence[Step]) -> tuple[Point, ...]:
    """The steps that can lose a part of a number; where it is what a function gave back, those of
    the function's that it is made by."""
    steps = list(itertools.takewhile(lambda one: not _is_rest(one), steps))
    found = [s.at for s in steps if s.kind in ("store", "copy", "computed")]
    found += [at for one in found for at in _kept_beside(core, one)]
    call = insn_at(core, steps[-1].at) if steps else None
    inside = code_around(core, call.target) if call and call.is_call and call.target else None
    if inside is not None:
        made, _ = made_of(core, inside, [(inside.at[at], "rax") for at in returns(inside)])
        return (*_at(found), *_losing(made))[:_MOST_POINTS]
    return _at(found)[:_MOST_POINTS]


def _at(found: Sequence[int]) -> tuple[Point, ...]:
    return tuple(Point("R", at) for at in dict.fromkeys(found))


def _losing(made: Sequence[Instruction]) -> tuple[Point, ...]:
    """Of what made a number, that by which a part of it can be lost."""
    return _at([one.address for one in made if one.mnemonic in LOSING or _is_part(one)])


def _is_part(insn: Instruction) -> bool:
    """Whether an instruction moves what may be a part of a register alone."""
    source = insn.operands[-1] if len(insn.operands) == 2 else None
    moves = source is not None and source.reg in FAMILY and source.size < 8
    return moves and insn.mnemonic.startswith("mov")


def _takes_part(insn: Instruction) -> bool:
    """Whether an instruction leaves the lower bits of a number alone, few bits, or a difference;
    what rounds it leaves the upper ones."""
    mask = insn.operands[-1].imm if insn.mnemonic == "and" else None
    lower = _LOWER.match(insn.text) and (mask is None or mask & (mask + 1) == 0)
    return bool(lower or _FEW.match(insn.text))


def _is_rest(step: Step) -> bool:
    """Whether a step leaves no upper part of a number, or few bits of it: the rest of a division, a
    difference, a hash's."""
    rest = step.register == "rdx" and step.text.startswith(("div ", "idiv "))
    rest = rest or _FEW.match(step.text) is not None
    lower = _LOWER.match(step.text) is not None and not step.detail.endswith(" = 0x0")
    return step.kind == "computed" and (rest or lower)


def _kept_beside(core: Dump, at: int) -> list[int]:
    """The stores of the lower part of a register that the instruction at ``at`` reads on: where a
    variable took it that the optimiser did not read again."""
    code = code_around(core, at)
    if code is None or at not in code.at:
        return []
    insn = code.instructions[code.at[at]]
    part = insn.operands[-1].reg if insn.mnemonic.startswith("mov") and insn.operands else None
    near = range(max(code.at[at] - _NEAR, 0), min(code.at[at] + _NEAR, len(code.instructions)))
    stores = (code.instructions[index] for index in near if part)
    return [one.address for one in stores if one.operands[-1:] and one.operands[-1].reg == part
            and one.mnemonic == "mov" and one.operands[0].mem is not None]  # fmt: skip


def _in_front(core: Dump) -> list[int]:
    """The block before each chunk that makes no sense any more."""
    broken = [heap.walk.broken for heap in find_heaps(core)]
    return [one.before + 16 for one in broken if one is not None and one.before is not None]


def _below(core: Dump, page: int | None) -> list[int]:
    """The mapped blocks in front of an address at which nothing may be written, nearest first."""
    before = core.region((page & ~0xFFF) - 1) if page is not None else None
    if before is None or page is None or "w" not in before.perms:
        return []
    found: list[int] = []
    at = before.start
    while at < page and len(found) < 64:
        size = core.read_word(at + 8) or 0
        whole = size & 7 == _MAPPED and core.read_word(at) == 0 and not (size - _MAPPED) & 0xFFF
        found += [at + 16] if whole else []
        at += size - _MAPPED if whole and size > _MAPPED else 0x1000
    return found[::-1]
