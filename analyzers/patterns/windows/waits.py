"""What a thread waits for, by its stack, and who waits for whose critical section: chains of
owners, and rings of them."""

from typing import NamedTuple

from analyzers.owners.windows import is_system_frame
from analyzers.patterns.windows.case import WindowsCase
from workbench.model.facts import FactBook, Frame, Lock, Stack, Wait

_LONGEST = 16


class Link(NamedTuple):
    """A thread (debugger's number, TID) with its stack and the section it waits for, if any."""

    number: int | None
    thread: int | None
    stack: Stack | None
    section: Lock | None
    frame: Frame | None  # of the call that waits


def chain(case: WindowsCase) -> list[Link]:
    """From the first thread that waits to the last owner that is known; a ring repeats its first
    thread at the end."""
    stacks = case.facts.all(Stack)
    waiting = [s for s in stacks if waits_for(case, s)[0] is not None]
    # Begin where nobody else waits: at a thread that owns nothing that another waits for.
    owners = {section.owner for section in sections_of(case.facts)}
    waiting.sort(key=lambda s: tid_of(case, s) in owners)
    if not waiting:
        return []
    links: list[Link] = []
    seen: set[int] = set()
    stack: Stack | None = waiting[0]
    thread = tid_of(case, waiting[0])
    number = waiting[0].number
    while len(links) < _LONGEST:
        section, frame = waits_for(case, stack) if stack is not None else (None, None)
        links.append(Link(number, thread, stack, section, frame))
        if section is None or section.owner is None or (thread is not None and thread in seen):
            return links
        if thread is not None:
            seen.add(thread)
        thread = section.owner
        known = case.threads.get(thread)
        number = known.number if known is not None else None
        stack = next((s for s in stacks if s.frames and _is(case, s, thread, number)), None)
    return links


def section_waits(facts: FactBook) -> list[Wait]:
    """The waits for critical sections, as facts of the same kind as those for other locks."""
    if not sections_of(facts):
        return []
    case = facts.once(WindowsCase)
    threads = ((tid_of(case, stack), waits_for(case, stack)[0]) for stack in facts.all(Stack))
    return [
        Wait(
            cite=section.cite,
            thread=thread,
            kind=section.kind,
            address=section.address,
            owner=section.owner,
            name=section.name,
        )
        for thread, section in threads
        if thread is not None and section is not None
    ]


def _is(case: WindowsCase, stack: Stack, thread: int, number: int | None) -> bool:
    if stack.thread is not None:
        return stack.thread == thread
    return number is not None and stack.number == number


def orphaned(case: WindowsCase, links: list[Link]) -> bool:
    """True when the last owner is no thread of the process, as far as all are listed."""
    last = links[-1]
    listed = len(case.threads) > 1
    return listed and last.number is None and last.thread not in case.threads


def is_ring(links: list[Link]) -> bool:
    """True when the chain comes back to a thread that it has been at."""
    threads = [link.thread for link in links if link.thread is not None]
    return len(set(threads)) < len(threads)


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
    """The critical section that a thread's stack waits for: by the first argument of the call, or
    by the loader's own name for its lock. Which one it is when neither shows, the list does not
    tell: since Windows 8 most sections have no debug information, by which they are listed."""
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
