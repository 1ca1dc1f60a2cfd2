"""From a value that was stored back to what made it, through copies, calls and callers."""

import re

from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import OriginKind, OriginStep
from workbench.reproduce.ends import Ends
from workbench.reproduce.loops import lessened, puts_together, wrapped
from workbench.reproduce.losing import LOSING, loses
from workbench.reproduce.makers import given_in
from workbench.reproduce.moment import at_hit, frame_of, stored_by
from workbench.reproduce.nulls import ahead_of
from workbench.reproduce.observing import Bound, Observed, call_of, hits_of
from workbench.reproduce.owners import innermost, is_own, own
from workbench.reproduce.slices import Lead, Place, came_from, cells_of, last_step, signed_at
from workbench.reproduce.stores import FILLS, assigned, copies, is_lent, moved, truncated
from workbench.reproduce.wire import Cell, Hit, Point
from workbench.targets.probes.cfi import callers
from workbench.targets.probes.code import code_around, insn_at, reached
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import argument, culprit, history, summed
from workbench.targets.probes.instruction import Instruction, stored_to
from workbench.targets.probes.places import kind_of, variable_at
from workbench.targets.probes.unwind_table import function_bounds
from workbench.targets.probes.x86 import ARGUMENTS, FAMILY

_OBJECT = 1 << 12
"""How far behind an object's start a link may lie."""
_ELEMENTS = re.compile(r"core::array::")
"""Rust's own functions that fill the elements of an array with what it begins with."""
_CONSTRUCTOR = re.compile(r"(?:.*::)?(\w+)(?:<.*>)?::\1")
_OBJECT = 1 << 16
"""Bytes of an object at most, for its constructor to have written into it and no other."""
_FEW = 16
"""Bytes of an object of which one line makes two members null, each for itself."""


class Values(Ends):
    """What a write stored, and where that came from."""

    def _constructs(self, hit: Hit) -> bool:
        """Whether a constructor of C++ wrote into the object that it was called for, as far as that
        is known of one that was inlined."""
        inner = hit.frames[0] if hit.frames else None
        if inner is None or not _CONSTRUCTOR.fullmatch(inner.function or ""):
            return False
        if inner.inlined:
            return is_own(inner) and kind_of(self.core, hit.address) == "stack"
        moment = at_hit(self.core, hit)
        caller = next(callers(moment, hit.registers.get("rip", 0), hit.registers, 1), None)
        this = argument(moment, caller, "rdi")[0] if caller is not None else None
        return this is not None and 0 <= hit.address - this < _OBJECT

    async def _behind_write(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool = False
    ) -> OriginStep | None:
        """The write itself, or where the value that it only copied was made."""
        insn = stored_by(self.core, hit)
        source = insn.operands[1] if insn is not None and len(insn.operands) == 2 else None
        cleared = hit.new == 0 and bool(hit.old)
        if cleared and insn is not None and self._is_of_a_kind(hit, insn):
            return None
        if cleared and self._constructs(hit):
            return None  # what stood there was none of this object's
        if cleared and not await self._held(seen, hit, Bound(cell, hit.nth, reads)):
            if source is None or source.reg not in FAMILY:
                return await self._made_empty(seen, hit)
            cleared = False  # a local took over what another cell held
        here = self._step(seen, hit, OriginKind.CLEARED if cleared else OriginKind.WRITTEN)
        if truncated(self.core, hit):
            if self._beyond:
                return None  # all of it would lie behind the array's end, too
            return replace(here, kind=OriginKind.TRUNCATED)
        bad = hit.old and hit.new and self._leads(hit, hit.old) and not self._leads(hit, hit.new)
        here_before = bad and self._put_before(seen, hit)
        if bad and not (here_before or assigned(self.core, hit)) and self._was_there(seen, hit):
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
            steps = self._handed_in(hit) if read is None else []
            if steps and last_step(steps).kind in ("unset", "call"):
                return await self._ended(last_step(steps), bound, steps)
            if steps and not cleared:
                cells = cells_of(at_hit(self.core, hit), steps)[0]
                if cells and last_step(steps).source:
                    return await self._follow(Lead(row="copy", cells=cells, value=hit.new), bound)
                return await self._loaded(Lead(row="copy"), last_step(steps), bound)
            if read is None:
                return None if cleared and copies(hit) else kept
            found = await self._follow(Lead(row="copy", cells=(read,), value=hit.new), bound)
            self.steps += [here] if found is not None else []
            return found
        if insn is None or source is None or not insn.mnemonic.startswith("mov"):
            return self._computed(seen, hit, here) if not cleared else here
        bound = Bound(cell, hit.nth, reads)
        if (carried := await self._carried_beside(hit, insn, bound)) is not None:
            self.steps.append(here)
            return await self._follow(*carried)
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
        steps = part.steps if part else came_from(moment, insn.address, held, hit.registers)
        cells, derived = cells_of(moment, steps)
        if not steps:  # more ways lead here than one
            now = hit.registers.get(held)
            found = await self._defined(insn.address, held, bound, now)
            cleared = found is not None and found.kind is OriginKind.CLEARED
            at = found.stack[0].address if found is not None and cleared else None
            (chain,) = await self._runs.runner.places([at]) if at is not None else ((),)
            if found is not None and here.function in [one.function for one in chain[1:]]:
                self.steps.append(here)  # by a function that was inlined
                return replace(found, kind=OriginKind.RETURNED, evidence=here.evidence)
            if found is not None and (cleared or found.function == here.function):
                given = found.kind is OriginKind.RETURNED  # by a call: here it was stored
                return here if given else replace(here, kind=found.kind)
            self.steps += [here] if found is not None else []
            return found
        if self._counts and (signed := signed_at(steps)) is not None:
            return await self._ended(replace(signed, kind="computed"), bound)
        if derived and not (part and cells):
            kinds = [step.kind for step in steps]
            at = kinds.index("computed")
            whole = lessened(insn_at(self.core, steps[at].at))
            if self._beyond and whole and not wrapped(hit.new):
                return await self._defined(steps[at].at, whole, bound)
            told = self._computed(seen, hit, here) if "argument" not in kinds[:at] else None
            (inner,) = await self._runs.own_places([steps[at].at])
            if puts_together(self.core, steps[at].at):
                return None
            if inner.function is None or (told and inner.function == here.function):
                return told  # of what it was given, or worked out itself
            if told is None and not (self._counts and steps[at].text.startswith(LOSING)):
                return await self._summed_up(steps[at], bound)
            made = await self._last_at("what was computed", (Point("R", steps[at].at),), bound)
            if made is None or (told is None and not loses(self.core, made[1])):
                return None
            self.steps.append(here)
            return self._step(*made, told.kind if told else OriginKind.COMPUTED)
        if cells:
            first = cells[0]
            if self._is_fixed(first.cell) and not variable_at(self.core, first.cell):
                mem = insn.operands[0].mem  # of merged ones the first is told
                begins = mem is not None and insn.effective(mem, hit.registers) == hit.address
                return kept if begins else None
            went_on = hit.new == 0 and 0 <= first.cell - (hit.old or 0) < _OBJECT
            if went_on and not (self._left > 1 and await self._pointed(first, bound, hit)):
                return None  # along links, to where they end
            if first.value is not None and hit.new is not None and first.cell != hit.address:
                then = await self._then(moment, first, bound)
                if then is None or then.cell == hit.address:
                    return kept if then is not None else None
                self.steps.append(here)
                cells = cells if then is first else (then,)
                copied = Lead(row="copy", cells=cells, value=None if part else hit.new)
                found = await self._follow(copied, bound)
                same = found is not None and _is_of_one_line(found, here)
                if found is None or same:
                    self.steps.remove(here)
                return here if same else found  # a copy of what came from elsewhere is no origin
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
            given = same and self._built_in(hit.frames[0])  # the program gave it to a library
            return kept if kind_of(self.core, hit.address) == "stack" and not given else here
        if _is_of_one_line(found, here):
            return here
        self.steps.append(here)
        if unseen and found.kind is OriginKind.CLEARED:
            found = replace(found, kind=OriginKind.RETURNED)  # by a function that was inlined
        return replace(found, evidence=here.evidence) if unseen else found

    def _lends(self, hit: Hit) -> int:
        """The instruction that stored into what its function lends; 0 where that lends nothing."""
        insn = stored_by(self.core, hit)
        return insn.address if insn is not None and is_lent(self.core, insn.address) else 0

    async def _carried_beside(
        self, hit: Hit, insn: Instruction, bound: Bound
    ) -> tuple[Lead, Bound] | None:
        """Where a member lay in the function that gave a small structure on or back, two members in
        one register (System V ABI, 3.2.3), which was stored whole; and what was before that."""
        target, name = insn.operands[0], FAMILY.get(insn.operands[1].reg or "", "")
        to = insn.effective(target.mem, hit.registers) if target.mem is not None else None
        if to is None or not name or hit.address == to or target.size <= hit.size:
            return None
        steps = came_from(at_hit(self.core, hit), insn.address, name, hit.registers)
        steps = [one for one in steps if one.kind not in ("argument", "copy")]
        call = insn_at(self.core, steps[0].at) if steps and steps[0].kind == "call" else None
        inside = self._own_called(call) if call is not None else None
        if call is not None and inside is not None:
            came = await self._left_by(call, inside, bound)
            at = came[0][1].registers if came is not None else {}
            steps = came_from(at_hit(self.core, came[0][1]), at["rip"], steps[0].register, at
                              ) if came is not None else []  # fmt: skip
            bound = came[1] if came is not None else bound
        if not steps or steps[0].kind != "load" or steps[0].source is None:
            return None
        place = Place(steps[0].source + hit.address - to, hit.size, hit.new, steps[0].at)
        return Lead(row="copy", cells=(place,), value=hit.new), bound

    def _handed_in(self, hit: Hit) -> list[Step]:
        """The steps behind the argument that a library's function stored where it keeps its own
        (va_arg(3)), where they end at a cell, at what a call gave back, or at nothing: the call was
        given fewer than it was told of."""
        insn, steps = self._behind_store(hit)
        name = FAMILY.get(insn.operands[-1].reg or "", "") if insn and insn.operands else ""
        if name not in ARGUMENTS:
            return []
        last = last_step(steps) if steps and steps[0].kind == "argument" else None
        known = last is None or last.kind not in ("load", "unset", "call")
        return [] if known else steps

    def _asked_for(self, hit: Hit, lead: Lead) -> bool:
        """Whether the function that failed had called the one that wrote, itself or through others,
        with the object that it went on to read from: the call, or the reading, may be the
        mistake."""
        own_frames = [frame for frame in hit.frames if is_own(frame) and not frame.inlined]
        used, moment = own(self.crash.outcome.frames), at_hit(self.core, hit)
        by = next((one for one in own_frames[1:] if used and one.call == used.call), None)
        if used is None or by is None or not self._goes_on_to(by.address or 0, used):
            return False  # or that was an earlier call of it
        for caller in callers(moment, hit.registers["rip"], hit.registers, len(hit.frames)):
            if caller.call.end == by.address and caller.call.target is not None:
                given = [argument(moment, caller, name)[0] for name in ARGUMENTS]
                start = lead.cells[0].base
                unknown = given[0] is None and by is not own_frames[1] and self._takes_it(hit)
                return start is not None and (start in given or unknown)
        return False

    def _takes_it(self, hit: Hit) -> bool:
        """Whether a function stored into what it was given."""
        insn = stored_by(self.core, hit)
        code = code_around(self.core, insn.address) if insn is not None else None
        mem = insn.operands[0].mem if insn is not None and insn.operands else None
        if insn is None or code is None or mem is None or not mem.base:
            return False
        return given_in(self.core, code, (code.at[insn.address], mem.base)) != ""

    def _goes_on_to(self, start: int, used: Frame) -> bool:
        """Whether a function may come from an instruction of its own to where it failed."""
        code, goal = code_around(self.core, start), used.address or 0
        if code is None or start not in code.at or goal not in code.at:
            return True
        goals = {code.at[goal], *code.before[code.at[goal]]}  # the call, of what goes on behind it
        return bool(goals & reached(ahead_of(code), code.at[start], goals))

    def _computed(self, seen: Observed, hit: Hit, here: OriginStep) -> OriginStep | None:
        """The write of what was worked out there. A library's generic code works out nothing for
        the program: where what it stores came from is not known then. Nor is a number wrong that
        was counted on by one, or by what the function was given, or built up in a loop from what
        was read, unless it is below zero."""
        insn, steps = self._behind_store(hit)
        rounds = [
            one
            for one in hits_of(seen, hit.watch, hit.order + 1)
            if call_of(one) == call_of(hit) and one.registers.get("rip") == hit.registers.get("rip")
        ]
        if insn is None or not is_own(hit.frames[0]):
            return None
        counted = abs((hit.new or 0) - (hit.old or 0)) == 1 and self._counts
        if (counted or self._stepped_by_given(hit, insn, steps)) and not wrapped(hit.new):
            return None
        if len(rounds) > 1 and self._is_built_up(insn.address, hit.new):
            return None
        if insn.operands[0].size > hit.size:
            return None  # a part of what is no such number
        if insn.operands[0].size < hit.size:
            return here if self._counts else None  # it did not make all of the pointer
        return replace(here, kind=OriginKind.COMPUTED)

    def _stepped_by_given(self, hit: Hit, insn: Instruction, steps: list[Step]) -> bool:
        """Whether a store added what its function was given to what had stood there, both as they
        were."""
        if insn.mnemonic == "add":
            return "argument" in [one.kind for one in steps]
        made = next((one for one in steps if one.kind == "computed"), None)
        added = insn_at(self.core, made.at) if made else None
        pair = summed(added, made.register) if made is not None and added is not None else None
        found = [
            step for name in pair or ()
            for step in history(at_hit(self.core, hit), added.address, name, hit.registers)
        ] if added is not None else []  # fmt: skip
        kinds = [one.kind for one in found]
        return hit.address in [one.source for one in found] and (
            "argument" in kinds and "computed" not in kinds
        )

    def _is_of_a_kind(self, hit: Hit, store: Instruction) -> bool:
        """Whether null was moved together with a number behind it that is no address, as one value,
        whose kind that tells: it is no pointer then, and who read it as one did not ask."""
        mem = store.operands[0].mem if len(store.operands) == 2 else None
        at = store.effective(mem, hit.registers) if mem is not None else None
        if at is None or self._counts or store.operands[0].size != 16 or not store.operands[1].reg:
            return False
        if "memset" in (hit.function):
            return False  # that is null as well
        beside = self.core.read_word(2 * at + 8 - hit.address)
        return bool(beside and beside >> 32 == 0 and not self.core.region(beside))

    async def _made_empty(self, seen: Observed, hit: Hit) -> OriginStep | None:
        """The write that made empty what nobody set afterwards. No origin where it put null into
        that one place on a line of its own (``node->next = NULL``), in a function that had come
        back when it was used: whoever should have set it, or have looked for null, did not run."""
        here, fault = self._step(seen, hit, OriginKind.NEVER_SET), self.crash.outcome.frames
        used = innermost(fault)
        filled = FILLS.match(hit.function) and not is_own(hit.frames[0])
        if _ELEMENTS.match(hit.function):
            return None  # whoever went beyond those that were put in may have come to it
        if used is None or here.function == used.function or filled:
            return here  # an object as a whole
        insn = stored_by(self.core, hit)
        code = code_around(self.core, insn.address) if insn is not None else None
        target = stored_to(insn)
        fills = insn is not None and insn.mnemonic.startswith("rep")
        if insn is None or code is None or target is None or fills or not is_own(hit.frames[0]):
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

    async def _held(self, seen: Observed, hit: Hit, bound: Bound) -> bool:
        """Whether a local's cell held a value since its function was entered, by the call whose
        frame it lies in, or a block's since it was asked for: what the memory held before is none
        of it. True where that is not known."""
        found = frame_of(hit.frames, hit.address)
        blocks = self._blocks(seen, hit.address, hit.order) if not copies(hit) else ()
        if blocks and blocks[-1].kind == "alloc" and not moved(blocks[-1]):
            return any(one.watch == hit.watch and one.order > blocks[-1].order and one.new
                       for one in hits_of(seen) if one.order < hit.order)  # fmt: skip
        if found is not None and found[0].function == "main":  # which is entered once
            return any(one.watch == hit.watch and one.order < hit.order and one.new
                       and self._place_of(one, hit.address) == self._place_of(hit, hit.address)
                       for one in hits_of(seen))  # fmt: skip
        inside = found[0].address if found is not None else None
        code = function_bounds(self.core, inside) if inside is not None else None
        if found is None or code is None or bound.cell is None or self._left <= 0:
            return True
        entry = (Point("R", code[0]),)
        again = await self._observe(
            "when the function was entered", points=entry, cells=(bound.cell,), reads=bound.reads
        )
        if again is None:
            return True
        end = self._end(again, bound)
        until = hits_of(again, until=end)
        entered = max((one.order for one in until if one.watch == "R"
                       and one.registers.get("rsp", 0) + 8 == found[1]), default=None)  # fmt: skip
        return entered is None or any(one.order > entered and one.new for one in until)

    async def _carried(self, seen: Observed, birth: Hit, cell: Cell) -> OriginStep | None:
        """Where the value of a cell, which nobody wrote since its block was moved to where it is,
        came from: the cell of the block that was given to the call."""
        copied = [one for one in hits_of(seen, cell.name, birth.order) if one.kind == "write"]
        if not copied:
            return None
        last = copied[-1]
        bound = Bound(replace(cell, name="B"), last.nth)
        call, (old,) = await self._call(birth, bound, ("rdi",))
        if not old or old == birth.address:
            return None
        there = old + cell.address - birth.address
        self.steps.append(self._step(seen, birth, OriginKind.ALLOCATED))
        place = Place(there, cell.size, last.new, call)
        return await self._follow(Lead(row="moved", cells=(place,), value=last.new), bound)


def _is_of_one_line(found: OriginStep, here: OriginStep) -> bool:
    """Whether a value came from a write of the same line: of what it gave to a library."""
    line = (here.function, here.file, here.line)
    return found.kind is OriginKind.WRITTEN and (found.function, found.file, found.line) == line
