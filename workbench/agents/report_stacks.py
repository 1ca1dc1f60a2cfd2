"""Which stack the report shows, and its frames as far as they can be believed."""

from collections.abc import Iterable

from msgspec.structs import replace

from analyzers.patterns.frames import is_garbage
from analyzers.patterns.windows.case import WindowsCase
from workbench.agents.ending import crashed_thread
from workbench.model.evidence import Source
from workbench.model.facts import FactBook, Fault, Frame, Memory, Module, Process, Stack, StackShape
from workbench.model.investigation import Investigation
from workbench.model.report_findings import StackFrame
from workbench.model.symbols import distinct_modules


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


def stack_frames(facts: FactBook, frames: Iterable[Frame]) -> tuple[StackFrame, ...]:
    """Frames as the report shows them; the module is looked up where the debugger named none."""
    known = distinct_modules(facts)
    return tuple(_stack_frame(frame, known) for frame in frames)


def _stack_frame(frame: Frame, known: list[Module]) -> StackFrame:
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
    )


def unnamed_stack(facts: FactBook) -> Stack | None:
    """The stack of a log's exception where no thread is named."""
    return WindowsCase(facts).stack


def file_name(path: str | None) -> str | None:
    """The last part of a path, or the path itself where that is empty."""
    return path.rpartition("/")[2] or path if path is not None else None


def hexadecimal(value: int | None) -> str | None:
    """An address or offset as the report writes it."""
    return f"{value:#x}" if value is not None else None
