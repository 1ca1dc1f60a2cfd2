"""What a process uses, as Windows' debuggers print it: processor time, address space, heaps and
handles."""

from msgspec import Struct

from workbench.model.facts.base import Fact


class ThreadTime(Struct, frozen=True, kw_only=True):
    """One row of ``!runaway``: ``number`` is the debugger's (None: not shown), ``thread`` the TID,
    ``shown`` the time as it stands there."""

    number: int | None
    thread: int
    seconds: float
    shown: str
    line: int


class ThreadTimes(Fact, frozen=True, kw_only=True, tag="thread-times"):
    """The processor time that each thread has used since it began, the most first. ``kind``:
    user | kernel | elapsed, where elapsed is the time since the thread began."""

    kind: str
    items: tuple[ThreadTime, ...]


class SpaceRow(Struct, frozen=True, kw_only=True):
    """A kind of memory and how much of the address space it takes: ``bytes``, in ``regions``
    pieces (None: not shown), ``shown`` in the debugger's own unit."""

    name: str
    bytes: int
    regions: int | None = None
    shown: str
    line: int


class AddressSpace(Fact, frozen=True, kw_only=True, tag="address-space"):
    """``!address -summary``: what takes the address space. ``usage`` and ``states`` are its tables
    of these names, ``largest_free`` the largest piece in one that nothing takes."""

    usage: tuple[SpaceRow, ...]
    states: tuple[SpaceRow, ...] = ()
    largest_free: SpaceRow | None = None

    def taken(self, *names: str) -> SpaceRow | None:
        """The first row of one of the names, whatever their case."""
        wanted = {name.lower() for name in names}
        rows = (*self.usage, *self.states)
        return next((row for row in rows if row.name.lower() in wanted), None)


class HandleKind(Struct, frozen=True, kw_only=True):
    """One kind of object and how many handles to such the process has."""

    name: str
    count: int
    line: int


class Handles(Fact, frozen=True, kw_only=True, tag="handles"):
    """``!handle``: the handles that a process has open, the most numerous kind first."""

    total: int
    total_line: int
    kinds: tuple[HandleKind, ...]


class NativeHeap(Struct, frozen=True, kw_only=True):
    """One row of ``!heap -s``, in bytes."""

    address: int
    reserved: int
    committed: int
    free: int
    line: int


class NativeHeaps(Fact, frozen=True, kw_only=True, tag="native-heaps"):
    """The process's heaps, as they were listed."""

    items: tuple[NativeHeap, ...]


class BlockSize(Struct, frozen=True, kw_only=True):
    """Blocks of one size: how many, and how many bytes they take together. ``shown`` are the three
    numbers as they stand there, ``percent`` is their share of the heap's busy bytes."""

    size: int
    count: int
    bytes: int
    percent: float
    shown: str
    line: int


class HeapBlocks(Fact, frozen=True, kw_only=True, tag="heap-blocks"):
    """``!heap -stat -h``: a heap's blocks by size, those first that take the most."""

    heap: int
    items: tuple[BlockSize, ...]


UsageFact = ThreadTimes | AddressSpace | Handles | NativeHeaps | HeapBlocks
