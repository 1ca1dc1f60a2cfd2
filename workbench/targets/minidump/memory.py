"""The memory that a minidump holds: MemoryList, Memory64List (one run of bytes behind its list) and
each thread's stack."""

from bisect import bisect_right
from collections.abc import Iterable

from msgspec import Struct

from workbench.targets.extents import Extent
from workbench.targets.minidump.streams import MEMORY, MEMORY64, Streams
from workbench.targets.minidump.system import DumpThread
from workbench.targets.spans import START

_MAX_RANGES = 1_000_000
_TOP = 1 << 64


class Held(Struct, frozen=True):
    """[start, start + size) of memory at ``position`` of the file; ``announced`` is what the list
    says, which may end behind the file."""

    start: int
    size: int
    position: int
    announced: int


def read_held(streams: Streams, threads: list[DumpThread]) -> list[Held]:
    """What the dump holds, in address order without overlap."""
    found = [(at, size, place) for at, size, place in streams.items(MEMORY, "QII", _MAX_RANGES)]
    found += _full(streams)
    found += [(t.stack[0], t.stack[1] - t.stack[0], t.saved) for t in threads]
    kept = [(start, min(size, _TOP - start), at) for start, size, at in found if size > 0]
    return _apart(kept, streams.raw.size)


def _full(streams: Streams) -> list[tuple[int, int, int]]:
    found: list[tuple[int, int, int]] = []
    raw = streams.raw
    for stream in streams.all(MEMORY64):
        head = raw.unpack("QQ", stream.position)
        if head is None:
            streams.note("stream Memory64List is cut before its count")
            continue
        count, position = head
        fits = max(0, (min(stream.size, raw.size - stream.position) - 16) // 16)
        if count > fits:
            streams.note(
                f"stream Memory64List announces {count} ranges, {fits} are in its "
                f"{stream.size} bytes"
            )
        for start, size in raw.rows("QQ", stream.position + 16, min(count, fits, _MAX_RANGES)):
            found.append((start, size, position))
            position += size
    return found


def _apart(ranges: Iterable[tuple[int, int, int]], size: int) -> list[Held]:
    """Ranges without overlap: of two that hold the same address the earlier one keeps it, unless
    it is the one that ends behind the file."""
    found: list[Held] = []
    reached = 0
    for start, length, position in sorted(ranges, key=lambda r: (r[0], -r[1])):
        skipped = max(0, reached - start)
        if skipped >= length:
            continue
        at = position + skipped
        announced = length - skipped
        present = max(0, min(announced, size - at))
        found.append(Held(start + skipped, present, at, announced))
        reached = start + skipped + present
    return found


def extents(held: list[Held]) -> list[Extent]:
    """The pieces that can be read."""
    return [
        Extent(h.start, h.start + h.size, None, h.position, h.size, h.announced, None, 0)
        for h in held
        if h.size
    ]


class Coverage:
    """How many bytes of an address range a dump holds."""

    def __init__(self, held: list[Held]) -> None:
        self._held = [h for h in held if h.size]

    def of(self, start: int, end: int) -> int:
        """Bytes of [start, end) that are there."""
        total = 0
        index = max(0, bisect_right(self._held, start, key=START) - 1)
        while index < len(self._held) and self._held[index].start < end:
            item = self._held[index]
            total += max(0, min(end, item.start + item.size) - max(start, item.start))
            index += 1
        return total
