"""Root-cause categories with their kind and CWE number, as the contract lists them."""

from enum import StrEnum
from typing import Self


class Category(StrEnum):
    """The value of ``aiAnalysis.category``; members stand in the contract's order, which is also
    the order of preference where two categories are proved at once. ``kind`` is the contract's
    group (empty for unknown), ``cwe`` the number, None where the contract gives none."""

    kind: str
    cwe: int | None

    def __new__(cls, value: str, kind: str = "", cwe: int | None = None) -> Self:
        """A member: its value with what stands behind it in its row."""
        made = str.__new__(cls, value)
        made._value_, made.kind, made.cwe = value, kind, cwe
        return made

    USE_AFTER_FREE = "use-after-free", "memory", 416
    DOUBLE_FREE = "double-free", "memory", 415
    INVALID_FREE = "invalid-free", "memory", 763
    MISMATCHED_DEALLOCATION = "mismatched-deallocation", "memory", 762
    HEAP_BUFFER_OVERFLOW = "heap-buffer-overflow", "memory", 122
    HEAP_CORRUPTION = "heap-corruption", "memory", 787
    STACK_BUFFER_OVERFLOW = "stack-buffer-overflow", "memory", 121
    BUFFER_OVERFLOW = "buffer-overflow", "memory", 120
    OUT_OF_BOUNDS_WRITE = "out-of-bounds-write", "memory", 787
    OUT_OF_BOUNDS_READ = "out-of-bounds-read", "memory", 125
    NULL_FUNCTION_POINTER_CALL = "null-function-pointer-call", "memory", 476
    NULL_POINTER_DEREFERENCE = "null-pointer-dereference", "memory", 476
    UNINITIALIZED_POINTER = "uninitialized-pointer", "memory", 824
    UNINITIALIZED_VALUE = "uninitialized-value", "memory", 457
    INVALID_VTABLE = "invalid-vtable", "memory", 843
    TYPE_CONFUSION = "type-confusion", "memory", 843
    MISALIGNED_ACCESS = "misaligned-access", "memory", 188
    WRITE_TO_READ_ONLY_MEMORY = "write-to-read-only-memory", "memory", 123
    CORRUPTED_POINTER = "corrupted-pointer", "memory", 822
    WILD_POINTER = "wild-pointer", "memory", 822
    STACK_OVERFLOW = "stack-overflow", "memory", 674
    BUS_ERROR = "bus-error", "memory"
    TRUNCATED_MAPPING = "truncated-mapping", "memory"
    DIVIDE_BY_ZERO = "divide-by-zero", "code", 369
    INTEGER_OVERFLOW = "integer-overflow", "code", 190
    ILLEGAL_INSTRUCTION = "illegal-instruction", "code"
    TRAP = "trap", "code"
    ASSERTION_FAILURE = "assertion-failure", "deliberate", 617
    PANIC = "panic", "deliberate"
    PURE_VIRTUAL_CALL = "pure-virtual-call", "deliberate"
    UNCAUGHT_EXCEPTION = "uncaught-exception", "deliberate", 248
    STD_TERMINATE = "std-terminate", "deliberate", 248
    EXPLICIT_ABORT = "explicit-abort", "deliberate"
    UNCHECKED_ALLOCATION = "unchecked-allocation", "resources", 252
    OUT_OF_MEMORY = "out-of-memory", "resources", 770
    MEMORY_LEAK = "memory-leak", "resources", 401
    DEADLOCK = "deadlock", "concurrency", 833
    MISSED_WAKEUP = "missed-wakeup", "concurrency", 833
    THREAD_STARVATION = "thread-starvation", "concurrency", 410
    DATA_RACE = "data-race", "concurrency", 362
    FINALIZER_BLOCKAGE = "finalizer-blockage", "concurrency"
    INFINITE_LOOP = "infinite-loop", "concurrency", 835
    HIGH_CPU = "high-cpu", "concurrency"
    BLOCKED_ON_IO = "blocked-on-io", "concurrency"
    EXTERNAL_SIGNAL = "external-signal", "environment"
    MISSING_METHOD = "missing-method", "environment"
    VERSION_MISMATCH = "version-mismatch", "environment"
    LIBRARY_LOAD_FAILURE = "library-load-failure", "environment"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """As people write it: ``null pointer dereference``, ``high CPU``."""
        return _WORDS.get(self.value, self.value.replace("-", " "))


_WORDS = {
    "out-of-bounds-write": "out-of-bounds write", "out-of-bounds-read": "out-of-bounds read",
    "write-to-read-only-memory": "write to read-only memory", "std-terminate": "std::terminate",
    "high-cpu": "high CPU", "blocked-on-io": "blocked on I/O",
}  # fmt: skip
