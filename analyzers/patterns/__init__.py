"""Crash patterns: each proposes a hypothesis from facts and evaluates it, without I/O.

`PATTERNS` stands in the contract's order of categories: where two causes are proved, the first one
is the narrower.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from analyzers.patterns.arithmetic import DIVIDE_BY_ZERO, INTEGER_OVERFLOW
from analyzers.patterns.base import Pattern
from analyzers.patterns.bounds import OUT_OF_BOUNDS_READ, OUT_OF_BOUNDS_WRITE
from analyzers.patterns.busy import HIGH_CPU, INFINITE_LOOP
from analyzers.patterns.code import ILLEGAL_INSTRUCTION, TRAP
from analyzers.patterns.confusion import TYPE_CONFUSION
from analyzers.patterns.deadlock import DEADLOCK
from analyzers.patterns.deliberate import ASSERTION_FAILURE, EXPLICIT_ABORT
from analyzers.patterns.dotnet import speaks_of_dotnet
from analyzers.patterns.double_free import DOUBLE_FREE
from analyzers.patterns.exceptions import STD_TERMINATE, UNCAUGHT_EXCEPTION
from analyzers.patterns.exhausted import MEMORY_LEAK, OUT_OF_MEMORY, UNCHECKED_ALLOCATION
from analyzers.patterns.external import EXTERNAL_SIGNAL
from analyzers.patterns.freed import USE_AFTER_FREE
from analyzers.patterns.heap_corruption import HEAP_CORRUPTION
from analyzers.patterns.heap_overflow import HEAP_BUFFER_OVERFLOW
from analyzers.patterns.invalid_free import INVALID_FREE
from analyzers.patterns.language import PANIC, PURE_VIRTUAL_CALL
from analyzers.patterns.loader import not_loaded
from analyzers.patterns.mapping import (
    BUS_ERROR,
    MISALIGNED_ACCESS,
    TRUNCATED_MAPPING,
    WRITE_TO_READ_ONLY_MEMORY,
)
from analyzers.patterns.mismatch import MISMATCHED_DEALLOCATION
from analyzers.patterns.null import (
    NULL_FUNCTION_POINTER_CALL,
    NULL_POINTER_DEREFERENCE,
    UNSEEN_NULL_POINTER,
    UNSEEN_WILD_POINTER,
)
from analyzers.patterns.pointer import CORRUPTED_POINTER, INVALID_VTABLE, WILD_POINTER
from analyzers.patterns.race import DATA_RACE
from analyzers.patterns.refused import BUFFER_OVERFLOW
from analyzers.patterns.smash import STACK_BUFFER_OVERFLOW
from analyzers.patterns.stack_overflow import STACK_OVERFLOW
from analyzers.patterns.uninitialized import UNINITIALIZED_POINTER, UNINITIALIZED_VALUE
from analyzers.patterns.waiting import BLOCKED_ON_IO, MISSED_WAKEUP, THREAD_STARVATION
from workbench.model.category import Category
from workbench.model.facts import ExceptionRecord, FactBook, Finding, Process, Quoted, Signal, Stack

if TYPE_CHECKING:
    from analyzers.patterns.reported.case import Reports

__all__ = ["PATTERNS", "Pattern", "experts", "reports_of"]

PATTERNS: tuple[Pattern, ...] = (
    USE_AFTER_FREE,
    DOUBLE_FREE,
    INVALID_FREE,
    MISMATCHED_DEALLOCATION,
    HEAP_BUFFER_OVERFLOW,
    HEAP_CORRUPTION,
    STACK_BUFFER_OVERFLOW,
    BUFFER_OVERFLOW,
    OUT_OF_BOUNDS_WRITE,
    OUT_OF_BOUNDS_READ,
    NULL_FUNCTION_POINTER_CALL,
    NULL_POINTER_DEREFERENCE,
    UNINITIALIZED_POINTER,
    UNINITIALIZED_VALUE,
    INVALID_VTABLE,
    TYPE_CONFUSION,
    MISALIGNED_ACCESS,
    WRITE_TO_READ_ONLY_MEMORY,
    CORRUPTED_POINTER,
    WILD_POINTER,
    STACK_OVERFLOW,
    BUS_ERROR,
    TRUNCATED_MAPPING,
    DIVIDE_BY_ZERO,
    INTEGER_OVERFLOW,
    ILLEGAL_INSTRUCTION,
    TRAP,
    ASSERTION_FAILURE,
    PANIC,
    PURE_VIRTUAL_CALL,
    UNCAUGHT_EXCEPTION,
    STD_TERMINATE,
    EXPLICIT_ABORT,
    UNCHECKED_ALLOCATION,
    OUT_OF_MEMORY,
    MEMORY_LEAK,
    DEADLOCK,
    MISSED_WAKEUP,
    THREAD_STARVATION,
    DATA_RACE,
    INFINITE_LOOP,
    HIGH_CPU,
    BLOCKED_ON_IO,
    EXTERNAL_SIGNAL,
    not_loaded(Category.MISSING_METHOD),
    not_loaded(Category.VERSION_MISMATCH),
    not_loaded(Category.LIBRARY_LOAD_FAILURE),
)
"""Every pattern of a crash by its own bytes, in the contract's order, one a cause."""

UNSEEN: tuple[Pattern, ...] = (UNSEEN_NULL_POINTER, UNSEEN_WILD_POINTER)
"""The same causes where the dump shows no instruction, only the address that was touched."""


def experts(facts: FactBook) -> tuple[Pattern, ...]:
    """All that may have something to say of these facts, `PATTERNS` first. Those of Windows, .NET
    and what tools report are not even loaded for the core of a signal: it would wait for them."""
    only_stacks = facts.first(Process) is None and facts.first(Stack) is not None
    told = facts.first(Finding) is not None or facts.first(Quoted) is not None
    wanted = {
        "managed": speaks_of_dotnet(facts),
        "windows": facts.first(ExceptionRecord) is not None or facts.first(Signal) is None,
        "reported": told or only_stacks,
    }
    found = PATTERNS + UNSEEN
    for room in (room for room, is_wanted in wanted.items() if is_wanted):
        found += getattr(import_module(f"{__name__}.{room}.table"), room.upper())
    return found


def reports_of(facts: FactBook) -> "Reports":
    """What tools report; the core of a signal does not wait for their rules to be compiled."""
    from analyzers.patterns.reported.case import Reports

    return Reports(facts)
