"""Signs that several causes weigh: each is read from facts, and says which lines show it."""

import re

from analyzers.patterns.case import NEAR_NULL, Case
from analyzers.patterns.ending import MEMORY, Kind
from workbench.model.facts import Argument, Fault, Frame, Heap, StackShape
from workbench.model.facts.heap import ListFault

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
    inner = case.listed.index if case.listed is not None else 8
    return case.ended(*MEMORY) and case.calls(*ALLOCATOR, within=inner) is not None


_ALIGNED = 4
_RUST_HANDLER = re.compile(r"^std::sys::.*\bstack_overflow::.*signal_handler")
_WORD_MASK = (1 << 64) - 1
_NOT_CANONICAL = (1 << 47, (1 << 64) - (1 << 47))


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
    if fault.stack_pointer is not None and near_null(fault.stack_pointer):
        return None  # the stack is lost: what failed is no pointer of the program's
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


def ran_out_of_stack(case: Case) -> StackShape | None:
    """The stack, when its bounds show that the thread ran out of it."""
    shape = case.shape
    return shape if shape is not None and shape.overflowed else None


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


def passed_pointer(case: Case, *functions: str) -> Argument | None:
    """The first argument of a recovered call of one of the functions (``rdi`` in the System V
    ABI); of any call where the name is not known and no name is asked for."""
    found = case.arguments(*functions)
    return next((a for a in found if a.register == "rdi"), None)
