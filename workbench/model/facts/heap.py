"""Facts about glibc's heap and about what a call was given."""

from msgspec import Struct

from workbench.model.facts.base import Fact


class Chunk(Fact, frozen=True, kw_only=True, tag="chunk"):
    """Where an address lies in glibc's heap (malloc/malloc.c).

    ``start`` is the chunk's header, its memory begins at ``start + 16`` (64-bit). ``state``:
    in-use | tcache | fastbin | unsorted | bin | top | header. ``offset`` is the address's
    distance from the chunk's memory; negative inside the header.
    """

    address: int
    start: int
    size: int
    state: str
    offset: int
    heap: int
    thread: int | None = None  # whose tcache holds it, when known
    holds: int | None = None  # a pointer of the fault whose value was found at ``address``
    call: int | None = None  # the call in progress whose first argument ``address`` is


class ListFault(Struct, frozen=True, kw_only=True):
    """A free list of malloc that cannot be followed, in words, and the line that says so."""

    line: int
    text: str
    chunk: int | None = None


class ChunkShare(Struct, frozen=True, kw_only=True):
    """The size of chunk that takes most of a heap: ``count`` in use of ``size`` bytes each take
    ``bytes`` of the ``total`` that was handed out. ``kind`` is their class, where they begin with
    its table, ``kind_line`` the line of that. Of ``looked`` of them nothing points to ``lost``, as
    ``lost_line`` says; 0 where that was not looked for."""

    size: int
    count: int
    bytes: int
    total: int
    line: int
    kind: str | None = None
    kind_line: int = 0
    looked: int = 0
    lost: int = 0
    lost_line: int = 0


KEPT_IN_FREE = frozenset({("tcache", 0), ("tcache", 8), ("fastbin", 0)})
"""States, with the place where such a chunk holds a link to the next one and, in a tcache, a key
that is the same in all of them (malloc.c)."""


class Heap(Fact, frozen=True, kw_only=True, tag="heap"):
    """One walked heap. ``broken_at`` is the first chunk whose header makes no sense, ``broken``
    says why, ``before`` the chunk in front of it. ``overrun`` is True when the bytes before and
    in the broken header are one run of the same data, which shows the writer's direction.
    ``list_faults`` are free lists of the whole process that lead nowhere or in a circle."""

    start: int
    end: int
    chunks: int
    in_use: int
    free: int
    broken_at: int | None = None
    broken: str | None = None
    before: int | None = None
    overrun: bool = False
    poison: str | None = None
    list_faults: tuple[ListFault, ...] = ()
    most: ChunkShare | None = None


class Argument(Fact, frozen=True, kw_only=True, tag="argument"):
    """A value passed to a call, recovered from the caller's frame: ``function`` as called,
    ``register`` of the ABI, ``region``: stack | heap | file | anonymous | unmapped. ``number`` is
    the argument's, from 1, ``call`` the address of the call's instruction, where they are known."""

    function: str | None
    register: str
    value: int
    region: str
    at: int
    number: int | None = None
    call: int | None = None


class GivenBack(Fact, frozen=True, kw_only=True, tag="given-back"):
    """An address on the stack of a thread where no variable of a function in progress can be:
    ``below`` bytes under its stack pointer, or in the frame of the C library's ``function`` that
    the thread waits in."""

    address: int
    thread: int
    below: int | None = None
    function: str | None = None


HeapFact = Chunk | Heap | Argument | GivenBack
