"""Facts that Windows' own tools print: critical sections, heap checks, bug checks, RPC calls."""

from msgspec import Struct

from workbench.model.facts.base import Fact
from workbench.model.facts.stacks import Frame


class CriticalSection(Fact, frozen=True, kw_only=True, tag="critical-section"):
    """One ``RTL_CRITICAL_SECTION`` as ``!locks``, ``!cs`` or ``!critsec`` prints it, or, in kernel
    mode, one ``ERESOURCE`` (``kind``: critical-section | resource). ``owner`` is the TID of the
    thread that holds it, in kernel mode the address of its ETHREAD, ``entered`` how often it did,
    ``waiting`` how many threads wait for it where that is said. ``owner_line`` is the line of the
    owner."""

    address: int
    name: str | None = None
    locked: bool = False
    owner: int | None = None
    entered: int | None = None
    lock_count: int | None = None
    waiting: int | None = None
    owner_line: int = 0
    kind: str = "critical-section"


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


WindowsFact = CriticalSection | HeapReport | BugCheck | Bucket | RpcCell
