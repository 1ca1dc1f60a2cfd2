"""From the fault back to its origin: what one run showed decides what the next one watches."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce.leads import Lead, cells_of
from workbench.reproduce.moment import at_hit, before, wrote
from workbench.reproduce.owners import in_allocator, is_own, own
from workbench.reproduce.wire import Cell, Hit, Outcome, Point
from workbench.targets.probes.callees import through_plt
from workbench.targets.probes.code import code_around
from workbench.targets.probes.explain import Step
from workbench.targets.probes.history import history
from workbench.targets.probes.places import crashing_thread, segments_of
from workbench.targets.probes.x86 import FAMILY

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
        self._left = _MOST_RUNS
        thread = crashing_thread(core)
        self._segments = segments_of(thread) if thread is not None else {}

    async def find(self, lead: Lead) -> Origin | None:
        """Follow a lead to its end."""
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
            found = await self._ended(lead.end, bound)
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
        return await self._last_write(seen, lead, cells[0], end, bound.reads)

    def _holders(self, lead: Lead) -> list[Cell]:
        """Where else the pointer to the first cell's object is kept, when the slice does not say
        which cell it was read from."""
        base = lead.cells[0].base if lead.cells else None
        if len(lead.cells) != 1 or base is None or not self._may_be_heap(base):
            return []
        found: list[Cell] = []
        raw = base.to_bytes(8, "little")
        for region in self.core.regions:
            if "w" not in region.perms or region.kind == "stack" or len(found) >= _WATCHED:
                continue
            data = self.core.read(region.start, min(region.end - region.start, _SCANNED)) or b""
            at = data.find(raw)
            while at >= 0 and len(found) < _WATCHED:
                if at % 8 == 0:
                    found.append(Cell("C2", region.start + at))
                at = data.find(raw, at + 1)
        return [replace(cell, name=f"C{number}") for number, cell in enumerate(found, 2)]

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
        return 1 << 60

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
            if not after:  # another's by now: whose pointer is older than the release is stale
                stored = self._stored(seen, holder, end)
                after = [hit for hit in frees if stored is not None and hit.order > stored]
            if after:
                self._note_births(seen, hits)
                return self._step(seen, after[0], OriginKind.FREED)
        return None

    def _stored(self, seen: Observed, holder: int, end: int) -> int | None:
        """When cell number ``holder`` was written last; None where that was not watched."""
        orders = [
            hit.order
            for hit in seen.outcome.events
            if hit.watch == f"C{holder + 1}" and hit.order < end and not in_allocator(hit.frames)
        ]
        return max(orders, default=None)

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
            return self._step(seen, births[-1], OriginKind.NEVER_SET)
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
            return self._step(seen, last, OriginKind.WRITTEN)
        return await self._behind_write(seen, last, replace(cell, name="B"), reads)

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
        found = await self._ended(steps[-1], bound, steps)
        if found is not None and found.line is not None:
            if (found.function, found.line) != (here.function, here.line):
                self.steps.append(here)
            return found
        return here

    # --- ends of a slice --------------------------------------------------------------------------

    async def _ended(
        self, end: Step, bound: _Bound, steps: Sequence[Step] = ()
    ) -> OriginStep | None:
        """What the last step of a slice is: a constant, what a call gave back, a sum."""
        if end.kind == "call":
            return await self._returned(end, bound)
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
        return await self._at(end.at, kind, end.source)

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

    async def _returned(self, call: Step, bound: _Bound) -> OriginStep | None:
        """Why a function of the program's gave back what it did; of another's, who asked it."""
        insn = before(self.core, 0)
        code = code_around(self.core, call.at)
        if code is None or call.at not in code.at:
            return None
        insn = code.instructions[code.at[call.at]]
        asked = await self._at(call.at, OriginKind.RETURNED, None)
        if insn.target is None:
            return asked
        goal = through_plt(self.core, insn.target)
        (callee,) = await self._runs.places([goal])
        if not is_own(callee) or callee.line is None:
            return asked
        inside = code_around(self.core, goal)
        if inside is None:
            return asked
        back = insn.address + insn.size
        points = tuple(
            Point("R", inside.instructions[number].address, back)
            for number in range(len(inside.instructions))
            if inside.instructions[number].is_return
        )
        seen = await self._observe(
            f"what {callee.function} gives back",
            points=points[:16],
            cells=(bound.cell,) if bound.cell is not None else (),
            reads=bound.reads,
        )
        if seen is None:
            return asked
        end = self._end(seen.outcome, bound)
        hits = [h for h in seen.outcome.events if h.watch == "R" and h.order < end]
        if not hits:
            return asked
        hit = hits[-1]
        here = self._step(seen, hit, OriginKind.RETURNED)
        moment = at_hit(self.core, hit)
        steps = history(moment, hit.registers["rip"], "rax", hit.registers, self._segments)
        cells, derived = cells_of(moment, steps)
        if cells and not derived:
            self.steps.append(here)
            return await self._follow(Lead(row="copy", cells=cells), bound) or here
        if steps and not derived:
            found = await self._ended(steps[-1], bound, steps)
            if found is not None:
                kind = OriginKind.RETURNED if found.kind in _PLAIN else found.kind
                return replace(found, kind=kind, evidence=here.evidence, thread=hit.thread)
        if derived:
            made = next((s for s in steps if s.kind == "computed"), None)
            found = await self._at(made.at, OriginKind.COMPUTED, None) if made else None
            return found or here
        return here

    # --- locks ------------------------------------------------------------------------------------

    async def _lock(self, lead: Lead) -> OriginStep | None:
        """Who took a lock that is waited for and did not give it back."""
        seen = await self._observe("who takes the locks", locks=lead.locks)
        if seen is None:
            return None
        held: list[tuple[Hit, bool]] = []
        for lock in lead.locks:
            hits = [hit for hit in seen.outcome.events if hit.address == lock]
            taken: Hit | None = None
            for hit in hits:
                if hit.kind == "unlock":
                    taken = None
                elif taken is None:
                    taken = hit
            waiting = [hit for hit in hits if taken is not None and hit.order > taken.order]
            if taken is not None and waiting:
                held.append((taken, waiting[-1].thread == taken.thread))
        if not held:
            return None
        held.sort(key=lambda one: (not one[1], one[0].order))
        self.steps += [self._step(seen, hit, OriginKind.LOCKED) for hit, _ in held[:-1]]
        return self._step(seen, held[-1][0], OriginKind.LOCKED)

    # --- small things -----------------------------------------------------------------------------

    async def _observe(self, why: str, **watches: object) -> Observed | None:
        self._left -= 1
        return await self._runs.observe(why, **watches)

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


_PLAIN = (OriginKind.WRITTEN, OriginKind.CLEARED)


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
    stays = after is not None and after.kind == "alloc" and after.address == hit.address
    return hit.kind == "realloc" and not stays


Keep = Callable[[str, str], Awaitable[str]]
"""Stores a run's text (why it was run, the text) and gives its evidence id."""
