"""The memory map of a core: segments and mapped files joined, each region given its kind."""

from bisect import bisect_right
from collections.abc import Callable

from msgspec import Struct

from workbench.model.facts import Region
from workbench.targets.elf import PF_R, PF_W, PF_X, PT_LOAD, Segment
from workbench.targets.files import Buffer
from workbench.targets.notes import CoreThread, FileMapping

AT_PHDR, AT_BASE, AT_ENTRY, AT_RANDOM, AT_EXECFN, AT_SYSINFO_EHDR = 3, 7, 9, 25, 31, 33

_PAGE = 4096
_LOOK = 1 << 16

# How far above the executable the kernel may place brk (arch_randomize_brk: up to 1 GiB).
_BRK_REACH = (1 << 30) + (1 << 26)
# How far below a stack's region an overflowed stack pointer may lie.
_STACK_REACH = 1 << 20
_ARENA = 1 << 26  # HEAP_MAX_SIZE of glibc's malloc/arena.c, 64-bit


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
    starts = [f.start for f in ordered]
    found: list[Extent] = []
    reached = 0
    for load in loads:
        start = max(load.vaddr, reached)
        end = min(load.vaddr + load.memsz, 1 << 64)
        if start >= end:
            continue
        for lower, upper, file in _split(start, end, ordered, starts):
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
    start: int, end: int, files: list[FileMapping], starts: list[int]
) -> list[tuple[int, int, FileMapping | None]]:
    """Cut [start, end) where a mapped file begins or ends."""
    pieces: list[tuple[int, int, FileMapping | None]] = []
    at = start
    index = max(0, bisect_right(starts, start) - 1)
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
    starts = [extent.start for extent in found]
    extra = []
    reached = 0
    for file in files:
        start = max(file.start, reached)
        if start >= file.end:
            continue
        at = bisect_right(starts, start)
        covered = at > 0 and found[at - 1].end > start
        overlaps = at < len(found) and found[at].start < file.end
        if not covered and not overlaps:
            extra.append(
                Extent(start, file.end, None, 0, 0, 0, file.path, file.offset + start - file.start)
            )
            reached = file.end
    return extra


def regions(
    pieces: list[Extent],
    threads: list[CoreThread],
    auxv: dict[int, int],
    executable_end: int | None,
    arenas: set[int],
    guess: Callable[[Extent], int | None],
) -> list[Region]:
    """Name the kind of each piece. ``pieces`` are in address order; ``arenas`` are the starts of
    regions that begin with one of glibc's heaps; ``executable_end`` the end of the program;
    ``guess`` the flags of a piece of a module that no segment speaks of."""
    starts = [piece.start for piece in pieces]
    stacks = _stacks(pieces, starts, threads, auxv)
    vdso = auxv.get(AT_SYSINFO_EHDR)
    kinds = [_plain_kind(piece) for piece in pieces]
    for index, piece in enumerate(pieces):
        if index in stacks:
            kinds[index] = "stack"
        elif piece.path is None and piece.start in arenas:
            kinds[index] = "heap"
        elif vdso is not None and piece.path is None and piece.start == vdso:
            kinds[index] = "vdso"
            _name_vvar(pieces, kinds, index)
    heap = _brk_heap(pieces, starts, kinds, executable_end)
    if heap is None and not auxv.get(AT_BASE) and pieces and _is_data(pieces[0], kinds[0]):
        heap = 0  # a static PIE lies among the libraries, its heap alone far below (binfmt_elf.c)
    if heap is not None:
        kinds[heap] = "heap"
    return [
        Region(
            start=piece.start,
            end=piece.end,
            perms=permissions(piece.flags if piece.flags is not None else guess(piece)),
            path=piece.path,
            offset=piece.offset,
            kind=kind,
            thread=stacks.get(index),
            dumped=piece.present >= piece.end - piece.start,
        )
        for index, (piece, kind) in enumerate(zip(pieces, kinds, strict=True))
    ]


def permissions(flags: int | None) -> str:
    """``rw-``; ``???`` where they are not known."""
    if flags is None:
        return "???"
    letters = ((PF_R, "r"), (PF_W, "w"), (PF_X, "x"))
    return "".join(letter if flags & flag else "-" for flag, letter in letters)


def _plain_kind(piece: Extent) -> str:
    if piece.path is not None:
        return "file"
    if not piece.flags:
        return "none"
    if piece.start == 0xFFFFFFFFFF600000:  # the x86-64 vsyscall page (mm/mmap.c, gate_vma)
        return "vdso"
    return "anonymous"


def _stacks(
    pieces: list[Extent], starts: list[int], threads: list[CoreThread], auxv: dict[int, int]
) -> dict[int, int | None]:
    """Index of each stack's piece and the first thread whose stack it is."""
    found: dict[int, int | None] = {}
    for thread in threads:
        if thread.sp is None:
            continue
        index = _stack_index(pieces, starts, thread.sp)
        if index is not None:
            found.setdefault(index, thread.tid)
    # The kernel puts these strings at the top of the first thread's stack (fs/binfmt_elf.c).
    for key in (AT_EXECFN, AT_RANDOM):
        index = _at(pieces, starts, auxv.get(key, 0))
        if index is not None and pieces[index].path is None and pieces[index].writable:
            found.setdefault(index, None)
    return found


def _stack_index(pieces: list[Extent], starts: list[int], sp: int) -> int | None:
    index = _at(pieces, starts, sp)
    if index is not None and pieces[index].writable:
        return index if pieces[index].path is None else None
    # Overflowed into the guard page or below it: the stack is the region right above.
    above = bisect_right(starts, sp)
    while above < len(pieces) and pieces[above].start - sp <= _STACK_REACH:
        piece = pieces[above]
        if piece.path is not None:
            return None
        if piece.writable:
            return above
        above += 1
    return None


def _at(pieces: list[Extent], starts: list[int], address: int) -> int | None:
    index = bisect_right(starts, address) - 1
    if index >= 0 and address < pieces[index].end:
        return index
    return None


def _name_vvar(pieces: list[Extent], kinds: list[str], vdso: int) -> None:
    """The kernel's data pages lie right below the vDSO (arch/x86/entry/vdso/vma.c)."""
    for index in range(vdso - 1, max(-1, vdso - 4), -1):
        if pieces[index].end != pieces[index + 1].start or kinds[index] != "anonymous":
            return
        if pieces[index].writable:
            return
        kinds[index] = "vdso"


def _brk_heap(
    pieces: list[Extent], starts: list[int], kinds: list[str], executable_end: int | None
) -> int | None:
    """The region that brk(2) grows: the first data above the program's last page. Without address
    randomisation it touches .bss, and the kernel may have merged the two."""
    if executable_end is None:
        return None
    bottom = (executable_end + _PAGE - 1) // _PAGE * _PAGE
    first = max(0, bisect_right(starts, bottom) - 1)
    for index in range(first, min(len(pieces), first + 64)):
        piece = pieces[index]
        if piece.end <= bottom:
            continue
        if piece.start - bottom > _BRK_REACH or kinds[index] in ("file", "stack"):
            return None
        if _is_data(piece, kinds[index]):
            return index
    return None


def _is_data(piece: Extent, kind: str) -> bool:
    return kind == "anonymous" and piece.writable


def arena_candidates(pieces: list[Extent]) -> list[int]:
    """Starts of regions that may be one of glibc's per-thread heaps, by their alignment."""
    return [
        piece.start
        for piece in pieces
        if piece.path is None and piece.writable and piece.present and not piece.start % _ARENA
    ]
