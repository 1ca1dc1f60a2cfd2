"""Processes that use up what they have: address space, heaps, handles."""

from typing import NamedTuple

from analyzers.patterns.case import Case
from analyzers.patterns.cause import Open, Proof
from analyzers.patterns.commands import of_cdb
from analyzers.patterns.windows.case import WindowsCause
from analyzers.patterns.words import Cites, line_of, of
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.facts import (
    AddressSpace,
    BlockSize,
    CxxException,
    Handles,
    HeapBlocks,
    ManagedException,
    NativeHeaps,
    SpaceRow,
)
from workbench.model.hypothesis import Rung

_WIDE = 1 << 32
"""An address space under this is that of a 32-bit process."""
_SMALL = 16 << 20
"""A 32-bit process whose largest free piece is smaller cannot allocate what it usually does."""
_HEAVY = 64 << 20
"""Blocks of one size under this are no leak worth the name."""
_SHARE = 50.0
"""Of a heap's busy bytes, in percent."""
_MANY = 10_000
"""Handles; a process rarely needs as many."""
_MEMORY_ENDED = ("OutOfMemoryException", "bad_alloc", "InsufficientExecutionStackException")


def _takers(space: AddressSpace) -> list[Claim]:
    rows = [row for row in space.usage if row.name.lower() not in ("free", "regionusagefree")]
    rows.sort(key=lambda row: -row.bytes)
    return [
        say("usage", line_of(space, row.line), what="space", name=row.name, shown=row.shown)
        for row in rows[:3]
        if row.bytes
    ]


class _Filling(NamedTuple):
    """The blocks of one size that fill a heap."""

    blocks: HeapBlocks
    size: BlockSize


def _full(case: Case) -> SpaceRow | None:
    """The largest free piece of a 32-bit address space that has no large one left."""
    space = case.facts.last(AddressSpace)
    free = space.largest_free if space is not None else None
    if space is None or free is None or free.bytes >= _SMALL:
        return None
    return free if sum(row.bytes for row in space.usage) <= _WIDE else None


def _ended(case: Case) -> ManagedException | CxxException | None:
    """The allocation that failed in a full address space."""
    thrown: list[ManagedException | CxxException] = [*case.facts.all(ManagedException)]
    thrown += case.facts.all(CxxException)
    if _full(case) is None:
        return None
    return next((e for e in thrown if any(word in e.type for word in _MEMORY_ENDED)), None)


def _space(case: Case, _: object = None) -> list[Claim]:
    space = case.facts.last(AddressSpace)
    if space is None or space.largest_free is None:
        return []
    free = space.largest_free
    return [say("usage", line_of(space, free.line), what="free", shown=free.shown), *_takers(space)]


ADDRESS_SPACE_FULL = WindowsCause(
    Category.OUT_OF_MEMORY,
    "A 32-bit process that has no piece of its address space left that would do.",
    statement="The address space has no large piece left.",
    sign=_full,
    prior=lambda case, _: 0.55 if _ended(case) is None else 0.8,
    tests=lambda *_: (
        of_cdb("!address -summary", "what takes the address space"),
        of_cdb("!heap -s", "how large the native heaps are"),
        of_cdb("!eeheap -gc", "how large the managed heap is"),
    ),
    cites=lambda case, free: line_of(case.facts.last(AddressSpace), free.line),
    findings=(
        Proof(
            _ended,
            "An allocation failed in an address space without a large free piece.",
            0.85,
            Rung.STRUCTURE,
            "space",
            lambda case, failed: [*_space(case), say("exception", of(failed), type=failed.type)],
            lines=lambda _, failed: of(failed),
            advice="Find what takes the address space (heaps, mapped files, thread stacks) and let "
            "it go, or build the program for 64 bits.",
        ),
        Open(_full, "The address space is nearly full; that an allocation failed is not shown.",
             0.5, Rung.STRUCTURE, told=_space, missing="the exception that ended the process"),
    ),
    absent="The address space has room.",
    unseen=lambda case: of(case.facts.last(AddressSpace)),
    rung=Rung.STRUCTURE,
)  # fmt: skip


def _filling(case: Case) -> _Filling | None:
    for blocks in reversed(case.facts.all(HeapBlocks)):
        top = max(blocks.items, key=lambda size: size.bytes, default=None)
        if top is not None and top.percent >= _SHARE and top.bytes >= _HEAVY:
            return _Filling(blocks, top)
    return None


def _heavy(case: Case) -> tuple[AddressSpace, SpaceRow] | None:
    """The heaps' share of the address space, where it is the largest and not small."""
    space = case.facts.last(AddressSpace)
    row = space.taken("Heap", "RegionUsageHeap") if space is not None else None
    if space is None or row is None or row.bytes < 8 * _HEAVY:
        return None
    busy = [r.bytes for r in space.usage if r.name.lower() not in ("free", "regionusagefree")]
    return (space, row) if row.bytes * 2 >= sum(busy) else None


def _heaps(case: Case, _: object = None) -> list[Claim]:
    """The heaps' share of the address space, and the largest heap."""
    found, heavy = [], _heavy(case)
    if heavy is not None:
        space, row = heavy
        found.append(
            say("usage", line_of(space, row.line), what="space", name=row.name, shown=row.shown)
        )
    listed = case.facts.last(NativeHeaps)
    if listed is not None and listed.items:
        top = max(listed.items, key=lambda heap: heap.committed)
        lines = line_of(listed, top.line)
        found.append(say("usage", lines, what="heap", address=top.address, bytes=top.committed))
    return found


def _blocks(case: Case, filling: _Filling) -> list[Claim]:
    blocks, size = filling
    heap = at(blocks.heap, line_of(blocks, blocks.cite.first))
    given = {"count": size.count, "size": size.size, "bytes": size.bytes}
    most = say("blocks", line_of(blocks, size.line), what="blocks", heap=heap, **given,
               percent=f"{size.percent:g}")  # fmt: skip
    return [most, *_heaps(case)]


def _fill_lines(case: Case, _: object) -> Cites:
    filling, heavy = _filling(case), _heavy(case)
    if filling is not None:
        return line_of(filling.blocks, filling.size.line)
    return of(heavy[0]) if heavy is not None else ()


NATIVE_LEAK = WindowsCause(
    Category.MEMORY_LEAK,
    "Blocks of one size that pile up in a native heap. One dump shows what fills the heap, not "
    "that it grows.",
    statement="Blocks that are never freed fill a native heap.",
    sign=lambda case: _filling(case) is not None or _heavy(case) is not None,
    prior=lambda case, _: 0.6 if _filling(case) else 0.4,
    tests=lambda *_: (
        of_cdb("!heap -s", "which heap is the largest"),
        of_cdb("!heap -stat -h 0", "which sizes of blocks fill the heaps"),
        of_cdb("!address -summary", "what else takes the address space"),
    ),
    cites=_fill_lines,
    findings=(
        Proof(
            _filling,
            "Blocks of one size take most of a heap; that it grows, one dump cannot show.",
            0.65,
            Rung.STRUCTURE,
            "blocks",
            _blocks,
            frame=lambda *_: None,
            missing=("a second dump, to see which blocks grow", "who allocated the blocks"),
            advice="Take a second dump later and compare the counts. With user-mode stack traces "
            "on (gflags +ust), !heap -flt s and !heap -p -a name who allocated the blocks.",
        ),
        Open(_heavy, "The native heaps are large; which blocks fill them was not recorded.", 0.4,
             Rung.STRUCTURE, told=_heaps,
             missing=("the blocks by size (!heap -stat -h 0)",
                      "a second dump, to see what grows")),
    ),
    absent="No heap is large.",
    unseen=lambda case: of(case.facts.last(NativeHeaps)),
    rung=Rung.STRUCTURE,
)  # fmt: skip


def _handles(case: Case) -> Handles | None:
    found = case.facts.last(Handles)
    if found is None or found.total < _MANY or not found.kinds:
        return None
    return found if found.kinds[0].count * 2 >= found.total else None


def _open(_: Case, found: Handles) -> list[Claim]:
    top, total = found.kinds[0], at(found.total, line_of(found, found.total_line))
    return [say("count", line_of(found, top.line), what="handles", name=top.name, count=top.count,
                total=total)]  # fmt: skip


HANDLE_LEAK = WindowsCause(
    Category.MEMORY_LEAK,
    "Handles of one kind that pile up, with the system's memory behind them.",
    statement="Handles that are never closed pile up.",
    sign=_handles,
    prior=0.6,
    tests=lambda *_: (
        of_cdb("!handle", "how many handles of which kind are open"),
        of_cdb("!htrace", "who opened them, where that was traced"),
    ),
    cites=lambda _, found: line_of(found, found.total_line),
    findings=(
        Proof(
            _handles,
            "Most of very many handles are of one kind; that they grow, one dump cannot show.",
            0.6,
            Rung.STRUCTURE,
            "handles",
            _open,
            frame=lambda *_: None,
            missing=("a second listing, to see that they grow", "who opened them (!htrace)"),
            advice="Close each handle on every way out of the code that opens it. !htrace -enable "
            "and !htrace -diff name who opens them.",
        ),
    ),
    absent="The process has few handles.",
    unseen=lambda case: of(case.facts.last(Handles)),
    rung=Rung.STRUCTURE,
)
