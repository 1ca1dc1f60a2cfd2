"""``@locks``: what every thread waits for, who holds it, and rings of threads that wait for each
other."""

from msgspec import Struct

from workbench.model.facts import rings
from workbench.model.facts.waiting import SENDERS
from workbench.targets.dump import Dump
from workbench.targets.notes import CoreThread
from workbench.targets.probes.futex import Waited, has_come, has_time_out, known_as, waited_for
from workbench.targets.probes.places import clean, variable_at
from workbench.targets.sent import entered
from workbench.targets.signal_frame import beneath

# arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h.
_X86_64 = {
    0: "read", 1: "write", 2: "open", 7: "poll", 14: "rt_sigprocmask", 16: "ioctl", 17: "pread64",
    18: "pwrite64", 19: "readv", 20: "writev", 23: "select", 34: "pause", 35: "nanosleep",
    42: "connect", 43: "accept", 44: "sendto", 45: "recvfrom", 46: "sendmsg", 47: "recvmsg",
    56: "clone", 61: "wait4", 62: "kill", 65: "semop", 69: "msgsnd", 70: "msgrcv", 72: "fcntl",
    73: "flock", 74: "fsync", 128: "rt_sigtimedwait", 130: "rt_sigsuspend", 200: "tkill",
    202: "futex", 219: "restart_syscall", 220: "semtimedop", 230: "clock_nanosleep",
    232: "epoll_wait", 234: "tgkill", 242: "mq_timedsend", 243: "mq_timedreceive", 247: "waitid",
    257: "openat", 270: "pselect6", 271: "ppoll", 281: "epoll_pwait", 288: "accept4",
    299: "recvmmsg", 426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2", 449: "futex_waitv",
}  # fmt: skip
_AARCH64 = {
    22: "epoll_pwait", 25: "fcntl", 29: "ioctl", 32: "flock", 56: "openat", 63: "read", 64: "write",
    65: "readv", 66: "writev", 72: "pselect6", 73: "ppoll", 82: "fsync", 95: "waitid", 98: "futex",
    101: "nanosleep", 115: "clock_nanosleep", 128: "restart_syscall", 129: "kill", 130: "tkill",
    131: "tgkill", 133: "rt_sigsuspend", 137: "rt_sigtimedwait", 202: "accept", 203: "connect",
    206: "sendto", 207: "recvfrom", 211: "sendmsg", 212: "recvmsg", 220: "clone", 242: "accept4",
    243: "recvmmsg", 260: "wait4", 426: "io_uring_enter", 435: "clone3", 441: "epoll_pwait2",
}  # fmt: skip
_ARGUMENTS = {
    "x86_64": ("rdi", "rsi", "rdx", "r10", "r8", "r9"),
    "aarch64": ("x0", "x1", "x2", "x3", "x4", "x5"),
    "riscv64": ("a0", "a1", "a2", "a3", "a4", "a5"),
}
_TABLES = {"x86_64": _X86_64, "aarch64": _AARCH64, "riscv64": _AARCH64}

_FD_FIRST = frozenset({
    "read", "write", "pread64", "pwrite64", "readv", "writev", "connect", "accept", "accept4",
    "sendto", "recvfrom", "sendmsg", "recvmsg", "recvmmsg", "fcntl", "flock", "fsync",
    "epoll_wait", "epoll_pwait", "epoll_pwait2", "io_uring_enter",
})  # fmt: skip
_IO = _FD_FIRST | {
    "poll", "ppoll", "select", "pselect6", "semop", "semtimedop", "msgsnd", "msgrcv",
    "mq_timedsend", "mq_timedreceive",
}  # fmt: skip
_SLEEP = frozenset({"nanosleep", "clock_nanosleep"})
_CHILD = frozenset({"wait4", "waitid"})


class Call(Struct, frozen=True):
    """A system call in progress: its name (``system call 999`` when not known) and arguments."""

    name: str
    arguments: tuple[int, ...]

    @property
    def kind(self) -> str:
        """io | child | sleep | futex | other."""
        if self.name in _IO:
            return "io"
        if self.name in _CHILD:
            return "child"
        if self.name in _SLEEP:
            return "sleep"
        return "futex" if self.name == "futex" else "other"

    @property
    def descriptor(self) -> int | None:
        """The file descriptor that it is about."""
        return self.arguments[0] & 0xFFFFFFFF if self.name in _FD_FIRST and self.arguments else None

    @property
    def child(self) -> int | None:
        """The process that it waits for, where it waits for one."""
        if self.name != "wait4" or not self.arguments:
            return None
        pid = self.arguments[0] & 0xFFFFFFFF
        return pid if 0 < pid < 1 << 31 else None


def known(arch: str) -> bool:
    """True where system calls can be told from registers."""
    return arch in _TABLES


def call_of(core: Dump, thread: CoreThread) -> Call | None:
    """The call that a thread is in, or None: it runs its own code."""
    number = entered(core.arch, thread, core.read) if known(core.arch) else None
    if number is None or number >> 31:
        return None
    names = [name for name in _ARGUMENTS[core.arch] if name in thread.registers]
    arguments = tuple(thread.registers[name] for name in names)
    return Call(_TABLES[core.arch].get(number, f"system call {number}"), arguments)


_MAX_THREADS = 20_000
_MAX_NAMED = 64
"""So many locks are looked up by name: each is one look through the symbols of a module."""


def probe(core: Dump, args: list[str]) -> str:
    """One line a thread, then the locks that are waited for, then the rings."""
    if not known(core.arch):
        return f"system calls not decoded on {core.arch}\n"
    threads = core.threads[:_MAX_THREADS]
    waits: dict[int, Waited] = {}
    ids = known_as(core)
    lines = [f"{len(core.threads)} threads"]
    for thread in threads:
        call, handler = call_of(core, thread), ""
        under = beneath(core, thread) if call is not None and call.name in SENDERS else None
        waits_on = call_of(core, under) if under is not None else None
        if call and under and waits_on and _would_wait(core, waits_on):
            thread, call, handler = under, waits_on, f"; a signal's handler runs, in {call.name}"
        if call is not None and call.kind == "futex":
            waited = waited_for(core, thread, call.arguments, ids)
            if (over := has_come(core, waited, call.arguments)) is not None:
                lines.append(f"thread {thread.tid}: other in {call.name}; {over}")
                continue
            if has_time_out(call.arguments):
                told = f"sleep in {call.name}; with a time-out; {_waiting(core, waited)}"
                lines.append(f"thread {thread.tid}: {told}")
                continue
            waits[thread.tid] = waited
            lines.append(f"thread {thread.tid}: {_waiting(core, waited)}{handler}")
        else:
            lines.append(f"thread {thread.tid}: {_elsewhere(call)}")
    lines += _names(core, waits)
    lines += _holders(waits)
    lines += _rings(waits)
    if threads and len(waits) == len(core.threads):
        lines.append("every thread waits for another thread of this process: none can go on")
    return "\n".join(lines) + "\n"


def _would_wait(core: Dump, call: Call) -> bool:
    """True where a call that is begun again when a handler returns waits: futex(2) compares."""
    word = core.number(call.arguments[0], 4) if call.kind == "futex" else None
    return word is not None and word == call.arguments[2] & 0xFFFFFFFF


def _waiting(core: Dump, waited: Waited) -> str:
    words = [f"waits for {waited.kind} {waited.address:#x} in futex"]
    if waited.owner is not None:
        word = "thread to end" if waited.kind == "join" else "owner"
        alive = any(thread.tid == waited.owner for thread in core.threads)
        whose = "a thread of this process" if alive else "not a thread of this process any more"
        words.append(f"{word} {waited.owner} ({whose})")
    if waited.recursive is not None:
        words.append("recursive" if waited.recursive else "not recursive")
    words += [clean(text) for text in (waited.words, waited.note) if text]
    return "; ".join(words)


def _elsewhere(call: Call | None) -> str:
    if call is None:
        return "running, in no system call"
    if call.descriptor is not None:
        return f"{call.kind} in {call.name}; file descriptor {call.descriptor}"
    if call.child is not None:
        return f"{call.kind} in {call.name}; process {call.child}"
    return f"{call.kind} in {call.name}"


def _names(core: Dump, waits: dict[int, Waited]) -> list[str]:
    """The variables that hold the locks, where a symbol names them."""
    found = []
    for address in list(dict.fromkeys(w.address for w in waits.values()))[:_MAX_NAMED]:
        name = variable_at(core, address)
        if name is not None:
            found.append(f"address {address:#x} lies in the variable {name}")
    return found


def _holders(waits: dict[int, Waited]) -> list[str]:
    waiting: dict[tuple[str, int, int], list[int]] = {}
    for tid, waited in waits.items():
        if waited.owner is not None and waited.kind != "join":
            waiting.setdefault((waited.kind, waited.address, waited.owner), []).append(tid)
    lines = []
    for (kind, address, owner), tids in waiting.items():
        shown = ", ".join(str(tid) for tid in tids[:64])
        lines.append(f"{kind} {address:#x} is held by thread {owner}, waited for by {shown}")
    return lines


def _rings(waits: dict[int, Waited]) -> list[str]:
    found = rings({tid: waited.owner for tid, waited in waits.items()})
    return [_ring(ring, waits) for ring in found]


def _ring(ring: tuple[int, ...], waits: dict[int, Waited]) -> str:
    if len(ring) == 1:
        waited = waits[ring[0]]
        return (
            f"cycle: thread {ring[0]} waits for {waited.kind} {waited.address:#x} held by thread "
            f"{ring[0]} (itself)"
        )
    parts = []
    for tid in ring:
        waited = waits[tid]
        held = "the end of" if waited.kind == "join" else "held by"
        parts.append(
            f"thread {tid} waits for {waited.kind} {waited.address:#x} {held} thread {waited.owner}"
        )
    return "cycle: " + "; ".join(parts)
