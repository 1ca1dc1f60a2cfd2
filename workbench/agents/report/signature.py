"""The signature of a case: of the thread that ended the process, or of what hangs."""

from collections.abc import Sequence

from analyzers.patterns.case import Case
from analyzers.patterns.language import panicked
from analyzers.patterns.own_end import terminated
from analyzers.signature import Signature, joined, signature
from workbench.model.category import Category
from workbench.model.facts import FactBook, Frame, Handled, LockCycle, Memory, Stack
from workbench.model.investigation import Investigation
from workbench.model.report_findings import ExceptionInfo, StackFrame

_RUNTIMES = {
    Category.UNCAUGHT_EXCEPTION: terminated, Category.STD_TERMINATE: terminated,
    Category.PANIC: panicked,
}  # fmt: skip
"""Whose frame it is that calls what a program has set to be told of its end (std::set_terminate,
std::panic::set_hook)."""
_MARKS = {Category.STACK_OVERFLOW: "stackoverflow", Category.OUT_OF_MEMORY: "OOM"}


def signature_of(
    state: Investigation, exception: ExceptionInfo | None, crash_type: str | None
) -> Signature | None:
    """None where no stack is known, or where the process neither crashed nor hung."""
    conclusion = state.conclusion
    category = state.category
    if category is Category.DEADLOCK and (ring := _ring(state.facts)) is not None:
        return ring
    if exception is not None and exception.stack_trace:
        mark = _MARKS.get(category, "") if category is not None else ""
        frames = _frames(state.facts, exception.stack_trace)
        return signature(_outside(state.facts, frames, category), mark)
    frame = conclusion.frame if conclusion is not None else None
    if crash_type != "hang" or frame is None:
        return None
    key = (frame.index, frame.function, frame.line, frame.args)
    stacks = (stack.frames for stack in state.facts.all(Stack))
    of_it = (frames for frames in stacks
             if any((f.index, f.function, f.line, f.args) == key for f in frames))  # fmt: skip
    return signature(next(of_it, (frame,)), "hang")


def _ring(facts: FactBook) -> Signature | None:
    """The threads of the first ring together, in the order of their names: which one is met first
    is chance."""
    cycle = facts.first(LockCycle)
    if cycle is None:
        return None
    found: list[Signature] = []
    for thread in cycle.threads:
        stacks = [stack for stack in facts.all(Stack) if stack.thread == thread]
        longest = max(stacks, key=lambda stack: len(stack.frames), default=None)
        one = signature(longest.frames) if longest is not None else None
        if one is not None:
            found.append(one)
    return joined(found, "hang")


def _frames(facts: FactBook, shown: Sequence[StackFrame]) -> list[Frame]:
    """The frames that run code: one that stands in data is named after what lies there. What was
    inlined and has no code there, or no name that the debugger can read, another does not show."""
    memory, case = facts.first(Memory), facts.once(Case)
    unsaid = {frame.index for frame in case.frames if frame.inlined and not frame.function}
    unsaid |= {*range(case.frames[0].index)} if case.place is not None and case.frames else set()
    frames = [
        Frame(index=one.index, function=one.function, module=one.module,
              offset=int(one.offset, 16) if one.offset is not None else None,
              address=int(one.address, 16) if one.address is not None else None)
        for one in shown
    ]  # fmt: skip
    return [frame for frame in frames
            if frame.index not in unsaid and not _in_data(memory, frame)]  # fmt: skip


def _outside(facts: FactBook, frames: list[Frame], category: Category | None) -> list[Frame]:
    """The frames outside of the handler that had caught the signal to explain, or that the runtime
    called for the exception or the panic."""
    handled, runtime = facts.first(Handled), _RUNTIMES.get(category) if category else None
    called = runtime(facts.once(Case)) if runtime is not None else None
    inner = [called.index] if called is not None else []
    if handled is not None:
        stacks = [s for s in facts.all(Stack) if s.current or s.thread == handled.first.thread]
        inner += [f.index for stack in stacks for f in stack.frames if f.signal_handler]
    return [frame for frame in frames if frame.index > max(inner, default=-1)]


def _in_data(memory: Memory | None, frame: Frame) -> bool:
    if memory is None or frame.address is None:
        return False
    region = memory.region(frame.address)
    return region is not None and region.perms[2:3] == "-"
