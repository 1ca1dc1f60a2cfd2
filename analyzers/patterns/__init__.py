"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O.

`PATTERNS` stands in the contract's order of categories: where two causes are proved, the first one
is the narrower.
"""

from analyzers.patterns.arithmetic import DivideByZero, IntegerOverflow
from analyzers.patterns.base import Pattern
from analyzers.patterns.bounds import OutOfBoundsRead, OutOfBoundsWrite
from analyzers.patterns.code import IllegalInstruction, Trap
from analyzers.patterns.deadlock import Deadlock
from analyzers.patterns.deliberate import AssertionFailure, ExplicitAbort
from analyzers.patterns.double_free import DoubleFree
from analyzers.patterns.exceptions import StdTerminate, UncaughtException
from analyzers.patterns.external import ExternalSignal
from analyzers.patterns.freed import UseAfterFree
from analyzers.patterns.heap_corruption import HeapCorruption
from analyzers.patterns.heap_overflow import HeapBufferOverflow
from analyzers.patterns.invalid_free import InvalidFree
from analyzers.patterns.language import Panic, PureVirtualCall
from analyzers.patterns.managed import MANAGED
from analyzers.patterns.mapping import (
    BusError,
    MisalignedAccess,
    TruncatedMapping,
    WriteToReadOnlyMemory,
)
from analyzers.patterns.mismatch import MismatchedDeallocation
from analyzers.patterns.null import NullFunctionPointerCall, NullPointerDereference
from analyzers.patterns.pointer import CorruptedPointer, WildPointer
from analyzers.patterns.refused import BufferOverflow
from analyzers.patterns.reported import REPORTED
from analyzers.patterns.smash import StackBufferOverflow
from analyzers.patterns.stack_overflow import StackOverflow
from analyzers.patterns.unseen import UnseenNullPointer, UnseenWildPointer
from analyzers.patterns.waiting import BlockedOnIo, InfiniteLoop, MissedWakeup
from analyzers.patterns.windows import WINDOWS

__all__ = ["MORE", "PATTERNS", "Pattern"]

PATTERNS: tuple[Pattern, ...] = (
    UseAfterFree(),
    DoubleFree(),
    InvalidFree(),
    MismatchedDeallocation(),
    HeapBufferOverflow(),
    HeapCorruption(),
    StackBufferOverflow(),
    BufferOverflow(),
    OutOfBoundsWrite(),
    OutOfBoundsRead(),
    NullFunctionPointerCall(),
    NullPointerDereference(),
    UnseenNullPointer(),
    MisalignedAccess(),
    WriteToReadOnlyMemory(),
    CorruptedPointer(),
    WildPointer(),
    UnseenWildPointer(),
    StackOverflow(),
    BusError(),
    TruncatedMapping(),
    DivideByZero(),
    IntegerOverflow(),
    IllegalInstruction(),
    Trap(),
    AssertionFailure(),
    Panic(),
    PureVirtualCall(),
    UncaughtException(),
    StdTerminate(),
    ExplicitAbort(),
    Deadlock(),
    MissedWakeup(),
    InfiniteLoop(),
    BlockedOnIo(),
    ExternalSignal(),
)
"""Every pattern of a crash by its own bytes, in the contract's order, one a cause."""

MORE: tuple[Pattern, ...] = (*WINDOWS, *MANAGED, *REPORTED)
"""Further experts of the same causes: for what only some systems and tools record."""
