"""What a thread that waits on a futex waits for.

Layouts of glibc on 64-bit targets: ``struct __pthread_mutex_s``, ``__pthread_rwlock_arch_t``,
``__pthread_cond_s``, ``struct pthread_barrier``, ``struct new_sem`` (sysdeps/nptl/bits,
sysdeps/nptl/internaltypes.h); each kernel word that such an object waits on sits at a fixed place
in it. A name found on the thread's stack (``pthread_mutex_lock``) decides where there are symbols;
the shape of the words decides where there are none. Owners are thread ids, so a lock's owner can
be checked against the dump's threads.
"""

import re
import struct
from collections.abc import Mapping
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from workbench.model.aliases import public
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.cfi import callers_of_thread
from workbench.targets.probes.history import argument
from workbench.targets.probes.places import executable, read_some

_TID = 0x3FFFFFFF  # FUTEX_TID_MASK, linux/futex.h
_THREAD_STRUCT = 0x1000  # sizeof(struct pthread) is below this
_OWN_TID = 0x2D0  # offsetof(struct pthread, tid)
_MAX_CALLS = 8
_PID_REACH = 1 << 22  # PID_MAX_LIMIT
_UNUSABLE = (0x7FFFFFFF, 0x7FFFFFFE)
"""Owners of a robust mutex whose thread has ended (nptl/pthreadP.h, PTHREAD_MUTEX_INCONSISTENT)."""
_OPERATIONS = {0: "FUTEX_WAIT", 6: "FUTEX_LOCK_PI", 9: "FUTEX_WAIT_BITSET", 13: "FUTEX_LOCK_PI2"}
_WAITING = frozenset({0, 6, 9, 11, 13})


class Waited(Struct, frozen=True):
    """What is waited for. ``address`` is the object's, ``owner`` a TID, ``words`` its raw words
    by name, ``note`` how it was recognised or what is odd about it."""

    kind: str
    address: int
    owner: int | None = None
    words: str = ""
    note: str = ""
    recursive: bool | None = None


def known_as(core: Dump) -> dict[int, int]:
    """The dump's TIDs by the ids that the threads know themselves by, which locks hold.

    Those are others in a core that was taken from outside of the process's PID namespace
    (pid_namespaces(7)): then each thread's is the ``tid`` of its ``struct pthread`` (glibc,
    nptl/descr.h), at a fixed place behind the thread pointer on x86-64.
    """
    tids = [thread.tid for thread in core.threads]
    bases = [thread.fs_base for thread in core.threads]
    own = [core.number(base + _OWN_TID, 4) if base else None for base in bases]
    inner = [tid for tid in own if tid is not None and 0 < tid < _PID_REACH]
    outside = core.arch == "x86_64" and len(set(inner)) == len(tids) and not {*inner} & {*tids}
    return dict(zip(inner if outside else tids, tids, strict=True))


def waited_for(
    core: Dump, thread: CoreThread, arguments: tuple[int, ...], known: Mapping[int, int]
) -> Waited:
    """Decide what a futex call with these arguments is about; ``known`` as in `known_as`."""
    if len(arguments) < 3:
        return Waited("futex", 0)
    address, operation = arguments[0], arguments[1] & 0x7F
    if operation not in _WAITING:
        return Waited("futex", address, note=f"futex operation {operation} does not wait")
    tids = set(known)
    by_itself = public((core.symbolize(thread.pc or 0) or ("", 0))[0]) == "syscall"
    # A once-only call farther out, as that which runs a task is, is no wait for it.
    name = _caller(core, thread) if by_itself else function_on_stack(core, thread)
    hint = _kind_of(name)
    # Low-level locks wait with FUTEX_WAIT for the value 2, "locked, with waiters" (glibc,
    # sysdeps/nptl/lowlevellock.c); all else waits with FUTEX_WAIT_BITSET (nptl/futex-internal.c).
    low_level = operation == 0 and arguments[2] == 2
    if by_itself:
        # Its caller (Rust, Abseil, libstdc++) waits for a word of its own, no object of glibc's.
        # The words of many, 1 and 2 among them, are states: such a TID there is a container's.
        others = tids if operation in (6, 13) else {t for t in tids if t > _STATES} - {thread.tid}
        found = _owned_word(core, address, others, operation)
        found = found or (_by_hint(core, address, tids, hint) if hint == "once" else None)
    else:
        found = (
            _refused(core, thread, address, tids)
            or _join(core, address, known)
            or (None if low_level else _condition(core, thread, address, hint))
            or _by_hint(core, address, tids, hint)
            or _owned_word(core, address, tids, operation)
            or _by_shape(core, address, tids, low_level)
        )
    if found is None:
        word = core.number(address, 4)
        words = "not readable" if word is None else f"word {word:#x}"
        found = Waited("futex", address, None, words, _OPERATIONS.get(operation, ""))
    if name is not None and hint is not None and not found.note:
        found = replace(found, note=f"in {public(name)}")
    owner = known.get(found.owner or 0, found.owner)
    if owner != found.owner:
        words = f"{found.words}; thread {owner} is {found.owner} in its PID namespace"
        found = replace(found, owner=owner, words=words)
    return found


def has_come(core: Dump, waited: Waited, arguments: tuple[int, ...]) -> str | None:
    """That a wait for an event has nothing left to wait for, in words: its word is another one than
    it was given. Whether the thread was woken and has not run yet, or missed that, no word tells:
    futex(2) compares it on the way in alone. A lock's word may be another's by the time that its
    waiter runs."""
    if len(arguments) < 3 or arguments[1] & 0x7F not in (0, 9):
        return None
    word, wanted = core.number(arguments[0], 4), arguments[2] & 0xFFFFFFFF
    if word in (None, wanted) or waited.kind in ("mutex", "rwlock", "join"):
        return None
    return (
        f"woken or not told: the word at {arguments[0]:#x} is {word:#x}, not {wanted:#x} any more"
    )


def has_time_out(arguments: tuple[int, ...]) -> bool:
    """True where a wait ends by itself: futex(2) was given a time, its fourth argument."""
    return len(arguments) > 3 and arguments[1] & 0x7F in _WAITING and arguments[3] != 0


_HINTS = (
    ("mutex", "pthread_mutex_lock pthread_mutex_timedlock pthread_mutex_clocklock mtx_lock"),
    ("condition", "pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait cnd_wait"),
    ("join", "pthread_join pthread_timedjoin pthread_clockjoin thrd_join"),
    ("rwlock", "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_rwlock_timed"
     " pthread_rwlock_clock"),
    ("semaphore", "sem_wait sem_timedwait sem_clockwait new_sem_wait"),
    ("barrier", "pthread_barrier_wait"),
    ("once", "pthread_once call_once cxa_guard_acquire"),
)  # fmt: skip


def _kind_of(name: str | None) -> str | None:
    if name is None:
        return None
    for kind, parts in _HINTS:
        if any(part in name for part in parts.split()):
            return kind
    return None


def _caller(core: Dump, thread: CoreThread) -> str | None:
    """Who made the system call that a thread is in."""
    caller = next(iter(callers_of_thread(core, thread, 1)), None)
    return (core.symbolize(caller.call.address) or (None, 0))[0] if caller is not None else None


def _join(core: Dump, address: int, known: Mapping[int, int]) -> Waited | None:
    """``pthread_join`` waits on the ``tid`` word inside the other thread's ``struct pthread``,
    which begins where that thread's fs register points (the kernel clears it at exit)."""
    word = core.number(address, 4)
    for other in core.threads:
        base = other.fs_base
        if (
            base is not None
            and known.get(word or 0) == other.tid
            and 0 < address - base < _THREAD_STRUCT
        ):
            return Waited("join", address, word, f"tid word {word}")
    return None


def _condition(core: Dump, thread: CoreThread, address: int, hint: str | None) -> Waited | None:
    """The waiter keeps condition and mutex side by side on its stack for its cleanup handler; what
    another function that waits has there is no such pair."""
    found = None if hint not in (None, "condition") else condition_on_stack(core, thread, address)
    if found is not None:
        condition, mutex = found
        held = mutex_words(core, mutex)
        words = f"used with mutex {mutex:#x} ({held})" if held else f"used with mutex {mutex:#x}"
        return Waited("condition", condition, None, words)
    if hint == "condition":
        base = condition_shape(core, address, len(core.threads))
        return Waited("condition", base if base is not None else address)
    return None


def _by_hint(core: Dump, address: int, tids: set[int], hint: str | None) -> Waited | None:
    if hint == "once":
        return Waited("once", address, None, f"word {core.number(address, 4) or 0:#x}")
    told = _OBJECTS.get(hint or "")
    return told(core, address, tids, certain=True) if told is not None else None


def _by_shape(core: Dump, address: int, tids: set[int], low_level: bool) -> Waited | None:
    found = _mutex(core, address, tids, certain=False) or _stream(core, address)
    if low_level or found is not None:
        return found
    for told in (_rwlock, _barrier, _semaphore):
        found = told(core, address, tids, certain=False)
        if found is not None:
            return found
    base = condition_shape(core, address, len(core.threads))
    return Waited("condition", base) if base is not None else None


def mutex_words(core: Dump, address: int) -> str | None:
    """``lock 2, count 0, owner 12, users 1, kind 0 (normal)``, or None when not readable."""
    words = _words(core, address, 0, 4, 8, 12, 16)
    if words is None:
        return None
    lock, count, owner, users, kind = words
    return (
        f"lock {lock:#x}, count {count}, owner {owner}, users {users}, "
        f"kind {kind:#x} ({mutex_kind(kind)})"
    )


def mutex_kind(kind: int) -> str:
    """The words for ``__kind``: type in the low bits, then attributes (nptl/pthreadP.h)."""
    words = [MUTEX_KINDS[kind & 3]]
    flags = (
        (16, "robust"),
        (32, "priority inheritance"),
        (64, "priority ceiling"),
        (128, "shared"),
    )
    words += [word for flag, word in flags if kind & flag]
    return ", ".join(words)


def _mutex(core: Dump, address: int, tids: set[int], *, certain: bool) -> Waited | None:
    words, held = mutex_words(core, address), _words(core, address, 0, 8, 12, 16)
    if words is None or held is None:
        return None
    lock, owner, users, kind = held
    sane = kind < 0x400 and users <= max(len(tids), 1) * 2 and lock in (1, 2)
    if certain and not sane and owner not in tids:
        sound = kind < 0x400 and (owner < _PID_REACH or owner in _UNUSABLE)
        return Waited("mutex", address, None, words, "" if sound else "no mutex has such words")
    if not certain and not (sane and (owner in tids or (users == 1 and owner < _PID_REACH))):
        return None
    if not certain and owner == 0:
        return None
    note = "" if owner in tids or not owner else "its owner is not a thread of this process"
    recursive = kind & 3 == 1
    return Waited("mutex", address, owner or None, words, note, recursive)


def _owned_word(core: Dump, address: int, tids: set[int], operation: int) -> Waited | None:
    """Locks whose word is the owner's id itself: priority inheritance, robust, musl's."""
    word = core.number(address, 4)
    if word is None or word & _TID not in tids:
        return None
    kind = core.number(address + 16, 4)
    words = f"lock word {word:#x} holds the owner's id"
    if operation in (6, 13):
        words += ", priority inheritance"
    recursive = kind & 3 == 1 if kind is not None and kind < 0x400 else None
    return Waited("mutex", address, word & _TID, words, "", recursive)


def _refused(core: Dump, thread: CoreThread, address: int, tids: set[int]) -> Waited | None:
    """A priority-inheriting mutex that the kernel refused because of a deadlock: glibc then waits
    for ever on a word of its own stack (nptl/pthread_mutex_lock.c, EDEADLK). The mutex is what one
    of the calls in progress was given."""
    region = core.region(address)
    if region is None or thread.sp is None or not region.start <= thread.sp < region.end:
        return None
    for caller in callers_of_thread(core, thread, _MAX_CALLS):
        given, _ = argument(core, caller, "rdi")
        lock, kind = (core.number(given, 4), core.number(given + 16, 4)) if given else (None, None)
        if not given or lock is None or kind is None or kind >= 0x400 or not kind & 32:
            continue
        if lock & _TID in tids:
            words = mutex_words(core, given) or ""
            note = "the kernel saw the deadlock and refused it"
            return Waited("mutex", given, lock & _TID, words, note, kind & 3 == 1)
    return None


def _stream(core: Dump, address: int) -> Waited | None:
    """A stdio stream's lock: its owner is the address of a ``struct pthread``."""
    owner = stream_lock(core, address)
    if owner is None:
        return None
    words = f"lock {core.number(address, 4) or 0:#x}, owner is thread {owner} by its thread pointer"
    return Waited("mutex", address, owner, words, "the lock of a stdio stream", True)


def _rwlock(core: Dump, address: int, tids: set[int], *, certain: bool) -> Waited | None:
    for offset in (8, 12):
        base = address - offset
        words = _words(core, base, 0, 4, 8, 12, 24, 28)
        if words is None:
            continue
        readers, writers, phase, futex, writer, shared = words
        word_writer = writer
        limit = len(tids)
        if shared > 1 or writers & ~0xC0000000 > limit or readers >> 3 > limit:
            continue
        if writer and writer not in tids and not certain:
            continue
        if not writer and (not readers >> 3 or phase > 3 or futex > 3):
            continue
        note = "" if not writer or writer in tids else "its owner is not a thread of this process"
        if not writer and readers >> 3 and len(tids) == 1:
            (writer,) = tids
            note = "the only thread of the process is the reader that it waits for"
        shown = (
            f"readers {readers >> 3}, writers {writers}, write phase {readers >> 1 & 1}, "
            f"writer {word_writer}"
        )
        return Waited("rwlock", base, writer or None, shown, note)
    return Waited("rwlock", address) if certain else None


def _semaphore(core: Dump, address: int, tids: set[int], *, certain: bool) -> Waited | None:
    words = _words(core, address, 0, 4, 8)
    if words is None:
        return None
    value, waiters, private = words
    shaped = value == 0 and 0 < waiters <= len(tids) and private in (0, 128)
    if not certain and not shaped:
        return None
    return Waited("semaphore", address, None, f"value {value}, waiters {waiters}")


def _barrier(core: Dump, address: int, tids: set[int], *, certain: bool) -> Waited | None:
    base = address - 4
    words = _words(core, base, 0, 4, 8, 12, 16)
    if words is None:
        return None
    entered, done, count, shared, left = words
    waiting = entered - done
    shaped = 0 < waiting < count <= 100_000 and shared in (0, 1, 128) and left <= entered
    if not certain and not (shaped and waiting <= len(tids)):
        return None
    return Waited("barrier", base, None, f"{waiting} of {count} threads have arrived")


_OBJECTS = {"mutex": _mutex, "rwlock": _rwlock, "semaphore": _semaphore, "barrier": _barrier}


MUTEX_KINDS = ("normal", "recursive", "error checking", "adaptive")
"""By the low bits of ``__kind`` (PTHREAD_MUTEX_TIMED_NP and its siblings, pthread.h)."""

# Where g_signals[0] and [1] stand in __pthread_cond_s, and __wrefs: glibc 2.25 to 2.40, then 2.41
# on, which dropped g_refs (sysdeps/nptl/bits/thread-shared-types.h).
_CONDITIONS = (((40, 44), 36), ((32, 36), 28))
_NEAR_STACK = 0x300
_STATES = 3
"""The highest value by which a lock's word tells its state (Rust's std, Abseil, libstdc++)."""
_WAITS = re.compile(
    r"(mutex|cond|rwlock|sem|barrier)_(timed|clock)?(lock|wait|rdlock|wrlock)|mtx_(timed)?lock"
    r"|cnd_(timed)?wait|(pthread|thrd)_(timed|clock)?join|pthread_once|guard_acquire"
)


def _words(core: Dump, base: int, *offsets: int) -> tuple[int, ...] | None:
    """The 32-bit words of an object, None unless all of them are there."""
    found = tuple(core.number(base + at, 4) for at in offsets)
    return None if None in found else tuple(word or 0 for word in found)


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
            kind = core.number(second + 16, 4)
            if kind is not None and kind < 0x400:
                return first, second
    return None


def condition_shape(core: Dump, address: int, threads: int) -> int | None:
    """The condition variable whose word ``address`` is, when the words around fit one: its
    reference count says how many wait."""
    for offsets, references in _CONDITIONS:
        for offset in offsets:
            base = address - offset
            count = core.number(base + references, 4)
            if base % 8 == 0 and count is not None and 0 < count >> 3 <= threads:
                return base
    return None


def stream_lock(core: Dump, address: int) -> int | None:
    """The TID of the owner of an ``_IO_lock_t`` {int lock; int cnt; void *owner}
    (sysdeps/nptl/stdio-lock.h), or None when this is none."""
    owner = core.read_word(address + 8)
    if core.number(address, 4) not in (1, 2) or not owner:
        return None
    return next((other.tid for other in core.threads if other.fs_base == owner), None)
