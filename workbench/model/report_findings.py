"""Parts of the report: what was found in the dump.

Unknown is ``None``. Addresses are strings ``0x…``, sizes are bytes.
"""

from enum import Enum
from typing import Any, Self

from msgspec import Struct, field

from workbench.model.citation import Citation


class Part(Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of all parts: camelCase keys, immutable."""

    @classmethod
    def of(cls, source: object, /, **given: Any) -> Self:
        """What the investigation's own struct has under the same names, citations and words of a
        table as text, and what is ``given``. Raises `TypeError` where a field is neither."""
        names = [name for name in cls.__struct_fields__ if name not in given]
        same = {n: _written(getattr(source, n)) for n in names if hasattr(source, n)}
        return cls(**same, **given)


def _written(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_written, value))
    if isinstance(value, Enum):
        return value.value
    return str(value) if isinstance(value, Citation) else value


class ModuleCounts(Part, frozen=True, kw_only=True):
    """How many modules, and how many of them a debugger can work with."""

    total: int
    with_symbols: int
    mismatched: int
    missing: int


class MemoryCounts(Part, frozen=True, kw_only=True):
    """Bytes of memory that the dump holds and that it should hold but does not."""

    dumped: int | None
    missing: int | None


class Health(Part, frozen=True, kw_only=True):
    """How far the dump can be trusted; ``caps`` limit the confidence, ``remedies`` lift them."""

    truncated: bool | None
    executable_matches: bool | None
    modules: ModuleCounts
    memory: MemoryCounts
    caps: tuple[str, ...]
    remedies: tuple[str, ...]
    ceiling: float | None = None


class Severity(Part, frozen=True, kw_only=True):
    """How bad it is, in CASR's classes."""

    class_: str | None = field(name="class", default=None)
    level: str | None = None
    reasons: tuple[str, ...] = ()


class Watched(Part, frozen=True, kw_only=True):
    """An expression that the person watches: what the debugger printed for it in the frame at
    fault with its citation, or why there is no value."""

    expression: str
    value: str | None
    evidence: str | None
    reason: str | None = None


class Mitigation(Part, frozen=True, kw_only=True):
    """A defence, whether the dump shows it at work (None: it does not tell), and where."""

    name: str
    present: bool | None
    reason: str
    evidence: str | None


class Security(Part, frozen=True, kw_only=True):
    """What an attacker could make of the fault. ``controllable`` is what the bad value decides
    about (call | branch | return | store) where it was followed into, each with its citation."""

    severity: Severity
    controllable: tuple[str, ...]
    mitigations: tuple[Mitigation, ...]


class SeenBefore(Part, frozen=True, kw_only=True):
    """Other sessions of this signature: how many, the latest one, when it was touched (ISO 8601)
    and its confirmed category; ``differs`` is what is otherwise here, a line each."""

    count: int
    last_session_id: str
    last_at: str
    confirmed: str | None
    differs: tuple[str, ...]


class Summary(Part, frozen=True, kw_only=True):
    """The case in short. ``crash_type``: crash | hang | snapshot | abort | exception | leak."""

    crash_type: str | None
    description: str | None
    recommendations: tuple[str, ...]
    signature: str | None
    stack_hash: str | None
    thread_count: int | None
    module_count: int | None
    severity: Severity
    seen_before: SeenBefore | None = None


class Environment(Part, frozen=True, kw_only=True):
    """Where the process ran. ``system`` is the system with its version, ``cpu`` the dump's own
    word for the processor, where the dump records them."""

    os: str | None
    arch: str | None
    runtime: str | None
    pid: int | None
    command_line: str | None
    system: str | None = None
    cpu: str | None = None


class StackFrame(Part, frozen=True, kw_only=True):
    """One frame. ``trust``: symbols | unwound | scan. ``args`` are those that have a value,
    ``n=3, s=0x0``, of the stack that failed."""

    index: int
    function: str | None
    file: str | None
    line: int | None
    module: str | None
    offset: str | None
    address: str | None
    trust: str
    args: str | None = None


class ExceptionInfo(Part, frozen=True, kw_only=True):
    """What ended the process. ``code`` is the exception's number where the dump records one (an
    NTSTATUS, a Mach exception, a signal), ``address`` that of the record, ``parameters`` its
    further words; ``fault_address`` is that of the data. ``stack_cut`` is True where the debugger
    listed no more of the stack than it was asked for."""

    type: str | None
    message: str | None
    signal: str | None
    signal_code: str | None
    fault_address: str | None
    hresult: str | None
    thread_id: int | None
    inner: tuple["ExceptionInfo", ...]
    stack_trace: tuple[StackFrame, ...]
    code: str | None = None
    address: str | None = None
    parameters: tuple[str, ...] = ()
    stack_cut: bool = False


class Description(Part, frozen=True, kw_only=True):
    """A description in words, or None."""

    description: str | None


class ThreadGroup(Part, frozen=True, kw_only=True):
    """Threads with equal stacks that do the same."""

    thread_ids: tuple[int, ...]
    state: str | None
    waits_for: str | None
    stack_trace: tuple[StackFrame, ...]


class ThreadItem(Part, frozen=True, kw_only=True):
    """One thread. ``number`` is the debugger's own count."""

    thread_id: int | None
    number: int | None
    name: str | None
    state: str | None
    waits_for: str | None
    frames: int


class ThreadsInfo(Part, frozen=True, kw_only=True):
    """All threads."""

    count: int | None
    summary: Description
    groups: tuple[ThreadGroup, ...]
    items: tuple[ThreadItem, ...]


class ModuleInfo(Part, frozen=True, kw_only=True):
    """A mapped executable or library. ``symbols``: debug-info | symbols | stripped | unknown."""

    name: str
    path: str
    base: str
    size: int | None
    version: str | None
    build_id: str | None
    symbols: str
    status: str


class AssemblyInfo(Part, frozen=True, kw_only=True):
    """A managed assembly."""

    name: str
    version: str | None
    path: str | None


class LockInfo(Part, frozen=True, kw_only=True):
    """A lock, who holds it and who waits for it (thread ids)."""

    address: str | None
    kind: str
    owner: int | None
    waiters: tuple[int, ...]


class Synchronization(Part, frozen=True, kw_only=True):
    """Locks that somebody waits for, and rings of threads that wait for each other."""

    locks: tuple[LockInfo, ...]
    deadlocks: tuple[tuple[int, ...], ...]


class HeapInfo(Part, frozen=True, kw_only=True):
    """One heap that was walked."""

    start: str
    end: str
    chunks: int
    in_use: int
    free: int
    broken_at: str | None


class TopType(Part, frozen=True, kw_only=True):
    """A type and what it takes on the heap."""

    name: str
    count: int
    bytes: int


class MemoryInfo(Part, frozen=True, kw_only=True):
    """Heaps; ``heaps`` is None when none was walked. Each finding ends with its citation."""

    heaps: tuple[HeapInfo, ...] | None
    top_types: tuple[TopType, ...] | None
    findings: tuple[str, ...]


class AsyncInfo(Part, frozen=True, kw_only=True):
    """Tasks and thread pool of a managed runtime; None where there is none."""

    tasks: tuple[str, ...] | None = None
    thread_pool: str | None = None
