"""Find the heaps of a process: the main one, and those of the other arenas."""

import time

from msgspec import Struct

from workbench.model.facts import Region
from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.arenas import Arena, find_arena, main_arena
from workbench.targets.probes.malloc.memory import Span
from workbench.targets.probes.malloc.walk import FLAGS, Walk, walk

HEAP_MAX = 1 << 26  # HEAP_MAX_SIZE, 64-bit (malloc/arena.c)
TCACHE_SIZES = (0x250, 0x290, 0x300)
"""The chunk that holds ``tcache_perthread_struct``: glibc 2.26 to 2.29, 2.30 to 2.41, 2.42."""

_FIRST_REACH = 1 << 16
_MAX_HEAPS = 4096
_MAX_SECONDS = 12.0
_HEAP_INFO = (0x20, 0x30, 0x40)


class Heap(Struct):
    """One heap and its chunks. ``index`` of a chunk is that of ``walk``."""

    first: int
    end: int
    main: bool
    arena: Arena | None
    span: Span
    walk: Walk


def find_heaps(core: Dump) -> list[Heap]:
    """Every heap that follows glibc's rules, the main one first."""
    arena = main_arena(core)
    deadline = time.monotonic() + _MAX_SECONDS
    heaps: list[Heap] = []
    for region in core.regions:
        if len(heaps) >= _MAX_HEAPS or time.monotonic() > deadline:
            break
        if "w" not in region.perms or region.kind in ("file", "stack", "vdso"):
            continue
        heap = _arena_heap(core, region, deadline) if region.start % HEAP_MAX == 0 else None
        if heap is None and (region.kind == "heap" or _holds(region, arena)):
            heap = _main_heap(core, region, arena, deadline)
        if heap is not None:
            heaps.append(heap)
    heaps.sort(key=lambda heap: not heap.main)
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
