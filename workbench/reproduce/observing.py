"""One fault's runs: asked for, completed, and their hits as steps."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.citation import Citation
from workbench.model.facts import Frame
from workbench.model.origin import Origin, OriginKind, OriginStep
from workbench.reproduce.entries import entry_of
from workbench.reproduce.leads import given_to_allocator
from workbench.reproduce.owners import (
    in_allocator,
    innermost,
    is_astray,
    is_own,
    last_jump,
    own,
)
from workbench.reproduce.slices import Lead
from workbench.reproduce.told import Link
from workbench.reproduce.wire import Cell, Hit, Outcome, Point
from workbench.reproduce.wrappers import filled_for, handed_on
from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.heaps import HEAP_MAX, find_heaps
from workbench.targets.probes.places import crashing_thread, kind_of

if TYPE_CHECKING:  # it runs the search
    from workbench.reproduce.runs import Runs

MOST_RUNS = 9
WATCHED = 4
"""x86 has as many debug registers."""
_PAGE = 1 << 12
_FEW = 1000
"""Hits that take no second: a run that was cut with fewer was slow by what else it stopped at."""
STEP = 1 << 12
"""What a pointer into rows is moved on by at most."""


def fitting(cells: Sequence[Cell], room: int = WATCHED) -> list[Cell]:
    """The first cells for which ``room`` debug registers suffice: one holds 1, 2, 4 or 8 bytes at
    an address that its size divides (Intel SDM 3B, 17.2.5), and others take more of them."""
    found: list[Cell] = []
    for cell in cells:
        at, end = cell.address, cell.address + cell.size
        while at < end:
            at += max(one for one in (1, 2, 4, 8) if not at % one and at + one <= end)
            room -= 1
        if room < 0:
            break
        found.append(cell)
    return found


LEFT = -1
"""The index of a frame that was put in: of a function that left by a jump."""


def origin_of(step: OriginStep, steps: Iterable[OriginStep]) -> Origin:
    """A step as the origin, with all that the runs saw."""
    fields = {name: getattr(step, name) for name in OriginStep.__struct_fields__}
    return Origin(**fields, steps=tuple(steps))


class Observed(Struct, frozen=True):
    """A run whose text is evidence ``id``."""

    id: str
    outcome: Outcome


def hits_of(seen: Observed | None, watch: str = "", until: int = 1 << 60) -> list[Hit]:
    """A run's hits, those of one watch, those before an order; none of a run that was not made."""
    hits = seen.outcome.events if seen is not None else ()
    return [one for one in hits if one.order < until and watch in ("", one.watch)]


def by_program(seen: Observed | None, watch: str = "", until: int = 1 << 60) -> list[Hit]:
    """Those of a run's hits that the allocator has not made."""
    return [hit for hit in hits_of(seen, watch, until) if not in_allocator(hit.frames)]


Complete = Callable[[Outcome], Awaitable[Outcome]]


class Bound(Struct, frozen=True):
    """What is looked for happened before the ``nth`` hit of a watch, which is asked for again: of
    the instruction ``point`` on the way to ``cell``, else of ``cell``, else before the fault."""

    cell: Cell | None = None
    nth: int = 0
    reads: bool = False
    point: Point | None = None

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What is watched again."""
        if self.cell is None or self.point is not None:
            return ()
        return (replace(self.cell, changes=not self.reads),)

    @property
    def points(self) -> tuple[Point, ...]:
        """What is stopped at again."""
        return (self.point,) if self.point is not None else ()


_BUFFERS = re.compile(r"(?:__GI_)?_IO_w?file_doallocate")
"""By which glibc's stdio asks for a stream's buffer (libio/filedoalloc.c)."""
COUNTS = ("check", "index", "bound", "divisor")
"""Rows whose bad value is a number."""


class Observing:
    """What every part of a search shares: the fault, the runs, and what a run's hits come to."""

    def __init__(self, core: Dump, crash: Observed, runs: "Runs") -> None:
        self.core = core
        self.crash = crash
        self.steps: list[OriginStep] = []
        self._changed_in_part = set[tuple[Citation, ...]]()  # pointers: what cites their writes
        self._runs = runs
        self._left, self._until = MOST_RUNS, 0
        self._page: int | None = None  # of the fault's lead
        self._counts = False  # what is bad is a number
        self._first = 0  # the cell from which a search set out
        self._releases = False  # what failed is a release
        self._beyond = False  # an index above zero led behind an array's end
        self._code = self._table = 0  # the cells of an address of code, and of its table's
        self._aligned = dict[int, int]()  # cells of pointers: what those leave, divided by 8
        self._cut_off = False
        self.aside: OriginStep | None = None  # what was done last, and may be right
        self._late = dict[int, tuple[Point, int]]()  # cells that are watched from a call on
        self._spares = False  # blocks are told from the first write of their words on
        thread = crashing_thread(core)
        self._stack_pointer = (thread.sp or 0) if thread is not None else 0

    async def _follow(self, lead: Lead, bound: Bound) -> OriginStep | None:
        """Where a lead goes; `Search` knows."""
        raise NotImplementedError

    def _is_spent(self) -> bool:
        """Whether no run is left for a way that is to be followed: it does not end there then."""
        self._cut_off = self._cut_off or self._left <= 0
        return self._left <= 0

    def _end(self, seen: Observed | None, bound: Bound) -> int:
        """The order before which things count."""
        watch = bound.point or bound.cell
        if watch is None:
            return 1 << 60
        hits = hits_of(seen, watch.name)
        return next((hit.order for hit in hits if hit.nth == bound.nth > 0), 0)

    def _block_start(self, address: int) -> int | None:
        """Where the memory of the heap block that holds an address begins, by glibc's headers."""
        for heap in find_heaps(self.core):
            index = heap.walk.holder(address)
            if index is not None:
                return heap.walk.starts[index] + 16
        return None

    def _blocks(self, seen: Observed | None, address: int, end: int = 1 << 60) -> list[Hit]:
        """What became of the blocks that an address lay in; stdio's own buffers that are gone are
        none of them: nobody else ever had their address."""
        held = [h for h in hits_of(seen, "block", end) if 0 <= address - h.address < max(h.size, 1)]
        lent = [at for at, one in enumerate(held[:-1]) if one.kind == "alloc"
                and any(_BUFFERS.match(by.function or "") for by in one.frames[1:3])]  # fmt: skip
        held = [h for at, h in enumerate(held) if not {at, at - 1} & {*lent}]
        return [h for h in held if seen is not None and not self._failed(seen.outcome, h)]

    def _failed(self, outcome: Outcome, hit: Hit) -> bool:
        """Whether a release is the very call that the run failed in: it has released nothing."""
        if hit.kind == "alloc" or not in_allocator(outcome.frames):
            return False
        events = outcome.events
        stack = [frame for frame in hit.frames if frame.index != LEFT]
        call = [(frame.address, frame.stack_pointer) for frame in stack[1:2]]
        again = any(
            h.order > hit.order and h.thread == hit.thread
            and ((h.watch == "block" and h.kind != "alloc")
                 or not any((one.address, one.stack_pointer) in call for one in h.frames))
            for h in events
        )  # fmt: skip
        inside = any((one.address, one.stack_pointer) in call for one in outcome.frames)
        return inside and not again and given_to_allocator(self.core)[0] in (None, hit.address)

    def _owner(self, address: int, then: Hit | None = None) -> tuple[int, Frame] | None:
        """The line that declares the local variable at an address, and its frame: at a hit that
        knows its function's, else at the fault. An argument of an inlined function may be told to
        lie where it was read from, which is its own on the stack alone."""
        if kind_of(self.core, address) != "stack":
            return None
        known = then if then is not None and then.variables else self.crash.outcome
        for variable in known.variables:
            if variable.address <= address < variable.address + variable.size:
                frames = known.frames
                frame = frames[variable.frame] if variable.frame < len(frames) else None
                if frame is not None and variable.line and is_own(frame):
                    return variable.line, frame
        return None

    async def _at(self, address: int, kind: OriginKind, cell: int | None) -> OriginStep | None:
        found = self._runs.own_places if kind is OriginKind.COMPUTED else self._runs.places
        (frame,) = await found([address])
        if frame.function is None or not is_own(frame):
            return None
        owner = self._owner(cell) if cell is not None and kind is OriginKind.NEVER_SET else None
        return OriginStep(
            kind=kind, function=frame.function, file=frame.file,
            line=owner[0] if owner is not None else frame.line,
            evidence=(Citation(self.crash.id),), address=cell, stack=(frame,))  # fmt: skip

    def _may_be_heap(self, address: int) -> bool:
        region = self.core.region(address)
        if region is None:
            return 1 << 16 < address < 1 << 47
        loaded = any(0 <= address - module.bias - segment.vaddr < segment.memsz
                     for module in self.core.modules for segment in module.segments)  # fmt: skip
        return region.kind in ("heap", "anonymous") and not loaded  # what begins as zeros, too

    def _was_mapped_alone(self, address: int) -> bool:
        """Whether what lay at an address that nothing is mapped at was no part of a heap that is
        there still: malloc gave it back to the system, if it was malloc's (mallopt(3))."""
        heaps = find_heaps(self.core) if self.core.region(address) is None else ()
        return bool(heaps) and not any(0 <= address - one.first < HEAP_MAX for one in heaps)

    async def _observe(
        self, why: str, links: Sequence[Link] = (), bound: Bound | None = None,
        blocks: Sequence[int] = (), pages: Sequence[int] = (), cells: Sequence[Cell] = (),
        **watches: object,
    ) -> Observed | None:  # fmt: skip
        """``blocks`` stop the program whenever it asks for memory or gives some back, a thousand
        times as often as it maps ``pages``: only those that the allocator may have cut off."""
        if self._runs.rest <= 0:
            self._left, self._cut_off = 0, True
            return None
        self._left -= 1
        mapped = [one & -_PAGE for one in pages]
        watches["pages"] = tuple(pages)
        watches["blocks"] = blocks = tuple(
            at for at in blocks if self._may_be_heap(at)
            and not (at & -_PAGE in mapped and self._was_mapped_alone(at))
        )  # fmt: skip
        into = self._into(bound) if bound is not None else None
        known = bound.point if bound is not None else None  # which of its hits counts
        ends = known or bound.cell if bound is not None else None
        watches["before"] = {ends.name: bound.nth} if bound is not None and ends else {}
        skip = {known.name: bound.nth - 1} if bound is not None and known is not None else {}
        asked = partial(self._runs.observe, why, links, into, self._completed, until=self._until,
                        skip=skip, **watches)  # fmt: skip
        late = self._first_words(blocks, cells) if self._spares else ()
        seen = await asked(cells=self._from_their_entry(cells), late=late)
        if seen is None and self._runs.too_often and self._left > 1 and not self._spares and (
            self._runs.hits < _FEW and (late := self._first_words(blocks, cells))
        ):  # fmt: skip
            self._left, self._spares = self._left - 1, True
            seen = await asked(cells=self._from_their_entry(cells), late=late)
        if seen is None and self._runs.too_often and self._left > 1:
            self._left -= 1  # of the runs that a search may take, these are two more
            if await self._is_entered(cells):
                self._left -= 1
                seen = await asked(cells=self._from_their_entry(cells), late=late)
        return seen

    def _first_words(self, blocks: Sequence[int], cells: Sequence[Cell]) -> tuple[int, ...]:
        """Words of these blocks that debug registers are left for: no release matters that came
        before one of them was written. malloc writes a chunk's header as it cuts the chunk off, so
        that with it the block's birth is told too. None where not all blocks have one."""
        words = [at & -8 for at in blocks]
        for walked in (heap.walk for heap in (find_heaps(self.core) if blocks else ())):
            held = [walked.holder(at) for at in blocks]
            words += [walked.starts[index] + 8 for index in held if index is not None]
        mine = [Cell("", one.address, one.size) for one in cells]
        chosen = [*mine, *(Cell("", at) for at in dict.fromkeys(words) if Cell("", at) not in mine)]
        room = {one.address for one in fitting(chosen) if one.size == 8}
        fits = all(at & -8 in room for at in blocks)
        return tuple(at for at in dict.fromkeys(words) if at in room) if fits else ()

    def _from_their_entry(self, cells: Sequence[Cell]) -> tuple[Cell, ...]:
        """Cells as they are watched in all runs since they were found to be written too often."""
        late = [self._late.get(one.address, (None, 0)) for one in cells]
        return tuple(
            replace(one, entry=entry, nth=nth)
            for one, (entry, nth) in zip(cells, late, strict=True)
        )

    async def _is_entered(self, cells: Sequence[Cell]) -> bool:
        """Whether a run shows which call made the frame that some of these cells lie in: what was
        written there before was another's."""
        found = {
            f"E{number}": (cell.address, entry)
            for number, cell in enumerate(cells)
            if cell.address not in self._late
            and (entry := entry_of(self.core, cell.address, f"E{number}")) is not None
        }
        seen = await self._runs.observe(
            "which call made its frame", (), None, self._completed, until=self._until, skip={},
            points=tuple(point for _, (point, _) in found.values()),
        ) if found else None  # fmt: skip
        before = len(self._late)
        for hit in hits_of(seen):
            address, (point, stack) = found.get(hit.watch, (0, (Point("", 0), 0)))
            if hit.registers.get("rsp") == stack:
                self._late[address] = (point, hit.nth)
        return len(self._late) > before

    def _into(self, bound: Bound) -> int:
        """From where the way goes back: what is bound, or the program's frame that failed."""
        frame = own(self.crash.outcome.frames)
        return bound.cell.address if bound.cell is not None else (frame and frame.address) or 0

    async def _completed(self, outcome: Outcome) -> Outcome:
        """The run with the frames that left by a jump put back into its stacks, and those marked
        that only handed a block on."""
        missing = {
            hit.order: found
            for hit in outcome.events
            if hit.kind not in ("point", "lock", "unlock")
            and (found := last_jump(self.core, hit.frames)) is not None
        }
        jumps = sorted({jump for _, jump in missing.values() if jump})
        places = dict(zip(jumps, await self._runs.own_places(jumps), strict=False)) if jumps else {}
        events = []
        for hit in outcome.events:
            if hit.order in missing:
                at, jump = missing[hit.order]
                left = replace(places.get(jump, Frame(index=0)), index=LEFT)
                hit = replace(hit, frames=(*hit.frames[:at], left, *hit.frames[at:]))
            if hit.watch == "block":
                on = {one.index for one in hit.frames if _is_on(one, outcome.frames)}
                owned = tuple(one for one in hit.owned if one not in on)
                made = (*hit.made, *handed_on(self.core, hit))
                hit = replace(hit, owned=owned, made=made)
            events.append(hit)
        return replace(outcome, events=tuple(events))

    async def _last_at(
        self, why: str, points: tuple[Point, ...], bound: Bound, blocks: Sequence[int] = ()
    ) -> tuple[Observed, Hit] | None:
        """The last time that one of these instructions runs before what is bound, in a run that
        tells of ``blocks``, too."""
        if self._is_spent():
            return None
        seen = await self._observe(
            why, bound=bound, points=(*points, *bound.points), cells=bound.cells, reads=bound.reads,
            blocks=blocks,
        )  # fmt: skip
        if seen is None:
            return None
        end = self._end(seen, bound)
        hits = hits_of(seen, "R", end)
        if bound == Bound() and hits and hits[-1].address == seen.outcome.registers.get("rip"):
            hits.pop()  # the one that failed
        if bound.point and hits and (hits[-1].address, hits[-1].order) == (
            bound.point.address, end - 1
        ):  # fmt: skip
            hits.pop()  # what is bound itself
        stack = self.core.region(self._stack_pointer)
        own_thread = [h for h in hits if self.core.region(h.registers.get("rsp", 0)) is stack]
        hits = own_thread or hits if bound == Bound() else hits
        return (seen, hits[-1]) if hits else None

    def _step(self, seen: Observed, hit: Hit, kind: OriginKind) -> OriginStep:
        made = {*hit.made, *(filled_for(self.core, hit) if hit.kind == "write" else ())}
        frames = [frame for frame in hit.frames if frame.index not in made]
        frame = own(frames)
        astray = (one.index for one in frames if is_astray(one))
        if frame is not None and next(astray, frame.index) < frame.index:
            frame = None  # the line of its call is that of what was inlined into it
        if Frame(index=LEFT) in hit.frames:
            frame = None  # who called it is known, and not what it did
        if frame is not None and frame.index in hit.owned:
            frame = None  # it may do so: who gave it away, or made the second owner, is not known
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


def _is_on(frame: Frame, stack: Sequence[Frame]) -> bool:
    """Whether a frame's call is one of those on a stack."""
    return any(one.call == frame.call for one in stack)


def call_of(hit: Hit) -> tuple[int, str | None, int | None]:
    """The call of the program's innermost function that a hit was in: thread, function, stack."""
    frame = innermost(hit.frames)
    return (hit.thread, frame.function, frame.stack_pointer) if frame else (hit.thread, None, None)


def left_at(hit: Hit) -> int:
    """The jump by which the program's innermost function left for a library's; 0 for a call."""
    frame = innermost(hit.frames)
    return (frame.address or 0) if frame is not None and frame.index == LEFT else 0
