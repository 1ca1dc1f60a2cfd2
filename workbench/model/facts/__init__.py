"""Facts: what analyzers read out of evidence, each with the span of lines that says so.

Addresses and register values are unsigned integers of the target's width; sizes are in bytes.
``None`` means unknown, never zero.
"""

from workbench.model.facts.base import Fact
from workbench.model.facts.book import AnyFact, FactBook
from workbench.model.facts.dump import (
    CoreHealth,
    ExceptionRecord,
    Handled,
    Memory,
    Module,
    Process,
    Region,
    Signal,
)
from workbench.model.facts.fault import (
    DataRun,
    Fault,
    Hit,
    Load,
    Member,
    Outside,
    Register,
    Registers,
    Returned,
    Spelled,
    Taint,
    Unset,
    VirtualCall,
)
from workbench.model.facts.finding import Finding, Note, Quoted, Role
from workbench.model.facts.heap import Argument, Chunk, ChunkShare, Heap, ListFault
from workbench.model.facts.managed import (
    Assemblies,
    Assembly,
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
    LastError,
    LoaderMessage,
    ManagedException,
    RustPanic,
)
from workbench.model.facts.stacks import (
    Frame,
    Layout,
    LayoutField,
    Locals,
    Printed,
    Repeat,
    SourceLine,
    Stack,
    StackGroup,
    StackGroups,
    StackShape,
    Thread,
    Threads,
    Typed,
    Variable,
)
from workbench.model.facts.usage import (
    AddressSpace,
    BlockSize,
    HandleKind,
    Handles,
    HeapBlocks,
    NativeHeap,
    NativeHeaps,
    SpaceRow,
    ThreadTime,
    ThreadTimes,
)
from workbench.model.facts.waiting import Lock, LockCycle, Loop, LoopRead, Wait, rings
from workbench.model.facts.windows import (
    Bucket,
    BugArgument,
    BugCheck,
    HeapReport,
    RpcCell,
)
