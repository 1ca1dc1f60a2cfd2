"""Which size of chunk fills a heap, and what those chunks begin with."""

from collections import Counter

from workbench.targets.dump import Dump
from workbench.targets.probes.demangle import readable
from workbench.targets.probes.malloc.heaps import Heap
from workbench.targets.probes.malloc.lists import FreeChunks
from workbench.targets.probes.malloc.walk import FLAGS
from workbench.targets.probes.places import variable_at

_LEAST = 1000
_SAMPLES = 3
_TABLE = "_ZTV"


def census_lines(core: Dump, heap: Heap, free: FreeChunks) -> list[str]:
    """The line on the size that takes most of a heap's memory, where that is many chunks."""
    counts: Counter[int] = Counter()
    for size, count in Counter(heap.walk.sizes).items():
        counts[size & ~FLAGS] += count
    if heap.walk.top is not None:
        counts[heap.walk.sizes[-1] & ~FLAGS] -= 1
    if not counts:
        return []
    size = max(counts, key=lambda each: each * counts[each])
    freed = [start for start in free.by_start if _size_of(heap, start) == size]
    used = counts[size] - len(freed)
    if used < _LEAST:
        return []
    taken = sum(each * count for each, count in counts.items())
    line = (
        f"most of heap {heap.first:#x}: {used} chunks of size {size:#x} in use, {used * size} of "
        f"{taken} bytes"
    )
    return [line, *_beginning_lines(core, heap, size, set(freed))]


def _size_of(heap: Heap, start: int) -> int | None:
    index = heap.walk.find(start)
    if index is None or heap.walk.starts[index] != start:
        return None
    return heap.walk.sizes[index] & ~FLAGS


def _beginning_lines(core: Dump, heap: Heap, size: int, freed: set[int]) -> list[str]:
    """The class of a few of them, where each begins with the table of the same one (Itanium C++
    ABI, 2.5: the table's symbol, two words in)."""
    sizes, starts = heap.walk.sizes, heap.walk.starts
    mine = [
        i for i in range(0, len(starts), max(1, len(starts) // 512)) if sizes[i] & ~FLAGS == size
    ]
    mine = [i for i in mine if starts[i] not in freed]
    picked = [mine[len(mine) * n // (_SAMPLES + 1)] for n in range(1, _SAMPLES + 1)] if mine else []
    words = {heap.span.word(starts[i] + 16) for i in picked}
    word = words.pop() if len(words) == 1 else None
    name = variable_at(core, word) if word else None
    if not word or name is None or not name.startswith(_TABLE):
        return []
    kind = readable(name.removeprefix(_TABLE).split("+", 1)[0])
    where = starts[picked[0]] + 16
    return [f"they begin with {word:#x}, as at {where:#x}: the table of class {kind}"]
