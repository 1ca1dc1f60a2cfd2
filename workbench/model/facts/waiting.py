"""Facts about what threads wait for and hold, and what those do that do not wait."""

from collections.abc import Mapping

from msgspec import Struct

from workbench.model.facts.base import Fact

SENDERS = frozenset(
    {"kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal",
     "rt_sigprocmask"}
)  # fmt: skip
"""System calls by which a process sends itself a signal, and the one in which raise(3) of glibc up
to 2.33 lets it in: none waits for anything."""


class Wait(Fact, frozen=True, kw_only=True, tag="wait"):
    """A thread inside a blocking system call. ``kind``: mutex | condition | join | rwlock |
    semaphore | barrier | once | futex | future | channel | io | child | sleep | running | other.
    ``address`` is the lock, ``owner`` the TID that holds it or whose exit is awaited. ``running``
    means in no system call at all. ``recursive`` tells whether a mutex may be taken again by its
    owner. ``name`` is the variable that holds the lock where a symbol names it, ``name_line`` the
    line that says so. ``sound`` is False where the words of a mutex are none that it can have: its
    memory was freed, or never set. ``beneath`` is True where a signal's handler runs on top of the
    call."""

    thread: int
    kind: str
    syscall: str | None = None
    address: int | None = None
    owner: int | None = None
    detail: str = ""
    recursive: bool | None = None
    name: str | None = None
    name_line: int = 0
    sound: bool = True
    beneath: bool = False

    @property
    def blocks(self) -> bool:
        """False for a thread that computes, or is sending a signal."""
        return self.kind != "running" and self.syscall not in SENDERS


class LockCycle(Fact, frozen=True, kw_only=True, tag="lock-cycle"):
    """Threads that wait for each other in a ring; ``locks[i]`` is what ``threads[i]`` waits for,
    held by ``threads[i + 1]``. One thread: it waits for what it holds itself."""

    threads: tuple[int, ...]
    locks: tuple[int, ...]


class Lock(Fact, frozen=True, kw_only=True, tag="lock"):
    """A lock as a debugger or its extension printed it. ``kind``: mutex (whatever library's) |
    critical-section (``!locks``, ``!cs``, ``!critsec``) | resource (an ERESOURCE of the kernel).
    ``owner`` is the TID that holds it, in kernel mode the address of its ETHREAD; ``name`` is the
    variable, ``entered`` how often its owner took it, ``waiting`` how many threads wait for it,
    each None where the text does not say."""

    address: int | None = None
    kind: str = "mutex"
    name: str | None = None
    locked: bool = True
    owner: int | None = None
    entered: int | None = None
    waiting: int | None = None


class LoopRead(Struct, frozen=True, kw_only=True):
    """What a thread reads on each round of its loop; ``line`` says so."""

    address: int
    name: str | None
    line: int


class Loop(Fact, frozen=True, kw_only=True, tag="loop"):
    """What follows from where a computing thread stands. ``kind``: closed (no way leads out of the
    code from ``at`` on), round (the same state comes back after ``count`` instructions), or open
    (neither is shown). ``reads`` is what another thread would have to change to end a round;
    ``writes`` tells whether a round changes memory outside of the thread's own stack."""

    thread: int
    kind: str
    at: int
    count: int
    reads: tuple[LoopRead, ...] = ()
    writes: bool = False


def rings(owners: Mapping[int, int | None]) -> list[tuple[int, ...]]:
    """The threads that wait for each other, each ring from where it was come upon; ``owners`` is
    for whom each thread waits. It is one at most, so that following owners finds every ring."""
    found = []
    done: set[int] = set()
    for start in owners:
        path: list[int] = []
        at: int | None = start
        while at is not None and at in owners and at not in done:
            done.add(at)
            path.append(at)
            at = owners[at]
        if at is not None and at in path:
            found.append(tuple(path[path.index(at) :]))
    return found


WaitingFact = Wait | LockCycle | Lock | Loop
