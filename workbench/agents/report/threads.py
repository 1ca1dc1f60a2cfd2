"""From facts to the report's stacks, as far as they can be believed, its threads and locks."""

from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.patterns.frames import is_garbage
from analyzers.patterns.waitgraph import LOCKS, WaitGraph
from analyzers.patterns.windows.case import WindowsCase
from workbench.agents.ending import crashed_thread
from workbench.claims.expressions import UNTOLD
from workbench.claims.printed import arguments_of
from workbench.model import facts as f
from workbench.model.evidence import Source
from workbench.model.facts import FactBook, Fault, Frame, Memory, Module, Process, Stack, StackShape
from workbench.model.facts.waiting import SENDERS
from workbench.model.investigation import Investigation
from workbench.model.report_findings import (
    Description,
    LockInfo,
    StackFrame,
    Synchronization,
    ThreadGroup,
    ThreadItem,
    ThreadsInfo,
)
from workbench.model.symbols import distinct_modules
from workbench.model.text import counted


def best_stack(state: Investigation, thread: int) -> Stack | None:
    """The fullest listing of a thread's stack. One that names no thread is of the only one, or of
    the one that the signal chose, unless the user asked for it, who may have selected another."""
    facts = state.facts
    process = facts.last(Process)
    alone = process is not None and process.threads == (thread,)
    chosen = alone or crashed_thread(facts) == thread
    stacks = [
        stack
        for stack in facts.all(Stack)
        if stack.thread == thread
        or (chosen and stack.thread is None and stack.current and not _by_user(state, stack))
    ]
    return max(stacks, key=lambda stack: (len(stack.frames), stack.complete), default=None)


def _by_user(state: Investigation, stack: Stack) -> bool:
    item = state.evidence.get(stack.cite.evidence)
    return item is not None and item.source is Source.USER


def frames_of(facts: FactBook, stack: Stack | None, thread: int | None) -> tuple[Frame, ...]:
    """A listing's frames; where it has the innermost one alone, likely callers behind it; without
    a listing, the frame at pc before them."""
    fault = facts.last(Fault)  # the dump's own files name the frame at the thread's pc
    running = fault.running if fault is not None and fault.thread == thread else None
    frames = sound_frames(facts, stack) if stack is not None else (running,) if running else ()
    if len(frames) > 1:
        return frames
    # Return addresses that were found on the stack, for want of a listing by the debugger.
    shapes = (one.scanned for one in facts.all(StackShape) if one.thread == thread)
    likely = next(shapes, ())
    return (*frames, *(replace(f, index=f.index + len(frames)) for f in likely))


def sound_frames(facts: FactBook, stack: Stack) -> tuple[Frame, ...]:
    """A listing without what cannot run. Where unwinding lost its way, a debugger takes words of
    the stack for frames: those that are no code are left out, and what stands behind one is as
    likely as a scan. The innermost one is where the thread is, code or not."""
    memory = facts.first(Memory)
    found: list[Frame] = []
    lost = False
    for frame in stack.frames:
        if frame.index and is_garbage(frame, memory):
            lost = True
        else:
            found.append(replace(frame, trust="scan") if lost else frame)
    return tuple(found)


def stack_frames(
    facts: FactBook, frames: Iterable[Frame], *, arguments: bool = True
) -> tuple[StackFrame, ...]:
    """Frames as the report shows them; the module is looked up where the debugger named none."""
    known = distinct_modules(facts)
    return tuple(_stack_frame(frame, known, arguments=arguments) for frame in frames)


def _stack_frame(frame: Frame, known: list[Module], *, arguments: bool) -> StackFrame:
    name, offset = frame.module, frame.offset
    if frame.address is not None and (name is None or offset is None):
        for module in known:
            if module.base <= frame.address < module.end:
                name, offset = name or module.name, frame.address - module.base
                break
    return StackFrame.of(
        frame,
        function="<signal handler called>" if frame.signal_handler else frame.function,
        module=file_name(name),
        offset=hexadecimal(offset),
        address=hexadecimal(frame.address),
        args=_told(frame.args) if arguments else None,
    )


def _told(args: str) -> str | None:
    """The arguments that the debugger gave a value for, long ones cut."""
    told = ((name, value) for name, value in arguments_of(args) if not UNTOLD.search(value))
    shown = (f"{name}={value[:_LONGEST]}{'…' * (len(value) > _LONGEST)}" for name, value in told)
    return ", ".join(shown) or None


def unnamed_stack(facts: FactBook) -> Stack | None:
    """The stack of a log's exception where no thread is named."""
    return facts.once(WindowsCase).stack


def file_name(path: str | None) -> str | None:
    """The last part of a path, or the path itself where that is empty."""
    return path.rpartition("/")[2] or path if path is not None else None


def hexadecimal(value: int | None) -> str | None:
    """An address or offset as the report writes it."""
    return f"{value:#x}" if value is not None else None


_LONGEST = 60
_UNNAMED = 16
"""Stacks shown of a log that names no thread."""
_AWAITED = {
    "exit": "a thread to end", "once": "an initialisation",
    **dict.fromkeys(("system", "clone", "clone3"), "a system call"),
}  # fmt: skip
_STATES = {
    "running": "running", "sleep": "sleeping", "io": "blocked on I/O",
    "child": "waiting for a child process",
}  # fmt: skip


def threads_info(state: Investigation) -> ThreadsInfo:
    """All threads, and groups of those that have equal stacks and do the same."""
    facts = state.facts
    crashed = crashed_thread(facts)
    waits = facts.once(WaitGraph).waits
    names = _names(facts)
    numbers = _numbers(facts)
    items: list[ThreadItem] = []
    groups: dict[tuple[object, ...], tuple[list[int], f.Stack | None]] = {}
    listed = {stack.thread for stack in facts.all(f.Stack)}
    equal = equal_stacks(facts)
    ids = _thread_ids(facts)
    for thread in ids:
        told = thread in listed or thread == crashed or len(ids) == 1
        own = best_stack(state, thread) if told else None
        stack = own or equal.get(thread)
        wait = waits.get(thread)
        waiting = _doing(wait) if wait is not None else None
        doing = "crashed" if thread == crashed else waiting
        waits_for = _waits_for(wait)
        frames = stack.frames if stack is not None else ()
        items.append(
            ThreadItem(thread_id=thread, number=numbers.get(thread), name=names.get(thread),
                       state=doing, waits_for=waits_for, frames=len(frames)))  # fmt: skip
        key = (doing, waits_for, *map(_identity, frames))
        groups.setdefault(key, ([], stack))[0].append(thread)
    if not items:  # a log may show stacks and name no thread
        unnamed = [stack for stack in facts.all(f.Stack) if stack.frames][:_UNNAMED]
        groups = {(None, None, *map(_identity, one.frames)): ([], one) for one in unnamed}
    count = len(items) or (state.target.thread_count if state.target is not None else 0) or None
    return ThreadsInfo(
        count=count,
        summary=Description(description=_describe(items, crashed)),
        groups=tuple(
            ThreadGroup(
                thread_ids=tuple(members),
                state=key[0] if isinstance(key[0], str) else None,
                waits_for=key[1] if isinstance(key[1], str) else None,
                stack_trace=stack_frames(facts, sound_frames(facts, stack), arguments=False)
                if stack is not None
                else (),
            )
            for key, (members, stack) in groups.items()
        ),
        items=tuple(items),
    )


def synchronization(facts: f.FactBook) -> Synchronization:
    """Locks that somebody waits for, and rings of waiting threads."""
    graph = facts.once(WaitGraph)
    return Synchronization(
        locks=tuple(
            LockInfo(
                address=hexadecimal(address),
                kind=lock.kind,
                owner=lock.owner,
                waiters=tuple(lock.waiters),
            )
            for address, lock in graph.locks.items()
        ),
        deadlocks=tuple(dict.fromkeys(cycle.threads for cycle in graph.cycles)),
    )


def equal_stacks(facts: f.FactBook) -> dict[int, f.Stack]:
    """For a thread of many the stack that was kept of all that have an equal one."""
    groups = facts.all(f.StackGroups)
    if not groups:
        return {}
    kept = {(stack.cite.evidence, stack.cite.first): stack for stack in facts.all(f.Stack)}
    listed = {item.number: item.thread for fact in facts.all(f.Threads) for item in fact.items}
    return {
        thread: kept[listing.cite.evidence, group.line]
        for listing in groups
        for group in listing.items
        if (listing.cite.evidence, group.line) in kept
        for thread in group.threads or [listed[n] for n in group.numbers if n in listed]
    }


def _thread_ids(facts: f.FactBook) -> list[int]:
    """The dump's notes first; then threads that only the debugger lists."""
    found: dict[int, None] = {}
    for process in facts.all(f.Process):
        found.update(dict.fromkeys(process.threads))
    for threads in facts.all(f.Threads):
        found.update(dict.fromkeys(item.thread for item in threads.items))
    for stack in facts.all(f.Stack):
        if stack.thread is not None:
            found[stack.thread] = None
    found.update(dict.fromkeys(item.thread for item in _managed(facts)))
    for listing in facts.all(f.StackGroups):
        found.update(dict.fromkeys(tid for group in listing.items for tid in group.threads))
    return list(found)


def _names(facts: f.FactBook) -> dict[int, str]:
    stacks = {s.thread: s.name for s in facts.all(f.Stack) if s.thread is not None and s.name}
    listed = {i.thread: i.name for t in facts.all(f.Threads) for i in t.items if i.name}
    return {i.thread: i.role for i in _managed(facts) if i.role} | stacks | listed


def _managed(facts: f.FactBook) -> list[f.ManagedThread]:
    """The rows of the runtime's list whose thread has not ended."""
    return [i for found in facts.all(f.ManagedThreads) for i in found.items if i.thread]


def _numbers(facts: f.FactBook) -> dict[int, int]:
    stacks = facts.all(f.Stack)
    own = {s.thread: s.number for s in stacks if s.thread is not None and s.number is not None}
    listed = {i.thread: i.number for t in facts.all(f.Threads) for i in t.items}
    return {i.thread: i.number for i in _managed(facts) if i.number is not None} | own | listed


def _doing(wait: f.Wait) -> str:
    if wait.syscall in SENDERS:
        return "sending a signal"
    return _STATES.get(wait.kind, "waiting")


def _waits_for(wait: f.Wait | None) -> str | None:
    if wait is None or not wait.blocks:
        return None
    if wait.kind == "join":
        return f"exit of thread {wait.owner}" if wait.owner is not None else "exit of a thread"
    if wait.kind in LOCKS:
        where = f" {wait.address:#x}" if wait.address is not None else ""
        held = f" held by thread {wait.owner}" if wait.owner is not None else ""
        return f"{wait.kind}{where}{held}"
    return wait.detail or wait.syscall


def _identity(frame: f.Frame) -> object:
    """What makes two frames equal: the same place in the code, not the same arguments."""
    if frame.function is not None:
        return (frame.function, frame.file, frame.line)
    return frame.address


def _describe(items: Iterable[ThreadItem], crashed: int | None) -> str | None:
    counts: dict[str, int] = {}
    total = 0
    for item in items:
        total += 1
        if item.thread_id == crashed:
            continue
        what = item.state or "not known"
        if what == "waiting" and item.waits_for is not None:
            kind = item.waits_for.split()[0]
            known = _AWAITED.get(kind, f"a {kind}" if kind in LOCKS else item.waits_for)
            what = f"waiting {'in' if known.isidentifier() else 'for'} {known}"
        counts[what] = counts.get(what, 0) + 1
    if not total:
        return None
    parts = [f"thread {crashed} crashed"] if crashed is not None else []
    parts += [f"{number} {what}" for what, number in counts.items()]
    return f"{counted(total, 'thread')}: {', '.join(parts)}"
