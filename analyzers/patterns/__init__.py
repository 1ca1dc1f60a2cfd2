"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O.

`PATTERNS` stands in the contract's order of categories: where two causes are proved, the first one
is the narrower.
"""

from analyzers.patterns.allocation import UncheckedAllocation
from analyzers.patterns.arithmetic import DivideByZero, IntegerOverflow
from analyzers.patterns.base import Pattern
from analyzers.patterns.bounds import OutOfBoundsRead, OutOfBoundsWrite
from analyzers.patterns.busy import HighCpu, InfiniteLoop
from analyzers.patterns.code import IllegalInstruction, Trap
from analyzers.patterns.confusion import TypeConfusion
from analyzers.patterns.deadlock import Deadlock
from analyzers.patterns.deliberate import AssertionFailure, ExplicitAbort
from analyzers.patterns.dotnet import speaks_of_dotnet
from analyzers.patterns.double_free import DoubleFree
from analyzers.patterns.exceptions import StdTerminate, UncaughtException
from analyzers.patterns.exhausted import OutOfMemory
from analyzers.patterns.external import ExternalSignal
from analyzers.patterns.freed import UseAfterFree
from analyzers.patterns.heap_corruption import HeapCorruption
from analyzers.patterns.heap_overflow import HeapBufferOverflow
from analyzers.patterns.invalid_free import InvalidFree
from analyzers.patterns.language import Panic, PureVirtualCall
from analyzers.patterns.leak import MemoryLeak
from analyzers.patterns.loader import NotLoaded
from analyzers.patterns.mapping import (
    BusError,
    MisalignedAccess,
    TruncatedMapping,
    WriteToReadOnlyMemory,
)
from analyzers.patterns.mismatch import MismatchedDeallocation
from analyzers.patterns.null import NullFunctionPointerCall, NullPointerDereference
from analyzers.patterns.pointer import CorruptedPointer, WildPointer
from analyzers.patterns.race import DataRace
from analyzers.patterns.refused import BufferOverflow
from analyzers.patterns.smash import StackBufferOverflow
from analyzers.patterns.stack_overflow import StackOverflow
from analyzers.patterns.starvation import ThreadStarvation
from analyzers.patterns.uninitialized import UninitializedPointer, UninitializedValue
from analyzers.patterns.unseen import UnseenNullPointer, UnseenWildPointer
from analyzers.patterns.vtable import InvalidVtable
from analyzers.patterns.waiting import BlockedOnIo, MissedWakeup
from workbench.model.category import Category
from workbench.model.facts import ExceptionRecord, FactBook, Finding, Process, Signal, Stack

__all__ = ["PATTERNS", "Pattern", "experts"]

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
    UninitializedPointer(),
    UninitializedValue(),
    InvalidVtable(),
    TypeConfusion(),
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
    UncheckedAllocation(),
    OutOfMemory(),
    MemoryLeak(),
    Deadlock(),
    MissedWakeup(),
    ThreadStarvation(),
    DataRace(),
    InfiniteLoop(),
    HighCpu(),
    BlockedOnIo(),
    ExternalSignal(),
    NotLoaded(Category.MISSING_METHOD),
    NotLoaded(Category.VERSION_MISMATCH),
    NotLoaded(Category.LIBRARY_LOAD_FAILURE),
)
"""Every pattern of a crash by its own bytes, in the contract's order, one a cause."""

UNSEEN: tuple[Pattern, ...] = (UnseenNullPointer(), UnseenWildPointer())
"""The same causes where the dump shows no instruction, only the address that was touched."""


def experts(facts: FactBook) -> tuple[Pattern, ...]:
    """All that may have something to say of these facts, `PATTERNS` first. Those of Windows, .NET
    and what tools report are not even loaded for the core of a signal: it would wait for them."""
    found = PATTERNS + UNSEEN
    if speaks_of_dotnet(facts):
        from analyzers.patterns.managed import MANAGED

        found += MANAGED
    if facts.first(ExceptionRecord) is not None or facts.first(Signal) is None:
        from analyzers.patterns.windows import WINDOWS

        found += WINDOWS
    only_stacks = facts.first(Process) is None and facts.first(Stack) is not None
    if facts.first(Finding) is not None or only_stacks:
        from analyzers.patterns.reported import REPORTED

        found += REPORTED
    return found
