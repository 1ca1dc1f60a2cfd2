"""Walk the chunks of one heap, and say where and why its headers stop making sense."""

import time
from array import array
from bisect import bisect_right

from msgspec import Struct, field

from workbench.targets.probes.malloc.memory import Span

PREV_INUSE, IS_MMAPPED, NON_MAIN_ARENA = 1, 2, 4
FLAGS = 7
MIN_SIZE, ALIGN = 32, 16

MAX_CHUNKS = 5_000_000
_RESYNC = 1 << 16
_TRIAL = 64


class Broken(Struct, frozen=True):
    """A header that malloc cannot have written: ``prev_size`` and ``size`` as they stand, and
    whether ``size`` could be one, so that what stands in front of it is wrong."""

    at: int
    prev_size: int
    size: int
    why: str
    before: int | None
    size_fits: bool


class Walk(Struct):
    """The chunks found: ``starts[i]`` with ``sizes[i]`` (flags included). ``resumed`` is where the
    walk went on after a broken header, if it did; ``top`` the last chunk; ``cut`` says that a
    bound ended it early."""

    starts: "array[int]" = field(default_factory=lambda: array("Q"))
    sizes: "array[int]" = field(default_factory=lambda: array("Q"))
    broken: Broken | None = None
    resumed: int | None = None
    top: int | None = None
    cut: bool = False

    def find(self, address: int) -> int | None:
        """The index of the chunk that holds an address, its header included."""
        index = bisect_right(self.starts, address) - 1
        if index < 0 or address >= self.starts[index] + (self.sizes[index] & ~FLAGS):
            return None
        return index

    def holder(self, address: int) -> int | None:
        """The index of the chunk to which what lies at an address belongs: the first word of a
        header is its own only while the chunk before is free (glibc, malloc/malloc.c). So is that
        of a header that is damaged."""
        if self.broken is not None and 0 <= address - self.broken.at < 8:
            before = bisect_right(self.starts, self.broken.at) - 1
            last = before >= 0 and self.starts[before] == self.broken.before
            return before if last else self.find(address)
        index = self.find(address)
        if index and address - self.starts[index] < 8 and self.in_use(index - 1):
            behind = self.starts[index - 1] + (self.sizes[index - 1] & ~FLAGS)
            return index - 1 if behind == self.starts[index] else index
        return index

    def in_use(self, index: int) -> bool:
        """By the flag in the chunk behind; chunks in tcache and fastbins count as in use."""
        following = self.starts[index] + (self.sizes[index] & ~FLAGS)
        if index + 1 < len(self.starts) and self.starts[index + 1] == following:
            return bool(self.sizes[index + 1] & PREV_INUSE)
        return True


def walk(
    span: Span, first: int, end: int, top: int | None, non_main: bool, deadline: float
) -> Walk:
    """Walk from ``first`` to ``end``; ``top`` is the arena's top chunk where it is known,
    ``deadline`` a time of ``time.thread_time`` at which it stops."""
    found = Walk()
    at = first
    while at < end:
        why = _wrong(span, found, at, end, top, non_main)
        if why is not None:
            size = span.word(at + 8)
            if size is None:
                found.cut = True
                return found
            before = found.starts[-1] if found.starts else None
            fits = _wrong(span, Walk(), at, end, top, non_main) is None
            broken = Broken(at, span.word(at) or 0, size, why, before, fits)
            if found.broken is not None:
                return found
            found.broken = broken
            resumed = _resync(span, at, end, top, non_main, deadline)
            if resumed is None:
                return found
            found.resumed = at = resumed
            continue
        size = span.word(at + 8) or 0
        found.starts.append(at)
        found.sizes.append(size)
        if at == top or at + (size & ~FLAGS) == end:
            found.top = at
            return found
        if size & ~FLAGS < MIN_SIZE:
            return found  # the fencepost
        at += size & ~FLAGS
        count = len(found.starts)
        if count >= MAX_CHUNKS or (count % 65536 == 0 and time.thread_time() > deadline):
            found.cut = True
            return found
    return found


def _wrong(
    span: Span, found: Walk, at: int, end: int, top: int | None, non_main: bool
) -> str | None:
    """Why the header at ``at`` cannot be one, or None."""
    size = span.word(at + 8)
    prev_size = span.word(at)
    if size is None or prev_size is None:
        return "memory ends"
    length = size & ~FLAGS
    if length == 0x10 and end - at <= 0x40:
        return None  # fencepost at the end of a heap (sysmalloc)
    if length < MIN_SIZE:
        return f"size {length:#x} is below the smallest, {MIN_SIZE:#x}"
    if length % ALIGN:
        return f"size {length:#x} is no multiple of {ALIGN:#x}"
    if at + length > end:
        return f"size {length:#x} reaches beyond the end of the heap, {end:#x}"
    if at == top and at + length != end and (at + length) % 4096:
        return f"it is the top chunk, and size {length:#x} does not end where a page ends"
    if size & IS_MMAPPED:
        return "it claims to be a mapping of its own (IS_MMAPPED) in the middle of a heap"
    if top is not None and at < top < at + length:
        return f"size {length:#x} reaches beyond the top chunk, {top:#x}"
    if at != top and at + length != end and not _flag_fits(span, at, size, non_main):
        return "its NON_MAIN_ARENA flag does not fit this heap"
    if not size & PREV_INUSE and found.starts and found.resumed != at:
        before = at - found.starts[-1]
        if prev_size != before:
            return (
                f"it says that the chunk before is free and {prev_size:#x} bytes long, but that "
                f"one is {before:#x}"
            )
    return None


def _flag_fits(span: Span, at: int, size: int, non_main: bool) -> bool:
    """NON_MAIN_ARENA as the heap wants it. A chunk that malloc() freed or split off has lost the
    flag, in a thread's heap too, until it is handed out again (malloc.c: _int_free, _int_malloc);
    the next header's PREV_INUSE says that it is free."""
    if bool(size & NON_MAIN_ARENA) == non_main:
        return True
    following = span.word(at + (size & ~FLAGS) + 8)
    return non_main and following is not None and not following & PREV_INUSE


def _resync(
    span: Span, broken: int, end: int, top: int | None, non_main: bool, deadline: float
) -> int | None:
    """The nearest address behind a broken header from which chunks follow each other to the end,
    or at least for a good while."""
    for at in range(broken + ALIGN, min(end, broken + _RESYNC), ALIGN):
        if time.thread_time() > deadline:
            return None
        trial = Walk()
        here = at
        for _ in range(_TRIAL):
            if here in (top, end):
                return at
            if _wrong(span, trial, here, end, top, non_main) is not None:
                break
            size = span.word(here + 8) or 0
            trial.starts.append(here)
            if size & ~FLAGS < MIN_SIZE:
                break
            here += size & ~FLAGS
        else:
            return at
    return None
