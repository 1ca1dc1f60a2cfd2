"""Processes that use up what they have: address space, heaps, handles."""

from typing import NamedTuple

from analyzers.patterns.base import OneRound
from analyzers.patterns.windows.case import WindowsCase
from analyzers.patterns.words import Cites, confirmed, in_place, inconclusive, line_of, of, rejected
from workbench.claims.say import at, say
from workbench.model.category import Category
from workbench.model.claims import Claim
from workbench.model.evidence import Command
from workbench.model.facts import (
    AddressSpace,
    BlockSize,
    CxxException,
    FactBook,
    Handles,
    HeapBlocks,
    ManagedException,
    NativeHeaps,
    SpaceRow,
)
from workbench.model.hypothesis import Proposal, Rung, Verdict

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


def _only(text: str, intent: str) -> Command:
    return Command("", intent, (("cdb", text),))


class AddressSpaceFull(OneRound):
    """A 32-bit process that has no piece of its address space left that would do."""

    category = Category.OUT_OF_MEMORY

    def propose(self, facts: FactBook) -> Proposal | None:
        """When the largest free piece of a 32-bit address space is small."""
        space = facts.last(AddressSpace)
        if space is None or not _is_full(space) or space.largest_free is None:
            return None
        return Proposal(
            category=self.category,
            statement="The address space has no large piece left.",
            confidence=0.8 if _ended(facts) else 0.55,
            tests=(
                _only("!address -summary", "what takes the address space"),
                _only("!heap -s", "how large the native heaps are"),
                _only("!eeheap -gc", "how large the managed heap is"),
            ),
            citations=line_of(space, space.largest_free.line),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed when an allocation failed; else the space is full, but nothing ended by it."""
        case = WindowsCase(facts)
        space = facts.last(AddressSpace)
        if space is None or space.largest_free is None or not _is_full(space):
            return rejected("The address space has room.", of(space), rung=Rung.STRUCTURE)
        largest = space.largest_free
        claims = [
            say("usage", line_of(space, largest.line), what="free", shown=largest.shown),
            *_takers(space),
        ]
        failed = _ended(facts)
        if failed is None:
            return inconclusive(
                case,
                "The address space is nearly full; that an allocation failed is not shown.",
                ("the exception that ended the process",),
                confidence=0.5,
                rung=Rung.STRUCTURE,
                claims=claims,
            )
        cause = in_place(case, self.category, case.frame, how="space", cites=of(failed))
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.85,
            [cause, *claims, say("exception", of(failed), type=failed.type)],
            reason="An allocation failed in an address space without a large free piece.",
            recommendations=(
                "Find what takes the address space (heaps, mapped files, thread stacks) and let it "
                "go, or build the program for 64 bits.",
            ),
        )


def _ended(facts: FactBook) -> ManagedException | CxxException | None:
    thrown: list[ManagedException | CxxException] = [*facts.all(ManagedException)]
    thrown += facts.all(CxxException)
    return next((e for e in thrown if any(word in e.type for word in _MEMORY_ENDED)), None)


def _is_full(space: AddressSpace) -> bool:
    return (
        space.largest_free is not None
        and space.largest_free.bytes < _SMALL
        and sum(row.bytes for row in space.usage) <= _WIDE
    )


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


def _filling(facts: FactBook) -> _Filling | None:
    for blocks in reversed(facts.all(HeapBlocks)):
        top = max(blocks.items, key=lambda size: size.bytes, default=None)
        if top is not None and top.percent >= _SHARE and top.bytes >= _HEAVY:
            return _Filling(blocks, top)
    return None


class NativeLeak(OneRound):
    """Blocks of one size that pile up in a native heap. One dump shows what fills the heap, not
    that it grows."""

    category = Category.MEMORY_LEAK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When blocks of one size take half of a heap, or heaps take most of the memory."""
        filling, heavy = _filling(facts), _heavy(facts)
        if filling is None and heavy is None:
            return None
        cites: Cites = of(heavy[0]) if heavy is not None else ()
        if filling is not None:
            cites = line_of(filling.blocks, filling.size.line)
        return Proposal(
            category=self.category,
            statement="Blocks that are never freed fill a native heap.",
            confidence=0.6 if filling else 0.4,
            tests=(
                _only("!heap -s", "which heap is the largest"),
                _only("!heap -stat -h 0", "which sizes of blocks fill the heaps"),
                _only("!address -summary", "what else takes the address space"),
            ),
            citations=cites,
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed as what fills the heap, with the confidence that one dump allows."""
        case = WindowsCase(facts)
        filling, heavy = _filling(facts), _heavy(facts)
        if filling is None and heavy is None:
            return rejected("No heap is large.", of(facts.last(NativeHeaps)), rung=Rung.STRUCTURE)
        claims = _heap_claims(facts, heavy)
        if filling is None:
            return inconclusive(
                case,
                "The native heaps are large; which blocks fill them was not recorded.",
                ("the blocks by size (!heap -stat -h 0)", "a second dump, to see what grows"),
                confidence=0.4,
                rung=Rung.STRUCTURE,
                claims=claims,
            )
        blocks, size = filling
        row = line_of(blocks, size.line)
        heap = at(blocks.heap, line_of(blocks, blocks.cite.first))
        given = {"count": size.count, "size": size.size, "bytes": size.bytes}
        first = [
            in_place(case, self.category, None, how="blocks", cites=row),
            say("blocks", row, what="blocks", heap=heap, **given, percent=f"{size.percent:g}"),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.65,
            [*first, *claims],
            reason="Blocks of one size take most of a heap; that it grows, one dump cannot show.",
            recommendations=(
                "Take a second dump later and compare the counts. With user-mode stack traces on "
                "(gflags +ust), !heap -flt s and !heap -p -a name who allocated the blocks.",
            ),
            missing=("a second dump, to see which blocks grow", "who allocated the blocks"),
        )


def _heavy(facts: FactBook) -> tuple[AddressSpace, SpaceRow] | None:
    """The heaps' share of the address space, where it is the largest and not small."""
    space = facts.last(AddressSpace)
    row = space.taken("Heap", "RegionUsageHeap") if space is not None else None
    if space is None or row is None or row.bytes < 8 * _HEAVY:
        return None
    busy = [r.bytes for r in space.usage if r.name.lower() not in ("free", "regionusagefree")]
    return (space, row) if row.bytes * 2 >= sum(busy) else None


def _heap_claims(facts: FactBook, heavy: tuple[AddressSpace, SpaceRow] | None) -> list[Claim]:
    found = []
    if heavy is not None:
        space, row = heavy
        found.append(
            say("usage", line_of(space, row.line), what="space", name=row.name, shown=row.shown)
        )
    listed = facts.last(NativeHeaps)
    if listed is not None and listed.items:
        top = max(listed.items, key=lambda heap: heap.committed)
        lines = line_of(listed, top.line)
        found.append(say("usage", lines, what="heap", address=top.address, bytes=top.committed))
    return found


class HandleLeak(OneRound):
    """Handles of one kind that pile up, with the system's memory behind them."""

    category = Category.MEMORY_LEAK

    def propose(self, facts: FactBook) -> Proposal | None:
        """When a process has very many handles, most of one kind."""
        found = _handles(facts)
        if found is None:
            return None
        return Proposal(
            category=self.category,
            statement="Handles that are never closed pile up.",
            confidence=0.6,
            tests=(
                _only("!handle", "how many handles of which kind are open"),
                _only("!htrace", "who opened them, where that was traced"),
            ),
            citations=line_of(found, found.total_line),
        )

    def evaluate(self, facts: FactBook) -> Verdict:
        """Confirmed as what is open, with the confidence that one dump allows."""
        case = WindowsCase(facts)
        found = _handles(facts)
        if found is None:
            listed = facts.last(Handles)
            return rejected("The process has few handles.", of(listed), rung=Rung.STRUCTURE)
        top = found.kinds[0]
        line = line_of(found, top.line)
        total = at(found.total, line_of(found, found.total_line))
        claims = [
            in_place(case, self.category, None, how="handles", cites=line),
            say("count", line, what="handles", name=top.name, count=top.count, total=total),
        ]
        return confirmed(
            case,
            Rung.STRUCTURE,
            0.6,
            claims,
            reason="Most of very many handles are of one kind; that they grow, one dump cannot "
            "show.",
            recommendations=(
                "Close each handle on every way out of the code that opens it. !htrace -enable and "
                "!htrace -diff name who opens them.",
            ),
            missing=("a second listing, to see that they grow", "who opened them (!htrace)"),
        )


def _handles(facts: FactBook) -> Handles | None:
    found = facts.last(Handles)
    if found is None or found.total < _MANY or not found.kinds:
        return None
    return found if found.kinds[0].count * 2 >= found.total else None
