"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O.

`PATTERNS` stands in the contract's order of categories: where two causes are proved, the first one
is the narrower.
"""

from analyzers.patterns.arithmetic import DivideByZero, IntegerOverflow
from analyzers.patterns.base import Pattern
from analyzers.patterns.code import IllegalInstruction, Trap
from analyzers.patterns.deadlock import Deadlock
from analyzers.patterns.deliberate import AssertionFailure, ExplicitAbort, Panic, PureVirtualCall
from analyzers.patterns.exceptions import StdTerminate, UncaughtException
from analyzers.patterns.external import ExternalSignal
from analyzers.patterns.free_misuse import DoubleFree, InvalidFree, MismatchedDeallocation
from analyzers.patterns.freed import UseAfterFree
from analyzers.patterns.heap_damage import HeapBufferOverflow, HeapCorruption
from analyzers.patterns.mapping import (
    BusError,
    MisalignedAccess,
    TruncatedMapping,
    WriteToReadOnlyMemory,
)
from analyzers.patterns.null import NullFunctionPointerCall, NullPointerDereference
from analyzers.patterns.pointer import (
    CorruptedPointer,
    OutOfBoundsRead,
    OutOfBoundsWrite,
    WildPointer,
)
from analyzers.patterns.smash import BufferOverflow, StackBufferOverflow
from analyzers.patterns.stack_overflow import StackOverflow
from analyzers.patterns.waiting import BlockedOnIo, InfiniteLoop, MissedWakeup

__all__ = ["PATTERNS", "Pattern"]

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
    MisalignedAccess(),
    WriteToReadOnlyMemory(),
    CorruptedPointer(),
    WildPointer(),
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
"""Every pattern, in the contract's order."""
