"""The memory map of a core: each piece given its kind and the thread whose stack it is."""

from bisect import bisect_right
from collections.abc import Callable

from workbench.model.facts import Region
from workbench.targets.elf import PF_R, PF_W, PF_X
from workbench.targets.extents import Extent
from workbench.targets.notes import CoreThread
from workbench.targets.spans import START, index_at

AT_PHDR, AT_PHNUM, AT_BASE, AT_ENTRY = 3, 5, 7, 9
AT_RANDOM, AT_EXECFN, AT_SYSINFO_EHDR = 25, 31, 33

_PAGE = 4096

# How far above the executable the kernel may place brk (arch_randomize_brk: up to 1 GiB).
_BRK_REACH = (1 << 30) + (1 << 26)
# How far below a stack's region an overflowed stack pointer may lie.
_STACK_REACH = 1 << 20
# The kernel leaves more room than this below the first stack (mmap_base in mm/util.c).
_FIRST_STACK_REACH = 64 << 20
_ARENA = 1 << 26  # HEAP_MAX_SIZE of glibc's malloc/arena.c, 64-bit


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
    first_stack = _first_stack(pieces, auxv)
    stacks = _stacks(pieces, threads, first_stack)
    kinds = [_plain_kind(piece) for piece in pieces]
    for index in stacks:
        kinds[index] = "stack"
    _name_vdso(pieces, kinds, auxv.get(AT_SYSINFO_EHDR, 0))
    for index in _heaps(pieces, kinds, executable_end, arenas, auxv):
        # A thread may run on a stack that it got from malloc (sigaltstack(2), coroutines).
        if index != first_stack:
            kinds[index] = "heap"
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


def _first_stack(pieces: list[Extent], auxv: dict[int, int]) -> int | None:
    """The stack that the process began with: the kernel puts these strings at its top
    (create_elf_tables in fs/binfmt_elf.c)."""
    for key in (AT_EXECFN, AT_RANDOM):
        index = index_at(pieces, auxv.get(key, 0))
        if index is not None and pieces[index].path is None and pieces[index].writable:
            return index
    return None


def _stacks(
    pieces: list[Extent], threads: list[CoreThread], first_stack: int | None
) -> dict[int, int | None]:
    """Index of each stack's piece and the first thread whose stack it is."""
    found: dict[int, int | None] = {}
    for thread in threads:
        if thread.sp is None:
            continue
        index = _stack_index(pieces, thread.sp, first_stack)
        if index is not None:
            found.setdefault(index, thread.tid)
    if first_stack is not None:
        found.setdefault(first_stack, None)
    return found


def _stack_index(pieces: list[Extent], sp: int, first_stack: int | None) -> int | None:
    index = index_at(pieces, sp)
    if index is not None and pieces[index].writable:
        return index if pieces[index].path is None else None
    # Overflowed into the guard page or below it: the stack is the region right above.
    above = bisect_right(pieces, sp, key=START)
    while above < len(pieces):
        reach = _FIRST_STACK_REACH if above == first_stack else _STACK_REACH
        piece = pieces[above]
        if piece.start - sp > reach or piece.path is not None:
            return None
        if piece.writable:
            return above
        above += 1
    return None


def _name_vdso(pieces: list[Extent], kinds: list[str], vdso: int) -> None:
    """The kernel's code and, right below it, its data pages (arch/x86/entry/vdso/vma.c)."""
    at = index_at(pieces, vdso) if vdso else None
    if at is None or pieces[at].path is not None:
        return
    kinds[at] = "vdso"
    for index in range(at - 1, max(-1, at - 4), -1):
        if pieces[index].end != pieces[index + 1].start or kinds[index] != "anonymous":
            return
        if pieces[index].writable:
            return
        kinds[index] = "vdso"


def _heaps(
    pieces: list[Extent],
    kinds: list[str],
    executable_end: int | None,
    arenas: set[int],
    auxv: dict[int, int],
) -> list[int]:
    """The pieces that malloc grows: the program break's, and those of glibc's arenas."""
    found = [index for index, piece in enumerate(pieces) if piece.start in arenas]
    # A static PIE lies where libraries do, its heap alone far below (load_elf_binary); without
    # address randomisation what follows the program is the stack.
    below = pieces and pieces[0].end <= auxv.get(AT_PHDR, 0) and not auxv.get(AT_BASE)
    alone = below and _is_data(pieces[0], kinds[0])
    heap = 0 if alone else _brk_heap(pieces, kinds, executable_end)
    return found if heap is None else [*found, heap]


def _brk_heap(pieces: list[Extent], kinds: list[str], executable_end: int | None) -> int | None:
    """The region that brk(2) grows: the first data above the program's last page. Without address
    randomisation it touches .bss, and the kernel may have merged the two."""
    if executable_end is None:
        return None
    bottom = (executable_end + _PAGE - 1) // _PAGE * _PAGE
    first = max(0, bisect_right(pieces, bottom, key=START) - 1)
    for index in range(first, min(len(pieces), first + 64)):
        piece = pieces[index]
        if piece.end <= bottom:
            continue
        if piece.start - bottom > _BRK_REACH or kinds[index] == "file":
            return None
        if _is_data(piece, kinds[index]):
            return index
    return None


def _is_data(piece: Extent, kind: str) -> bool:
    return kind in ("anonymous", "stack") and piece.writable


def arena_candidates(pieces: list[Extent]) -> list[int]:
    """Starts of regions that may be one of glibc's per-thread heaps, by their alignment."""
    return [
        piece.start
        for piece in pieces
        if piece.path is None and piece.writable and piece.present and not piece.start % _ARENA
    ]
