"""Find the heaps of a process: the main one, and those of the other arenas."""

import struct
import time
from weakref import WeakKeyDictionary

from msgspec import Struct

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.memory import Span
from workbench.targets.probes.malloc.walk import FLAGS, Walk, walk

# Arenas: ``struct malloc_state`` found by its shape.
# Most of its 127 bins are empty, and an empty bin points to itself: both words at ``a`` hold ``a -
# 16`` (``bin_at`` of malloc/malloc.c). The fields in front of the bins are ``top`` and
# ``last_remainder``, and ten fastbins before those, in every version from 2.26 on.
BINS = 127
FASTBINS = 10
_MAX_DATA = 4 << 20
_FEWEST_EMPTY = 24


class Arena(Struct, frozen=True):
    """``bins`` is the address of the first bin, the unsorted one; ``top`` the top chunk."""

    bins: int
    top: int

    @property
    def fastbins(self) -> int:
        """The address of ``fastbinsY``."""
        return self.bins - 0x10 - 8 * FASTBINS

    def bin(self, index: int) -> int:
        """The address of a bin's pair of words, from 0 (unsorted)."""
        return self.bins + 16 * index


def main_arena(core: Dump) -> Arena | None:
    """The main arena, in the data of libc or, statically linked, of the program."""
    for start, end in _data_spans(core):
        arena = find_arena(core, Span(core, start, end))
        if arena is not None:
            return arena
    return None


def find_arena(core: Dump, span: Span) -> Arena | None:
    """The first arena in a span of memory."""
    data = span.data[: len(span.data) // 8 * 8]
    words = struct.unpack(f"{'<' if core.little_endian else '>'}{len(data) // 8}Q", data)
    start, index, count = span.start, 0, len(words) - 1
    while index < count:
        value = words[index]
        if value and value == words[index + 1] and value == start + 8 * index - 16:
            end = min(index + 2 * BINS, count)
            empty = sum(
                words[at] == words[at + 1] == start + 8 * at - 16 for at in range(index, end, 2)
            )
            if empty >= _FEWEST_EMPTY:
                arena = _anchored(core, span, start + 8 * index)
                if arena is not None:
                    return arena
            index += 2 * BINS
        else:
            index += 1
    return None


def _anchored(core: Dump, span: Span, first_empty: int) -> Arena | None:
    """Where the bins begin: some of the first may not be empty, so go back until the word in front
    is a top chunk, which ends where a page ends."""
    for back in range(BINS):
        bins = first_empty - 16 * back
        top = span.word(bins - 0x10)
        if top is None:
            return None
        if top == bins - 0x10:
            return Arena(bins, 0)  # nothing was ever allocated: top is the unsorted bin itself
        region = core.region(top)
        if top % 16 or region is None or "w" not in region.perms or region.kind == "file":
            continue
        size = core.read_word(top + 8)
        if size is not None and size & 1 and (top + (size & ~7)) % 4096 == 0:
            return Arena(bins, top)
    return Arena(first_empty, 0)


def _data_spans(core: Dump) -> list[tuple[int, int]]:
    """The writable data of libc first, then of every other module, each with the zero-initialised
    memory behind it."""
    regions = core.regions
    spans = []
    for index, region in enumerate(regions):
        if region.kind != "file" or "w" not in region.perms:
            continue
        end = region.end
        for after in regions[index + 1 : index + 3]:
            if after.start == end and "w" in after.perms and after.kind == "anonymous":
                end = after.end
        name = (region.path or "").rsplit("/", 1)[-1]
        order = 0 if name.startswith(("libc.", "libc-")) else 1
        spans.append((order, region.start, min(end, region.start + _MAX_DATA)))
    program = core.program
    if program is not None:
        spans.sort(key=lambda item: (item[0], item[1] != program.base, item[1]))
    return [(start, end) for _, start, end in sorted(spans, key=lambda item: item[0])[:8]]


HEAP_MAX = 1 << 26  # HEAP_MAX_SIZE, 64-bit (malloc/arena.c)
TCACHE_SIZES = (0x250, 0x290, 0x300)
"""The chunk that holds ``tcache_perthread_struct``: glibc 2.26 to 2.29, 2.30 to 2.41, 2.42."""

_FIRST_REACH = 1 << 16
_MAX_HEAPS = 4096
_MAX_SECONDS = 12.0  # of processor time: what is found depends on the dump alone
_HEAP_INFO = (0x20, 0x30, 0x40)


class Heap(Struct):
    """One heap and its chunks. ``index`` of a chunk is that of ``walk``."""

    first: int
    end: int
    main: bool
    arena: Arena | None
    span: Span
    walk: Walk


KEPT = WeakKeyDictionary[Dump, list[Heap]]()
"""What was found of a dump whose heaps are not large."""
_MOST_KEPT = 64 << 20  # bytes of heaps


def find_heaps(core: Dump) -> list[Heap]:
    """Every heap that follows glibc's rules, the main one first."""
    if core in KEPT:
        return KEPT[core]
    arena = main_arena(core)
    deadline = time.thread_time() + _MAX_SECONDS
    heaps: list[Heap] = []
    for region in core.regions:
        if len(heaps) >= _MAX_HEAPS or time.thread_time() > deadline:
            break
        if "w" not in region.perms or region.kind in ("file", "stack", "vdso"):
            continue
        heap = _arena_heap(core, region, deadline) if region.start % HEAP_MAX == 0 else None
        if heap is None and (region.kind == "heap" or _holds(region, arena)):
            heap = _main_heap(core, region, arena, deadline)
        if heap is not None:
            heaps.append(heap)
    heaps.sort(key=lambda heap: not heap.main)
    if sum(len(heap.span.data) for heap in heaps) <= _MOST_KEPT:
        KEPT[core] = heaps
    return heaps


def _holds(region: Region, arena: Arena | None) -> bool:
    return arena is not None and region.start <= arena.top < region.end


def _main_heap(core: Dump, region: Region, arena: Arena | None, deadline: float) -> Heap | None:
    """The heap that brk(2) grows. In a static program thread-local data stands in front of the
    first chunk, which is the first thread's tcache."""
    span = Span(core, region.start, region.end)
    top = arena.top if arena is not None and _holds(region, arena) else None
    best: Heap | None = None
    for first in _first_chunks(span):
        found = walk(span, first, span.end, top, non_main=False, deadline=deadline)
        heap = Heap(first, span.end, True, arena if top else None, span, found)
        if found.broken is None and found.top is not None:
            return heap
        if best is None or len(found.starts) > len(best.walk.starts):
            best = heap
    return best


def _first_chunks(span: Span) -> list[int]:
    """Where the first chunk may be, likeliest first."""
    found = []
    for at in range(span.start, min(span.end, span.start + _FIRST_REACH), 16):
        size = span.word(at + 8)
        if size is not None and size & FLAGS == 1 and size & ~FLAGS in TCACHE_SIZES:
            found.append(at)
            if len(found) >= 8:
                break
    size = span.word(span.start + 8)
    if size is not None and size & FLAGS == 1 and span.start not in found:
        found.append(span.start)
    return found


def _arena_heap(core: Dump, region: Region, deadline: float) -> Heap | None:
    """A heap of another arena: ``heap_info`` at its aligned start names the arena, its size, and
    the heap before it."""
    words = [core.read_word(region.start + 8 * index) for index in range(4)]
    if any(word is None for word in words):
        return None
    arena_at, before, size, _ = (word or 0 for word in words)
    if not 0x1000 <= size <= HEAP_MAX or core.region(arena_at) is None:
        return None
    end = min(region.start + size, region.end)
    span = Span(core, region.start, end)
    own = region.start < arena_at <= region.start + 0x40
    if not own and before % HEAP_MAX:
        return None
    home = span if own else Span(core, arena_at, arena_at + 0x1000)
    arena = find_arena(core, home)
    behind = (arena.bins + 0x7F0 if own and arena is not None else region.start) + 0x10
    starts = range(behind & ~0xF, (behind & ~0xF) + 0x80, 16)
    if not own:
        starts = range(region.start + _HEAP_INFO[0], region.start + _HEAP_INFO[-1] + 1, 16)
    top = arena.top if arena is not None and span.start <= arena.top < span.end else None
    best: Heap | None = None
    for first in starts:
        header = span.word(first + 8)
        if header is None or header & FLAGS not in (5, 1) or header & ~FLAGS < 0x20:
            continue
        found = walk(span, first, end, top, non_main=True, deadline=deadline)
        heap = Heap(first, end, False, arena, span, found)
        if found.broken is None and found.starts:
            return heap
        if best is None or len(found.starts) > len(best.walk.starts):
            best = heap
    return best
