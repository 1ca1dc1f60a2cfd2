"""Dangling pointers: those of the fault that lead into memory which was given back."""

from itertools import pairwise
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.signs import in_allocator
from analyzers.patterns.words import Cites, line_of, of
from workbench.model.aliases import public
from workbench.model.facts import KEPT_IN_FREE, Chunk, Fault, Load, Registers

FREE_STATES = frozenset({"tcache", "fastbin", "unsorted", "bin", "smallbin", "largebin"})
"""States of chunks that glibc's allocator holds as free (malloc/malloc.c)."""
_MOST_LINKED = 4
_FIELD = 0x100  # farther members of a structure are rare
_WORD = 8


class Freed(NamedTuple):
    """A pointer of the fault that lies in freed memory: ``address``, what it is, its chunk."""

    address: int
    role: str  # source | base | operand | link | named
    chunk: Chunk
    register: str | None
    value: int | None
    cites: Cites
    others: tuple[Chunk, ...] = ()
    """Chunks that it may have come from as well."""


def pointers(case: Case) -> list[tuple[str, str | None, int, int | None, Cites]]:
    """The addresses that led to the fault, as (role, register, address, value, lines): where its
    pointer was loaded from (``earlier`` where that may have been freed only then), then the pointer
    itself."""
    fault = case.fault
    if fault is None:
        return []
    found: list[tuple[str, str | None, int, int | None, Cites]] = [
        (
            "earlier" if load.freed_by else "source",
            load.register,
            load.source,
            load.value,
            line_of(fault, load.line),
        )
        for load in fault.origin
    ]
    if fault.base_value is not None:
        found.append(("base", fault.base_register, fault.base_value, None, of(fault)))
    if fault.operand is not None:
        found.append(("operand", None, fault.operand, None, of(fault)))
    return found


class LedOut(NamedTuple):
    """A load from another chunk, by an index that was added to a pointer into a block in use."""

    load: Load
    block: Chunk
    chunk: Chunk


def led_out(case: Case, states: frozenset[str] = FREE_STATES | {"top"}) -> list[LedOut]:
    """The loads of the fault's walk for which an index led out of a block that is in use into a
    chunk in one of ``states``: no pointer to what had been there was used. Into a block in use only
    from the first element of another: a distance that an object keeps, in place of a pointer, is
    counted from within it."""
    found = []
    for load in case.fault.origin if case.fault is not None else ():
        block = case.chunk(load.led) if load.led is not None else None
        chunk = case.chunk(load.source)
        if block is None or chunk is None or block.state != "in-use" or block.offset < 0:
            continue
        if chunk.state == "in-use" and (block.offset or block.start == chunk.start):
            continue
        if chunk.state in states:
            found.append(LedOut(load, block, chunk))
    return found


def addresses(case: Case) -> tuple[int, ...]:
    """The pointers of the fault, for a look at the heap."""
    found = [address for _, _, address, _, _ in pointers(case)]
    found += [one.led for one in (case.fault.origin if case.fault else ()) if one.led is not None]
    footers = [a - _WORD for a in found if (chunk := case.chunk(a)) and chunk.start == a]
    return (*found, *footers)


def freed_origin(case: Case) -> Freed | None:
    """The pointer of the fault that lies in a chunk held as free, nearest to the fault first."""
    left = {out.load.source for out in led_out(case)}
    for role, register, address, value, cites in pointers(case):
        chunk = case.chunk(address)
        if (
            chunk is not None
            and chunk.state in FREE_STATES
            and chunk.offset >= 0
            and role != "earlier"
            and address not in left
            and not (role == "base" and _led_away(case, chunk))
            and not from_behind(case, chunk)
        ):
            return Freed(address, role, chunk, register, value, cites + of(chunk))
        before = _ending_at(case, address) if role == "source" and address not in left else None
        if before is not None and not from_behind(case, before):
            return Freed(address, role, before, register, value, cites + of(before))
    return _set_out_from(case)


def _set_out_from(case: Case) -> Freed | None:
    """The pointer to a freed object that the address which failed was added up from, where nothing
    else was read on the way: what the object says of itself, as its length, went into it."""
    fault = case.fault
    for load in fault.origin if fault is not None else ():
        chunk = case.chunk(load.value) if load.value is not None else None
        if chunk is not None and chunk.state in FREE_STATES and not (chunk.offset or load.freed_by):
            cites = line_of(fault, load.line) + of(chunk)
            return Freed(load.source, "source", chunk, load.register, load.value, cites)
        region = case.region(load.source)
        if region is None or region.kind != "stack":
            return None
    return None


def _led_away(case: Case, chunk: Chunk) -> bool:
    """Whether an index led from the middle of that chunk to a place outside of it: the access did
    not touch it, and no object begins there that a pointer may have outlived. (The base of a table
    whose keys do not begin at 0 lies in front of the table, in whatever is there.)"""
    fault = case.fault
    if fault is None or fault.operand is None or chunk.offset == 0:
        return False
    return not 0 <= fault.operand - chunk.start < chunk.size + _FIELD


def from_behind(case: Case, chunk: Chunk) -> bool:
    """Whether the walk back goes on to a pointer to the block right behind a chunk, which nothing
    was read through: arithmetic led in front of that block, as the last element of an empty vector
    is. No pointer to this chunk is as high, not even one past its end (malloc.c)."""
    behind = chunk.start + chunk.size + 2 * _WORD
    loads = case.fault.origin if case.fault is not None else ()
    through = any(0 <= load.source - behind < _FIELD for load in loads)
    return not through and any(
        behind in (load.value, load.below and load.source + load.below) for load in loads
    )


def _ending_at(case: Case, address: int) -> Chunk | None:
    """The free chunk whose last word is at an address: a chunk's memory runs one word into the
    next header, and holds the chunk's size while it is free (malloc.c, "prev_size")."""
    chunks = case.facts.all(Chunk)
    return next((c for c in chunks if c.state in FREE_STATES and c.start + c.size == address), None)


def linked(case: Case) -> Freed | None:
    """The pointer of the fault that is what the allocator keeps in a free chunk in place of the
    first words of what was freed: a link, since glibc 2.32 hidden by its position (PROTECT_PTR), or
    since 2.34 a random key. No data has such a value by chance; but a block that is in use keeps
    the link that it had while free where its first word was never set, and may be what was read.
    So is one that was read before the function itself released it."""
    if led_out(case):
        return None  # it is known where it was read, and why
    values = {value for _, _, address, loaded, _ in pointers(case) for value in (address, loaded)}
    early = {load.source for load in (case.fault.origin if case.fault else ()) if load.freed_by}
    kept = {chunk.holds for chunk in case.facts.all(Chunk)
            if (chunk.state, chunk.offset) == ("in-use", 0)}  # fmt: skip
    found = [
        Freed(chunk.address, "link", chunk, None, value, of(chunk))
        for chunk in reversed(case.facts.all(Chunk))
        if (value := chunk.holds) is not None
        and value >= NEAR_NULL
        and value not in kept
        and chunk.address not in early
        and (chunk.state, chunk.offset) in KEPT_IN_FREE
        and not from_behind(case, chunk)
        and any(known is not None and 0 <= known - value < _FIELD for known in values)
    ]
    # Chunks of one page that end their lists hold one link: a register tells where it was read.
    held = [register.value for registers in case.facts.all(Registers)
            if not registers.frame and registers.thread in (0, case.thread)
            for register in registers.values]  # fmt: skip
    near = [one for one in found
            if any(0 <= value - one.chunk.start < one.chunk.size for value in held)]  # fmt: skip
    once = {one.chunk.start: one for one in reversed(near or found)}  # of two walks
    several = [*reversed(once.values())][:_MOST_LINKED]
    return several[0]._replace(others=tuple(one.chunk for one in several[1:])) if several else None


ALLOCATES = frozenset(
    {"malloc", "calloc", "realloc", "operator new",
     "operator new[]", "_Znwm", "_Znam"}
)  # fmt: skip


def allocated(case: Case) -> bool:
    """True when the walk back from the fault's pointer ends at a call that allocates memory."""
    origin = case.fault.origin_call if case.fault is not None else None
    return origin is not None and public(bare(origin)) in ALLOCATES


def unallocated_origin(case: Case) -> Freed | None:
    """The pointer of the fault that was loaded from the heap's unallocated rest, not as zero or out
    of what an allocation had returned: memory that was used once and given back."""
    handed_out = allocated(case)
    for role, register, address, value, cites in pointers(case):
        chunk = case.chunk(address)
        if role != "source" or chunk is None or not (value or handed_out) or led_out(case):
            continue
        if chunk.state == "top" and chunk.offset >= 0:
            return Freed(address, role, chunk, register, value, cites + of(chunk))
    return None


def freed(case: Case) -> Freed | None:
    """The best proof that a pointer of the fault came out of freed memory, or None."""
    return freed_origin(case) or linked(case) or unallocated_origin(case)


_PAGE, _MAPPED_AT = 4096, 16
_LARGEST = 1 << 32

_MAPPINGS = 0x7E
"""The first byte of the addresses that Linux maps from, top down, on x86-64."""


class Gone(NamedTuple):
    """A pointer to a large block that is not mapped any more; ``call`` is the allocation that
    returned it, where the walk back ends at one."""

    fault: Fault
    pointer: int
    call: str | None
    cites: Cites


def _led_from_a_block(case: Case, pointer: int) -> bool:
    """True where the walk back goes from a pointer to that of a large block which is there and does
    not hold it: it was computed, and kept in a variable."""
    origin = case.fault.origin if case.fault is not None else ()
    return any(
        one.value == pointer
        and behind.value not in (None, pointer)
        and behind.value % _PAGE == _MAPPED_AT
        and (there := case.region(behind.value)) is not None
        and case.region(one.source) != there
        for one, behind in pairwise(origin)
    )


def unmapped_block(case: Case) -> Gone | None:
    """The fault's pointer, when it is that of a large block which malloc() had mapped on its own
    and free() unmapped (malloc.c): two words behind the beginning of a page that is gone. Distances
    may have been added to it before the access."""
    fault = case.fault
    if fault is None or fault.base_value is None or in_allocator(case):
        return None
    if fault.access not in ("read", "write") or not case.faulted:
        return None
    loaded = [load.value for load in fault.origin if load.value is not None]
    if allocated(case):
        # What was made of the result since may be another address: of its lower half, say.
        made = fault.origin_value is None and fault.computed_line
        pointer = fault.origin_value if fault.origin_value is not None else fault.base_value
        if made or any(value != pointer for value in loaded):
            return None
        call = fault.origin_call
    else:
        # A computed pointer proves nothing: rows of whole pages all begin like the first.
        pointer, call = loaded[0] if loaded else 0, None
        if pointer >> 40 not in (_MAPPINGS, _MAPPINGS + 1) or _led_from_a_block(case, pointer):
            return None
    if pointer % _PAGE != _MAPPED_AT or pointer < NEAR_NULL or case.region(pointer) is not None:
        return None
    if not 0 <= fault.base_value - pointer < _LARGEST:
        return None
    return Gone(fault, pointer, call, of(fault))
