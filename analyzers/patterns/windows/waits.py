"""What a thread waits for, by its stack."""

from analyzers.owners.windows import is_system_frame
from analyzers.patterns.windows.case import WindowsCase
from workbench.model.facts import FactBook, Frame, Lock, Stack

_ENTER = frozenset({"RtlEnterCriticalSection", "EnterCriticalSection"})
_WAIT = frozenset(
    {"RtlpWaitForCriticalSection", "RtlpWaitOnCriticalSection", "ExpWaitForResource",
     "ExAcquireResourceExclusiveLite", "ExAcquireResourceSharedLite",
     "ExpAcquireResourceExclusiveLite", "ExpAcquireResourceSharedLite",
     "RtlpEnterCriticalSectionContended"}
)  # fmt: skip
_LOADER = frozenset({"LdrpAcquireLoaderLock", "LdrLockLoaderLock"})
_BLOCKING = ("WaitFor", "DelayExecution", "RemoveIoCompletion", "ReplyWait", "GetMessage",
             "UserWait", "SignalAndWait", "AlpcSendWait", "RequestWaitReply", "ReadFile",
             "Sleep")  # fmt: skip


def sections_of(facts: FactBook) -> list[Lock]:
    """The critical sections, and the resources of the kernel."""
    return [lock for lock in facts.all(Lock) if lock.kind != "mutex"]


def waits_for(case: WindowsCase, stack: Stack) -> tuple[Lock | None, Frame | None]:
    """The critical section that a thread's stack waits for: by the first argument of the call, by
    the loader's own name for its lock, or because no other one is locked."""
    known = sections_of(case.facts)
    sections = {section.address: section for section in known}
    waiting: Frame | None = None
    for frame in stack.frames[:12]:
        name = (frame.function or "").lstrip("_")
        if name in _LOADER and waiting is not None:
            loader = next((s for s in known if (s.name or "").endswith("LoaderLock")), None)
            return loader, waiting if loader is not None else None
        if name not in _ENTER | _WAIT:
            continue
        waiting = waiting or frame
        for word in frame.args.replace("`", "").split()[:4]:
            try:
                value = int(word, 16)
            except ValueError:
                continue
            if value in sections:
                return sections[value], frame
    locked = [section for section in sections.values() if section.locked]
    mine = tid_of(case, stack)
    if waiting is not None and len(locked) == 1 and mine is not None and locked[0].owner != mine:
        return locked[0], waiting
    return None, None


def tid_of(case: WindowsCase, stack: Stack) -> int | None:
    """The TID of a stack's thread, by its number where only that is shown."""
    if stack.thread is not None:
        return stack.thread
    known = case.numbers.get(stack.number) if stack.number is not None else None
    return known.thread if known is not None else None


def blocks(stack: Stack) -> bool:
    """True when the thread's innermost frames wait in the kernel."""
    return any(
        any(word in (frame.function or "") for word in _BLOCKING)
        for frame in stack.frames[:3]
        if is_system_frame(frame)
    )
