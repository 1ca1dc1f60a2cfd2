"""Arenas: ``struct malloc_state`` found by its shape.

Most of its 127 bins are empty, and an empty bin points to itself: both words at ``a`` hold
``a - 16`` (``bin_at`` of malloc/malloc.c). The fields in front of the bins are ``top`` and
``last_remainder``, and ten fastbins before those, in every version from 2.26 on.
"""

import struct

from msgspec import Struct

from workbench.targets.dump import Dump
from workbench.targets.probes.malloc.memory import Span

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
