"""Facts: what analyzers read out of evidence, each with the span of lines that says so.

Addresses and register values are unsigned integers of the target's width; sizes are in bytes.
``None`` means unknown, never zero.
"""

from workbench.model.facts.base import Fact
from workbench.model.facts.book import AnyFact, FactBook
from workbench.model.facts.dump import (
    CoreHealth,
    ExceptionRecord,
    Memory,
    Module,
    Process,
    Region,
    Signal,
)
from workbench.model.facts.fault import (
    DataRun,
    Fault,
    Load,
    Register,
    Registers,
    Unset,
    VirtualCall,
)
from workbench.model.facts.finding import Finding, Note, Role
from workbench.model.facts.heap import Argument, Chunk, Heap, ListFault
from workbench.model.facts.holding import LockOwner
from workbench.model.facts.managed import (
    AsyncTasks,
    FinalizerQueue,
    GcHeap,
    GcRoots,
    HeapObjects,
    HeapType,
    HeapTypes,
    ManagedMethod,
    ManagedThread,
    ManagedThreads,
    Monitor,
    Monitors,
    PoolState,
    RootStep,
    StackObject,
    StackObjects,
)
from workbench.model.facts.runtime import (
    AbortMessage,
    CxxException,
    InnerException,
    ManagedException,
)
from workbench.model.facts.stacks import (
    Frame,
    Locals,
    Repeat,
    SourceLine,
    Stack,
    StackShape,
    Thread,
    Threads,
    Variable,
)
from workbench.model.facts.waiting import LockCycle, Wait
from workbench.model.facts.windows import (
    Bucket,
    BugArgument,
    BugCheck,
    CriticalSection,
    HeapReport,
    RpcCell,
)

__all__ = [
    "AbortMessage",
    "AnyFact",
    "Argument",
    "AsyncTasks",
    "Bucket",
    "BugArgument",
    "BugCheck",
    "Chunk",
    "CoreHealth",
    "CriticalSection",
    "CxxException",
    "DataRun",
    "ExceptionRecord",
    "Fact",
    "FactBook",
    "Fault",
    "FinalizerQueue",
    "Finding",
    "Frame",
    "GcHeap",
    "GcRoots",
    "Heap",
    "HeapObjects",
    "HeapReport",
    "HeapType",
    "HeapTypes",
    "InnerException",
    "ListFault",
    "Load",
    "Locals",
    "LockCycle",
    "LockOwner",
    "ManagedException",
    "ManagedMethod",
    "ManagedThread",
    "ManagedThreads",
    "Memory",
    "Module",
    "Monitor",
    "Monitors",
    "Note",
    "PoolState",
    "Process",
    "Region",
    "Register",
    "Registers",
    "Repeat",
    "Role",
    "RootStep",
    "RpcCell",
    "Signal",
    "SourceLine",
    "Stack",
    "StackObject",
    "StackObjects",
    "StackShape",
    "Thread",
    "Threads",
    "Unset",
    "Variable",
    "VirtualCall",
    "Wait",
]
