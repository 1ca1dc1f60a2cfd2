"""Facts that Windows' own tools print: heap checks, bug checks, RPC calls."""

from msgspec import Struct

from workbench.model.facts.base import Fact
from workbench.model.facts.stacks import Frame


class HeapReport(Fact, frozen=True, kw_only=True, tag="heap-report"):
    """What page heap, Application Verifier, the heap itself or ``!heap -p -a`` says of a block.

    ``kind``: overrun | underrun | freed | double-free | invalid | corrupted | busy | other.
    ``says`` is the tool's own sentence, ``stop`` the verifier's stop code. ``block`` is the address
    of the block of ``size`` bytes, ``address`` what was asked about. ``frames`` is the stack that
    the heap kept of the block's release or allocation.
    """

    kind: str
    says: str
    stop: int | None = None
    heap: int | None = None
    block: int | None = None
    size: int | None = None
    address: int | None = None
    frames: tuple[Frame, ...] = ()


class BugArgument(Struct, frozen=True, kw_only=True):
    """One of a bug check's four arguments, what it means as the debugger says, and its line."""

    value: int
    meaning: str = ""
    line: int = 0


class BugCheck(Fact, frozen=True, kw_only=True, tag="bug-check"):
    """The stop code that Windows' kernel ended the system with."""

    code: int
    name: str | None = None
    says: str = ""
    arguments: tuple[BugArgument, ...] = ()


class Bucket(Fact, frozen=True, kw_only=True, tag="bucket"):
    """A word that ``!analyze`` sorts a failure by: ``key`` is its name (FAILURE_BUCKET_ID …)."""

    key: str
    text: str


class RpcCell(Fact, frozen=True, kw_only=True, tag="rpc-cell"):
    """What an RPC extension (``!rpcexts``) says of a call: ``kind`` stack | endpoint | call | cell
    | thread. ``process`` is a PID, ``thread`` a TID, ``servicing`` the cell of the thread that
    serves the call. Numbers are as the extension means them."""

    kind: str
    process: int | None = None
    thread: int | None = None
    endpoint: str | None = None
    call: int | None = None
    interface: str | None = None
    procedure: int | None = None
    status: str | None = None
    servicing: str | None = None
    cell: str | None = None


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


WindowsFact = ThreadTimes | HeapReport | BugCheck | Bucket | RpcCell
