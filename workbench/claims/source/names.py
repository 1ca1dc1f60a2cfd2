"""What the source's names mean: who frees, allocates, locks, writes through a pointer; how wide a
type is. Names are compared whole, as they are called, but for ``std::`` and the like in front."""

from typing import NamedTuple

from workbench.claims.source.text import C_SHARP, CPP, GO, RUST, C, words


class Allocator(NamedTuple):
    """Which arguments, from 1, say how many bytes, how many elements, of what type; 0: none."""

    size: int = 0
    items: int = 0
    type: int = 0


def _each(value: int, names: str) -> dict[str, int]:
    return dict.fromkeys(names.split(), value)


def _allocators(table: dict[Allocator, str]) -> dict[str, Allocator]:
    return {name: takes for takes, names in table.items() for name in names.split()}


_C_FREES = _each(
    1,
    "free realloc reallocarray cfree kfree kvfree vfree g_free g_realloc xfree av_free "
    "OPENSSL_free CRYPTO_free sqlite3_free PyMem_Free PyObject_Free LocalFree GlobalFree munmap "
    "CoTaskMemFree SysFreeString freeaddrinfo _aligned_free mi_free je_free",
) | {"HeapFree": 3}
FREES = {
    C: _C_FREES,
    CPP: _C_FREES | _each(1, "operator delete"),
    RUST: _each(
        1,
        "drop mem::drop drop_in_place ptr::drop_in_place dealloc alloc::dealloc libc::free "
        "libc::realloc Box::from_raw Rc::from_raw Arc::from_raw CString::from_raw "
        "ManuallyDrop::drop Vec::from_raw_parts",
    ),
    GO: _each(1, "C.free syscall.Munmap unix.Munmap"),
    C_SHARP: _each(
        1,
        "Marshal.FreeHGlobal Marshal.FreeCoTaskMem Marshal.FreeBSTR NativeMemory.Free "
        "NativeMemory.AlignedFree Marshal.ReAllocHGlobal",
    ),
}
"""Callee → the argument, from 1, whose memory it gives back (or, realloc, may move)."""
NO_RETURN = words(
    "exit _exit _Exit quick_exit abort longjmp siglongjmp __builtin_trap __builtin_unreachable "
    "err errx verr verrx std::abort std::exit std::terminate"
)
"""Functions of C's library that do not return (C23, POSIX, err(3))."""
_OWNS = r"\b(?:Vec(?:Deque)?|Box|Rc|Arc|String|(?:Hash|BTree)(?:Map|Set))\b"
_NODES = r"\b(?:list|(?:unordered_)?(?:multi)?(?:map|set))<|<.*(?:_ptr|string|vector)\b"
GROWS = words("push_back emplace_back emplace insert resize reserve assign push extend append "
              "extend_from_slice insert_range append_range")  # fmt: skip
"""Methods by which an array's elements may move into a larger block; the one that they were in is
given back (C++23 [vector.capacity], Rust's std::vec)."""
RELEASES: dict[str, dict[str, str]] = {
    C: {},
    CPP: dict.fromkeys(GROWS, r"^(?:std::)?vector<(?!.*(?:\*|_ptr<.*>)>)")
    | {"reset": "_ptr<"}
    | dict.fromkeys(("=", "clear", "erase", "pop_back", "pop_front"), rf"_ptr<|{_NODES}"),
    RUST: dict.fromkeys(GROWS, r"^Vec<(?![*&]|(?:Box|Rc|Arc)<)")
    | {"=": rf"^(?:Option<)?{_OWNS}"}
    | dict.fromkeys(
        words("clear dedup retain truncate remove swap_remove take pop pop_front pop_back drain"),
        rf"<.*{_OWNS}",
    ),
    GO: {},
    C_SHARP: {"Dispose": ""},
}
"""What gives back memory that belongs to what it is called on, and of which types: a container's
nodes, the block of a vector's elements where it grows, or what its elements own. An assignment
destroys what its place held."""

_C_ALLOCATES = _allocators(
    {
        Allocator(size=1): "malloc valloc pvalloc g_malloc g_malloc0 g_try_malloc xmalloc vmalloc "
        "kmalloc kzalloc OPENSSL_malloc av_malloc av_mallocz sqlite3_malloc PyMem_Malloc alloca "
        "mi_malloc je_malloc CoTaskMemAlloc _alloca __builtin_alloca",
        Allocator(items=1, size=2): "calloc xcalloc kcalloc g_malloc_n g_malloc0_n",
        Allocator(size=2): "realloc xrealloc g_realloc krealloc aligned_alloc memalign mmap "
        "LocalAlloc GlobalAlloc",
        Allocator(items=2, size=3): "reallocarray g_realloc_n",
        Allocator(size=3): "HeapAlloc",
        Allocator(items=2, type=1): "g_new g_new0",
        Allocator(): "strdup strndup g_strdup g_strndup xstrdup asprintf wcsdup",
    }
)
ALLOCATES = {
    C: _C_ALLOCATES,
    CPP: _C_ALLOCATES | _allocators({Allocator(size=1): "operator new"}),
    RUST: _allocators(
        {
            Allocator(): "Box::new Rc::new Arc::new Box::pin Vec::new String::new",
            Allocator(items=1): "Vec::with_capacity String::with_capacity HashMap::with_capacity "
            "VecDeque::with_capacity BytesMut::with_capacity",
            Allocator(size=1): "libc::malloc alloc::alloc alloc::alloc_zeroed",
            Allocator(items=1, size=2): "libc::calloc",
        }
    ),
    GO: _allocators({Allocator(type=1, items=2): "make", Allocator(type=1): "new",
                     Allocator(size=1): "C.malloc"}),
    C_SHARP: _allocators(
        {
            Allocator(size=1): "Marshal.AllocHGlobal Marshal.AllocCoTaskMem NativeMemory.Alloc",
            Allocator(items=1): "ArrayPool.Shared.Rent GC.AllocateUninitializedArray",
        }
    ),
}  # fmt: skip

_SYSTEM_LOCKS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pthread_mutex_lock", "pthread_mutex_timedlock"), ("pthread_mutex_unlock",)),
    **dict.fromkeys(("pthread_rwlock_rdlock", "pthread_rwlock_wrlock"), ("pthread_rwlock_unlock",)),
    "pthread_spin_lock": ("pthread_spin_unlock",),
    "mtx_lock": ("mtx_unlock",),
    "EnterCriticalSection": ("LeaveCriticalSection",),
    "AcquireSRWLockExclusive": ("ReleaseSRWLockExclusive",),
    "AcquireSRWLockShared": ("ReleaseSRWLockShared",),
    "g_mutex_lock": ("g_mutex_unlock",),
    "g_rw_lock_reader_lock": ("g_rw_lock_reader_unlock",),
    "g_rw_lock_writer_lock": ("g_rw_lock_writer_unlock",),
    "mutex_lock": ("mutex_unlock",),
    "spin_lock": ("spin_unlock",),
    "spin_lock_irqsave": ("spin_unlock_irqrestore",),
    "uv_mutex_lock": ("uv_mutex_unlock",),
    "SDL_LockMutex": ("SDL_UnlockMutex",),
    "omp_set_lock": ("omp_unset_lock",),
}
LOCKS: dict[str, dict[str, tuple[str, ...]]] = {
    C: _SYSTEM_LOCKS,
    CPP: _SYSTEM_LOCKS,
    RUST: {},
    GO: {},
    C_SHARP: {"Monitor.Enter": ("Monitor.Exit",)},
}
"""Who takes the lock of its first argument → who gives it back. Not `trylock`, which may fail."""
LOCK_METHODS: dict[str, dict[str, tuple[str, ...]]] = {
    C: {},
    CPP: {"lock": ("unlock",), "lock_shared": ("unlock_shared",)},
    RUST: {},
    GO: {"Lock": ("Unlock",), "RLock": ("RUnlock",)},
    C_SHARP: {
        "WaitOne": ("ReleaseMutex",),
        "EnterReadLock": ("ExitReadLock",),
        "EnterWriteLock": ("ExitWriteLock",),
        "EnterUpgradeableReadLock": ("ExitUpgradeableReadLock",),
    },
}
"""The same for methods without an argument, of what they are called on."""
GUARDS = words(
    "lock_guard unique_lock scoped_lock shared_lock QMutexLocker QReadLocker QWriteLocker "
    "MutexLock AutoLock"
)
"""C++ types that hold the locks which they are made from until their block ends."""
NOT_AT_ONCE = frozenset({"defer_lock", "try_to_lock", "adopt_lock"})
"""Arguments with which a guard takes no lock, or may not."""
RUST_GUARDS = frozenset({"lock", "read", "write"})
"""Rust methods without an argument whose value holds the lock."""
RUST_UNWRAPS = frozenset({"unwrap", "expect", "unwrap_or_else"})

FILLS = {
    **_each(
        1,
        "memset memcpy memmove bzero explicit_bzero strcpy strncpy strcat strncat stpcpy strlcpy "
        "strlcat sprintf snprintf vsprintf vsnprintf fgets fread gets mem::take mem::replace "
        "mem::swap ptr::write swap exchange copy Array.Clear Interlocked.Exchange "
        "atomic_store g_clear_pointer",
    ),
    **_each(2, "read recv pread recvfrom ptr::copy ptr::copy_nonoverlapping"),
}
"""Callee → the argument whose target it writes."""
FILL_LENGTHS = {
    **_each(2, "snprintf vsnprintf fgets bzero explicit_bzero"),
    **_each(3, "memset memcpy memmove strncpy strlcpy strlcat read recv pread recvfrom"),
}
"""Which argument says how much a call of those writes at most (C23, POSIX)."""
CLEARS = words("clear reset take Clear")
"""Methods that empty what they are called on."""

_WIDTHS = {
    8: "char signed-char unsigned-char int8_t uint8_t bool _Bool u8 i8 __u8 __s8 byte sbyte int8 "
    "uint8 BYTE gint8 guint8 uchar std::byte",
    16: "short unsigned-short short-int unsigned-short-int int16_t uint16_t u16 i16 __u16 __s16 "
    "int16 uint16 WORD ushort gint16 guint16 char16_t",
    32: "int unsigned unsigned-int signed int32_t uint32_t u32 i32 __u32 __s32 int32 uint32 DWORD "
    "uint gint guint gint32 guint32 char32_t rune",
    64: "long unsigned-long long-int unsigned-long-int long-long unsigned-long-long int64_t "
    "uint64_t u64 i64 __u64 __s64 int64 uint64 size_t ssize_t ptrdiff_t intptr_t uintptr_t "
    "uintptr off_t usize isize SIZE_T UINT64 gsize gssize ulong nint nuint DWORD64 time_t "
    "long-long-int unsigned-long-long-int",
}
_OWN = {  # what a name means in one language alone
    C_SHARP: {"char": 16},
    GO: {"int": 64, "uint": 64},
    RUST: {"char": 32},
}
_BITS = {name.replace("-", " "): bits for bits, names in _WIDTHS.items() for name in names.split()}
LENGTHS = words("strlen strnlen wcslen fread fwrite read write recv send strspn strcspn")
"""Callees whose value is 64 bits wide, as that of any method ``size()`` or ``length()`` of C++."""


def bits_of(type_: str, language: str) -> int:
    """How wide an integer type is where pointers have 64 bits and `long` too (ELF, Mach-O); 0 of
    any other type."""
    words = [word for word in type_.split() if word not in ("const", "volatile", "mut", "static")]
    name = " ".join(words).removeprefix("std::")
    return _OWN.get(language, {}).get(name) or _BITS.get(name, 0)
