"""Dumps of all threads of a Java program: who waits for a monitor, and who holds it.

ART writes them at an ANR (runtime/thread.cc, Thread::DumpState; runtime/monitor.cc,
Monitor::DescribeWait), Dalvik before it, and HotSpot for ``jstack`` (share/runtime/vframe.cpp,
javaVFrame::print_lock_info_on).
"""

import re
from dataclasses import dataclass, field

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Document
from analyzers.log.frames import frame_by, numbered_frame
from analyzers.log.stacks import trace
from analyzers.log.text import sentence
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Note, Role, rings

# "main" prio=5 tid=1 Blocked · "Thread-3" daemon prio=5 tid=12 MONITOR ·
# "Thread-1" #12 prio=5 os_prio=0 tid=0x00007f28 nid=0x5b03 waiting for monitor entry [0x00007f]
_THREAD = re.compile(
    r"^\"(?P<name>[^\"]{1,200})\" (?:#\d{1,7} )?(?:\[\d{1,9}\] )?(?:daemon )?prio=\d{1,3} "
    r".{0,100}?\btid=(?P<tid>0x[0-9a-f]{1,16}|\d{1,9})\b"
)
_WAITS = re.compile(
    r"^\s{0,8}- waiting to (?:re-)?lock(?: in wait\(\))? <(?P<lock>[\w ()]{1,40})>"
    r"(?: \(an? [^)]{1,200}\))?(?:.{0,100}? held by "
    r"(?:thread |tid=|threadid=)(?P<holder>\d{1,9})\b)?"
)
_RELEASED = re.compile(r"^\s{0,8}- (?:waiting on|sleeping on) <(?P<lock>[\w ()]{1,40})>")
_LOCKED = re.compile(r"^\s{0,8}- locked <(?P<lock>[\w ()]{1,40})>")
_FRAME = re.compile(
    r"^\s{0,12}at (?P<function>[\w.$<>/@-]{1,400}) ?"
    r"\((?:(?P<file>[\w$.-]{1,200})(?::(?P<line>\d{1,9}))?|[^)]{0,80})\)"
)
_MOST_THREADS = 4000
_MOST_SHOWN = 8


@dataclass
class _Thread:
    line: int
    head: str
    name: str
    tid: str
    frames: list[Frame] = field(default_factory=list)
    locked: dict[str, tuple[int, str]] = field(default_factory=dict)
    released: set[str] = field(default_factory=set)
    wait: tuple[int, str] | None = None
    lock: str = ""
    holder: str | None = None


def monitor_findings(document: Document, lines: list[tuple[int, str]]) -> list[Finding]:
    """A ring of threads that wait for each other, else the main thread with what it waits for."""
    threads = _threads(lines)
    if not threads:
        return []
    owners = _owners(threads)
    for ring in rings({t.line: h.line if h is not None else None for t, h in owners}):
        if len(ring) > 1:  # one alone is none: these monitors let their holder in again
            waiting = {thread.line: thread for thread in threads}
            return [_finding(document, lines, [waiting[at] for at in ring], Category.DEADLOCK)]
    first = next((t for t in threads if t.name == "main"), None)
    first = first or next((t for t in threads if t.wait is not None), threads[0])
    holder = next(h for t, h in owners if t is first)
    shown = [first] if holder is None or holder is first else [first, holder]
    return [_finding(document, lines, shown, None)]


def _threads(lines: list[tuple[int, str]]) -> list[_Thread]:
    found: list[_Thread] = []
    frames = 0
    for number, line in lines:
        head = _THREAD.match(line) if line.startswith('"') else None
        if head is not None:
            if len(found) >= _MOST_THREADS:
                break
            found.append(_Thread(number, line, head["name"], head["tid"]))
            continue
        if not found:
            continue
        now = found[-1]
        frame = _frame(line, len(now.frames), number)
        if frame is not None:
            if frames < MAX_ITEMS:
                now.frames.append(frame)
                frames += 1
        elif (waits := _WAITS.match(line)) is not None and now.wait is None:
            now.wait, now.lock, now.holder = (number, line.strip()), waits["lock"], waits["holder"]
        elif (released := _RELEASED.match(line)) is not None:
            now.released.add(released["lock"])
        elif (locked := _LOCKED.match(line)) is not None:
            now.locked.setdefault(locked["lock"], (number, line.strip()))
    return found


def _frame(line: str, index: int, number: int) -> Frame | None:
    java = _FRAME.match(line)
    if java is not None:
        return frame_by(java, index, number)
    native = numbered_frame(line.strip().removeprefix("native: "), number)
    return replace(native, index=index) if native is not None else None


def _owners(threads: list[_Thread]) -> list[tuple[_Thread, _Thread | None]]:
    """Each thread with the one that holds what it waits for, by the frames that locked it or by
    the waiter's words."""
    ids = {thread.tid: thread for thread in threads}
    locks: dict[str, _Thread] = {}
    for thread in threads:
        for lock in sorted(thread.locked.keys() - thread.released):
            locks.setdefault(lock, thread)

    def of(waiter: _Thread) -> _Thread | None:
        if waiter.wait is None:
            return None
        return locks.get(waiter.lock) if waiter.holder is None else ids.get(waiter.holder)

    return [(thread, of(thread)) for thread in threads]


def _finding(
    document: Document,
    lines: list[tuple[int, str]],
    shown: list[_Thread],
    category: Category | None,
) -> Finding:
    first = shown[0]
    line, message = first.wait if first.wait is not None else (first.line, first.head)
    notes: list[Note] = []
    for thread in shown[:_MOST_SHOWN]:
        said = [(thread.line, thread.head)]
        said += [thread.wait] if thread.wait is not None else []
        waited = {each.lock for each in shown if each is not thread and each.wait is not None}
        said += [text for lock, text in thread.locked.items() if lock in waited]
        notes += [Note(text=sentence(text), line=at) for at, text in said if at != line]
    return Finding(
        cite=document.cite(lines[0][0], lines[-1][0]),
        tool="the thread dump",
        kind="monitors",
        message=sentence(message),
        line=line,
        rank=0 if category is not None else 3,
        category=category,
        ends=None,
        stacks=tuple(
            _role(thread, thread is first) for thread in shown[:_MOST_SHOWN] if thread.frames
        ),
        notes=tuple(notes[: 2 * _MOST_SHOWN]),
    )


def _role(thread: _Thread, first: bool) -> Role:
    kind, name = "access" if first else "other", sentence(thread.name)
    return trace(kind, thread.head, thread.line, thread.frames, name=name)
