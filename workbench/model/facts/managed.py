"""Facts about a .NET process, as SOS prints them.

Thread ids are the system's (TID), object and thread addresses those of the managed heap and of the
runtime's own structures. ``line`` is a line of the evidence text, from 1.
"""

from msgspec import Struct

from workbench.model.facts.base import Fact


class ManagedThread(Struct, frozen=True, kw_only=True):
    """One row of ``clrthreads``. ``number`` is the debugger's (None: it ended), ``id`` the
    runtime's, ``object`` the address of the runtime's Thread. ``locks`` counts the monitors that
    it holds. ``role``: finalizer | gc | pool-worker | pool-io | empty. ``exception`` is the type
    of the last one that it threw."""

    number: int | None
    id: int
    thread: int
    object: int
    locks: int | None = None
    role: str = ""
    exception: str | None = None
    exception_address: int | None = None
    line: int = 0


class ManagedThreads(Fact, frozen=True, kw_only=True, tag="managed-threads"):
    """The runtime's thread list."""

    items: tuple[ManagedThread, ...]


class Monitor(Struct, frozen=True, kw_only=True):
    """One held monitor. ``held`` is SOS's MonitorHeld: 1 for the owner and 2 for each waiter.
    ``owner`` is the TID, ``owner_object`` the runtime's Thread; ``object`` is what is locked.
    ``counted`` are the waiters where the text itself counts them."""

    index: int
    object: int
    type: str | None = None
    held: int
    counted: int | None = None
    recursion: int = 0
    owner: int | None = None
    owner_object: int | None = None
    line: int = 0

    @property
    def waiters(self) -> int:
        """How many threads wait for it."""
        owned = self.owner is not None or bool(self.owner_object)
        return max(0, (self.held - (1 if owned else 0)) // 2)


class Monitors(Fact, frozen=True, kw_only=True, tag="monitors"):
    """The sync blocks whose monitor is held (``syncblk``, or the table read from the dump)."""

    items: tuple[Monitor, ...]


class StackObject(Struct, frozen=True, kw_only=True):
    """A reference on a thread's stack: ``slot`` is where it lies, ``frame`` the index of the
    managed frame whose local or argument it is."""

    address: int
    slot: int | None = None
    type: str | None = None
    frame: int | None = None
    line: int = 0


class StackObjects(Fact, frozen=True, kw_only=True, tag="stack-objects"):
    """Objects that a thread's stack refers to (``dumpstackobjects``, locals of ``clrstack -a``)."""

    thread: int
    items: tuple[StackObject, ...]


class HeapType(Struct, frozen=True, kw_only=True):
    """One row of ``dumpheap -stat``; ``table`` is the method table."""

    name: str
    count: int
    bytes: int
    table: int | None = None
    line: int = 0


class HeapTypes(Fact, frozen=True, kw_only=True, tag="heap-types"):
    """What the managed heap holds, the largest first. ``free`` bytes are holes between objects,
    ``bytes`` all objects and holes, ``objects`` their number; ``whole`` is False when the command
    selected some."""

    items: tuple[HeapType, ...]
    objects: int
    bytes: int
    free: int = 0
    free_line: int = 0
    whole: bool = True


class HeapObjects(Fact, frozen=True, kw_only=True, tag="heap-objects"):
    """A bare list of objects (``dumpheap -short``): how many, and some of their addresses."""

    count: int
    sample: tuple[int, ...]


class GcHeap(Fact, frozen=True, kw_only=True, tag="gc-heap"):
    """The garbage collector's heaps (``eeheap -gc``); ``bytes`` is their whole size."""

    bytes: int | None = None
    bytes_line: int = 0


class PoolState(Fact, frozen=True, kw_only=True, tag="pool-state"):
    """The thread pool (``threadpool``): workers, their limits, work items that wait."""

    total: int | None = None
    running: int | None = None
    idle: int | None = None
    minimum: int | None = None
    maximum: int | None = None
    queued: int | None = None
    cpu: int | None = None
    workers_line: int = 0
    queued_line: int = 0


class FinalizerQueue(Fact, frozen=True, kw_only=True, tag="finalizer-queue"):
    """``finalizequeue``: the objects that only wait for their finalizer to run."""

    ready: int
    ready_line: int = 0


class AsyncTasks(Fact, frozen=True, kw_only=True, tag="async-tasks"):
    """State machines that have not finished (``dumpasync``), as the lines name them."""

    items: tuple[str, ...]
    count: int


class Assembly(Struct, frozen=True, kw_only=True):
    """A loaded assembly: its file's name without the ending, and where it was loaded from."""

    name: str
    path: str
    version: str | None = None
    line: int = 0


class Assemblies(Fact, frozen=True, kw_only=True, tag="assemblies"):
    """The assemblies of a process (``dumpdomain``, ``clrmodules``), each once."""

    items: tuple[Assembly, ...]


class RootStep(Struct, frozen=True, kw_only=True):
    """One object on the way from a root; ``static`` is the static variable that it is in, where
    SOS names it."""

    address: int
    type: str
    line: int = 0
    static: str | None = None


class GcRoots(Fact, frozen=True, kw_only=True, tag="gc-roots"):
    """What keeps an object alive (``gcroot``): the first chain, root's side first. ``root`` is
    the line that says what kind of root it is."""

    target: int
    steps: tuple[RootStep, ...]
    root: str = ""


class ManagedMethod(Fact, frozen=True, kw_only=True, tag="managed-method"):
    """The method that an address of compiled code lies in (``ip2md``), with its parameters."""

    address: int
    name: str


ManagedFact = (
    Assemblies | AsyncTasks | FinalizerQueue | GcHeap | GcRoots | HeapObjects | HeapTypes
    | ManagedMethod | ManagedThreads | Monitors | PoolState | StackObjects
)  # fmt: skip
