"""Facts: what analyzers read out of evidence, each with the span of lines that says so.

Addresses and register values are unsigned integers of the target's width; sizes are in bytes.
``None`` means unknown, never zero.
"""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from msgspec import Struct

from workbench.model.citation import Citation


class Fact(Struct, frozen=True, kw_only=True, tag_field="fact"):
    """Base of all facts; ``cite`` names the lines that hold it."""

    cite: Citation


# --- the dump as a file -------------------------------------------------------------------------


class CoreHealth(Fact, frozen=True, kw_only=True, tag="core-health"):
    """How far the dump itself can be trusted. ``caps`` are reasons that limit confidence to
    ``ceiling`` (0..1); ``remedies`` say what would lift them."""

    truncated: bool
    executable: str | None
    executable_matches: bool | None
    dumped_bytes: int
    missing_bytes: int
    ceiling: float = 1.0
    caps: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


class Module(Fact, frozen=True, kw_only=True, tag="module"):
    """A mapped executable or library. ``status``: found | mismatched | missing | unverified;
    ``symbols``: debug-info | symbols | stripped | unknown."""

    name: str
    path: str
    base: int
    end: int
    build_id: str | None
    status: str
    symbols: str


class Process(Fact, frozen=True, kw_only=True, tag="process"):
    """The dumped process. ``snapshot`` is True when no signal ended it (gcore, createdump)."""

    pid: int | None
    command_line: str | None
    executable: str | None
    arch: str
    os: str
    threads: tuple[int, ...]
    snapshot: bool


class Signal(Fact, frozen=True, kw_only=True, tag="signal"):
    """The signal that ended the process (sigaction(2), siginfo_t). ``thread`` is its TID.
    ``fault_address`` is si_addr where the code defines it; ``sender_pid`` where si_code <= 0."""

    thread: int
    number: int
    name: str
    code: int | None
    code_name: str | None
    fault_address: int | None
    sender_pid: int | None
    sender_uid: int | None


class Region(Struct, frozen=True, kw_only=True):
    """One mapping, [start, end). ``kind``: file | stack | heap | anonymous | vdso | none.
    ``thread`` is the TID whose stack pointer lies in it, for stacks. ``line`` is its line."""

    start: int
    end: int
    perms: str
    path: str | None
    offset: int
    kind: str
    thread: int | None
    dumped: bool
    line: int = 0


class Memory(Fact, frozen=True, kw_only=True, tag="memory"):
    """All mappings in address order."""

    regions: tuple[Region, ...]

    def region(self, address: int) -> Region | None:
        """The mapping that holds an address, or None: unmapped."""
        for region in self.regions:
            if region.start <= address < region.end:
                return region
        return None


# --- the fault ----------------------------------------------------------------------------------


class Load(Struct, frozen=True, kw_only=True):
    """One step of where a value came from: ``register`` was loaded with ``value`` from memory at
    ``source`` by the instruction at ``at``. ``line`` is where it is said."""

    at: int
    register: str
    source: int
    value: int | None
    line: int = 0


class DataRun(Struct, frozen=True, kw_only=True):
    """One run of the same kind of data (a filler, a text, a series of numbers), [start, end),
    that covers ``cell``; ``what`` names it, ``line`` says so."""

    start: int
    end: int
    cell: int
    what: str
    line: int = 0


class Fault(Fact, frozen=True, kw_only=True, tag="fault"):
    """The faulting instruction and what it touched.

    ``access``: read | write | execute | none. ``operand`` is the effective address computed from
    the registers (not si_addr), ``base_register``/``base_value`` its base. ``divisor`` is the
    divisor's value of a division. ``origin`` walks back where the base register's value came from,
    nearest first. For ``execute``: ``transfer`` says how control got to pc: call | return |
    unknown, ``transfer_from`` the address of that call instruction.
    ``operand_region`` is a region's kind, or unmapped | near-null | non-canonical.
    ``origin_call`` is the function whose result the walk ends at; it returned the base value
    itself only when every load on the way has that value.
    ``run`` is data that covers the cell which a wild pointer was read from.
    ``quotient_overflow`` is True when a division's quotient does not fit (INT_MIN / -1).
    """

    thread: int
    pc: int
    instruction: str | None
    mnemonic: str | None
    access: str
    operand: int | None = None
    operand_size: int | None = None
    operand_region: str | None = None
    base_register: str | None = None
    base_value: int | None = None
    divisor: int | None = None
    origin: tuple[Load, ...] = ()
    transfer: str | None = None
    transfer_from: int | None = None
    stack_pointer: int | None = None
    index_register: str | None = None
    index_value: int | None = None
    operand_perms: str | None = None
    quotient_overflow: bool = False
    origin_call: str | None = None
    run: DataRun | None = None


class Register(Struct, frozen=True):
    """A register and the line that shows it."""

    name: str
    value: int
    line: int = 0


class Registers(Fact, frozen=True, kw_only=True, tag="registers"):
    """Registers of one frame of one thread."""

    thread: int
    frame: int
    values: tuple[Register, ...]

    def get(self, name: str) -> int | None:
        """The value of a register, or None when it was not printed."""
        for register in self.values:
            if register.name == name:
                return register.value
        return None


# --- stacks and source --------------------------------------------------------------------------


class Frame(Struct, frozen=True, kw_only=True):
    """One frame. ``offset`` is the distance of ``address`` from its module's
    load base. ``trust``: symbols | unwound | scan. ``line_no`` is the line of the evidence text."""

    index: int
    function: str | None = None
    file: str | None = None
    line: int | None = None
    module: str | None = None
    offset: int | None = None
    address: int | None = None
    args: str = ""
    trust: str = "symbols"
    inlined: bool = False
    signal_handler: bool = False
    line_no: int = 0


class Stack(Fact, frozen=True, kw_only=True, tag="stack"):
    """One thread's frames, innermost first. ``number`` is the debugger's thread number, ``thread``
    the TID. ``complete`` is False when the listing was cut; ``corrupt`` when unwinding failed."""

    number: int | None
    thread: int | None
    name: str | None
    frames: tuple[Frame, ...]
    current: bool = False
    complete: bool = True
    corrupt: bool = False


class Thread(Struct, frozen=True, kw_only=True):
    """One line of the debugger's thread list."""

    number: int
    thread: int
    name: str | None
    current: bool
    line: int = 0


class Threads(Fact, frozen=True, kw_only=True, tag="threads"):
    """The debugger's thread list."""

    items: tuple[Thread, ...]


class Variable(Struct, frozen=True, kw_only=True):
    """A local or an argument as the debugger printed it."""

    name: str
    value: str
    line: int = 0


class Locals(Fact, frozen=True, kw_only=True, tag="locals"):
    """Locals or arguments of a frame. ``function`` is None where the debugger did not name it."""

    function: str | None
    variables: tuple[Variable, ...]


class Repeat(Struct, frozen=True, kw_only=True):
    """A return address that stands ``count`` times on one stack: the mark of recursion."""

    address: int
    count: int
    function: str | None = None
    module: str | None = None
    offset: int | None = None
    line: int = 0


class StackShape(Fact, frozen=True, kw_only=True, tag="stack-shape"):
    """One thread's stack as memory, read without unwinding.

    [start, end) is its mapping, ``pointer`` the stack pointer, ``guard_distance`` how many bytes
    the pointer lies above ``start`` (negative: below it). ``guard``: unmapped | no-access | mapped,
    what lies right below ``start``. ``overflowed`` when the thread ran out of stack: the pointer
    or the faulting access lies in the guard. ``smashed`` when one run of filler covers slots where
    return addresses belong; ``smash_word`` is a word of it. ``recursion`` has the return addresses
    that repeat, most frequent first; ``scanned`` the likely return addresses near the pointer,
    nearest first (trust ``scan``), ``below`` those of callees that already returned.
    """

    thread: int
    pointer: int
    start: int | None = None
    end: int | None = None
    main: bool | None = None
    guard_distance: int | None = None
    guard: str | None = None
    overflowed: bool = False
    smashed: bool = False
    smash_word: int | None = None
    recursion: tuple[Repeat, ...] = ()
    scanned: tuple[Frame, ...] = ()
    below: tuple[Frame, ...] = ()


class SourceLine(Fact, frozen=True, kw_only=True, tag="source-line"):
    """A line of source text that the debugger listed."""

    file: str | None
    line: int
    text: str


# --- heap ---------------------------------------------------------------------------------------


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


class ListFault(Struct, frozen=True, kw_only=True):
    """A free list of malloc that cannot be followed, in words, and the line that says so."""

    line: int
    text: str


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


class Argument(Fact, frozen=True, kw_only=True, tag="argument"):
    """A value passed to a call, recovered from the caller's frame: ``function`` as called,
    ``register`` of the ABI, ``region``: stack | heap | file | anonymous | unmapped."""

    function: str | None
    register: str
    value: int
    region: str
    at: int


# --- runtime messages ---------------------------------------------------------------------------


class AbortMessage(Fact, frozen=True, kw_only=True, tag="abort-message"):
    """The message that glibc kept when it aborted (``__abort_msg``, assert/assert.c,
    sysdeps/posix/libc_fatal.c)."""

    text: str


class CxxException(Fact, frozen=True, kw_only=True, tag="cxx-exception"):
    """A C++ exception object in flight (Itanium C++ ABI, level II). ``message`` is what() where it
    can be read; ``uncaught`` when no handler had it. ``type`` is readable, ``mangled`` as stored;
    ``bases`` are the classes that it derives from, nearest first."""

    type: str
    message: str | None
    address: int
    mangled: str | None = None
    uncaught: bool | None = None
    bases: tuple[str, ...] = ()


# --- waiting ------------------------------------------------------------------------------------


class Wait(Fact, frozen=True, kw_only=True, tag="wait"):
    """A thread inside a blocking system call. ``kind``: mutex | condition | join | rwlock |
    semaphore | barrier | once | futex | io | sleep | running | other. ``address`` is the lock,
    ``owner`` the TID that holds it or whose exit is awaited. ``running`` means in no system call
    at all. ``recursive`` tells whether a mutex may be taken again by its owner."""

    thread: int
    kind: str
    syscall: str | None = None
    address: int | None = None
    owner: int | None = None
    detail: str = ""
    recursive: bool | None = None


class LockCycle(Fact, frozen=True, kw_only=True, tag="lock-cycle"):
    """Threads that wait for each other in a ring; ``locks[i]`` is what ``threads[i]`` waits for,
    held by ``threads[i + 1]``. One thread: it waits for what it holds itself."""

    threads: tuple[int, ...]
    locks: tuple[int, ...]


AnyFact = (
    CoreHealth
    | Module
    | Process
    | Signal
    | Memory
    | Fault
    | Registers
    | Stack
    | StackShape
    | Threads
    | Locals
    | SourceLine
    | Chunk
    | Heap
    | Argument
    | AbortMessage
    | CxxException
    | Wait
    | LockCycle
)

_F = TypeVar("_F", bound=Fact)


class FactBook:
    """All facts of an investigation, in the order in which they were found."""

    def __init__(self, facts: Iterable[AnyFact] = ()) -> None:
        self._facts: list[AnyFact] = list(facts)

    def __iter__(self) -> Iterator[AnyFact]:
        return iter(self._facts)

    def __len__(self) -> int:
        return len(self._facts)

    def add(self, facts: Iterable[AnyFact]) -> None:
        """Append newly found facts."""
        self._facts.extend(facts)

    def all(self, kind: type[_F]) -> list[_F]:
        """Every fact of one kind."""
        return [fact for fact in self._facts if isinstance(fact, kind)]

    def first(self, kind: type[_F]) -> _F | None:
        """The first fact of one kind, or None."""
        for fact in self._facts:
            if isinstance(fact, kind):
                return fact
        return None

    def last(self, kind: type[_F]) -> _F | None:
        """The latest fact of one kind, or None."""
        for fact in reversed(self._facts):
            if isinstance(fact, kind):
                return fact
        return None
