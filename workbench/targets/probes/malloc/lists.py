"""Which chunks malloc holds as free: tcache, fastbins, unsorted, small and large bins.

Links in tcache and fastbins are stored as ``(address of the link >> 12) ^ pointer`` since glibc
2.32 (PROTECT_PTR, "safe-linking"), as plain pointers before; which of the two is found by which
lists end in a null pointer.
"""

import struct
from collections.abc import Iterator
from weakref import WeakKeyDictionary

from msgspec import Struct, field

from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.heaps import (
    BINS,
    FASTBINS,
    KEPT,
    TCACHE_SIZES,
    Arena,
    Heap,
    find_heaps,
)
from workbench.targets.probes.malloc.walk import FLAGS

_MAX_STEPS = 1_000_000
_TRIAL = 256
_TLS_REACH = 0x4000


class Freed(Struct, frozen=True):
    """Where a free chunk is kept: tcache | fastbin | unsorted | bin; ``thread`` owns the tcache."""

    state: str
    thread: int | None = None


class FreeChunks(Struct):
    """Free chunks by their start, and what is wrong with the lists, in words; the ``stale`` ones
    have a link that leads to no chunk, as the ``lost`` entries of a tcache do."""

    by_start: dict[int, Freed] = field(default_factory=dict)
    mangled: bool = True
    faults: list[str] = field(default_factory=list)
    tcaches: dict[int, int | None] = field(default_factory=dict)
    stale: list[int] = field(default_factory=list)
    lost: list[int] = field(default_factory=list)
    left: int = _MAX_STEPS

    def step(self) -> bool:
        """Count one link that was followed; False when there were too many."""
        self.left -= 1
        return self.left > 0


_kept = WeakKeyDictionary[Dump, FreeChunks]()


def heaps_of(core: Dump) -> tuple[list[Heap], FreeChunks]:
    """What `find_heaps` and `free_chunks` say, found once for a dump unless its heaps are large."""
    heaps, free = find_heaps(core), _kept.get(core)
    if free is None:
        free = free_chunks(core, heaps)
        if core in KEPT:
            _kept[core] = free
    return heaps, free


def free_chunks(core: Dump, heaps: list[Heap]) -> FreeChunks:
    """Follow every list of every heap; no list is followed twice over the same chunk."""
    found = FreeChunks(tcaches=_tcaches(core, heaps))
    lists = [
        (entry, tid, head)
        for tcache, tid in found.tcaches.items()
        for entry, head in _heads(core, tcache).items()
    ]
    found.mangled = _mangled(core, heaps, [head for _, _, head in lists])
    for entry, tid, head in lists:
        _follow_tcache(core, found, head, tid, entry)
    arenas: set[int] = set()
    for heap in heaps:
        if heap.arena is not None and heap.arena.top and heap.arena.bins not in arenas:
            arenas.add(heap.arena.bins)
            _follow_fastbins(core, found, heap.arena)
            _follow_bins(core, found, heap.arena)
    _flagged(found, heaps)
    return found


def _tcaches(core: Dump, heaps: list[Heap]) -> dict[int, int | None]:
    """Address of each ``tcache_perthread_struct`` and its thread: an in-use chunk of the right
    size to which a word of the thread's thread-local data points. The first chunk of the main heap
    is one even when its thread is gone."""
    found: dict[int, int | None] = {}
    for heap in heaps:
        if heap.walk.starts and heap.walk.sizes[0] & ~FLAGS in TCACHE_SIZES:
            found[heap.walk.starts[0] + 16] = None
    lowest, end = min((h.first for h in heaps), default=0), max((h.end for h in heaps), default=0)
    for thread in core.threads:
        base = thread.fs_base
        if not base:
            continue
        for address in _pointers_below(core, base):
            if lowest < address < end and _is_tcache_chunk(core, heaps, address):
                found[address] = thread.tid
                break
    return found


def _pointers_below(core: Dump, base: int) -> Iterator[int]:
    """The words of the thread-local data below the thread pointer, nearest first."""
    order = "<" if core.little_endian else ">"
    for page in range(base & ~0xFFF, (base & ~0xFFF) - _TLS_REACH, -0x1000):
        raw = core.read(page, 0x1000)
        if raw is None:
            return
        end = min(0x1000, base - page)
        words = struct.unpack_from(f"{order}{end // 8}Q", raw, end % 8)
        yield from reversed(words)


def _is_tcache_chunk(core: Dump, heaps: list[Heap], address: int) -> bool:
    if address % 16 or not _is_memory(heaps, address):
        return False
    size = core.read_word(address - 8)
    return size is not None and size & ~FLAGS in TCACHE_SIZES


def _heads(core: Dump, tcache: int) -> dict[int, int]:
    """The non-empty ``entries`` by where they stand. Counts are in front: 64 bytes, 64 or 76 16-bit
    words."""
    size = core.read_word(tcache - 8)
    if size is None:
        return {}
    skip, bins = {0x250: (64, 64), 0x290: (128, 64), 0x300: (152, 76)}.get(size & ~FLAGS, (0, 0))
    places = (tcache + skip + 8 * index for index in range(bins))
    return {place: head for place in places if (head := core.read_word(place))}


def _mangled(core: Dump, heaps: list[Heap], heads: list[int]) -> bool:
    """True unless more lists lead over chunks to their end when links are plain pointers."""
    scores = {
        hidden: sum(_well_formed(core, heaps, head, hidden) for head in heads)
        for hidden in (True, False)
    }
    return scores[True] >= scores[False]


def _well_formed(core: Dump, heaps: list[Heap], head: int, hidden: bool) -> bool:
    at, steps = head, 0
    while at and steps < _TRIAL:
        link = core.read_word(at)
        if link is None or not _is_memory(heaps, at):
            return False
        at = (at >> 12) ^ link if hidden else link
        steps += 1
    return True


def _is_memory(heaps: list[Heap], pointer: int) -> bool:
    """True when a chunk's memory begins there."""
    for heap in heaps:
        if heap.first < pointer < heap.end:
            index = heap.walk.find(pointer)
            return index is not None and heap.walk.starts[index] + 16 == pointer
    return False


def _next(core: Dump, found: FreeChunks, at: int) -> int | None:
    link = core.read_word(at)
    if link is None:
        return None
    return (at >> 12) ^ link if found.mangled else link


def _follow_tcache(core: Dump, found: FreeChunks, head: int, tid: int | None, entry: int) -> None:
    at: int | None = head
    seen: set[int] = set()
    before = entry
    while at and found.step():
        if at % 16 or core.read_word(at) is None:
            found.lost += [entry] if before == entry else []
            found.faults.append(
                _stale(found, f"tcache list of {head:#x}", before - 16, at)
                if before != entry
                else f"tcache entry {at:#x} at {entry:#x} is no chunk"
            )
            return
        if at in seen:
            found.faults.append(f"tcache list of {head:#x} comes back to {at:#x}: freed twice")
            return
        seen.add(at)
        found.by_start.setdefault(at - 16, Freed("tcache", tid))
        before, at = at, _next(core, found, at)


def _stale(found: FreeChunks, name: str, chunk: int, link: int) -> str:
    found.stale.append(chunk)
    return (
        f"{name}: the link in the freed chunk {chunk:#x} gives {link:#x}, which is no chunk: it "
        "was written to after it was freed"
    )


def _follow_fastbins(core: Dump, found: FreeChunks, arena: Arena) -> None:
    for index in range(FASTBINS):
        at = core.read_word(arena.fastbins + 8 * index)
        seen: set[int] = set()
        while at and found.step():
            link_at = at + 16
            if at % 16 or core.read_word(link_at) is None:
                found.faults.append(f"fastbin {index}: {at:#x} is no chunk")
                break
            if at in seen:
                found.faults.append(f"fastbin {index} comes back to {at:#x}: freed twice")
                break
            seen.add(at)
            found.by_start.setdefault(at, Freed("fastbin"))
            at = _next(core, found, link_at)


def _follow_bins(core: Dump, found: FreeChunks, arena: Arena) -> None:
    for index in range(BINS):
        pair = arena.bin(index)
        end = pair - 16
        at, before = core.read_word(pair), end
        while at is not None and at != end and found.step():
            back = core.read_word(at + 24)
            if at % 16 or back is None:
                stale = before != end and _stale(found, f"bin {index}", before, at)
                found.faults.append(stale or f"bin {index}: {at:#x} is no chunk")
                break
            if back != before:
                found.faults.append(
                    f"bin {index}: the back link of {at:#x} is {back:#x}, not {before:#x}"
                )
                break
            if at in found.by_start:
                break
            found.by_start[at] = Freed("bin" if index else "unsorted")
            before, at = at, core.read_word(at + 16)


def _flagged(found: FreeChunks, heaps: list[Heap]) -> None:
    """Chunks that the flag of the chunk behind calls free and that no list has named."""
    for heap in heaps:
        sizes, starts = heap.walk.sizes, heap.walk.starts
        for index in range(len(starts) - 1):
            if sizes[index + 1] & 1:
                continue
            if starts[index] + (sizes[index] & ~FLAGS) == starts[index + 1]:
                found.by_start.setdefault(starts[index], Freed("bin"))
