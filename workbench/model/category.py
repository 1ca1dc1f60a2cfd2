"""Root-cause categories and their CWE numbers, as the contract lists them."""

from enum import StrEnum


class Category(StrEnum):
    """The value of ``aiAnalysis.category``; members stand in the contract's order, which is also
    the order of preference where two categories are proved at once."""

    USE_AFTER_FREE = "use-after-free"
    DOUBLE_FREE = "double-free"
    INVALID_FREE = "invalid-free"
    MISMATCHED_DEALLOCATION = "mismatched-deallocation"
    HEAP_BUFFER_OVERFLOW = "heap-buffer-overflow"
    HEAP_CORRUPTION = "heap-corruption"
    STACK_BUFFER_OVERFLOW = "stack-buffer-overflow"
    BUFFER_OVERFLOW = "buffer-overflow"
    OUT_OF_BOUNDS_WRITE = "out-of-bounds-write"
    OUT_OF_BOUNDS_READ = "out-of-bounds-read"
    NULL_FUNCTION_POINTER_CALL = "null-function-pointer-call"
    NULL_POINTER_DEREFERENCE = "null-pointer-dereference"
    UNINITIALIZED_POINTER = "uninitialized-pointer"
    UNINITIALIZED_VALUE = "uninitialized-value"
    INVALID_VTABLE = "invalid-vtable"
    TYPE_CONFUSION = "type-confusion"
    MISALIGNED_ACCESS = "misaligned-access"
    WRITE_TO_READ_ONLY_MEMORY = "write-to-read-only-memory"
    CORRUPTED_POINTER = "corrupted-pointer"
    WILD_POINTER = "wild-pointer"
    STACK_OVERFLOW = "stack-overflow"
    BUS_ERROR = "bus-error"
    TRUNCATED_MAPPING = "truncated-mapping"
    DIVIDE_BY_ZERO = "divide-by-zero"
    INTEGER_OVERFLOW = "integer-overflow"
    ILLEGAL_INSTRUCTION = "illegal-instruction"
    TRAP = "trap"
    ASSERTION_FAILURE = "assertion-failure"
    PANIC = "panic"
    PURE_VIRTUAL_CALL = "pure-virtual-call"
    UNCAUGHT_EXCEPTION = "uncaught-exception"
    STD_TERMINATE = "std-terminate"
    EXPLICIT_ABORT = "explicit-abort"
    UNCHECKED_ALLOCATION = "unchecked-allocation"
    OUT_OF_MEMORY = "out-of-memory"
    MEMORY_LEAK = "memory-leak"
    DEADLOCK = "deadlock"
    MISSED_WAKEUP = "missed-wakeup"
    THREAD_STARVATION = "thread-starvation"
    DATA_RACE = "data-race"
    FINALIZER_BLOCKAGE = "finalizer-blockage"
    INFINITE_LOOP = "infinite-loop"
    HIGH_CPU = "high-cpu"
    BLOCKED_ON_IO = "blocked-on-io"
    EXTERNAL_SIGNAL = "external-signal"
    MISSING_METHOD = "missing-method"
    VERSION_MISMATCH = "version-mismatch"
    LIBRARY_LOAD_FAILURE = "library-load-failure"
    UNKNOWN = "unknown"

    @property
    def words(self) -> str:
        """As people write it: ``null pointer dereference``, ``high CPU``."""
        return _WORDS.get(self.value, self.value.replace("-", " "))


_CWE = {
    Category.USE_AFTER_FREE: 416,
    Category.DOUBLE_FREE: 415,
    Category.INVALID_FREE: 763,
    Category.MISMATCHED_DEALLOCATION: 762,
    Category.HEAP_BUFFER_OVERFLOW: 122,
    Category.HEAP_CORRUPTION: 787,
    Category.STACK_BUFFER_OVERFLOW: 121,
    Category.BUFFER_OVERFLOW: 120,
    Category.OUT_OF_BOUNDS_WRITE: 787,
    Category.OUT_OF_BOUNDS_READ: 125,
    Category.NULL_FUNCTION_POINTER_CALL: 476,
    Category.NULL_POINTER_DEREFERENCE: 476,
    Category.UNINITIALIZED_POINTER: 824,
    Category.UNINITIALIZED_VALUE: 457,
    Category.INVALID_VTABLE: 843,
    Category.TYPE_CONFUSION: 843,
    Category.MISALIGNED_ACCESS: 188,
    Category.WRITE_TO_READ_ONLY_MEMORY: 123,
    Category.CORRUPTED_POINTER: 822,
    Category.WILD_POINTER: 822,
    Category.STACK_OVERFLOW: 674,
    Category.DIVIDE_BY_ZERO: 369,
    Category.INTEGER_OVERFLOW: 190,
    Category.ASSERTION_FAILURE: 617,
    Category.UNCAUGHT_EXCEPTION: 248,
    Category.STD_TERMINATE: 248,
    Category.UNCHECKED_ALLOCATION: 252,
    Category.OUT_OF_MEMORY: 770,
    Category.MEMORY_LEAK: 401,
    Category.DEADLOCK: 833,
    Category.MISSED_WAKEUP: 833,
    Category.THREAD_STARVATION: 410,
    Category.DATA_RACE: 362,
    Category.INFINITE_LOOP: 835,
}


def cwe_of(category: Category) -> int | None:
    """The CWE number of a category, or None where the contract gives none."""
    return _CWE.get(category)


_WORDS = {
    "out-of-bounds-write": "out-of-bounds write",
    "out-of-bounds-read": "out-of-bounds read",
    "write-to-read-only-memory": "write to read-only memory",
    "std-terminate": "std::terminate",
    "high-cpu": "high CPU",
    "blocked-on-io": "blocked on I/O",
}
