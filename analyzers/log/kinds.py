"""Which of the contract's categories a tool's own words stand for."""

import re

from workbench.model.category import Category

NEAR_NULL = 64 * 1024
NO_CODE = 4096
"""Code below this is none that a program meant: a function pointer was null."""

# AddressSanitizer's and its relatives' names of bugs (compiler-rt/lib/asan/asan_errors.h,
# asan_report.cpp; hwasan_report.cpp; lib/gwp_asan), then libFuzzer's.
_NAMED: tuple[tuple[str, Category], ...] = (
    (r"heap-use-after-free|use-after-poison|\buse-after-free|use after free|heap-use-after-dtor",
     Category.USE_AFTER_FREE),
    (r"stack-use-after-(?:return|scope)|use-after-dtor|use-after-scope", Category.USE_AFTER_FREE),
    (r"double[- ]free|attempting double-free|double-fetch", Category.DOUBLE_FREE),
    (r"alloc-dealloc-mismatch|new-delete-type-mismatch|[Mm]ismatched (?:free|sized)",
     Category.MISMATCHED_DEALLOCATION),
    (r"bad-free|invalid[- ]free|attempting free on address|attempting to call malloc_usable_size|"
     r"bad-malloc_usable_size|bad-__sanitizer_get_allocated_size|invalid \(wild\) free",
     Category.INVALID_FREE),
    (r"heap-buffer-(?:over|under)flow|slab-out-of-bounds|vmalloc-out-of-bounds|"
     r"heap[- ]buffer|container-overflow|allocation-tail-overwritten|memory corruption",
     Category.HEAP_BUFFER_OVERFLOW),
    (r"(?:stack|dynamic-stack)-buffer-(?:over|under)flow|stack-out-of-bounds|"
     r"stack-buffer-underflow", Category.STACK_BUFFER_OVERFLOW),
    (r"global-buffer-(?:over|under)flow|global-out-of-bounds|intra-object-overflow|"
     r"memcpy-param-overlap|param-overlap|strncat-param-overlap|negative-size-param|"
     r"intra-object", Category.BUFFER_OVERFLOW),
    (r"stack-overflow", Category.STACK_OVERFLOW),
    (r"use-of-uninitialized-value|uninit-value|kernel-infoleak", Category.UNINITIALIZED_VALUE),
    (r"data race", Category.DATA_RACE),
    (r"lock-order-inversion|deadlock|double lock of a mutex", Category.DEADLOCK),
    (r"requested allocation size|is out of memory|allocation-size-too-big|calloc-overflow|"
     r"reallocarray-overflow|pvalloc-overflow|"
     r"out[ -]of[ -]memory|rss-limit-exceeded|hard rss limit exhausted|soft rss limit|malloc limit|"
     r"invalid-(?:posix-memalign|aligned-alloc|allocation)\S*", Category.OUT_OF_MEMORY),
    (r"detected memory leaks|\bleak(?:ed|s)?\b", Category.MEMORY_LEAK),
    (r"null-dereference|null-ptr-deref", Category.NULL_POINTER_DEREFERENCE),
    (r"bad-cast|downcast|vptr", Category.TYPE_CONFUSION),
    (r"odr-violation", Category.VERSION_MISMATCH),
    (r"initialization-order-fiasco", Category.UNINITIALIZED_VALUE),
    (r"tag-mismatch", Category.UNKNOWN),
    (r"wild-memory-access|user-memory-access", Category.WILD_POINTER),
    (r"fuzz target exited", Category.EXPLICIT_ABORT),
    (r"^timeout", Category.INFINITE_LOOP),
    (r"overwrites its const input", Category.WRITE_TO_READ_ONLY_MEMORY),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), category) for pattern, category in _NAMED)

# UBSan's sentences (compiler-rt/lib/ubsan/ubsan_handlers.cpp); the first that fits.
_UNDEFINED: tuple[tuple[str, Category], ...] = (
    (r"division by zero", Category.DIVIDE_BY_ZERO),
    (r"cannot be represented in type|integer overflow|negation of|implicit conversion|"
     r"shift exponent|left shift of|multiplication overflow|outside the range of representable|"
     r"variable length array bound|pointer index expression .* overflowed|"
     r"(?:addition|subtraction) of unsigned offset|shift of", Category.INTEGER_OVERFLOW),
    (r"null pointer|offset to null|returned null|call of null", Category.NULL_POINTER_DEREFERENCE),
    (r"misaligned (?:address|pointer)|alignment .* assumption|assumption of .* alignment",
     Category.MISALIGNED_ACCESS),
    (r"index -?\d+ out of bounds|out of bounds for type", Category.OUT_OF_BOUNDS_READ),
    (r"with insufficient space|object size", Category.BUFFER_OVERFLOW),
    (r"does not point to an object of type|downcast|member call on address|upcast of|"
     r"not a valid value for type|through pointer to incorrect function type|"
     r"control flow integrity|invalid vtable|bad cast", Category.TYPE_CONFUSION),
    (r"unreachable|without returning a value|execution reached|assumption is violated",
     Category.TRAP),
    (r"load of value", Category.UNINITIALIZED_VALUE),
)  # fmt: skip
_UNDEFINED_COMPILED = tuple((re.compile(pattern), category) for pattern, category in _UNDEFINED)

SIGNALS = {
    "SEGV": "SIGSEGV", "BUS": "SIGBUS", "FPE": "SIGFPE", "ILL": "SIGILL", "ABRT": "SIGABRT",
    "TRAP": "SIGTRAP", "access-violation": "SIGSEGV", "illegal-instruction": "SIGILL",
    "int-divide-by-zero": "SIGFPE", "breakpoint": "SIGTRAP", "stack-overflow": "SIGSEGV",
    "in-page-error": "SIGBUS", "datatype-misalignment": "SIGBUS", "float-divide-by-zero": "SIGFPE",
    "priv-instruction": "SIGILL", "UNKNOWN SIGNAL": "",
}  # fmt: skip
NUMBERS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS",
    8: "SIGFPE", 9: "SIGKILL", 10: "SIGUSR1", 11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE",
    14: "SIGALRM", 15: "SIGTERM", 16: "SIGSTKFLT", 24: "SIGXCPU", 25: "SIGXFSZ", 31: "SIGSYS",
}  # fmt: skip


def named(kind: str) -> Category | None:
    """The category of an error that a tool names (``heap-use-after-free``), or None."""
    for pattern, category in _COMPILED:
        if pattern.search(kind):
            return None if category is Category.UNKNOWN else category
    return None


def of_heap(message: str) -> Category:
    """malloc_printerr()'s words: only some of them prove more than that the heap is broken."""
    if "double free detected" in message or "(fasttop)" in message:
        return Category.DOUBLE_FREE
    if re.search(r"double free for ptr|double free of|freed twice", message):
        return Category.DOUBLE_FREE
    if re.search(
        r"invalid pointer|was not allocated|not malloc|invalid free|free invalid", message
    ):
        return Category.INVALID_FREE
    if re.search(r"alloc(?:ation)? type mismatch|misaligned pointer when", message):
        return Category.MISMATCHED_DEALLOCATION
    return Category.HEAP_CORRUPTION


def undefined(sentence: str) -> Category | None:
    """The category of UBSan's sentence, or None."""
    for pattern, category in _UNDEFINED_COMPILED:
        if pattern.search(sentence):
            return category
    return None


# What allocators fill memory with: jemalloc and mozjemalloc (junk), the kernel's SLUB, Microsoft's
# debug heap and HeapFree, SpiderMonkey's sweeping (js/src/gc/Memory.h), AddressSanitizer
# (max_malloc_fill_size); and what programmers write over what is no pointer any more or yet.
_FILLS = {
    0xE5E5E5E5: Category.USE_AFTER_FREE, 0x5A5A5A5A: Category.USE_AFTER_FREE,
    0x6B6B6B6B: Category.USE_AFTER_FREE, 0xDDDDDDDD: Category.USE_AFTER_FREE,
    0xFEEEFEEE: Category.USE_AFTER_FREE, 0xDEADBEEF: Category.CORRUPTED_POINTER,
    0xEFEFEFEF: Category.USE_AFTER_FREE, 0xF0DE7FFF: Category.USE_AFTER_FREE,
    0x2B2B2B2B: Category.USE_AFTER_FREE, 0x4B4B4B4B: Category.USE_AFTER_FREE,
    0xCDCDCDCD: Category.UNINITIALIZED_POINTER, 0xCCCCCCCC: Category.UNINITIALIZED_POINTER,
    0xBAADF00D: Category.UNINITIALIZED_POINTER, 0xA5A5A5A5: Category.UNINITIALIZED_POINTER,
    0xBEBEBEBE: Category.UNINITIALIZED_POINTER, 0x41414141: Category.CORRUPTED_POINTER,
}  # fmt: skip


def poisoned(address: int | None) -> Category | None:
    """What an address that is a filler, or lies a field's distance from one, was read from."""
    if address is None or address < 0x10000000:
        return None
    for value, category in _FILLS.items():
        wide = value << 32 | value
        for known in (value, wide):
            if -0x1000 <= address - known <= NEAR_NULL:
                return category
    return Category.CORRUPTED_POINTER if _is_text(address) else None


def is_text(address: int) -> bool:
    """True for an "address" of either width that is nothing but characters somebody wrote."""
    return _is_text(address) or _one_letter(address)


def _is_text(address: int) -> bool:
    """True for a 64-bit "address" whose bytes are printable characters, six or more of them and no
    other: text was written where a pointer stood. Not where Linux loads a program that a debugger
    started (two thirds of the address space, ELF_ET_DYN_BASE)."""
    if address >> 32 == 0x5555:
        return False
    data = address.to_bytes(8, "little").rstrip(b"\0") if address < 1 << 64 else b""
    return len(data) >= 6 and all(0x20 <= byte < 0x7F for byte in data)


def _one_letter(address: int) -> bool:
    """True for a 32-bit "address" that is one printable character four times."""
    data = address.to_bytes(4, "little") if address < 1 << 32 else b""
    return len(set(data)) == 1 and 0x20 < data[0] < 0x7F


def looks_sent(address: int | None) -> bool:
    """True where an "address" is what kill(2) leaves in its place: the sender's user in the upper
    half, its process in the lower one (siginfo_t, include/uapi/asm-generic/siginfo.h)."""
    if address is None:
        return False
    user, process = address >> 32, address & 0xFFFFFFFF
    return 1000 <= user <= 65534 and 0 < process < 1 << 22


def of_access(
    signal: str | None, address: int | None, access: str | None, pc: int | None, bits: int = 64
) -> Category | None:
    """What a failed access proves by its numbers alone."""
    if signal in ("SIGFPE",):
        return Category.DIVIDE_BY_ZERO
    if signal == "SIGILL":
        return Category.ILLEGAL_INSTRUCTION
    if signal == "SIGTRAP":
        return Category.TRAP
    if signal == "SIGABRT":
        return Category.EXPLICIT_ABORT
    if signal == "SIGBUS":
        return Category.BUS_ERROR
    if signal != "SIGSEGV":
        return None
    if pc is not None and pc < NO_CODE:
        return Category.NULL_FUNCTION_POINTER_CALL
    if pc is not None and is_text(pc):
        return Category.CORRUPTED_POINTER  # control went where a text told it to go
    if pc is not None and pc == address:
        return Category.WILD_POINTER
    if address is not None and address < NEAR_NULL:
        return Category.NULL_POINTER_DEREFERENCE
    if looks_sent(address):
        return Category.EXTERNAL_SIGNAL
    poison = poisoned(address)
    if poison is not None:
        return poison
    return Category.WILD_POINTER
