"""Signs that several causes weigh: each is read from facts, and says which lines show it."""

import re
from itertools import pairwise
from typing import NamedTuple

from analyzers.names import bare
from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.ending import MEMORY, Kind
from analyzers.patterns.frames import module_path
from analyzers.patterns.words import Cites, line_of, of
from workbench.model.aliases import public
from workbench.model.facts import (
    KEPT_IN_FREE,
    Argument,
    Chunk,
    Fault,
    Frame,
    Heap,
    Load,
    Registers,
    StackShape,
    Wait,
)
from workbench.model.facts.heap import ListFault
from workbench.model.facts.waiting import SENDERS

_ALLOCATOR_NAMES = """
    malloc calloc realloc free _int_malloc _int_free _int_realloc _int_memalign unlink_chunk
    malloc_consolidate sysmalloc tcache_get tcache_put systrim munmap_chunk
    RtlAllocateHeap RtlFreeHeap RtlReAllocateHeap RtlpAllocateHeap RtlpFreeHeap HeapAlloc HeapFree
    RtlpLowFragHeapAllocFromContext RtlpLowFragHeapFree RtlpCoalesceFreeBlocks
    malloc_base _malloc_base _free_base _free_dbg _malloc_dbg nano_malloc szone_malloc szone_free
    tiny_malloc_should_clear tiny_free_list_remove_ptr
"""
ALLOCATOR = frozenset(_ALLOCATOR_NAMES.split())
"""Functions of the allocators themselves."""


def in_allocator(case: Case) -> bool:
    """True when the fault is inside malloc(), free() or their kin."""
    inner = case.frame.index if case.frame is not None else 8
    return case.ended(*MEMORY) and case.calls(*ALLOCATOR, within=inner) is not None


FREE_STATES = frozenset({"tcache", "fastbin", "unsorted", "bin", "smallbin", "largebin"})
"""States of chunks that glibc's allocator holds as free (malloc/malloc.c)."""
_MOST_LINKED = 4
_FIELD = 0x100  # farther members of a structure are rare
_WORD = 8
_ALIGNED = 4
_RUST_HANDLER = re.compile(r"^std::sys::.*\bstack_overflow::.*signal_handler")
_WORD_MASK = (1 << 64) - 1
_NOT_CANONICAL = (1 << 47, (1 << 64) - (1 << 47))


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


def guard_was_told(case: Case) -> Frame | None:
    """The frame of Rust's own handler that aborted: it does so only when the access that it was
    called for lies in the guard of the stack (library/std/src/sys/pal/unix/stack_overflow.rs), and
    lets every other fault happen again without itself."""
    return case.matching(_RUST_HANDLER) if case.ended(Kind.ABORT) else None


def near_null(address: int) -> bool:
    """Within 64 KiB of null, on either side."""
    return address < NEAR_NULL or address > _WORD_MASK - NEAR_NULL


def near_null_access(case: Case) -> Fault | None:
    """The fault, when data was touched near null: by the effective address, or through a base that
    is zero, or was before an index was added (or a negative field offset leads away from it)."""
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or not case.faulted:
        return None
    if fault.operand is None or (
        fault.base_register == "rbp" and fault.operand > _NOT_CANONICAL[1]
    ):
        return None  # below rbp lie the function's own variables: its frame pointer was lost
    if near_null(fault.operand):
        if fault.index_value and case.region(fault.base_value) is not None:
            return None  # a difference to null led there from what is no null
        return fault if _made_from_null(fault) is not False else None
    if _NOT_CANONICAL[0] <= fault.operand < _NOT_CANONICAL[1]:
        return None  # no index leads from null to there: the other register is the bad pointer
    base = fault.base_value if fault.base_register not in (None, "rsp", "rip") else None
    summed = fault.root == 0 and base and 0 <= fault.operand - base < NEAR_NULL
    return fault if base == 0 or summed else None


def _made_from_null(fault: Fault) -> bool | None:
    """Whether the base of an access near null is null with at most a distance added; None where
    only its size speaks for it. Minus one and a number that was loaded as it is are no null."""
    if fault.base_register in (None, "rip", "rsp") or not fault.base_value:
        return True
    if fault.root is not None:
        return fault.root == 0
    first = fault.origin[0] if fault.origin else None
    loaded = first.value if first is not None else None
    if first is not None and loaded is None and first.register == fault.base_register:
        return False  # memory has changed since it was loaded
    if fault.base_value > _WORD_MASK - NEAR_NULL and fault.base_value % _ALIGNED:
        return False  # no member stands there, counted back from null
    return False if loaded == fault.base_value else None


def small_number(case: Case) -> Fault | None:
    """The fault, when its address is near null or wraps past it, and its base is a number that was
    never null: a length, an index, minus one."""
    fault = case.fault
    if fault is None or fault.access not in ("read", "write") or fault.operand is None:
        return None
    near = near_null(fault.operand)
    return fault if near and case.faulted and _made_from_null(fault) is False else None


def supposed_null(fault: Fault) -> bool:
    """True where nothing tells that a small base was made from null."""
    return _made_from_null(fault) is None


def near_null_jump(case: Case) -> Fault | None:
    """The fault, when code was to run near null."""
    fault = case.fault
    if fault is None or fault.access != "execute":
        return None
    target = fault.operand if fault.operand is not None else fault.pc
    return fault if target < NEAR_NULL else None


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
            and not _from_behind(case, chunk)
        ):
            return Freed(address, role, chunk, register, value, cites + of(chunk))
        before = _ending_at(case, address) if role == "source" and address not in left else None
        if before is not None and not _from_behind(case, before):
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


def _from_behind(case: Case, chunk: Chunk) -> bool:
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
    the link that it had while free where its first word was never set, and may be what was read."""
    if led_out(case):
        return None  # it is known where it was read, and why
    values = {value for _, _, address, loaded, _ in pointers(case) for value in (address, loaded)}
    kept = {chunk.holds for chunk in case.facts.all(Chunk)
            if (chunk.state, chunk.offset) == ("in-use", 0)}  # fmt: skip
    found = [
        Freed(chunk.address, "link", chunk, None, value, of(chunk))
        for chunk in reversed(case.facts.all(Chunk))
        if (value := chunk.holds) is not None
        and value >= NEAR_NULL
        and value not in kept
        and (chunk.state, chunk.offset) in KEPT_IN_FREE
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


def ran_out_of_stack(case: Case) -> StackShape | None:
    """The stack, when its bounds show that the thread ran out of it."""
    shape = case.shape
    return shape if shape is not None and shape.overflowed else None


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


def lost_stack(case: Case) -> Fault | None:
    """The fault, when it pushed through a stack pointer that lies in no stack: a large frame had
    stepped over the guard below."""
    fault = case.fault
    if fault is None or fault.access != "write" or fault.stack_pointer is None:
        return None
    if case.shape is not None and case.shape.start is None:
        return None  # no frame leads from there into a stack: it was set to another place
    if text_in(fault.stack_pointer) or repeated_byte(fault.stack_pointer) is not None:
        return None  # it was overwritten
    if _NOT_CANONICAL[0] <= fault.stack_pointer < _NOT_CANONICAL[1]:
        return None
    pushes = (fault.mnemonic or "").startswith(("push", "call"))
    region = case.region(fault.stack_pointer)
    outside = region is None or region.kind in ("file", "none") or "w" not in region.perms
    return fault if outside and (pushes or fault.base_register == "rsp") else None


def bad_return(case: Case) -> Fault | None:
    """The fault, when a return went, or was about to go, where no code is."""
    fault = case.fault
    if fault is None or fault.access != "execute" or fault.transfer != "return":
        return None
    return fault


def restored_text(case: Case) -> Fault | None:
    """The fault, when a function's end took data for its stack pointer: it restores that from what
    it had saved on its stack (``leave``; the ``lea -4(%ecx), %esp`` of an i386 main, whose stack
    GCC aligns)."""
    fault = case.fault
    if fault is None or fault.stack_pointer is None or fault.base_register not in ("esp", "rsp"):
        return None
    ends = (fault.mnemonic or "").startswith(("ret", "pop", "leave"))
    data = text_in(fault.stack_pointer) or repeated_byte(fault.stack_pointer) is not None
    return fault if ends and data and case.region(fault.stack_pointer) is None else None


def broken_heap(case: Case) -> Heap | None:
    """The first walked heap with a header that makes no sense."""
    return next((heap for heap in case.heaps if heap.broken_at is not None), None)


def stale_link(case: Case) -> tuple[Heap, ListFault] | None:
    """The free chunk whose link leads nowhere, in a heap of which every header makes sense: what
    runs over from in front of a link takes the header first."""
    if not (case.heaps and all(heap.broken_at is None for heap in case.heaps)):
        return None
    found = ((heap, fault) for heap in case.heaps for fault in heap.list_faults if fault.chunk)
    return next(found, None)


def text_in(value: int | None) -> str | None:
    """The value read as ASCII text, low byte first, when every byte of it is printable."""
    if value is None or value < 0x20202020:
        return None
    raw = value.to_bytes(16, "little").rstrip(b"\0")
    printable = rb"[\x20-\x7e]{5,}|[A-Za-z0-9 ]{4}"
    return raw.decode("ascii") if re.fullmatch(printable, raw) else None


def repeated_byte(value: int | None) -> int | None:
    """The byte that fills a 64-bit value, such as 0x41 or 0xfe, or None; zero and all ones are
    too common to tell anything."""
    if value is None or not 0xFFFFFFFF < value <= _WORD_MASK:
        return None
    low = value & 0xFF
    if low in (0, 0xFF) or any((value >> shift) & 0xFF != low for shift in range(0, 64, 8)):
        return None
    return low


class Aborted(NamedTuple):
    """How the process aborted itself: the frame of abort() or raise(), and who called it."""

    frame: Frame
    caller: Frame | None


LIMITS = {"SIGXCPU": "processor-time", "SIGXFSZ": "file-size"}
"""What the kernel sends when a limit is reached (setrlimit(2)), and which limit it is."""
RAISES = ("raise", "gsignal", "kill", "__kill", "pthread_kill",
          "__pthread_kill", "tgkill", "sigqueue")  # fmt: skip
"""Functions by which a process sends itself a signal."""


def out_of_time(case: Case) -> bool:
    """True where the kernel ended the process at its limit of processor time (setrlimit(2))."""
    return case.signal is not None and case.signal.name == "SIGXCPU" and at_limit(case)


def at_limit(case: Case) -> bool:
    """True where the kernel sent the signal at a limit of the process (setrlimit(2)): in its own
    name for processor time, in the process's for the size of a file."""
    signal = case.signal
    if signal is None or signal.name not in LIMITS or case.calls(*RAISES) is not None:
        return False
    return case.own_signal or (signal.code or 0) > 0


def self_sent(case: Case) -> bool:
    """True when the process sent itself the signal that ended it, of its own will."""
    return case.own_signal and not case.resent and not at_limit(case)


def sent_earlier(case: Case) -> Wait | None:
    """What the thread did that got the signal from its own process, where it was in no call that
    sends one: another thread sent it, as a watchdog does, or it had been blocked."""
    wait = case.waits.get(case.thread) if case.thread is not None else None
    if wait is None or wait.syscall in SENDERS or case.handled is not None:
        return None
    return wait if self_sent(case) and case.calls("abort", *RAISES) is None else None


def aborted(case: Case) -> Aborted | None:
    """The innermost abort() of the faulting stack and the first frame outside of it."""
    frame = case.calls("abort")
    if frame is None:
        return None
    return Aborted(frame, next((f for f in case.frames if f.index > frame.index), None))


_TERMINATE = ("std::terminate", "__cxxabiv1::__terminate", "__cxa_call_terminate",
              "__clang_call_terminate", "__gnu_cxx::__verbose_terminate_handler")  # fmt: skip


def terminated(case: Case) -> Frame | None:
    """The frame of std::terminate() on the faulting stack: by name, or, where the C++ library has
    no symbols, its frame that called abort()."""
    named = case.calls(*_TERMINATE)
    if named is not None:
        return named
    gone = aborted(case)
    if gone is None or gone.caller is None or gone.caller.function is not None:
        return None
    path = module_path(gone.caller, case.memory)
    name = path.rsplit("/", 1)[-1] if path else ""
    return gone.caller if name.startswith(("libstdc++.so", "libc++abi.so")) else None


def passed_pointer(case: Case, *functions: str) -> Argument | None:
    """The first argument of a recovered call of one of the functions (``rdi`` in the System V
    ABI); of any call where the name is not known and no name is asked for."""
    found = case.arguments(*functions)
    return next((a for a in found if a.register == "rdi"), None)
