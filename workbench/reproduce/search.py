"""From the fault back to its origin: what one run showed decides what the next one watches."""

import itertools
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from analyzers.owners.modules import is_runtime_library
from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce.leads import Lead, Place, cells_of, last_step
from workbench.reproduce.moment import at_hit, before, wrote
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.tail_calls import last_jump
from workbench.reproduce.wire import Cell, Hit, Outcome, Point
from workbench.targets.probes.callees import callee_name, through_plt
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.frames import callers
from workbench.targets.probes.history import argument, culprit, history
from workbench.targets.probes.malloc.heaps import find_heaps
from workbench.targets.probes.places import crashing_thread, read_some, segments_of
from workbench.targets.probes.slicer import Slicer
from workbench.targets.probes.x86 import FAMILY, MASK, Instruction, decode_one

if TYPE_CHECKING:
    from workbench.targets.dump import Dump

_MOST_RUNS = 8
_SCANNED = 8 << 20
_WATCHED = 4  # x86 has as many debug registers
_GONE = {"free": OriginKind.FREED, "realloc": OriginKind.FREED}


class Observed(Struct, frozen=True):
    """A run whose text is evidence ``id``."""

    id: str
    outcome: Outcome


class Running(Protocol):
    """What the search asks of whoever runs the program."""

    async def observe(self, why: str, **watches: object) -> Observed | None:
        """One more run that ends as the first did; None when none does."""
        ...

    async def places(self, addresses: Sequence[int]) -> list[Frame]:
        """Function and line of each address of code."""
        ...


class _Bound(Struct, frozen=True):
    """What is looked for happened before the ``nth`` hit of ``watch``, whose watch is asked for
    again; without one, before the fault."""

    cell: Cell | None = None
    nth: int = 0
    reads: bool = False


class Search:
    """One fault's. ``find`` gives the origin, or None where the runs do not show one."""

    def __init__(self, core: "Dump", crash: Observed, runs: Running) -> None:
        self.core = core
        self.crash = crash
        self.steps: list[OriginStep] = []
        self._runs = runs
        self._left, self._until = _MOST_RUNS, 0
        thread = crashing_thread(core)
        self._segments = segments_of(thread) if thread is not None else {}
        self._stack_pointer = (thread.sp or 0) if thread is not None else 0

    async def find(self, lead: Lead) -> Origin | None:
        """Follow a lead to its end."""
        self._until = lead.until
        step = await self._follow(lead, _Bound())
        if step is None:
            return None
        used = self._used()
        steps = [one for one in self.steps if one != step] + [step, *used]
        return Origin(
            **{name: getattr(step, name) for name in OriginStep.__struct_fields__},
            steps=tuple(dict.fromkeys(steps)),
        )

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

    async def _follow(self, lead: Lead, bound: _Bound) -> OriginStep | None:
        if self._left <= 0:
            return None
        if lead.locks:
            return await self._lock(lead)
        if lead.end is not None and not lead.cells and not lead.freed_twice:
            if lead.end.kind == "load":
                return await self._loaded(lead, lead.end, bound)
            plain = lead.row in ("index", "divisor") or not lead.derived
            found = await self._ended(lead.end, bound) if plain else None
            if found is not None or (lead.pointer is None and lead.page is None):
                return found
        return await self._watch(lead, bound)

    # --- cells and blocks -------------------------------------------------------------------------

    async def _watch(self, lead: Lead, bound: _Bound) -> OriginStep | None:
        cells = [
            Cell(f"C{number}", place.cell, place.size)
            for number, place in enumerate(lead.cells[: _WATCHED - (bound.cell is not None)], 1)
        ]
        room = _WATCHED - len(cells) - (bound.cell is not None)
        held = self._holders(lead)[: max(0, room)]
        asked = [*cells, *held, *([bound.cell] if bound.cell is not None else [])]
        blocks = {place.cell for place in lead.cells} | ({lead.pointer} if lead.pointer else set())
        if lead.outside or lead.stack_block:
            blocks = set()
        heap = tuple(sorted(one for one in blocks if self._may_be_heap(one)))
        seen = await self._observe(
            f"{lead.row}: {', '.join(f'writes of {c.address:#x}' for c in cells) or 'heap'}",
            cells=tuple(asked),
            blocks=heap,
            pages=(lead.page,) if lead.page else (),
            reads=bound.reads,
        )
        if seen is None:
            return None
        end = self._end(seen.outcome, bound)
        if lead.freed_twice and lead.pointer is not None:
            return self._freed_before(seen, lead.pointer, end)
        gone = self._gone(seen, lead, end)
        if gone is not None:
            return gone
        if lead.page is not None:
            unmapped = self._unmapped(seen, lead.page, end)
            if unmapped is not None:
                return unmapped
        if not cells:
            return None
        if lead.row == "check":  # of what was compared, what changed last
            cells.sort(key=lambda cell: self._written_at(seen, cell, end), reverse=True)
        return await self._last_write(seen, lead, cells[0], end, bound.reads)

    def _holders(self, lead: Lead) -> list[Cell]:
        """Where else a pointer to the first cell's object is kept, when the slice does not say
        which cell it was read from: in globals, the heap, and frames that still run."""
        base = lead.cells[0].base if lead.cells else None
        if len(lead.cells) != 1 or base is None or not self._may_be_heap(base):
            return []
        found: list[int] = []
        for wanted in dict.fromkeys((base, self._block_start(base) or base)):
            raw = wanted.to_bytes(8, "little")
            for region in self.core.regions:
                if "w" not in region.perms:
                    continue
                stack = region.kind == "stack"
                low = max(region.start, self._stack_pointer) if stack else region.start
                data = self.core.read(low, min(region.end - low, _SCANNED)) or b""
                places: list[int] = []
                at = data.find(raw)
                while at >= 0 and len(places) < 64:
                    places += [low + at] if (low + at) % 8 == 0 else []
                    at = data.find(raw, at + 1)
                found += places[-2:] if stack else places[:2]  # the oldest frames' first
        return [Cell(f"C{number}", at) for number, at in enumerate(dict.fromkeys(found), 2)]

    def _block_start(self, address: int) -> int | None:
        """Where the memory of the heap block that holds an address begins, by glibc's headers."""
        for heap in find_heaps(self.core):
            index = heap.walk.find(address)
            if index is not None:
                return heap.walk.starts[index] + 16
        return None

    def _written_at(self, seen: Observed, cell: Cell, end: int) -> int:
        orders = [h.order for h in seen.outcome.events if h.watch == cell.name and h.order < end]
        return max(orders, default=0)

    def _may_be_heap(self, address: int) -> bool:
        region = self.core.region(address)
        if region is None:
            return 1 << 16 < address < 1 << 47
        return region.kind in ("heap", "anonymous")

    def _end(self, outcome: Outcome, bound: _Bound) -> int:
        """The order before which things count."""
        if bound.cell is None:
            return 1 << 60
        for hit in outcome.events:
            if hit.watch == bound.cell.name and hit.nth == bound.nth:
                return hit.order
        return 0

    def _blocks(self, seen: Observed, address: int, end: int) -> list[Hit]:
        return [
            hit
            for hit in seen.outcome.events
            if hit.watch == "block"
            and hit.order < end
            and hit.address <= address < hit.address + max(hit.size, 1)
        ]

    def _freed_before(self, seen: Observed, pointer: int, end: int) -> OriginStep | None:
        """The release before the one that failed, of the same life of the block."""
        hits = self._blocks(seen, pointer, end)
        if len(hits) < 2 or hits[-1].kind == "alloc" or hits[-2].kind not in _GONE:
            return None
        self._note_births(seen, hits)
        return self._step(seen, hits[-2], OriginKind.FREED)

    def _gone(self, seen: Observed, lead: Lead, end: int) -> OriginStep | None:
        """A block that was freed after the pointer to it had been stored for the last time."""
        used = [(lead.pointer, 0)] if lead.pointer is not None else []
        used += [(place.cell, number) for number, place in enumerate(lead.cells, 1)]
        for address, holder in used:
            if address is None:
                continue
            hits = self._blocks(seen, address, end)
            frees = [hit for number, hit in enumerate(hits) if _is_gone(hits, number)]
            if not frees:
                continue
            births = [hit.order for hit in hits if hit.kind == "alloc"]
            after = [hit for hit in frees if hit.order > max(births, default=0)]
            if not after:  # another's by now: a pointer that is older than the release is stale
                stored = self._stored(seen, lead, holder, end)
                after = [hit for hit in frees if stored is not None and hit.order > stored]
            if after:
                self._note_births(seen, hits)
                return self._step(seen, after[0], OriginKind.FREED)
        return None

    def _stored(self, seen: Observed, lead: Lead, holder: int, end: int) -> int | None:
        """When the cell that holds a pointer was written last, cell number ``holder``; of several
        that may, the one that is longest ago. None where that was not watched."""
        guessed = range(2, _WATCHED + 1) if len(lead.cells) == 1 and holder == 1 else (holder + 1,)
        orders: list[int] = []
        for number in guessed:
            own_writes = [
                hit.order
                for hit in seen.outcome.events
                if hit.watch == f"C{number}" and hit.order < end and not in_allocator(hit.frames)
            ]
            orders += own_writes[-1:]
        return min(orders, default=None)

    def _note_births(self, seen: Observed, hits: Sequence[Hit]) -> None:
        births = [hit for hit in hits if hit.kind == "alloc"]
        if births:
            self.steps.append(self._step(seen, births[-1], OriginKind.ALLOCATED))

    def _unmapped(self, seen: Observed, page: int, end: int) -> OriginStep | None:
        hits = [h for h in seen.outcome.events if h.watch == "pages" and h.order < end]
        if not hits:
            return None
        freed = in_allocator(hits[-1].frames)
        return self._step(seen, hits[-1], OriginKind.FREED if freed else OriginKind.UNMAPPED)

    # --- writes -----------------------------------------------------------------------------------

    async def _last_write(
        self, seen: Observed, lead: Lead, cell: Cell, end: int, reads: bool
    ) -> OriginStep | None:
        hits = [h for h in seen.outcome.events if h.watch == cell.name and h.order < end]
        written = [
            hit
            for hit in hits
            if not in_allocator(hit.frames)
            and (
                (not reads and hit.old is not None and hit.old != hit.new) or wrote(self.core, hit)
            )
        ]
        blocks = self._blocks(seen, cell.address, end)
        births = [hit for hit in blocks if hit.kind == "alloc"]
        written = [hit for hit in written if not _zeroing(hit, births)]
        born = births[-1].order if births else 0
        last = written[-1] if written else None
        if last is None or last.order < born:
            same = await self._same_value(lead, cell)
            if same is not None:
                return same
            if lead.outside or not births:
                return None
            return await self._left_out(seen, births[-1], cell)
        gone = self._frame_gone(seen, lead, end)
        if gone is not None:
            return gone
        owner = self._owner(cell.address)
        if owner is not None and not lead.stack_block:
            declared, function = owner
            if all(frame.function != function.function for frame in last.frames):
                return OriginStep(
                    kind=OriginKind.NEVER_SET,
                    function=function.function,
                    file=function.file,
                    line=declared,
                    evidence=(Citation(self.crash.id),),
                    address=cell.address,
                )
        if lead.outside or lead.stack_block:  # whatever was written, it did not belong there
            small = await self._too_small(cell) if lead.outside else None
            written_over = self._step(seen, last, OriginKind.WRITTEN)
            if small is not None:
                self.steps.append(written_over)
            return small or written_over
        return await self._behind_write(seen, last, replace(cell, name="B"), reads)

    async def _left_out(self, seen: Observed, birth: Hit, cell: Cell) -> OriginStep:
        """Who should have set a cell that nobody wrote since its block's birth: the function that
        set the cells beside it, where that is not the one that asked for the block."""
        born = self._step(seen, birth, OriginKind.NEVER_SET)
        end = birth.address + birth.size
        beside = [
            Cell(f"C{number}", at)
            for number, at in enumerate(
                (cell.address & ~7) + step for step in (-8, 8, -16, 16)
            )
            if birth.address <= at < end
        ]  # fmt: skip
        if not beside or self._left <= 0:
            return born
        again = await self._observe(
            "writes beside what was never set", cells=tuple(beside), blocks=(cell.address,)
        )
        if again is None:
            return born
        births = [h for h in self._blocks(again, cell.address, 1 << 60) if h.kind == "alloc"]
        after = births[-1].order if births else 0
        made: OriginStep | None = None
        for hit in again.outcome.events:
            written = hit.order > after and hit.kind == "write"
            if not written or in_allocator(hit.frames) or _zeroing(hit, births):
                continue
            step = self._step(again, hit, OriginKind.NEVER_SET)
            if made is None:
                made = step
            elif (step.function, step.file) != (made.function, made.file):
                break
            made = min(made, step, key=lambda one: one.line or 0)
        if made is None or made.function in (None, born.function):
            return born
        self.steps.append(replace(born, kind=OriginKind.ALLOCATED))
        return made

    async def _same_value(self, lead: Lead, cell: Cell) -> OriginStep | None:
        """A write of the value that the cell held already changes nothing that a watchpoint on
        writes would tell of: once more with reads."""
        if lead.row == "same value" or lead.outside or self._left <= 0:
            return None
        seen = await self._observe(
            f"writes of the same value to {cell.address:#x}",
            cells=(cell,), blocks=(cell.address,), reads=True,
        )  # fmt: skip
        if seen is None:
            return None
        births = [h for h in self._blocks(seen, cell.address, 1 << 60) if h.kind == "alloc"]
        born = births[-1].order if births else 0
        hits = [
            hit
            for hit in seen.outcome.events
            if hit.watch == cell.name
            and hit.order > born
            and not in_allocator(hit.frames)
            and wrote(self.core, hit)
            and not _zeroing(hit, births)
        ]
        if not hits:
            return None
        return await self._behind_write(seen, hits[-1], replace(cell, name="B"), reads=True)

    async def _too_small(self, cell: Cell) -> OriginStep | None:
        """The birth of the block in front of a damaged header, where the size that was asked for
        had lost its upper part."""
        ahead = None
        for heap in find_heaps(self.core):
            if heap.walk.broken is not None and heap.walk.broken.at + 8 == cell.address:
                ahead = heap.walk.broken.before
        if ahead is None or self._left <= 0:
            return None
        seen = await self._observe("the block in front", blocks=(ahead + 16,))
        births = self._blocks(seen, ahead + 16, 1 << 60) if seen is not None else []
        births = [hit for hit in births if hit.kind == "alloc"]
        if seen is None or not births:
            return None
        hit = births[-1]
        moment = at_hit(self.core, hit)
        for caller in callers(moment, hit.registers["rip"], hit.registers, 4):
            name = (callee_name(moment, caller.call) or "").rsplit("_", 1)[-1]
            if name not in ("malloc", "realloc", "Znwm", "Znam"):
                continue
            register = "rsi" if name == "realloc" else "rdi"
            _, steps = argument(moment, caller, register, self._segments)
            narrow = next((step for step in steps if _narrows(self.core, step)), None)
            if narrow is None or not any(step.kind == "computed" for step in steps):
                return None
            return await self._narrowed(narrow, ahead + 16)
        return None

    async def _narrowed(self, narrow: Step, block: int) -> OriginStep | None:
        """The birth of a block, where an instruction on the way of its size cut a part off."""
        seen = await self._observe(
            "what the size was computed to", points=(Point("R", narrow.at),), blocks=(block,)
        )
        births = (
            [h for h in self._blocks(seen, block, 1 << 60) if h.kind == "alloc"] if seen else []
        )
        if seen is None or not births:
            return None
        cut = [h for h in seen.outcome.events if h.watch == "R" and h.order < births[-1].order]
        insn = decode_one(read_some(self.core, narrow.at, 16), narrow.at)
        source = insn.operands[-1] if insn is not None and insn.operands else None
        if not cut or source is None or source.reg not in FAMILY:
            return None
        held = cut[-1].registers.get(FAMILY[source.reg], 0) & 0xFFFFFFFF
        if not held >> (source.size * 8):
            return None
        return self._step(seen, births[-1], OriginKind.TOO_SMALL)

    def _frame_gone(self, seen: Observed, lead: Lead, end: int) -> OriginStep | None:
        """A pointer to a local of a function that has come back since it was stored."""
        stored = [
            hit for hit in seen.outcome.events
            if hit.watch == "C2" and hit.order < end and len(lead.cells) > 1
        ]  # fmt: skip
        if not stored or lead.stack_block:
            return None
        address = lead.cells[0].cell
        then = _frame_of(stored[-1].frames, address)
        now = _frame_of(self.crash.outcome.frames, address)
        if then is None or not is_own(then[0]) or (now is not None and now[1] == then[1]):
            return None
        step = self._step(seen, stored[-1], OriginKind.RELEASED_EARLY)
        frame = then[0]
        return replace(step, function=frame.function, file=frame.file, line=frame.line)

    def _owner(self, address: int) -> tuple[int, Frame] | None:
        """The line that declares the local variable at an address, and its frame."""
        for variable in self.crash.outcome.variables:
            if variable.address <= address < variable.address + variable.size:
                frames = self.crash.outcome.frames
                if variable.frame < len(frames) and variable.line:
                    return variable.line, frames[variable.frame]
        return None

    async def _behind_write(
        self, seen: Observed, hit: Hit, cell: Cell, reads: bool = False
    ) -> OriginStep | None:
        """The write itself, or where the value that it only copied was made."""
        cleared = hit.new == 0 and bool(hit.old)
        here = self._step(seen, hit, OriginKind.CLEARED if cleared else OriginKind.WRITTEN)
        if _truncated(self.core, hit):
            return replace(here, kind=OriginKind.TRUNCATED)
        if hit.old and hit.new and self.core.region(hit.old) and not self.core.region(hit.new):
            return here  # no pointer was put where one was
        if not hit.frames or not is_own(hit.frames[0]):
            return here
        insn = before(self.core, hit.registers.get("rip", 0))
        source = insn.operands[1] if insn is not None and len(insn.operands) == 2 else None
        if insn is None or source is None or not insn.mnemonic.startswith("mov"):
            return replace(here, kind=OriginKind.COMPUTED) if not cleared else here
        if source.reg is None or source.reg not in FAMILY:
            return here
        steps = history(
            at_hit(self.core, hit), insn.address, FAMILY[source.reg], hit.registers, self._segments
        )
        cells, derived = cells_of(at_hit(self.core, hit), steps)
        if derived or not steps:
            return replace(here, kind=OriginKind.COMPUTED)
        bound = _Bound(cell, hit.nth, reads)
        if cells:
            first = cells[0]
            if first.value is not None and hit.new is not None and first.cell != hit.address:
                self.steps.append(here)
                found = await self._follow(Lead(row="copy", cells=cells), bound)
                if found is not None:
                    return found
                self.steps.remove(here)
            return here
        found = await self._ended(last_step(steps), bound, steps)
        if found is None or found.line is None or found.function == here.function:
            return here
        self.steps.append(here)
        unseen = found.evidence == (Citation(self.crash.id),)
        return replace(found, evidence=here.evidence) if unseen else found

    # --- ends of a slice --------------------------------------------------------------------------

    async def _ended(
        self, end: Step, bound: _Bound, steps: Sequence[Step] = ()
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
        passed = any(step.kind == "argument" for step in steps)
        kind = {
            "constant": OriginKind.PASSED if passed else OriginKind.WRITTEN,
            "computed": OriginKind.COMPUTED,
            "unset": OriginKind.NEVER_SET,
        }[end.kind]
        if kind is OriginKind.WRITTEN and end.value == 0:
            kind = OriginKind.CLEARED
        # The instruction that loads a constant may stand long before the call that hands it over.
        calls = [step.source for step in steps if step.kind == "argument" and step.source]
        return await self._at(calls[-1] if passed and calls else end.at, kind, end.source)

    async def _at(self, address: int, kind: OriginKind, cell: int | None) -> OriginStep | None:
        (frame,) = await self._runs.places([address])
        if frame.function is None or not is_own(frame):
            return None
        line = frame.line
        owner = self._owner(cell) if cell is not None and kind is OriginKind.NEVER_SET else None
        if owner is not None:
            line = owner[0]
        return OriginStep(
            kind=kind,
            function=frame.function,
            file=frame.file,
            line=line,
            evidence=(Citation(self.crash.id),),
            address=cell,
            stack=(frame,),
        )

    async def _loaded(self, lead: Lead, load: Step, bound: _Bound) -> OriginStep | None:
        """The cell that an instruction reads, seen when it runs for the last time."""
        hit = await self._last_at("what is read there", (Point("R", load.at),), bound)
        insn = decode_one(read_some(self.core, load.at, 16), load.at)
        operand = next((o for o in insn.operands if o.mem), None) if insn is not None else None
        if hit is None or insn is None or operand is None or operand.mem is None:
            return None
        seen, into = hit[1].registers, FAMILY.get(insn.operands[0].reg or "")
        cell = insn.effective(operand.mem, seen, self._segments)
        if cell is None or into is None:
            return None
        moment = at_hit(self.core, hit[1])
        raw = moment.read(cell, operand.size) if load.value is None else None
        value = int.from_bytes(raw, "little") if raw else load.value or 0
        base = operand.mem.base
        if base in ("rbp", "rsp"):  # of its own frame: who stored it there
            behind = {**seen, into: value}
            steps = history(moment, insn.end, into, behind, self._segments)
            cells = cells_of(moment, steps)[0]
        else:
            steps = history(moment, load.at, base, seen, self._segments) if base in seen else []
            start = cell - operand.mem.disp if not operand.mem.index and base != "rip" else None
            place = Place(cell, min(operand.size, 8), value, load.at, start)
            cells = (place, *cells_of(moment, steps)[0])
        if cells:
            return await self._follow(
                Lead(row=lead.row, cells=cells, pointer=lead.pointer, page=lead.page), bound
            )
        return await self._ended(last_step(steps), bound, steps) if steps else None

    async def _defined(self, at: int, source: str, bound: _Bound) -> OriginStep | None:
        """Which of the instructions that may have set a register did so last; what only counts it
        on, in a loop, is passed over."""
        code = code_around(self.core, at)
        if code is None or at not in code.at:
            return None
        slicer = Slicer(self.core, code, code.at[at], {}, {})
        ways = slicer.definitions(source, code.at[at], None)
        found = {index for index, _ in ways if index is not None}
        setting = [
            one for one in (code.instructions[index] for index in sorted(found))
            if not (one.mnemonic in ("add", "sub", "inc", "dec", "lea") and _counts(one, source))
        ]  # fmt: skip
        if not setting:
            return None
        points = tuple(Point("R", one.address) for one in setting[:8])
        hit = await self._last_at("what sets the register", points, bound)
        one = next((o for o in setting if hit is not None and o.address == hit[1].address), None)
        if hit is None or one is None or len(one.operands) != 2:
            return None
        operand = one.operands[1]
        if operand.mem is not None and one.mnemonic.startswith("mov"):
            load = Step("load", one.address, source, one.text)
            return await self._loaded(Lead(row="copy"), load, bound)
        if operand.reg in FAMILY and one.mnemonic.startswith("mov"):
            then = hit[1].registers
            steps = history(
                at_hit(self.core, hit[1]), one.address, FAMILY[operand.reg], then, self._segments
            )
            cells = cells_of(self.core, steps)[0]
            if cells:
                return await self._follow(Lead(row="copy", cells=cells), bound)
            return await self._ended(last_step(steps), bound, steps) if steps else None
        return await self._at(one.address, OriginKind.COMPUTED, None)

    async def _last_at(
        self, why: str, points: tuple[Point, ...], bound: _Bound
    ) -> tuple[Observed, Hit] | None:
        """The last time that one of these instructions runs before what is bound."""
        if self._left <= 0:
            return None
        seen = await self._observe(
            why, points=points, cells=(bound.cell,) if bound.cell else (), reads=bound.reads
        )
        if seen is None:
            return None
        end = self._end(seen.outcome, bound)
        hits = [h for h in seen.outcome.events if h.watch == "R" and h.order < end]
        return (seen, hits[-1]) if hits else None

    async def _returned(self, call: Step, bound: _Bound) -> OriginStep | None:
        """Why a function of the program's gave back what it did; of another's, who asked it."""
        code = code_around(self.core, call.at)
        if code is None or call.at not in code.at:
            return None
        insn = code.instructions[code.at[call.at]]
        failed = call.value in (0, MASK)
        asked = await self._at(call.at, OriginKind.RETURNED, None) if failed else None
        goal = through_plt(self.core, insn.target) if insn.target is not None else None
        inside = code_around(self.core, goal) if goal is not None else None
        module = self.core.module_at(goal) if goal is not None else None
        if inside is None or module is None or is_runtime_library(module.name):
            return asked
        back = insn.address + insn.size
        points = tuple(
            Point("R", outline.address, back)
            for outline in inside.instructions.outlines
            if outline.mnemonic.rsplit(" ", 1)[-1].startswith("ret")
        )
        hit = await self._last_at("what the function gives back", points[:16], bound)
        if hit is None:
            return asked
        here = self._step(*hit, OriginKind.RETURNED)
        moment, at = at_hit(self.core, hit[1]), hit[1].registers
        part = culprit(moment, at["rip"], "rax", at, self._segments)
        steps = part[1] if part else history(moment, at["rip"], "rax", at, self._segments)
        cells, derived = cells_of(moment, steps)
        if cells and (part is not None or not derived):
            return await self._follow(Lead(row="copy", cells=cells), bound) or asked
        if steps and (part is not None or not derived):
            last = last_step(steps)
            found = await self._ended(last, bound, steps)
            if found is not None:
                kind = OriginKind.RETURNED if last.kind == "constant" else found.kind
                return replace(found, kind=kind, evidence=here.evidence, thread=hit[1].thread)
        if derived:
            made = next((s for s in steps if s.kind == "computed"), None)
            return await self._at(made.at, OriginKind.COMPUTED, None) if made else asked
        return here if failed and is_own(hit[1].frames[0]) else asked

    # --- locks ------------------------------------------------------------------------------------

    async def _lock(self, lead: Lead) -> OriginStep | None:
        """Who took a lock that is waited for and did not give it back."""
        seen = await self._observe("who takes the locks", locks=lead.locks)
        if seen is None:
            return None
        held, orders = _holding(seen.outcome.events)
        waited = {hit.thread: hit.address for hit in seen.outcome.events if hit.kind == "lock"}
        taken = [held[lock] for lock in lead.locks if lock in held]
        if not taken:
            return None
        # Whoever waits for a lock which others take before the one that it holds broke the order;
        # whoever waits for its own comes first.
        taken.sort(
            key=lambda hit: (
                waited.get(hit.thread) == hit.address,
                (waited.get(hit.thread), hit.address) in orders,
                hit.order,
            )
        )
        self.steps += [self._step(seen, hit, OriginKind.LOCKED) for hit in taken[:-1]]
        return self._step(seen, taken[-1], OriginKind.LOCKED)

    # --- small things -----------------------------------------------------------------------------

    async def _observe(self, why: str, **watches: object) -> Observed | None:
        self._left -= 1
        seen = await self._runs.observe(why, until=self._until, **watches)
        return None if seen is None else await self._completed(seen)

    async def _completed(self, seen: Observed) -> Observed:
        """The run with the frames that left by a jump put back into its stacks."""
        missing = {
            hit.order: found
            for hit in seen.outcome.events
            if hit.kind not in ("point", "lock", "unlock")
            and (found := last_jump(self.core, hit.frames)) is not None
        }
        jumps = sorted({jump for _, jump in missing.values()})
        if not jumps:
            return seen
        places = dict(zip(jumps, await self._runs.places(jumps), strict=False))
        events = tuple(
            replace(hit, frames=_put_in(hit.frames, missing[hit.order], places))
            if hit.order in missing
            else hit
            for hit in seen.outcome.events
        )
        return Observed(seen.id, replace(seen.outcome, events=events))

    def _step(self, seen: Observed, hit: Hit, kind: OriginKind) -> OriginStep:
        frame = own([frame for frame in hit.frames if frame.index not in hit.made])
        return OriginStep(
            kind=kind,
            function=frame.function if frame else None,
            file=frame.file if frame else None,
            line=frame.line if frame else None,
            evidence=(Citation(seen.id, hit.first, hit.last),),
            thread=hit.thread,
            address=hit.address,
            stack=hit.frames,
            old="" if hit.old is None else f"{hit.old:#x}",
            new="" if hit.new is None else f"{hit.new:#x}",
        )


def _holding(events: Sequence[Hit]) -> tuple[dict[int, Hit], set[tuple[int | None, int]]]:
    """Who holds which lock in the end, and each pair of locks that one thread took in that order;
    a lock that is given back goes to whoever asked first."""
    held: dict[int, Hit] = {}
    asking: dict[int, list[Hit]] = {}
    orders: set[tuple[int | None, int]] = set()

    def take(hit: Hit) -> None:
        mine = [lock for lock, other in held.items() if other.thread == hit.thread]
        orders.update((lock, hit.address) for lock in mine)
        held[hit.address] = hit

    for hit in events:
        if hit.kind == "lock" and hit.address in held:
            asking.setdefault(hit.address, []).append(hit)
        elif hit.kind == "lock":
            take(hit)
        elif hit.kind == "unlock":
            held.pop(hit.address, None)
            if asking.get(hit.address):
                take(asking[hit.address].pop(0))
    return held, orders


def _counts(insn: Instruction, register: str) -> bool:
    """Whether an instruction adds a constant to a register that it sets."""
    if insn.mnemonic in ("inc", "dec"):
        return True
    operand = insn.operands[1]
    mem = operand.mem
    return operand.imm is not None or (mem is not None and mem.base == register and not mem.index)


def _put_in(
    frames: tuple[Frame, ...], missing: tuple[int, int], places: dict[int, Frame]
) -> tuple[Frame, ...]:
    at, jump = missing
    return (*frames[:at], replace(places[jump], index=-1), *frames[at:])


def _narrows(core: "Dump", step: Step) -> bool:
    """Whether a step of a slice takes one or two bytes out of a register."""
    insn = decode_one(read_some(core, step.at, 16), step.at)
    if insn is None or len(insn.operands) != 2 or step.kind not in ("store", "copy"):
        return False
    source = insn.operands[1]
    return source.reg in FAMILY and source.size <= 2


def _frame_of(frames: Sequence[Frame], address: int) -> tuple[Frame, int] | None:
    """The frame that an address of the stack lies in, and the stack pointer of its caller."""
    known = [frame for frame in frames if frame.stack_pointer is not None]
    for inner, outer in itertools.pairwise(known):
        low, high = inner.stack_pointer or 0, outer.stack_pointer or 0
        if low <= address < high:
            return inner, high
    return None


def _truncated(core: "Dump", hit: Hit) -> bool:
    """The register that was stored held more than the one or two bytes of the cell take."""
    insn = before(core, hit.registers.get("rip", 0))
    if insn is None or len(insn.operands) != 2 or insn.mnemonic != "mov":
        return False
    target, source = insn.operands
    if target.mem is None or source.reg not in FAMILY or target.size > 2:
        return False
    held, bits = hit.registers.get(FAMILY[source.reg], 0) & 0xFFFFFFFF, target.size * 8
    return held >> bits != 0 and (held >> (bits - 1)) != (1 << (33 - bits)) - 1


def _zeroing(hit: Hit, births: Sequence[Hit]) -> bool:
    """calloc's own memset, which it may leave through: the stack is that of the birth."""
    if "memset" not in (hit.frames[0].function or "" if hit.frames else ""):
        return False
    stack = [frame.address for frame in hit.frames[1:]]
    return any(stack == [frame.address for frame in one.frames[1:]] for one in births)


def _is_gone(hits: Sequence[Hit], number: int) -> bool:
    """A release; of a realloc only where the block does not stay where it is."""
    hit = hits[number]
    if hit.kind == "free":
        return True
    after = hits[number + 1] if number + 1 < len(hits) else None
    stays = (
        after is not None
        and after.kind == "alloc"
        and after.address == hit.address
        and "realloc" in (after.frames[0].function or "" if after.frames else "")
    )
    return hit.kind == "realloc" and not stays


Keep = Callable[[str, str], Awaitable[str]]
"""Stores a run's text (why it was run, the text) and gives its evidence id."""
