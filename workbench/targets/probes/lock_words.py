"""The words of glibc's locks, and what a waiting thread's stack says of them."""

import re
import struct
from itertools import pairwise

from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.places import executable, read_some

MUTEX_KINDS = ("normal", "recursive", "error checking", "adaptive")
"""By the low bits of ``__kind`` (PTHREAD_MUTEX_TIMED_NP and its siblings, pthread.h)."""

# Where g_signals[0] and [1] stand in __pthread_cond_s, and __wrefs: glibc 2.25 to 2.40, then 2.41
# on, which dropped g_refs (sysdeps/nptl/bits/thread-shared-types.h).
_CONDITIONS = (((40, 44), 36), ((32, 36), 28))
_NEAR_STACK = 0x300
_WAITS = re.compile(
    r"(mutex|cond|rwlock|sem|barrier)_(timed|clock)?(lock|wait|rdlock|wrlock)|mtx_(timed)?lock"
    r"|cnd_(timed)?wait|(pthread|thrd)_(timed|clock)?join|pthread_once|call_once|guard_acquire"
)


def u32(core: Dump, address: int) -> int | None:
    """The 32-bit word at an address."""
    raw = core.read(address, 4)
    if raw is None:
        return None
    return int.from_bytes(raw, "little" if core.little_endian else "big")


def near_stack(core: Dump, thread: CoreThread) -> list[int]:
    """The words at and above the stack pointer, nearest first."""
    if thread.sp is None or core.bits != 64:
        return []
    raw = read_some(core, thread.sp & ~7, _NEAR_STACK)
    order = "<" if core.little_endian else ">"
    return list(struct.unpack(f"{order}{len(raw) // 8}Q", raw[: len(raw) // 8 * 8]))


def function_on_stack(core: Dump, thread: CoreThread) -> str | None:
    """The nearest function on the stack, pc included, whose name says what it waits for."""
    for address in [thread.pc or 0, *near_stack(core, thread)]:
        if not executable(core, address):
            continue
        found = core.symbolize(address - 1)
        if found is not None and _WAITS.search(found[0]):
            return found[0]
    return None


def condition_on_stack(core: Dump, thread: CoreThread, address: int) -> tuple[int, int] | None:
    """(condition, mutex) out of ``struct _condvar_cleanup_buffer`` (nptl/pthread_cond_wait.c)."""
    bases = {address - offset for offsets, _ in _CONDITIONS for offset in offsets}
    words = near_stack(core, thread)
    for first, second in pairwise(words):
        if first in bases and second and second != first and core.read(second, 40) is not None:
            kind = u32(core, second + 16)
            if kind is not None and kind < 0x400:
                return first, second
    return None


def condition_shape(core: Dump, address: int, threads: int) -> int | None:
    """The condition variable whose word ``address`` is, when the words around fit one: its
    reference count says how many wait."""
    for offsets, references in _CONDITIONS:
        for offset in offsets:
            base = address - offset
            count = u32(core, base + references)
            if base % 8 == 0 and count is not None and 0 < count >> 3 <= threads:
                return base
    return None


def stream_lock(core: Dump, address: int) -> int | None:
    """The TID of the owner of an ``_IO_lock_t`` {int lock; int cnt; void *owner}
    (sysdeps/nptl/stdio-lock.h), or None when this is none."""
    owner = core.read_word(address + 8)
    if u32(core, address) not in (1, 2) or not owner:
        return None
    return next((other.tid for other in core.threads if other.fs_base == owner), None)
