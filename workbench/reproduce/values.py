"""From a value back to what made it, through copies, calls and callers."""

import itertools
import re
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.loops import builds_up, counts, fell_below_zero, wrapped
from workbench.reproduce.makers import returns
from workbench.reproduce.moment import at_hit, before, frame_of, wrote
from workbench.reproduce.observing import LEFT, Bound, Observed, Observing, call_of
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.slices import (
    FREES,
    Lead,
    Place,
    callee,
    cells_of,
    from_steps,
    is_product,
    last_step,
    signed_at,
)
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.dump import Dump
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import Code, code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import (
    argument,
    culprit,
    history,
    leaves_block,
    slicer_at,
    summed,
)
from workbench.targets.probes.instruction import MASK, Instruction, Memory
from workbench.targets.probes.places import kind_of, read_some, variable_at
from workbench.targets.probes.slicer import Slicer, zeroes
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY, decode_one

FILLS = re.compile(r"_*mem(?:p?cpy|move|set)")
_COPIES = re.compile(r"mem(?:p?cpy|move)")
_RETURNED = ("rax", "rdx")
"""In which a function gives back up to two words (System V ABI, AMD64, 3.2.3)."""
_FEW = 16
"""Bytes of an object of which one line makes two members null, each for itself."""
_IMPLICIT = ("div", "idiv", "mul", "neg", "not")
"""Arithmetic with one operand."""


class Values(Observing):
    """The ends at which a slice stops, and what a run shows there."""

    async def _behind_write(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool = False
    ) -> OriginStep | None:
        """The write itself, or where the value that it only copied was made."""
        insn = before(self.core, hit.registers.get("rip", 0))
        source = insn.operands[1] if insn is not None and len(insn.operands) == 2 else None
        cleared = hit.new == 0 and bool(hit.old)
        if cleared and insn is not None and self._is_of_a_kind(hit, insn):
            return None
        if cleared and not await self._held(hit, Bound(cell, hit.nth, reads)):
            if source is None or source.reg not in FAMILY:
                return await self._made_empty(seen, hit)
            cleared = False  # a local took over what another cell held
        here = self._step(seen, hit, OriginKind.CLEARED if cleared else OriginKind.WRITTEN)
        if truncated(self.core, hit):
            return replace(here, kind=OriginKind.TRUNCATED)
        bad = hit.old and hit.new and self._leads(hit, hit.old) and not self._leads(hit, hit.new)
        if bad and not _assigned(self.core, hit) and self._was_there(seen, hit):
            bound = Bound(cell, hit.nth, reads)
            read = await self._source(hit, bound)
            pointed = read is not None and self._left > 1 and await self._pointed(read, bound, hit)
            if read is None or not pointed:
                return here  # no pointer was put where one was
            self.steps.append(here)
            return await self._follow(Lead(row="copy", cells=(read,), value=hit.new), bound)
        kept = here if cleared or not self._moved(hit) else None
        if not hit.frames or not (is_own(hit.frames[0]) or self._built_in(hit.frames[0])):
            bound = Bound(cell, hit.nth, reads)
            read = await self._source(hit, bound) if copies(hit) else None
            if cleared and read is not None and self._is_fixed(read.cell):
                return here
            if read is None:
                return None if cleared and copies(hit) else kept
            found = await self._follow(Lead(row="copy", cells=(read,), value=hit.new), bound)
            self.steps += [here] if found is not None else []
            return found
        if insn is None or source is None or not insn.mnemonic.startswith("mov"):
            return self._computed(seen, hit, here) if not cleared else here
        bound = Bound(cell, hit.nth, reads)
        if source.reg is None or source.reg not in FAMILY:
            place = self._wide(hit, insn)
            if cleared and place is not None and self._is_fixed(place.cells[0].cell):
                named = variable_at(self.core, place.cells[0].cell)
                return kept if named else None  # or one line's of several that were stored at once
            found = await self._follow(place, bound) if place is not None else None
            if found is not None:
                self.steps.append(here)
            return found or (None if cleared and place is not None else kept)
        moment, held = at_hit(self.core, hit), FAMILY[source.reg]
        part = culprit(moment, insn.address, held, hit.registers)
        steps = part[1] if part else history(
            moment, insn.address, held, hit.registers
        )  # fmt: skip
        cells, derived = cells_of(moment, steps)
        if not steps:  # more ways lead here than one
            now = hit.registers.get(held)
            found = await self._defined(insn.address, held, bound, now)
            cleared = found is not None and found.kind is OriginKind.CLEARED
            if found is not None and (cleared or found.function == here.function):
                return replace(here, kind=found.kind)  # where that was stored
            self.steps += [here] if found is not None else []
            return found
        if derived and not (part and cells):
            kinds = [step.kind for step in steps]
            at = kinds.index("computed")
            told = self._computed(seen, hit, here) if "argument" not in kinds[:at] else None
            (inner,) = await self._runs.own_places([steps[at].at])
            if told is None or inner.function in (None, here.function):
                return told  # of what it was given, or worked out itself
            made = await self._last_at("what was inlined", (Point("R", steps[at].at),), bound)
            self.steps.append(here)
            return self._step(*made, told.kind) if made is not None else None
        if cells:
            first = cells[0]
            if self._is_fixed(first.cell) and not variable_at(self.core, first.cell):
                mem = insn.operands[0].mem  # of merged ones the first is told
                begins = mem is not None and insn.effective(mem, hit.registers) == hit.address
                return kept if begins else None
            if first.value is not None and hit.new is not None and first.cell != hit.address:
                self.steps.append(here)
                copied = Lead(row="copy", cells=cells, value=None if part else hit.new)
                found = await self._follow(copied, bound)
                if found is None:
                    self.steps.remove(here)
                return found  # a copy of what came from elsewhere is no origin
            return kept
        found = await self._ended(last_step(steps), bound, steps)
        if found is None and hit.new == 0 and last_step(steps).kind == "load":
            return None  # it took over a null that was left there, which may be meant so
        if found is None and last_step(steps).kind == "call":
            return None  # it only kept what was given back
        unseen = found is not None and found.evidence == (Citation(self.crash.id),)
        returned = found is not None and found.kind is OriginKind.RETURNED
        same = found is not None and unseen and found.function == here.function and not returned
        if found is None or found.line is None or same:
            return kept if kind_of(self.core, hit.address) == "stack" else here
        self.steps.append(here)
        if unseen and found.kind is OriginKind.CLEARED:
            found = replace(found, kind=OriginKind.RETURNED)  # by a function that was inlined
        return replace(found, evidence=here.evidence) if unseen else found

    def _lends(self, hit: Hit) -> int:
        """The instruction that stored into what its function lends; 0 where that lends nothing."""
        insn = before(self.core, hit.registers.get("rip", 0))
        return insn.address if insn is not None and is_lent(self.core, insn.address) else 0

    async def _stored_since(
        self, cell: Cell, at: int, bound: Bound
    ) -> tuple[OriginStep | None, bool]:
        """Where the value came from that another instruction than the one ``at`` stored last into
        a cell, the same that was there: only a run that tells reads as well shows it. And whether
        one did, or no run is left to see it."""
        if self._is_spent():
            return None, True
        seen = await self._observe(
            "who else stored the same there", bound=bound, reads=True,
            cells=(cell, *bound.cells), points=bound.points,
        )  # fmt: skip
        if seen is None:
            return None, False
        end = self._end(seen.outcome, bound, reads=True)
        hits = [h for h in seen.outcome.events if h.watch == cell.name and h.order < end
                and (h.kind == "filled" or wrote(self.core, h))
                and not in_allocator(h.frames)]  # fmt: skip
        if hits and hits[-1].kind == "filled":
            return None, True  # what the system put there came from outside
        last = before(self.core, hits[-1].registers.get("rip", 0)) if hits else None
        if last is None or last.address == at:
            return None, False
        return await self._behind_write(seen, hits[-1], replace(cell, name="B"), True), True

    def _asked_for(self, hit: Hit, lead: Lead) -> bool:
        """Whether the function that failed had called the one that wrote, with the object that it
        went on to read from: the call, or the reading, may be the mistake."""
        own_frames = [frame for frame in hit.frames if is_own(frame) and not frame.inlined]
        used, moment = own(self.crash.outcome.frames), at_hit(self.core, hit)
        by = (used.function, used.stack_pointer) if used is not None else ()
        if [(one.function, one.stack_pointer) for one in own_frames[1:2]] != [by]:
            return False
        for caller in callers(moment, hit.registers["rip"], hit.registers, len(hit.frames)):
            if caller.call.end == own_frames[1].address and caller.call.target is not None:
                given = [argument(moment, caller, name)[0] for name in ARGUMENTS]
                return lead.cells[0].base in set(given) - {None}
        return False

    def _was_there(self, seen: Observed, hit: Hit) -> bool:
        """Whether what a cell held was put there for it: of a place in a frame not what another
        function had left on the stack."""
        if kind_of(self.core, hit.address) != "stack":
            return True
        earlier = [h for h in seen.outcome.events if h.watch == hit.watch and h.order < hit.order]
        now, then = (self._place_of(h, hit.address) for h in (hit, (earlier or [hit])[-1]))
        return bool(earlier and now and now == then)

    def _moved(self, hit: Hit) -> bool:
        """Whether a library's generic code wrote, which only moves what the program gave it: it is
        no origin itself."""
        inner = itertools.takewhile(lambda frame: not is_own(frame), hit.frames)
        return any(self._built_in(frame) for frame in inner)

    def _computed(self, seen: Observed, hit: Hit, here: OriginStep) -> OriginStep | None:
        """The write of what was worked out there. A library's generic code works out nothing for
        the program: where what it stores came from is not known then. Nor is a number wrong that
        was counted on by one, or built up in a loop from what was read, unless it is below zero.
        """
        insn = before(self.core, hit.registers.get("rip", 0))
        rounds = [
            one for one in seen.outcome.events
            if one.watch == hit.watch and call_of(one) == call_of(hit) and one.order <= hit.order
            and one.registers.get("rip") == hit.registers.get("rip")
        ]  # fmt: skip
        if insn is None or not is_own(hit.frames[0]):
            return None
        counted = (
            abs((hit.new or 0) - (hit.old or 0)) == 1 and self._counts and not wrapped(hit.new)
        )
        if counted or (len(rounds) > 1 and self._is_built_up(insn.address, hit.new)):
            return None
        if insn.operands[0].size > hit.size:
            return None  # a part of what is no such number
        if insn.operands[0].size < hit.size:
            return here if self._counts else None  # it did not make all of the pointer
        return replace(here, kind=OriginKind.COMPUTED)

    def _is_built_up(self, at: int, value: int | None) -> bool:
        """Whether an instruction built up a number in a loop that is not below zero, in 32 or 64
        bits, or a pointer that is not released: that may not have been moved on at all."""
        below = value is not None and (value >> 63 or value >> 31 == 1)
        return not self._releases and not below and builds_up(self.core, at)

    def _is_of_a_kind(self, hit: Hit, store: Instruction) -> bool:
        """Whether null was moved together with a number behind it that is no address, as one value,
        whose kind that tells: it is no pointer then, and who read it as one did not ask."""
        mem = store.operands[0].mem if len(store.operands) == 2 else None
        at = store.effective(mem, hit.registers) if mem is not None else None
        if at is None or self._counts or store.operands[0].size != 16 or not store.operands[1].reg:
            return False
        beside = self.core.read_word(2 * at + 8 - hit.address)
        return bool(beside and beside >> 32 == 0 and not self.core.region(beside))

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

    async def _source(self, hit: Hit, bound: Bound) -> Place | None:
        """The cell that a word was read from to be stored as it was: by the C library, or by the
        load in front of a store. What the cell holds by now says nothing of it."""
        if copies(hit):
            call, (to, start, size) = await self._call(hit, bound, ("rdi", "rsi", "rdx"))
            inside = to <= hit.address < to + size
            there = start + hit.address - to
            return Place(there, hit.size or 8, hit.new, call) if inside else None
        insn = before(self.core, hit.registers.get("rip", 0))
        stored = insn.operands[1].reg if insn is not None and len(insn.operands) == 2 else None
        if insn is None or stored is None or not insn.mnemonic.startswith("mov"):
            return None
        if stored not in FAMILY:
            wide = self._wide(hit, insn)
            return wide.cells[0] if wide is not None else None
        moment = at_hit(self.core, hit)
        steps = history(moment, insn.address, FAMILY[stored], hit.registers)
        if not steps or stored[0] != "r":
            return None
        load = steps[0]
        if load.kind != "load":  # it was given it
            cells, derived = cells_of(moment, steps)
            if cells or derived:
                return cells[0] if not derived and cells[0].value == hit.new else None
            load = steps[-1]
        if load.kind != "load" or load.value not in (None, hit.new):
            return None
        cell = load.source
        if cell is None and self._left > 1 and (read := await self._read(load, bound)):
            cell = read[-1]
        return Place(cell, 8, hit.new, load.at) if cell else None

    def _leads(self, hit: Hit, value: int) -> bool:
        """Whether a value is an address: of code where that is what the cell was used for, and in
        memory that nobody writes where it was a table's of such."""
        region = self.core.region(value)
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
        if seen is None or not (end := self._end(seen.outcome, bound)):
            return True  # it may have been
        stored = [h for h in seen.outcome.events
                  if h.watch == "C1" and h.order < end and h.kind == "write"]  # fmt: skip
        if kind_of(self.core, place.cell) == "stack":
            last = next(h for h in seen.outcome.events if h.order == end)
            frame = self._place_of(last, place.cell)
            stored = [h for h in stored if self._place_of(h, place.cell) == frame]
        held = any(self._leads(hit, h.new or 0) for h in stored)
        return held and any(h.new == place.value for h in stored)

    def _place_of(self, hit: Hit, cell: int) -> tuple[str | None, int] | None:
        """In whose frame a cell lies at a hit: function and where the frame ends."""
        found = frame_of(hit.frames, cell)
        return (found[0].function, found[1]) if found is not None else None

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
        if None not in values:
            return site, [one or 0 for one in values]
        found = await self._last_at("what the library was given", (Point("R", site),), bound)
        return site, [found[1].registers[one] for one in registers] if found else unknown

    async def _made_empty(self, seen: Observed, hit: Hit) -> OriginStep | None:
        """The write that made empty what nobody set afterwards. No origin where it put null into
        that one place on a line of its own (``node->next = NULL``), in a function that had come
        back when it was used: whoever should have set it, or have looked for null, did not run."""
        here, fault = self._step(seen, hit, OriginKind.NEVER_SET), self.crash.outcome.frames
        used = next((frame for frame in fault if is_own(frame)), None)
        if used is None or here.function == used.function:
            return here
        insn = before(self.core, hit.registers.get("rip", 0))
        code = code_around(self.core, insn.address) if insn is not None else None
        target = insn.operands[0].mem if insn is not None and insn.operands else None
        if insn is None or code is None or target is None or insn.mnemonic.startswith("rep"):
            return here
        stores = [
            one for one in code.instructions
            if one.operands[:1] and one.operands[0].mem is not None
            and one.operands[0].mem.base == target.base
            and one.mnemonic.startswith(("mov", "vmov"))
            and (one.operands[1].imm == 0 or one.operands[1].reg not in FAMILY)
        ]  # fmt: skip
        places = await self._runs.places([insn.address, *(one.address for one in stores)])
        lines = [(one.file, one.line) for one in places]
        here_too = {
            byte
            for one, line in zip(stores, lines[1:], strict=True) if line == lines[0]
            for mem in [one.operands[0].mem] if mem is not None
            for byte in range(mem.disp, mem.disp + one.operands[0].size)
        }  # fmt: skip
        return here if len(here_too) > _FEW else None

    async def _held(self, hit: Hit, bound: Bound) -> bool:
        """Whether a local's cell held a value since its function was entered, by the call whose
        frame it lies in: what the stack held before is none of it. True where that is not known.
        """
        found = frame_of(hit.frames, hit.address)
        inside = found[0].address if found is not None and found[0].function != "main" else None
        code = function_bounds(self.core, inside) if inside is not None else None
        if found is None or code is None or bound.cell is None or self._left <= 0:
            return True
        entry = (Point("R", code[0]),)
        seen = await self._observe(
            "when the function was entered", points=entry, cells=(bound.cell,), reads=bound.reads
        )
        if seen is None:
            return True
        end = self._end(seen.outcome, bound)
        until = [one for one in seen.outcome.events if one.order < end]
        entered = max((one.order for one in until if one.watch == "R"
                       and one.registers.get("rsp", 0) + 8 == found[1]), default=None)  # fmt: skip
        return entered is None or any(one.order > entered and one.new for one in until)

    def _built_in(self, frame: Frame) -> bool:
        """A library's generic code, which stands in the program itself."""
        module = self.core.module_at(frame.address or 0)
        return frame.file is not None and module is not None and (
            not is_runtime_library(module.name)
        )  # fmt: skip

    async def _ended(
        self, end: Step, bound: Bound, steps: Sequence[Step] = ()
    ) -> OriginStep | None:
        """What the last step of a slice is: a constant, what a call gave back, a sum."""
        if end.kind == "call":
            return await self._returned(end, bound)
        if end.kind == "load":
            return await self._loaded(Lead(row="copy"), end, bound)
        if end.kind in ("defined", "store"):
            return await self._defined(end.at, end.register, bound)
        if end.kind == "copy":
            insn = decode_one(read_some(self.core, end.at, 16), end.at)
            pair = insn.operands if insn is not None and len(insn.operands) == 2 else ()
            source = FAMILY.get(pair[1].reg or "") if pair else None
            return await self._defined(end.at, source, bound) if source else None
        if end.kind not in ("constant", "computed", "unset"):
            return None
        if end.kind == "constant" and end.source and is_lent(self.core, end.at):
            since, unknown = await self._stored_since(Cell("C1", end.source), end.at, bound)
            if since is not None or unknown:
                return since
        if end.kind == "computed" and self._is_built_up(end.at, end.value):
            return None
        if end.kind == "computed" and end.source and end.text.startswith(("movsx", "movzx")):
            kept, known = await self._kept_narrow(end, bound)
            if known:
                return kept
        passed = any(step.kind == "argument" for step in steps)
        if passed and end.kind == "constant" and await self._is_number(steps):
            return None  # as which another read it
        kind = {
            "constant": OriginKind.PASSED if passed else OriginKind.WRITTEN,
            "computed": OriginKind.COMPUTED,
            "unset": OriginKind.NEVER_SET,
        }[end.kind]
        if kind is OriginKind.WRITTEN and end.value == 0:
            kind = OriginKind.CLEARED
        # The instruction that loads a constant may stand long before the call that hands it over.
        calls = [step.source for step in steps if step.kind == "argument" and step.source]
        found = await self._at(calls[-1] if passed and calls else end.at, kind, end.source)
        owner = self._owner(end.source) if end.kind == "constant" and end.source else None
        if found is not None and owner is not None and not passed and found.line == owner[0]:
            return None  # with which it was declared, and which nothing else took the place of
        return found

    async def _kept_narrow(self, load: Step, bound: Bound) -> tuple[OriginStep | None, bool]:
        """Who stored a number that a ``load`` of a byte or two made negative: where it was none
        before, its cell is too narrow for it. And whether that is known: it is not of what was
        copied as narrow as it stands there, as a text's characters are."""
        if self._is_spent():
            return None, True
        insn = decode_one(read_some(self.core, load.at, 16), load.at)
        cell = Cell("C1", load.source or 0, insn.operands[1].size if insn is not None else 1)
        seen = await self._observe(
            "who kept the number", bound=bound, cells=(cell, *bound.cells), points=bound.points,
            reads=bound.reads,
        )  # fmt: skip
        end = self._end(seen.outcome, bound) if seen is not None else 0
        hits = [h for h in seen.outcome.events if h.watch == cell.name and h.order < end
                and wrote(self.core, h)] if seen is not None else []  # fmt: skip
        store = before(self.core, hits[-1].registers.get("rip", 0)) if hits else None
        inner = hits[-1].frames[0] if hits and hits[-1].frames else None
        known = inner is not None and (is_own(inner) or self._built_in(inner))
        if seen is None or store is None or not known:
            return None, False
        held = FAMILY.get(store.operands[-1].reg or "")
        slicer = slicer_at(self.core, store.address, hits[-1].registers) if held else None
        ways = slicer.definitions(held or "") if slicer is not None else ()
        sets = [slicer.code.instructions[at] for at, _ in ways if slicer and at is not None]
        if any(o.mem and o.size <= cell.size for one in sets for o in one.operands[1:]):
            return None, False
        if held and not hits[-1].registers.get(held, 0) >> 31 & 1:
            return self._step(seen, hits[-1], OriginKind.TRUNCATED), True
        at = replace(cell, name="B")
        return await self._behind_write(seen, hits[-1], at, bound.reads), True

    def _signs(self, load: Instruction) -> bool:
        """Whether a number is taken for one with a sign when it is loaded."""
        after = decode_one(read_some(self.core, load.end, 16), load.end)
        part = after.operands[1].reg if after is not None and len(after.operands) == 2 else None
        widened = part in FAMILY and FAMILY[part] == FAMILY.get(load.operands[0].reg or "")
        return load.mnemonic == "movsx" or bool(
            widened and after is not None and after.mnemonic == "movsx"
        )

    async def _is_number(self, steps: Sequence[Step]) -> bool:
        """Whether a bad pointer was given as a number to each function on its way, and is none."""
        ways = [s for s in steps if s.kind == "argument" and s.register in ARGUMENTS]
        taken = await self._runs.takes([one.at for one in ways]) if not self._counts else []
        kinds = {of[ARGUMENTS.index(s.register) :][:1] for s, of in zip(ways, taken, strict=False)}
        return kinds == {"n"}

    async def _read(self, load: Step, bound: Bound) -> tuple[Hit, Instruction, Memory, int] | None:
        """The last time that an instruction runs which reads a cell, and the cell."""
        hit = await self._last_at("what is read there", (Point("R", load.at),), bound)
        insn = decode_one(read_some(self.core, load.at, 16), load.at)
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

    async def _loaded(self, lead: Lead, load: Step, bound: Bound) -> OriginStep | None:
        """The cell that an instruction reads, seen when it runs for the last time."""
        read = await self._read(load, bound)
        if read is None:
            return None
        hit, insn, mem, cell = read
        seen, into = hit.registers, FAMILY.get(insn.operands[0].reg or "")
        size = next(one.size for one in insn.operands if one.mem)
        moment = at_hit(self.core, hit)
        then, at, parts = self._apart(hit, insn, mem)
        index, leaves = self._index_of(then, parts, cell)
        if leaves:  # no element of it
            return await self._chosen(then, at, index, bound)
        known = load.value is not None and load.matches
        raw = None if known else moment.read(cell, size)
        value = int.from_bytes(raw, "little") if raw else load.value or 0
        if size < 4 and self._counts and value >> (8 * size - 1) == 1 and self._signs(insn):
            kept, narrow = await self._kept_narrow(replace(load, source=cell), bound)
            if narrow:
                return kept
        base, code = mem.base, code_around(self.core, load.at)
        framed = code is not None and base in code.frame
        if into and framed and not mem.index:  # of its own frame: who stored it there
            behind = {**seen, into: value}
            steps = history(moment, insn.end, into, behind)
            cells = cells_of(moment, steps)[0]
        else:
            steps = history(moment, load.at, base, seen) if base in seen and not framed else []
            start = cell - mem.disp if not mem.index and base != "rip" else None
            place = Place(cell, min(size, 8), value, load.at, start)
            cells = (place, *cells_of(moment, steps)[0])
        if cells:
            pointer = value if lead.row in FREES else lead.pointer
            bound = Bound(bound.cell, hit.nth, bound.reads, Point("L", load.at))
            return await self._follow(
                Lead(row=lead.row, cells=cells, pointer=pointer, page=lead.page,
                     freed_twice=lead.freed_twice), bound
            )  # fmt: skip
        return await self._ended(last_step(steps), bound, steps) if steps else None

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

    async def _chosen(self, hit: Hit, at: int, index: str, bound: Bound) -> OriginStep | None:
        """Why an instruction read that element of an array which a register says."""
        moment, self._counts = at_hit(self.core, hit), True
        steps = history(moment, at, index, hit.registers)
        if (signed := signed_at(steps)) is not None:
            return await self._ended(replace(signed, kind="computed"), bound)
        last = last_step(steps) if steps else Step("defined", at, index, "")
        led = from_steps(moment, "index", steps) or Lead(row="index", end=last)
        return await self._follow(led, bound)

    async def _taken(
        self, hit: Hit, insn: Instruction, register: str, value: int | None, bound: Bound
    ) -> OriginStep | None:
        """Where a ``value`` came from that a conditional move left in a register: what was there,
        or what it moved; None where both are alike."""
        names = (register, FAMILY.get(insn.operands[1].reg or "", ""))
        mask = (1 << insn.operands[0].size * 8) - 1
        fitting = [one for one in names if value is not None and one in hit.registers
                   and (hit.registers[one] ^ value) & mask == 0]  # fmt: skip
        if len(fitting) != 1 or names[1] not in hit.registers:
            return None
        moment = at_hit(self.core, hit)
        steps = history(moment, insn.address, fitting[0], hit.registers)
        cells, derived = cells_of(moment, steps)
        made = next((step for step in steps if step.kind == "computed"), None)
        if derived and made is not None and not self._is_built_up(made.at, made.value):
            return await self._at(made.at, OriginKind.COMPUTED, None)
        if cells and not derived:
            return await self._follow(Lead(row="copy", cells=cells), bound)
        return await self._ended(last_step(steps), bound, steps) if steps and not derived else None

    async def _defined(
        self, at: int, source: str, bound: Bound, value: int | None = None
    ) -> OriginStep | None:
        """Which of the instructions that may have set a register did so last; what only counts it
        on, in a loop, is passed over."""
        code = code_around(self.core, at)
        if code is None or at not in code.at:
            return None
        slicer = Slicer(self.core, code, code.at[at], {})
        ways = list(slicer.definitions(source))
        found = {index for index, _ in ways if index is not None}
        setting = [
            one for one in (code.instructions[index] for index in sorted(found))
            if not counts(one, source)
        ]  # fmt: skip
        if not setting:
            return None
        points = tuple(Point("R", one.address) for one in setting[:8])
        if any(index is None for index, _ in ways):  # or it came with the call
            points += (Point("R", code.start),)
        hit = await self._last_at("what sets the register", points, bound)
        one = next((o for o in setting if hit is not None and o.address == hit[1].address), None)
        if hit is not None and one is not None and one.mnemonic in _IMPLICIT:
            return await self._at(one.address, OriginKind.COMPUTED, None)
        if hit is not None and one is not None and one.is_call and source in _RETURNED:
            value = hit[0].outcome.registers.get(source)
            return await self._returned(Step("call", one.address, source, "", None, value), bound)
        if hit is None or one is None or len(one.operands) != 2:
            return None
        operand = one.operands[1]
        if operand.mem is not None and one.mnemonic.startswith("mov"):
            load = Step("load", one.address, source, one.text)
            return await self._loaded(Lead(row="copy"), load, bound)
        if operand.reg in FAMILY and one.mnemonic.startswith("mov"):
            then = hit[1].registers
            steps = history(at_hit(self.core, hit[1]), one.address, FAMILY[operand.reg], then)
            cells = cells_of(self.core, steps)[0]
            if cells:
                return await self._follow(Lead(row="copy", cells=cells), bound)
            return await self._ended(last_step(steps), bound, steps) if steps else None
        if zeroes(one):
            return await self._at(one.address, OriginKind.CLEARED, None)
        if one.mnemonic.startswith("cmov"):
            return await self._taken(hit[1], one, source, value, bound)
        if operand.imm is not None and not one.mnemonic.startswith("mov"):
            return None  # a shift or a mask of what was bad may be
        if operand.imm is not None or (operand.mem is not None and operand.mem.base == "rip"):
            return await self._at(one.address, OriginKind.WRITTEN, None)
        moves = (source,) if one.mnemonic in ("add", "sub") else ()
        parts = [hit[1].registers.get(name, 0) for name in summed(one, source) or moves]
        if operand.mem is not None:  # lea
            parts.append(one.effective(operand.mem, hit[1].registers) or 0)
        if any(self.core.region(part) for part in parts):
            return None  # a pointer and a distance, and neither is known to have made it bad
        if self._is_built_up(one.address, None):
            return None
        return await self._at(one.address, OriginKind.COMPUTED, None)

    async def _returned(self, call: Step, bound: Bound) -> OriginStep | None:
        """Why a function of the program's gave back what it did; of another's, who asked it."""
        code = code_around(self.core, call.at)
        if code is None or call.at not in code.at:
            return None
        insn = code.instructions[code.at[call.at]]
        failed = call.value in (0, MASK)
        asked = await self._at(call.at, OriginKind.RETURNED, None) if failed else None
        if asked is not None:
            inner = Frame(index=LEFT, function=callee(self.core, insn) or None)
            asked = replace(asked, stack=(inner, *asked.stack))
        goal = through_plt(self.core, insn.target) if insn.target is not None else None
        inside = code_around(self.core, goal) if goal is not None else None
        if inside is not None and not returns(inside):
            left = inside.instructions[-1]  # it ends in another's call, by a jump
            there = through_plt(self.core, left.target) if left.target is not None else 0
            by = self.core.module_at(there)
            if left.is_jump and by is not None and is_runtime_library(by.name):
                return await self._returned(replace(call, at=left.address), bound)
        module = self.core.module_at(goal) if goal is not None else None
        if inside is None or module is None or is_runtime_library(module.name):
            return asked if call.value or not self._counts else None  # 0 as of what it was given
        points = tuple(Point("R", at, insn.end) for at in returns(inside))
        hit = await self._last_at("what the function gives back", points[:16], bound)
        if hit is None:
            return asked
        here = self._step(*hit, OriginKind.RETURNED)
        moment, at = at_hit(self.core, hit[1]), hit[1].registers
        back = call.register if call.register in _RETURNED else "rax"
        part = culprit(moment, at["rip"], back, at)
        steps = part[1] if part else history(moment, at["rip"], back, at)
        if is_product(steps):
            return None
        cells, derived = cells_of(moment, steps)
        known = [one for one in hit[0].outcome.events if one.watch == "R"]
        before_it = bound
        if len(known) == hit[0].outcome.totals["R"]:
            nth = sum(one.address == at["rip"] and one.nth <= hit[1].nth for one in known)
            before_it = Bound(bound.cell, nth, bound.reads, Point("L", at["rip"], insn.end))
        if (signed := signed_at(steps)) is not None:
            return await self._ended(replace(signed, kind="computed"), before_it)
        if not steps:  # more ways lead here than one
            found = await self._defined(at["rip"], back, before_it)
            if found is None or found.evidence != (Citation(self.crash.id),):
                return found
            fixed = found.kind in (OriginKind.WRITTEN, OriginKind.CLEARED)  # one of its constants
            kind = OriginKind.RETURNED if fixed else found.kind
            return replace(found, kind=kind, evidence=here.evidence, thread=hit[1].thread)
        if cells and (part is not None or not derived):
            return await self._follow(Lead(row="copy", cells=cells), before_it)
        if steps and (part is not None or not derived):
            last = last_step(steps)
            if last.kind == "constant" and failed and bound == Bound():
                return None  # used where it was called: whether it may fail, or is to be checked
            found = await self._ended(last, before_it, steps)
            if found is None and last.kind in ("load", "call", "constant", "copy"):
                return None  # it only handed on what it had
            if found is not None:
                kind = OriginKind.RETURNED if last.kind == "constant" else found.kind
                return replace(found, kind=kind, evidence=here.evidence, thread=hit[1].thread)
        if derived:
            last = last_step(steps)
            made = fell_below_zero(steps)
            if made is None and last.kind == "load" and not (last.source and last.matches):
                return None  # of what, no run has seen
            made = made or next((s for s in steps if s.kind == "computed"), None)
            if made is not None and self._is_built_up(made.at, made.value):
                return None
            return await self._at(made.at, OriginKind.COMPUTED, None) if made else asked
        return asked


def is_lent(core: Dump, at: int) -> bool:
    """Whether an instruction stores into a place of its function's frame whose address that takes,
    for others to store there."""
    code = code_around(core, at)
    insn = code.instructions[code.at[at]] if code is not None and at in code.at else None
    place = insn.operands[0].mem if insn is not None and insn.operands else None
    return code is not None and place is not None and place.base in code.frame and any(
        one.mnemonic == "lea" and one.operands[1].mem == place for one in code.instructions
    )  # fmt: skip


def copies(hit: Hit) -> bool:
    """Whether the C library copied there."""
    return bool(_COPIES.search(hit.frames[0].function or "" if hit.frames else ""))


def copies_whole(core: Dump, hit: Hit) -> bool:
    """Whether a word was stored with what stands beside it, as both stood elsewhere: by the C
    library, from a vector register, or word by word."""
    insn = before(core, hit.registers.get("rip", 0))
    code = code_around(core, insn.address) if insn is not None else None
    source = insn.operands[-1].reg if insn is not None and insn.operands else None
    if insn is None or code is None or copies(hit) or source not in FAMILY:
        return copies(hit) or source is not None
    at = code.at[insn.address]
    near = {one: _carries(core, code, one) for one in range(max(at - 3, 0), at + 4)}
    return near[at] is not None and list(near.values()).count(near[at]) > 1


def _carries(core: Dump, code: Code, at: int) -> tuple[str | None, str | None, int] | None:
    """By which register a store moves a word, to how far from where that it was read by."""
    to = code.instructions[at].operands if at < len(code.instructions) else ()
    if len(to) != 2 or to[0].mem is None or to[1].reg not in FAMILY:
        return None
    (index, _), *more = Slicer(core, code, at, {}).definitions(FAMILY[to[1].reg])
    load = code.instructions[index].operands if index is not None and not more else ()
    mem = load[1].mem if len(load) == 2 else None
    return (to[0].mem.base, mem.base, to[0].mem.disp - mem.disp) if mem is not None else None


def _assigned(core: Dump, hit: Hit) -> bool:
    """Whether all of a variable with a place of its own was stored: what it holds came from where
    the value was read. A copy that runs over is narrower, or goes by an index or a pointer."""
    insn = before(core, hit.registers.get("rip", 0))
    if insn is None or len(insn.operands) != 2 or not insn.mnemonic.startswith("mov"):
        return False
    mem = insn.operands[0].mem
    return (
        mem is not None and insn.operands[0].size == 8 and not mem.index
        and mem.base in ("rbp", "rsp", "rip")
    )  # fmt: skip


def truncated(core: Dump, hit: Hit) -> bool:
    """The register that was stored held more than the one or two bytes of the cell take, and was
    set as a whole: above what only set its lower part (``sete al``) stands what was there before.
    """
    insn = before(core, hit.registers.get("rip", 0))
    if insn is None or len(insn.operands) != 2 or insn.mnemonic != "mov":
        return False
    target, source = insn.operands
    if target.mem is None or source.reg not in FAMILY or target.size > 2:
        return False
    held, bits = hit.registers.get(FAMILY[source.reg], 0) & 0xFFFFFFFF, target.size * 8
    if (slicer := slicer_at(core, insn.address, hit.registers)) is None:
        return False
    ways = slicer.definitions(FAMILY[source.reg])
    sets = [slicer.code.instructions[index] for index, _ in ways if index is not None]
    if any(one.operands and one.operands[0].size <= target.size for one in sets if not one.is_call):
        return False
    return held >> bits != 0 and (held >> (bits - 1)) != (1 << (33 - bits)) - 1
