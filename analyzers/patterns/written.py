"""What shows that the memory of a bad pointer was written over, and that it is no other's by right.

Three things leave the same data where a pointer was expected: a write past the end of something, a
block that was freed and given out again while a pointer to what it had held lived on (free(3)), and
a member that nobody set in a block that had held data before (malloc(3): "the memory is not
initialized"). A union whose other member was stored is a fourth. The data alone tells none of them.
"""

from typing import NamedTuple

from analyzers.patterns import signs
from analyzers.patterns.case import WORD, Case
from analyzers.patterns.stated import copied, mapped
from analyzers.patterns.words import line_of, of
from workbench.claims.say import say
from workbench.model.claims import Claim
from workbench.model.facts import Chunk, Heap, Load

_USED = 6  # bytes of an address of user space

UNDECIDED = (
    "what was written last to the memory that the pointer was read from: past the end of something "
    "in front of it, by the memory's next owner after a free() or a return, or by an earlier one "
    "that left it unset; or whether another type was stored there",
)


class Cover(NamedTuple):
    """Data from ``start`` to ``end`` that covers the ``cell`` which held the bad pointer."""

    cell: int
    start: int
    end: int


def data_held(case: Case) -> list[Claim]:
    """What the bad pointer visibly holds instead of an address; empty where it may be one."""
    fault = case.fault
    if fault is None or (fault.root and fault.root == fault.base_value):
        return []  # the code set it to that constant
    if fault.run is not None:
        run = fault.run
        return [say("data", of(fault), cell=run.cell, start=run.start, end=run.end)]
    for value in (fault.base_value, fault.operand, fault.pc if fault.access == "execute" else None):
        if value is None or case.described(value):
            continue
        if signs.text_in(value) is not None:
            spelled = fault.spelled
            if spelled is not None and spelled.value == value:
                return copied(fault)
            return [say("told", of(fault), how="text-value", number=value)]
        if signs.repeated_byte(value) is not None:
            return [say("told", of(fault), how="one-byte", number=value)]
    return []


def covers(case: Case) -> list[Cover]:
    """The data over the cell that the pointer was read from; where that is not known, over each
    place that has the same word."""
    fault = case.fault
    if fault is None:
        return []
    if fault.run is not None:
        return [Cover(fault.run.cell, fault.run.start, fault.run.end)]
    return [Cover(*copy) for copy in fault.spelled.places] if fault.spelled is not None else []


def across_header(case: Case) -> Heap | None:
    """The heap with a damaged header in the middle of the data that the pointer is a part of."""
    found, heap = covers(case), signs.broken_heap(case)
    if heap is None or heap.broken_at is None or not found:
        return None
    header = heap.broken_at + WORD
    return heap if all(cover.start < header < cover.end for cover in found) else None


def written(case: Case) -> list[Claim]:
    """What proves that the pointer was written over; empty where nothing does."""
    heap = across_header(case)
    if heap is not None:
        return [say("headers", of(heap), state="damaged", start=heap.start, chunk=heap.broken_at)]
    found = covers(case)
    if len(found) != 1:
        return []
    return _never_given_out(case, found[0]) or _rest_of_address(case, found[0])


def _never_given_out(case: Case, cover: Cover) -> list[Claim]:
    """Variables of a module, and of the function at fault, stay theirs: what runs into one from in
    front of it was written past the end of something. A pointer to a stack may be older than what
    stands there; a variable that one way through the function does not set holds what earlier calls
    left (System V ABI: a frame begins with what is there)."""
    region, load = case.region(cover.cell), _read_from(case, cover.cell)
    if region is None or "w" not in region.perms:
        return []
    alive = region.kind == "file" or (
        region.kind == "stack" and load is not None and load.own and not load.skipped
    )
    led = load.led if load is not None else None
    if led is not None and not cover.start <= led <= cover.cell:
        return []  # the index led out of its array, to what is another's own
    return mapped(case, cover.cell) if alive and cover.start < cover.cell else []


def _rest_of_address(case: Case, cover: Cover) -> list[Claim]:
    """Data that ends inside of the pointer, with the upper bytes of an address left behind it (and
    the end of a string between them)."""
    load = _read_from(case, cover.cell)
    held = cover.end - cover.cell
    if load is None or not load.value or not 0 < held < _USED:
        return []
    for kept in (held, held + 1):
        upper = load.value >> 8 * kept
        ended = kept == held or not load.value >> 8 * held & 0xFF
        if upper and ended and kept < _USED and _is_upper(case, upper, 8 * kept):
            lines = line_of(case.fault, load.line)
            return [say("told", lines, how="upper-bytes", number=load.value)]
    return []


def _is_upper(case: Case, upper: int, bits: int) -> bool:
    return any(r.start >> bits <= upper <= (r.end - 1) >> bits for r in case.regions)


def _read_from(case: Case, cell: int) -> Load | None:
    loads = case.fault.origin if case.fault is not None else ()
    return next((load for load in loads if load.source == cell), None)


def held_by(case: Case, block: Chunk) -> str:
    """The block as what the pointer was read from, or, where it only has the same word, as that."""
    fault = case.fault
    cells = [load.source for load in fault.origin] if fault is not None else []
    cells += [fault.run.cell] if fault is not None and fault.run is not None else []
    read = block.address in cells
    return (
        "The pointer was read from a block that is in use" if read
        else "A block that is in use has the same word, and may be what the pointer was read from"
    )  # fmt: skip


def owner(case: Case) -> Chunk | None:
    """The block in use that holds, or may hold, the cell which data was read from as a pointer."""
    if not data_held(case):
        return None
    fault = case.fault
    cells = [cover.cell for cover in covers(case)]
    cells += [load.source for load in (fault.origin if fault is not None else ())[:1]]
    chunks = [chunk for cell in cells if (chunk := case.chunk(cell)) and chunk.offset >= 0]
    return next((chunk for chunk in chunks if chunk.state == "in-use"), None)
