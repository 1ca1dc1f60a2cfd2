"""Every pattern of Windows."""

from analyzers.patterns.base import Pattern
from analyzers.patterns.windows.bugcheck import KERNEL_STOPS
from analyzers.patterns.windows.busy import HIGH_CPU
from analyzers.patterns.windows.deliberate import ASSERTED, TRAP
from analyzers.patterns.windows.fastfail import FAST_FAILS
from analyzers.patterns.windows.fill import FILL_PATTERNS, SMASHED_RETURN
from analyzers.patterns.windows.heap import HEAP_CHECKS
from analyzers.patterns.windows.locks import SECTION_DEADLOCK, SECTION_TIMEOUT, VERIFIER_DEADLOCK
from analyzers.patterns.windows.rpc import STUCK_CALL
from analyzers.patterns.windows.status import DIVIDED_BY_ZERO, QUOTIENT_TOO_LARGE, STATUSES
from analyzers.patterns.windows.thrown import THROWN
from analyzers.patterns.windows.usage import ADDRESS_SPACE_FULL, HANDLE_LEAK, NATIVE_LEAK

WINDOWS: tuple[Pattern, ...] = (
    *HEAP_CHECKS,
    *FILL_PATTERNS,
    *FAST_FAILS,
    SMASHED_RETURN,
    DIVIDED_BY_ZERO,
    QUOTIENT_TOO_LARGE,
    ASSERTED,
    TRAP,
    THROWN,
    SECTION_DEADLOCK,
    SECTION_TIMEOUT,
    VERIFIER_DEADLOCK,
    STUCK_CALL,
    HIGH_CPU,
    ADDRESS_SPACE_FULL,
    NATIVE_LEAK,
    HANDLE_LEAK,
    *KERNEL_STOPS,
    *STATUSES,
)
