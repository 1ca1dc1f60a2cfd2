"""Which of the contract's categories a tool's own words stand for."""

import re
from typing import NamedTuple

from analyzers.blocks import Table, first_of
from workbench.model.category import Category

NEAR_NULL = 64 * 1024
NO_CODE = 4096
"""Code below this is none that a program meant."""
ADDED = 15
"""So much may have been added to a null on the way there: Thumb's bit, an instruction. No member's
distance is, so that a larger number was none."""


class Kind(NamedTuple):
    """What a tool's words stand for. Not ``sure``: they tell what was seen, and the category is
    only what that resembles most; it makes a hypothesis and concludes nothing."""

    category: Category
    sure: bool = True


_READ_OR_WRITE = {"read": Category.OUT_OF_BOUNDS_READ, "write": Category.OUT_OF_BOUNDS_WRITE}
# Within their own block or object, so that no heap block and no stack buffer was left.
_INSIDE = re.compile(r"container-overflow|intra-object")
# AddressSanitizer's and its relatives' names of bugs (compiler-rt/lib/asan/asan_errors.h,
# asan_report.cpp; hwasan_report.cpp; tsan/rtl/tsan_report.cpp; lib/gwp_asan), then libFuzzer's.
_NAMED: Table[Kind] = (
    (r"heap-use-after-free|\buse-after-free|use after free|heap-use-after-dtor",
     Kind(Category.USE_AFTER_FREE)),
    (r"use-after-poison", Kind(Category.USE_AFTER_FREE, False)),  # the program poisoned it itself
    (r"stack-use-after-(?:return|scope)|use-after-dtor|use-after-scope",
     Kind(Category.USE_AFTER_FREE)),
    (r"double[- ]free|attempting double-free", Kind(Category.DOUBLE_FREE)),
    (r"alloc-dealloc-mismatch|new-delete-type-mismatch|[Mm]ismatched (?:free|sized)",
     Kind(Category.MISMATCHED_DEALLOCATION)),
    (r"bad-free|invalid[- ]free|attempting free on address|attempting to call malloc_usable_size|"
     r"bad-malloc_usable_size|bad-__sanitizer_get_allocated_size|invalid \(wild\) free",
     Kind(Category.INVALID_FREE)),
    (r"heap-buffer-(?:over|under)flow|slab-out-of-bounds|vmalloc-out-of-bounds|"
     r"heap[- ]buffer|allocation-tail-overwritten|memory corruption",
     Kind(Category.HEAP_BUFFER_OVERFLOW)),
    (r"(?:stack|dynamic-stack)-buffer-(?:over|under)flow|stack-out-of-bounds|"
     r"stack-buffer-underflow", Kind(Category.STACK_BUFFER_OVERFLOW)),
    (r"global-buffer-(?:over|under)flow|global-out-of-bounds|container-overflow|intra-object",
     Kind(Category.BUFFER_OVERFLOW)),
    (r"param-overlap", Kind(Category.BUFFER_OVERFLOW, False)),
    (r"negative-size-param", Kind(Category.INTEGER_OVERFLOW, False)),
    (r"stack-overflow", Kind(Category.STACK_OVERFLOW)),
    (r"use-of-uninitialized-value|uninit-value|kernel-infoleak",
     Kind(Category.UNINITIALIZED_VALUE)),
    (r"data race", Kind(Category.DATA_RACE)),
    (r"lock-order-inversion|deadlock|double lock of a mutex", Kind(Category.DEADLOCK)),
    (r"(?:calloc|reallocarray|pvalloc)-overflow|parameters overflow",
     Kind(Category.INTEGER_OVERFLOW)),
    (r"requested allocation size|allocation-size-too-big|is out of memory|"
     r"out[ -]of[ -]memory|rss-limit-exceeded|(?:hard|soft) rss limit|"
     r"malloc limit", Kind(Category.OUT_OF_MEMORY)),
    (r"failed to allocate .*(?:error code|errno): 12\b", Kind(Category.OUT_OF_MEMORY)),
    (r"failed to (?:allocate|mmap)|unable to mmap", Kind(Category.OUT_OF_MEMORY, False)),
    (r"thread leak", Kind(Category.UNKNOWN)),
    (r"detected memory leaks|memory leak|\bleak of \d|byte\(s\) leaked",
     Kind(Category.MEMORY_LEAK)),
    (r"null-dereference|null-ptr-deref", Kind(Category.NULL_POINTER_DEREFERENCE)),
    (r"bad-cast|downcast|vptr", Kind(Category.TYPE_CONFUSION)),
    (r"odr-violation", Kind(Category.VERSION_MISMATCH, False)),
    (r"initialization-order-fiasco", Kind(Category.UNINITIALIZED_VALUE)),
    (r"wild-memory-access|user-memory-access", Kind(Category.WILD_POINTER)),
    (r"fuzz target exited", Kind(Category.EXPLICIT_ABORT)),
    (r"^timeout", Kind(Category.INFINITE_LOOP, False)),
    (r"overwrites its const input", Kind(Category.WRITE_TO_READ_ONLY_MEMORY)),
)  # fmt: skip
# UBSan's sentences (compiler-rt/lib/ubsan/ubsan_handlers.cpp); the first that fits.
_UNDEFINED: Table[Kind] = (
    (r"division by zero", Kind(Category.DIVIDE_BY_ZERO)),
    (r"cannot be represented in type|integer overflow|negation of|implicit conversion|"
     r"shift exponent|left shift of|multiplication overflow|outside the range of representable|"
     r"variable length array bound|pointer index expression .* overflowed|"
     r"(?:addition|subtraction) of unsigned offset|shift of", Kind(Category.INTEGER_OVERFLOW)),
    (r"^(?:applying|null pointer (?:passed|returned)|(?:up|down)cast of null)|returned null|"
     r"produced null", Kind(Category.NULL_POINTER_DEREFERENCE, False)),
    (r"null pointer|call of null", Kind(Category.NULL_POINTER_DEREFERENCE)),
    (r"misaligned (?:address|pointer)|alignment .* assumption|assumption of .* alignment",
     Kind(Category.MISALIGNED_ACCESS)),
    (r"index -?\d+ out of bounds|out of bounds for type|with insufficient space|object size",
     Kind(Category.BUFFER_OVERFLOW)),
    (r"not a valid value for type", Kind(Category.UNINITIALIZED_VALUE, False)),
    (r"does not point to an object of type|downcast|member call on address|upcast of|"
     r"through pointer to incorrect function type|control flow integrity|invalid vtable|bad cast",
     Kind(Category.TYPE_CONFUSION)),
    (r"assumption is violated|unreachable|execution reached",
     Kind(Category.ASSERTION_FAILURE, False)),
)  # fmt: skip


def _first(table: Table[Kind], words: str) -> Kind | None:
    found = first_of(table, words)
    return None if found is None or found.category is Category.UNKNOWN else found


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


def named(kind: str, access: str | None = None) -> Kind | None:
    """What an error that a tool names (``heap-use-after-free``) stands for, or None."""
    found = _first(_NAMED, kind)
    if found is not None and access in _READ_OR_WRITE and _INSIDE.search(kind):
        return Kind(_READ_OR_WRITE[access])
    return found


_BYTES = re.compile(r"(0x[0-9a-fA-F]{1,16}|\b\d{1,20}) bytes|allocation size (0x[0-9a-fA-F]{1,16})")
_UNITS = re.compile(r"\b(\d{1,6}(?:\.\d{0,3})?) ([TPE])iB\b")


def is_absurd(message: str, size: int | None) -> bool:
    """True where more was asked for than any process of a 64-bit system can address: 1 << 47 bytes
    (x86-64 and AArch64 with four levels of tables). The size was wrong; memory did not run out."""
    asked = [m[1] or m[2] for m in _BYTES.finditer(message)]
    sizes = [int(word, 16 if word.startswith("0x") else 10) for word in asked]
    sizes += [int(float(n) * (1 << 40 + 10 * "TPE".index(u))) for n, u in _UNITS.findall(message)]
    return max([size or 0, *sizes]) >= 1 << 47


_HEAP: Table[Category | None] = (
    (r"double free (?:detected|for ptr|of)|\(fasttop\)|freed twice", Category.DOUBLE_FREE),
    (r"munmap_chunk\(\): invalid pointer|(?:free|realloc)\(\): invalid (?:old )?size", None),
    (r"invalid pointer|was not allocated|not malloc|invalid free|free invalid|"
     r"misaligned pointer when", Category.INVALID_FREE),
    (r"alloc(?:ation)? type mismatch", Category.MISMATCHED_DEALLOCATION),
    ("", Category.HEAP_CORRUPTION),
)  # fmt: skip


def of_heap(message: str) -> Category | None:
    """malloc_printerr()'s words: only some of them prove more than that the heap is broken, and
    some not even that: they refuse a pointer by the size in front of it, which the program never
    got from malloc or has overwritten (glibc, malloc/malloc.c)."""
    return first_of(_HEAP, message)


# libc/bionic: fortify.cpp, private/bionic_fortify.h, stdio.cpp; of locks, files and flags as well.
FORTIFIED: Table[Category] = (
    (r"null FILE\*", Category.NULL_POINTER_DEREFERENCE),
    (r"\bread (?:past end|from)\b", Category.OUT_OF_BOUNDS_READ),
    (r"past end of|-byte |file descriptor \S+ (?:<|>=) ", Category.BUFFER_OVERFLOW),
    ("", Category.ASSERTION_FAILURE),
)  # fmt: skip
"""What a function refused that Android's C library checks."""


def undefined(sentence: str) -> Kind | None:
    """What UBSan's sentence stands for, or None."""
    return _first(_UNDEFINED, sentence)


# What allocators fill memory with: jemalloc and mozjemalloc (junk), Microsoft's debug heap and
# HeapFree, SpiderMonkey's sweeping (js/src/gc/Memory.h), AddressSanitizer (max_malloc_fill_size);
# and what programmers write over what is no pointer any more or yet. Not Linux's 0x6b: no program's
# memory has it, and of the kernel's an object that was never set has it as well (mm/slub.c,
# init_object). Nor what is a letter four times, as jemalloc's 0x5a until 4: a text, or a test of
# memory, has that as well.
_FILLS = {
    0xE5E5E5E5: Category.USE_AFTER_FREE,
    0xDDDDDDDD: Category.USE_AFTER_FREE, 0xFEEEFEEE: Category.USE_AFTER_FREE,
    0xDEADBEEF: Category.CORRUPTED_POINTER,
    0xEFEFEFEF: Category.USE_AFTER_FREE, 0xF0DE7FFF: Category.USE_AFTER_FREE,
    0xCDCDCDCD: Category.UNINITIALIZED_POINTER, 0xCCCCCCCC: Category.UNINITIALIZED_POINTER,
    0xBAADF00D: Category.UNINITIALIZED_POINTER, 0xA5A5A5A5: Category.UNINITIALIZED_POINTER,
    0xBEBEBEBE: Category.UNINITIALIZED_POINTER, 0x41414141: Category.CORRUPTED_POINTER,
}  # fmt: skip


# sigaction(2): of a signal that the kernel raised without an address (SI_KERNEL, 128) or a process
# sent (0 and below), what stands in the address's place is none. Android, Go, HotSpot, Open MPI.
_CODE = (
    r"(?:[Ss]ignal code:|\bsi_code[:=]|\bsigcode=|\), code|\[signal [^\]\n]{1,80}\bcode=)\s{0,3}\(?"
)
_UNTOLD = re.compile(
    rf"{_CODE}(?:128|0x80|0x0|0|-\d{{1,3}})\b|"
    r"\bSI_(?:KERNEL|USER|TKILL|QUEUE)\b|"
    r"\(Segmentation fault: (?:Sent by the kernel|kill\(2\))|"  # UCX, of the same codes
    r"\bEXC_BAD_ACCESS / (?:0x0{0,7}d\b|EXC_I386_GPFLT)"  # Breakpad's, of no canonical address
)


# Of one that it raised for an instruction, at the address that is told (1 and up).
_RAISED = re.compile(
    rf"{_CODE}(?:0x)?[1-9]\b|\bSEGV_[A-Z]{{6}}\b|[Aa]ddress not mapped|[Ii]nvalid permissions"
)


def is_raised(*lines: str) -> bool:
    """True for lines about a signal whose code says that an access failed, and that nobody sent
    it."""
    return any(_RAISED.search(line) for line in lines)


def has_no_address(line: str) -> bool:
    """True for a line about a signal whose code says that no address comes with it."""
    return _UNTOLD.search(line) is not None


def poisoned(address: int | None) -> Category | None:
    """What an address that is a filler, or lies a field's distance from one, was read from. One
    that is text says only that text stood there: written over, left from before, or another member.
    """
    if address is None or address < 0x10000000:
        return None
    for value, category in _FILLS.items():
        if any(-0x1000 <= address - known <= NEAR_NULL for known in (value, value << 32 | value)):
            return category
    return None


_MAPPED_HALVES = (range(0x5500, 0x5700), range(0x7E00, 0x8000))
"""Upper halves of what x86-64 Linux maps: position-independent programs from ELF_ET_DYN_BASE on
(arch/x86/include/asm/elf.h), and what mmap(2) gives out from the top down."""


def _is_mapped_at(address: int) -> bool:
    return any(address >> 32 in half for half in _MAPPED_HALVES)


def is_text(address: int) -> bool:
    """True for an "address" whose bytes are printable characters, six or more of them and no other:
    text was written where a pointer stood. Not where Linux maps programs and libraries: all bytes
    of an address there are printable now and then. So is one of 32 bits that is one character four
    times."""
    data = address.to_bytes(8, "little").rstrip(b"\0") if address < 1 << 64 else b""
    if len(data) == 4 and len(set(data)) == 1:
        return 0x20 < data[0] < 0x7F
    printed = len(data) >= 6 and all(0x20 <= byte < 0x7F for byte in data)
    return printed and not _is_mapped_at(address)


def looks_sent(address: int | None) -> bool:
    """True where an "address" is what kill(2) leaves in its place: the sender's user in the upper
    half, its process in the lower one (siginfo_t, include/uapi/asm-generic/siginfo.h). A pointer
    into memory that was mapped there is none."""
    if address is None:
        return False
    user, process = address >> 32, address & 0xFFFFFFFF
    return 1000 <= user <= 65534 and 0 < process < 1 << 22 and not _is_mapped_at(address)


_IMAGE, _PAGE, _INNER = 1 << 16, 4096, range(4, 4080)
_BY_SIGNAL = {
    "SIGFPE": Category.DIVIDE_BY_ZERO, "SIGILL": Category.ILLEGAL_INSTRUCTION,
    "SIGTRAP": Category.TRAP, "SIGABRT": Category.EXPLICIT_ABORT, "SIGBUS": Category.BUS_ERROR,
}  # fmt: skip


def _is_beside(address: int | None, pc: int | None) -> bool:
    """True so near to the code that ran that the same file was loaded there: what refuses a write
    is read-only. Not where a page begins or ends: what runs past the end of that file's variables,
    or of a heap behind them, or down from them, fails there."""
    if address is None or pc is None or address % _PAGE not in _INNER:
        return False
    return abs(address - pc) < _IMAGE


def of_access(
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: int | None,
    raised: bool = False,
) -> Category | None:
    """What a failed access proves by its numbers alone; ``raised`` where the log says that it was
    none that somebody sent."""
    if signal != "SIGSEGV":
        return _BY_SIGNAL.get(signal or "")
    if pc is not None and pc < NO_CODE:
        return Category.WILD_POINTER if pc > ADDED else Category.NULL_FUNCTION_POINTER_CALL
    if pc is not None and is_text(pc):
        return Category.CORRUPTED_POINTER  # control went where a text told it to go
    if pc is not None and pc == address:
        return Category.WILD_POINTER
    if address is not None and address < NEAR_NULL:
        return Category.NULL_POINTER_DEREFERENCE
    if access == "write" and _is_beside(address, pc):
        return Category.WRITE_TO_READ_ONLY_MEMORY
    if not raised and looks_sent(address):
        # A heap may lie there as well, and the access may be told from an older fault's error code.
        return Category.EXTERNAL_SIGNAL if access is None else None
    return poisoned(address) or Category.WILD_POINTER
