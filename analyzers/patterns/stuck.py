"""What a process that stands still shows: who waits for what, and why nobody will end it."""

import re
from collections.abc import Iterable

from analyzers.names import bare
from analyzers.patterns import objects
from analyzers.patterns.case import Case, interrupted
from analyzers.patterns.cause import Rival
from analyzers.patterns.dangling import FREE_STATES
from analyzers.patterns.own_end import out_of_time, self_sent, sent_earlier, timed
from analyzers.patterns.words import Cites, line_of, of, placed
from workbench.claims.say import at, say
from workbench.model.claims import Claim
from workbench.model.facts import Chunk, FactBook, Frame, Loop, Stack, Wait

MOST = 8
"""So many threads are described one by one."""
NEEDS_OTHERS = (
    *("condition", "semaphore", "barrier", "future", "channel", "latch", "atomic", "unpark"),
)
NEEDS_WAKING = (*NEEDS_OTHERS, "once", "futex")
LOCKS = ("mutex", "rwlock")
INSIDE = (*NEEDS_WAKING, *LOCKS, "join")
"""Waits that only another thread of the process ends."""
# Frames of a wait for another task's result, and of what runs a task (libstdc++, libc++, Boost).
_RESULT = re.compile(
    r"\b(std|boost)::(__\w+::)?(__)?(basic_|shared_|unique_)?future(_base)?\b"
    r"|__basic_future<|__assoc_sub_state::(wait|copy|__sub_wait)"
)
_TASK = re.compile(
    r"_Task_state<|packaged_task<|_Function_handler<|std::(__\w+::)?function<.*operator ?\(\)"
    r"|std::(__\w+::)?__invoke"
)
_ON = re.compile(r"(?:file descriptor|process) \d{1,10}")
_ONCE = frozenset({"__pthread_once_slow", "pthread_once", "__pthread_once", "__call_once"})


def hangs(case: Case) -> bool:
    """True when the dump may be of a process that stood still: a snapshot, or one that was ended
    from outside, by a thread that watched another one, or when its time had run out."""
    if case.snapshot or out_of_time(case) or sent_earlier(case) is not None:
        return True
    return case.ending is not None and case.ending.sent and not self_sent(case)


def loop_of(case: Case, thread: int) -> Loop | None:
    """What follows from where a computing thread stands, where it was asked."""
    return next((loop for loop in case.facts.all(Loop) if loop.thread == thread), None)


def endless(case: Case) -> tuple[Wait, Loop] | None:
    """A computing thread that is shown not to come to an end: by its own, or because none of the
    others that compute changes what it reads."""
    running = of_kind(case, "running")
    for wait in running:
        loop = loop_of(case, wait.thread)
        if loop is None or loop.kind == "open":
            continue
        still = len(running) == 1 or all(changes_nothing(case, each) for each in running)
        if loop.kind == "closed" or not loop.reads or still:
            return wait, loop
    return None


def nothing_ends(case: Case, wait: Wait, loop: Loop) -> bool:
    """True where no other thread is left that could end the loop by what it writes, and no signal's
    handler can: what such a one sets is a variable with static storage (ISO C, 7.14.1.1)."""
    if loop.kind == "closed" or not loop.reads:
        return True
    if any(read.name for read in loop.reads):
        return False
    return all(changes_nothing(case, other) for other in case.waits.values() if other is not wait)


def without_end(case: Case) -> Loop | None:
    """The loop of a thread that neither another one nor a signal's handler can end."""
    proved = endless(case)
    return proved[1] if proved is not None and nothing_ends(case, *proved) else None


def stands_still(case: Case) -> Cites:
    """The lines by which nothing is left that could go on: of a ring of waits, of locks that none
    can give up, of a loop without an end."""
    ring = tuple(c for cycle in case.cycles for c in of(cycle))
    return ring or cites_of(none_unlocks(case)) or of(without_end(case))


def changes_nothing(case: Case, wait: Wait) -> bool:
    """True for a thread that waits for another one of the process, or goes round without an end
    and writes to nothing but its own stack."""
    if wait.kind != "running":
        return wait.kind in INSIDE
    loop = loop_of(case, wait.thread)
    return loop is not None and loop.kind == "round" and not loop.writes


def spinning(case: Case) -> tuple[Wait, Loop, Frame] | None:
    """A thread that goes round in pthread_spin_lock(3) for a lock that no thread is left to give
    up, and its frame there."""
    found = endless(case)
    if found is None or found[1].kind != "round" or not found[1].reads:
        return None
    wait, loop = found
    others = [other for other in case.waits.values() if other is not wait]
    threads = set(case.process.threads) if case.process is not None else set(case.waits)
    if not threads <= set(case.waits) or not all(changes_nothing(case, o) for o in others):
        return None
    stack = case.stack_of(wait.thread)
    inner = stack.frames[:2] if stack is not None else ()
    frame = next((f for f in inner if bare(f.function or "").endswith("pthread_spin_lock")), None)
    return (wait, loop, frame) if frame is not None else None


def of_kind(case: Case, *kinds: str) -> list[Wait]:
    """The threads' waits of these kinds."""
    return [wait for wait in case.waits.values() if wait.kind in kinds]


def cites_of(waits: list[Wait]) -> Cites:
    """The lines of some waits."""
    return tuple(c for wait in waits[:MOST] for c in of(wait))


def their_lines(_: Case, waits: list[Wait]) -> Cites:
    """The lines of the waits that a sign saw."""
    return cites_of(waits)


def everyone(case: Case) -> Cites:
    """The lines of all waits."""
    return cites_of(list(case.waits.values()))


def first_known(case: Case, waits: list[Wait]) -> Frame | None:
    """The first frame of some threads that is known."""
    return each_waits(case, waits)[1]


def where(case: Case, thread: int) -> tuple[list[Claim], Frame | None]:
    """The frame of a thread, stated and as it is; empty where not known."""
    stack, wait = case.stack_of(thread), case.waits.get(thread)
    if stack is not None and wait is not None and wait.beneath:
        stack = interrupted(stack)
    frame = case.frame_of(stack)
    known = frame is not None and case.cite(frame)
    return ([stands(thread, frame, case)] if frame is not None and known else []), frame


def stands(thread: int, frame: Frame, case: Case) -> Claim:
    """That a thread is in a frame."""
    place = placed(frame, case.cite(frame))
    stack = case.stack_of(thread)
    number = None if stack is None else stack.thread
    return say("frame", case.cite(frame), index=frame.index, thread=number, **place)


def waiting(wait: Wait, facts: FactBook) -> Claim:
    """What a thread waits for: the lock by its name and address, its owner, the system call."""
    ends, outside = wait.kind == "join", wait.kind in ("io", "child", "other")
    shown = objects.shown(facts, wait.address)
    return say(
        "waits",
        of(wait),
        thread=wait.thread,
        kind=None if wait.kind in ("io", "other") and wait.syscall else wait.kind,
        name=at(wait.name, line_of(wait, wait.name_line), shown),
        lock=None if ends else wait.address,
        owner=None if ends else wait.owner,
        ends=wait.owner if ends else None,
        syscall=wait.syscall if outside else None,
        on=wait.detail if _ON.fullmatch(wait.detail) else None,
    )


def each_waits(case: Case, waits: Iterable[Wait]) -> tuple[list[Claim], Frame | None]:
    """What each of some threads waits for, then where each does, and the first known frame."""
    shown = list(waits)[:MOST]
    found = [where(case, wait.thread) for wait in shown]
    frames = [claim for claims, _ in found for claim in claims]
    first = next((frame for _, frame in found if frame is not None), None)
    return [*(waiting(wait, case.facts) for wait in shown), *frames], first


def all_wait(case: Case) -> Claim:
    """That no thread of the process goes on."""
    waits = list(case.waits.values())
    threads = case.process.threads if case.process is not None else ()
    count = len(threads) or len(waits)
    total = count if count > 1 else None
    return say("count", of(waits[0]), what="waiting", count=count, total=total)


def nobody_left(case: Case) -> bool:
    """True when every thread is known to wait for another thread of this process."""
    if not case.waits:
        return False
    threads = set(case.process.threads) if case.process is not None else set(case.waits)
    if not threads <= set(case.waits):
        return False
    if len(threads) == 1 and sent_earlier(case) and not timed(case):
        return False  # who sent the signal was there, and has ended while the dump was written
    waits = case.waits.values()
    return all(wait.kind in INSIDE and not may_be_shared(case, wait) for wait in waits)


def may_be_shared(case: Case, wait: Wait) -> bool:
    """True where a thread waits at memory that another process may have mapped as well: of a file
    that is no module, as the system's core has that of MAP_SHARED."""
    region = case.region(wait.address)
    if region is None or region.kind != "file":
        return False
    return not any(r.path == region.path and "x" in r.perms for r in case.regions)


def freed_lock(case: Case) -> tuple[Wait, Chunk] | None:
    """A lock that a thread waits for in memory that the allocator holds as free."""
    for wait in of_kind(case, *LOCKS):
        chunk = case.chunk(wait.address)
        if chunk is not None and chunk.state in FREE_STATES and chunk.offset >= 0:
            return wait, chunk
    return None


def none_unlocks(case: Case) -> list[Wait]:
    """The waits for locks, where every thread waits: whoever holds one cannot give it up."""
    return of_kind(case, *LOCKS) if nobody_left(case) else []


def held_while_waiting(case: Case) -> tuple[Wait, Wait] | None:
    """(the wait for a lock, its owner's wait to be woken), where nobody is left to wake it."""
    for wait in none_unlocks(case):
        owner = case.waits.get(wait.owner or 0)
        if owner is not None and owner.kind in NEEDS_OTHERS:
            return wait, owner
    return None


def once_within_itself(case: Case) -> tuple[Wait, Stack] | None:
    """The wait of a thread for a once-only initialisation that it is running itself."""
    if not nobody_left(case):
        return None
    running = {s.thread: s for s in (case.stack_of(t) for t in case.waits) if s and _once(s)}
    for wait in of_kind(case, "once"):
        stack = case.stack_of(wait.thread)
        if stack is not None and len(running) == 1 and _once(stack) > 1:
            return wait, stack
    return None


def is_once(frame: Frame) -> bool:
    """True for the C library's call of a once-only initialiser."""
    return bare(frame.function or "") in _ONCE


def _once(stack: Stack) -> int:
    names = [bare(frame.function) for frame in stack.frames if frame.function]
    return sum(name == "__pthread_once_slow" for name in names) or sum(n in _ONCE for n in names)


def starved(case: Case) -> list[tuple[Wait, Frame]]:
    """The threads that run a task and wait in it for another task's result, when every thread of
    the process waits for such a result or for another thread's end: none is left to run one. A
    promise that is dropped wakes its waiters, so the results are still to be computed."""
    if not nobody_left(case):
        return []
    found: list[tuple[Wait, Frame]] = []
    for wait in case.waits.values():
        stack = case.stack_of(wait.thread)
        frame = case.frame_of(stack)
        if wait.kind == "join":
            continue
        if stack is None or frame is None:
            return []
        inner = [f for f in stack.frames if f.index < frame.index]
        outer = [f for f in stack.frames if f.index > frame.index]
        if not any(f.function and _RESULT.search(f.function) for f in inner):
            return []
        if any(f.function and _TASK.search(f.function) for f in outer):
            found.append((wait, frame))
    return found if len(found) > 1 else []


CYCLE = Rival(lambda case: case.cycles, "Threads wait for each other's locks.",
              lambda _, cycles: [c for cycle in cycles for c in of(cycle)])  # fmt: skip
HELD = Rival(none_unlocks, "A thread waits for a lock that none is left to give up.", their_lines)
ONCE = Rival(once_within_itself, "It waits for an initialisation that it is running itself.",
             lambda _, again: of(again[0]))  # fmt: skip
"""What rules out other causes of a process that stands still."""
