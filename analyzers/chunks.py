"""A large output that no analyzer reads: piece by piece, by what any debugger's or runtime's text
says of threads, waits and exceptions. Words are found, nothing is understood: no facts come of it.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

from workbench.model.chunks import (
    THREAD,
    BlockingOperation,
    ChunkAnalysis,
    OverallFindings,
    TextChunk,
    ThreadState,
    pieces_of,
)
from workbench.model.text import counted

_MOST_CHUNKS = 2_000
"""Pieces that are kept whatever they say, and again as many of those that say something."""
_MOST_EACH = 40
_MOST_FINDINGS = 20
_LINE = 2_000

_STATE = re.compile(
    r"java\.lang\.Thread\.State: (?P<java>[A-Z_]{3,20}(?: \([^)]{1,60}\))?)"
    r"|^goroutine \d+ \[(?P<go>[^\]]{1,60})\]|stop reason = (?P<lldb>[^\t]{1,80})"
    r"|^State:\s+(?P<proc>[A-Z] \([a-z ]{3,30}\))"
)
# Calls that wait, of the C library, Linux, Windows, Java, .NET and Go: whole names, a class and a
# method, and beginnings of names.
_BLOCKING = frozenset(
    {
        *("lll_lock_wait", "lll_lock_wait_private", "pthread_mutex_lock", "pthread_barrier_wait"),
        *("sem_wait", "sem_timedwait", "sem_clockwait", "nanosleep", "clock_nanosleep", "poll"),
        *("ppoll", "select", "pselect", "epoll_wait", "epoll_pwait", "accept", "accept4", "recv"),
        *("recvfrom", "recvmsg", "waitpid", "wait4", "sigtimedwait", "SleepEx"),
        *("RtlpWaitOnCriticalSection", "RtlEnterCriticalSection", "Monitor.Enter", "Monitor.Wait"),
        *("Monitor.ReliableEnter", "Monitor.ObjWait", "Thread.Join", "Thread.Sleep", "Task.Wait"),
        *("SemaphoreSlim.Wait", "ManualResetEventSlim.Wait", "Object.wait", "Object.wait0"),
        *("Unsafe.park", "LockSupport.park", "LockSupport.parkNanos", "runtime.gopark"),
        *("runtime.chanrecv1", "runtime.chansend1", "runtime.selectgo"),
    }
)
_BLOCKING_STARTS = (
    *("futex_wait", "futex_abstimed_wait", "pthread_cond_wait", "pthread_cond_timedwait"),
    *("pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_join", "WaitForSingleObject"),
    *("WaitForMultipleObjects", "NtWaitFor", "ZwWaitFor", "NtDelayExecution", "ZwDelayExecution"),
    *("NtRemoveIoCompletion", "ZwRemoveIoCompletion", "NtReadFile", "ZwReadFile"),
    *("Task.InternalWait", "WaitHandle.Wait", "sync.runtime_Semacquire"),
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_THROWN = re.compile(r"(?:Exception|Error)\b(?:: \S.{0,160}?(?= [\w.]+Exception|$))?")
_NO_NAME = re.compile(r"[^\w.:$]")
_ENDED = re.compile(
    r"\bpanicked at .{1,160}|\bterminate called .{1,120}|\bSIG(?:SEGV|ABRT|BUS|FPE|ILL|TRAP|SYS)\b"
    r"|\b(?:Segmentation fault|Access violation|stack overflow|double free|out of memory)\b.{0,120}"
)

# Words of which one stands in every line that an expression above can match: most text has none.
_OF_THREADS = ("hread", "goroutine ", " Id: ", '" #', "PID: ", "State:", "stop reason")
_OF_WAITS = (
    *("wait", "Wait", "lock", "Lock", "poll", "select", "sleep", "Sleep", "accept", "recv"),
    *("join", "Join", "park", "Enter", "chan", "DelayExecution", "IoCompletion", "ReadFile"),
    *("barrier", "Semacquire"),
)
_OF_ENDS = (
    *("Exception", "Error", "panicked", "terminate called", "SIG", "Segmentation", "violation"),
    *("overflow", "double free", "out of memory"),
)


class Read(NamedTuple):
    """The pieces, what they say together, and short sentences with citations."""

    chunks: tuple[TextChunk, ...]
    overall: OverallFindings
    findings: tuple[str, ...]


@dataclass
class _Before:
    """What the pieces before one said: the thread that its first lines belong to, and counts."""

    thread: str | None = None
    blocked: Counter[str] = field(default_factory=Counter)
    exceptions: dict[str, int] = field(default_factory=dict)
    threads: set[str] = field(default_factory=set)


def read_chunks(evidence: str, blocks: Iterable[str], size: int, first: int = 1) -> Read:
    """Read a text in pieces of about ``size`` characters, in order, each with what those before it
    said. ``first`` is the number of the first line that nobody has read. Linear in the text's
    length; all of it is read, of a huge one not every piece is kept."""
    chunks: list[TextChunk] = []
    before = _Before()
    total = 0
    for number, lines in pieces_of(blocks, size):
        last = number + len(lines) - 1
        if last < first:
            continue
        total += 1
        analysis = _read(lines, number, before)
        telling = analysis.blocking_operations or analysis.thread_states or analysis.exceptions
        if len(chunks) < (2 * _MOST_CHUNKS if telling else _MOST_CHUNKS):
            chunks.append(TextChunk(first=number, last=last, analysis=analysis))
    overall = _overall(total, len(chunks), before)
    return Read(tuple(chunks), overall, _findings(evidence, chunks, before))


def _read(lines: list[str], number: int, before: _Before) -> ChunkAnalysis:
    blocking: dict[BlockingOperation, None] = {}
    states: dict[ThreadState, None] = {}
    exceptions: dict[str, None] = {}
    whole_text = "\n".join(lines)
    threads, waits, ends = (_any(whole_text, words) for words in (_OF_THREADS, _OF_WAITS, _OF_ENDS))
    for at, whole in enumerate(lines if threads or waits or ends else (), number):
        line = whole[:_LINE]
        spoken = threads and _any(line, _OF_THREADS)
        header = THREAD.match(line) if spoken else None
        if header is not None:
            before.thread = next(str(group) for group in header.groups() if group is not None)
            if len(before.threads) < 100_000:
                before.threads.add(before.thread)
        state = _STATE.search(line) if spoken else None
        if state is not None and len(states) < _MOST_EACH:
            said = next(group for group in state.groups() if group is not None)
            states[ThreadState(before.thread, _plain(said))] = None
        call = _waiting(line) if waits and _any(line, _OF_WAITS) else None
        if call is not None:
            before.blocked[call] += 1
            if len(blocking) < _MOST_EACH:
                blocking[BlockingOperation(before.thread, call)] = None
        text = _thrown(line) if ends and _any(line, _OF_ENDS) else None
        if text is not None:
            if len(exceptions) < _MOST_EACH:
                exceptions[text] = None
            if len(before.exceptions) < _MOST_EACH:
                before.exceptions.setdefault(text, at)
    return ChunkAnalysis(
        summary=_summary(lines, len(blocking), len(states), len(exceptions)),
        blocking_operations=tuple(blocking),
        thread_states=tuple(states),
        exceptions=tuple(exceptions),
    )


def _waiting(line: str) -> str | None:
    """The call in a line that waits."""
    names: list[str] = _NAME.findall(line)
    for name in names:
        bare = name.lstrip("_").removeprefix("GI_").lstrip("_")
        if "." in bare:
            bare = ".".join(bare.split(".")[-2:])
        if bare in _BLOCKING or bare.startswith(_BLOCKING_STARTS):
            return bare[:120]
    return None


def _thrown(line: str) -> str | None:
    """The exception, the signal or the message of an end in a line."""
    ended = _ENDED.search(line)
    if ended is not None:
        return _plain(ended[0])
    found = [_named(line, match) for match in islice(_THROWN.finditer(line), 4)]
    return max(found, key=len, default=None)


def _named(line: str, thrown: re.Match[str]) -> str:
    before = _NO_NAME.split(line[max(0, thrown.start() - 200) : thrown.start()])[-1]
    return _plain(before + thrown[0])


def _any(text: str, words: tuple[str, ...]) -> bool:
    return any(word in text for word in words)


def _summary(lines: list[str], blocking: int, states: int, exceptions: int) -> str:
    counts = ((blocking, "blocking operation"), (states, "thread state"), (exceptions, "exception"))
    said = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in counts if n)
    first = next((line for line in lines if line.strip()), "")
    return f"{_plain(first)[:80]}: {said or 'nothing of threads or exceptions'}"


def _overall(total: int, kept: int, before: _Before) -> OverallFindings:
    parts = [counted(total, "piece")]
    if before.threads:
        parts.append(f"{counted(len(before.threads), 'thread')}")
    if before.blocked:
        most = ", ".join(f"{name} ({count})" for name, count in before.blocked.most_common(3))
        parts.append(f"{before.blocked.total()} waiting calls: {most}")
    if before.exceptions:
        parts.append(f"exceptions: {'; '.join(list(before.exceptions)[:3])}")
    if kept < total:
        parts.append(f"{kept:,} of them are listed")
    return OverallFindings(summary="; ".join(parts))


def _findings(evidence: str, chunks: list[TextChunk], before: _Before) -> tuple[str, ...]:
    found = [f"{text} [{evidence}:{line}]" for text, line in before.exceptions.items()]
    for chunk in chunks:
        waits = chunk.analysis.blocking_operations
        if waits:
            calls = ", ".join(dict.fromkeys(wait.operation for wait in waits[:3]))
            found.append(f"Calls that wait: {calls} [{evidence}:{chunk.first}-{chunk.last}]")
    return tuple(found[:_MOST_FINDINGS])


def _plain(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text[:400]).split())
