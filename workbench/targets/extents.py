"""The memory of a core as pieces: its segments joined with the list of mapped files."""

from bisect import bisect_right

from msgspec import Struct

from workbench.targets.elf import PF_R, PF_W, PF_X, PT_LOAD, Segment
from workbench.targets.files import Buffer
from workbench.targets.notes import FileMapping
from workbench.targets.spans import START

_LOOK = 1 << 16


class Extent(Struct, frozen=True):
    """A piece of memory: ``present`` bytes from its start stand in the file at ``position``."""

    start: int
    end: int
    flags: int | None  # None where no segment speaks of it
    position: int
    present: int
    announced: int
    path: str | None
    offset: int

    @property
    def writable(self) -> bool:
        """True when it is known to be writable."""
        return bool(self.flags and self.flags & PF_W)

    @property
    def executable(self) -> bool:
        """True when it is known that code may run there."""
        return bool(self.flags and self.flags & PF_X)


def extents(
    segments: list[Segment], files: list[FileMapping], data: Buffer, by_debugger: bool
) -> list[Extent]:
    """Segments and file mappings as pieces in address order without overlap.

    gdb marks a mapping without any permission as readable and writes nothing or zeros for it
    (gcore.c, gcore_create_callback); ``by_debugger`` undoes that.
    """
    loads = sorted(
        (s for s in segments if s.type == PT_LOAD and s.memsz), key=lambda s: (s.vaddr, s.memsz)
    )
    ordered = sorted(files, key=lambda f: f.start)
    found: list[Extent] = []
    reached = 0
    for load in loads:
        start = max(load.vaddr, reached)
        end = min(load.vaddr + load.memsz, 1 << 64)
        if start >= end:
            continue
        for lower, upper, file in _split(start, end, ordered):
            if by_debugger and file is None and _is_hollow(load, data):
                found.append(Extent(lower, upper, 0, load.offset, 0, 0, None, 0))
                continue
            skipped = lower - load.vaddr
            announced = min(max(0, load.filesz - skipped), upper - lower)
            position = load.offset + skipped
            found.append(
                Extent(
                    start=lower,
                    end=upper,
                    flags=load.flags,
                    position=position,
                    present=min(announced, max(0, len(data) - position)),
                    announced=announced,
                    path=file.path if file else None,
                    offset=file.offset + lower - file.start if file else 0,
                )
            )
        reached = end
    found += _not_in_segments(found, ordered)
    return sorted(found, key=lambda extent: extent.start)


def _is_hollow(load: Segment, data: Buffer) -> bool:
    """True for what gdb made of a mapping without permissions: anonymous and only readable, so
    that nobody can have written to it, and as far as one looks empty."""
    if load.flags != PF_R:
        return False
    size = min(load.filesz, _LOOK)
    return data[load.offset : load.offset + size] == bytes(size)


def _split(
    start: int, end: int, files: list[FileMapping]
) -> list[tuple[int, int, FileMapping | None]]:
    """Cut [start, end) where a mapped file begins or ends."""
    pieces: list[tuple[int, int, FileMapping | None]] = []
    at = start
    index = max(0, bisect_right(files, start, key=START) - 1)
    while at < end and index < len(files):
        file = files[index]
        index += 1
        if file.end <= at:
            continue
        if file.start >= end:
            break
        if file.start > at:
            pieces.append((at, file.start, None))
            at = file.start
        pieces.append((at, min(file.end, end), file))
        at = min(file.end, end)
    if at < end:
        pieces.append((at, end, None))
    return pieces


def _not_in_segments(found: list[Extent], files: list[FileMapping]) -> list[Extent]:
    """Mapped files that no segment speaks of; their permissions are not known."""
    extra = []
    reached = 0
    for file in files:
        start = max(file.start, reached)
        if start >= file.end:
            continue
        at = bisect_right(found, start, key=START)
        covered = at > 0 and found[at - 1].end > start
        overlaps = at < len(found) and found[at].start < file.end
        if not covered and not overlaps:
            extra.append(
                Extent(start, file.end, None, 0, 0, 0, file.path, file.offset + start - file.start)
            )
            reached = file.end
    return extra
