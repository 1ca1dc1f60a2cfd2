"""All facts of an investigation, and the union that a journal decodes."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from workbench.model.facts.base import Fact
from workbench.model.facts.dump import (
    CoreHealth,
    ExceptionRecord,
    Handled,
    Memory,
    Module,
    Process,
    Signal,
)
from workbench.model.facts.fault import Fault, Registers
from workbench.model.facts.finding import Finding
from workbench.model.facts.heap import Argument, Chunk, Heap
from workbench.model.facts.holding import LockOwner
from workbench.model.facts.managed import (
    Assemblies,
    AsyncTasks,
    FinalizerQueue,
    GcHeap,
    GcRoots,
    HeapObjects,
    HeapTypes,
    ManagedMethod,
    ManagedThreads,
    Monitors,
    PoolState,
    StackObjects,
)
from workbench.model.facts.runtime import (
    AbortMessage,
    CxxException,
    LastError,
    LoaderMessage,
    ManagedException,
    RustPanic,
)
from workbench.model.facts.stacks import (
    Locals,
    Printed,
    SourceLine,
    Stack,
    StackGroups,
    StackShape,
    Threads,
)
from workbench.model.facts.usage import (
    AddressSpace,
    Handles,
    HeapBlocks,
    NativeHeaps,
    ThreadTimes,
)
from workbench.model.facts.waiting import LockCycle, Loop, Wait
from workbench.model.facts.windows import Bucket, BugCheck, CriticalSection, HeapReport, RpcCell

AnyFact = (
    CoreHealth
    | Module
    | Process
    | Signal
    | Handled
    | Memory
    | Fault
    | Registers
    | Stack
    | StackGroups
    | StackShape
    | Threads
    | Locals
    | Printed
    | SourceLine
    | Chunk
    | Heap
    | Argument
    | AbortMessage
    | CxxException
    | ManagedException
    | LastError
    | LoaderMessage
    | RustPanic
    | ExceptionRecord
    | Wait
    | LockCycle
    | Loop
    | LockOwner
    | Assemblies
    | AsyncTasks
    | FinalizerQueue
    | GcHeap
    | GcRoots
    | HeapObjects
    | HeapTypes
    | ManagedMethod
    | ManagedThreads
    | Monitors
    | PoolState
    | StackObjects
    | CriticalSection
    | HeapReport
    | BugCheck
    | Bucket
    | RpcCell
    | ThreadTimes
    | AddressSpace
    | Handles
    | NativeHeaps
    | HeapBlocks
    | Finding
)

_F = TypeVar("_F", bound=Fact)


class FactBook:
    """All facts of an investigation, in the order in which they were found."""

    def __init__(self, facts: Iterable[AnyFact] = ()) -> None:
        self._facts: list[AnyFact] = list(facts)
        self._kinds: dict[type, tuple[int, list[Any]]] = {}

    def __iter__(self) -> Iterator[AnyFact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, facts: Iterable[AnyFact]) -> None:
        """Append newly found facts."""
        self._facts.extend(facts)

    def all(self, kind: type[_F]) -> list[_F]:
        """Every fact of one kind."""
        return list(self._of(kind))

    def first(self, kind: type[_F]) -> _F | None:
        """The first fact of one kind, or None."""
        found = self._of(kind)
        return found[0] if found else None

    def last(self, kind: type[_F]) -> _F | None:
        """The latest fact of one kind, or None."""
        found = self._of(kind)
        return found[-1] if found else None

    def _of(self, kind: type[_F]) -> list[_F]:
        """Those of a kind, which are asked for a thousand times: only facts that came since the
        last time are looked at."""
        count, found = self._kinds.get(kind, (0, []))
        total = len(self._facts)
        if count < total:
            new = [fact for fact in self._facts[count:total] if isinstance(fact, kind)]
            found = [*found, *new] if new else found
            self._kinds[kind] = total, found
        return found
