"""Whether a fault happened inside the allocator itself."""

from analyzers.names import bare
from analyzers.patterns.case import Case
from analyzers.patterns.ending import MEMORY
from workbench.model.aliases import public

_ALLOCATOR_NAMES = """
    malloc calloc realloc free _int_malloc _int_free _int_realloc _int_memalign unlink_chunk
    malloc_consolidate sysmalloc tcache_get tcache_put systrim munmap_chunk
    RtlAllocateHeap RtlFreeHeap RtlReAllocateHeap RtlpAllocateHeap RtlpFreeHeap HeapAlloc HeapFree
    RtlpLowFragHeapAllocFromContext RtlpLowFragHeapFree RtlpCoalesceFreeBlocks
    malloc_base _malloc_base _free_base _free_dbg _malloc_dbg nano_malloc szone_malloc szone_free
    tiny_malloc_should_clear tiny_free_list_remove_ptr
"""
_ALLOCATOR = frozenset(_ALLOCATOR_NAMES.split())


def in_allocator(case: Case) -> bool:
    """True when the fault is inside malloc(), free() or their kin."""
    stack = case.stack
    if stack is None or not stack.frames or not case.ended(*MEMORY):
        return False
    inner = case.frame.index if case.frame is not None else 8
    names = (public(bare(f.function)) for f in stack.frames[:inner] if f.function)
    return any(name in _ALLOCATOR for name in names)
