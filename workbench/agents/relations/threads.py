"""What a sentence says of threads: which lock one waits for, and who holds it."""

import re

from workbench.agents.known import Known
from workbench.agents.relations.parts import Answer, Relation, cased, number
from workbench.model.facts import ManagedThreads, Process, Threads, Wait


def _waits(match: re.Match[str], known: Known) -> Answer:
    """Thread N waits for the lock at ADDRESS that thread M holds: what a wait says."""
    thread, address = number(match, "thread"), number(match, "lock")
    numbers = {
        item.thread
        for threads in known.facts.all(Threads)
        for item in threads.items
        if thread == item.number
    } | {thread}
    waits = [wait for wait in known.facts.all(Wait) if wait.thread in numbers]
    addresses = {wait.address for wait in waits} - {None}
    if not addresses:
        taken = {wait.address for wait in known.facts.all(Wait)}
        return (
            f"thread {thread} is not known to wait for {address:#x}" if address in taken else None
        )
    if address not in addresses:
        if known.facts.first(ManagedThreads) is not None:
            return None  # a thread that waits for a monitor waits for the system's object below it
        shown = " or ".join(f"{a:#x}" for a in addresses if a is not None)
        return f"thread {thread} waits for {shown}, not {address:#x}"
    holder = match["holder"] or match["holder2"]
    owners = {wait.owner for wait in waits if wait.address == address} - {None}
    if holder is None or not owners:
        return True
    if int(holder, 0) in owners:
        return True
    return f"the lock at {address:#x} is held by thread {', '.join(map(str, owners))}, not {holder}"


def _waiting(match: re.Match[str], known: Known) -> Answer:
    waits = [w for w in known.facts.all(Wait) if w.thread == number(match, "thread")]
    return True if any(wait.kind not in ("running", "other") for wait in waits) else None


_THREAD = r"[Tt]hread (?P<thread>0x[0-9a-f]+|\d+) (?:waits?|is waiting|blocks?|is blocked)\b"


def _owns(match: re.Match[str], known: Known) -> Answer:
    """Thread N holds the lock at ADDRESS."""
    address, thread = number(match, "lock"), number(match, "thread")
    waits = [w for w in known.facts.all(Wait) if w.address is not None and w.owner is not None]
    owners = {wait.owner for wait in waits if wait.address == address}
    if not owners:
        held = {wait.address for wait in waits if wait.owner == thread}
        shown = ", ".join(f"{a:#x}" for a in held if a is not None)
        if held:
            return f"thread {thread} holds {shown}, not {address:#x}"
        return False if known.facts.all(Wait) else None
    if thread in owners:
        return True
    return f"the lock at {address:#x} is held by thread {', '.join(map(str, owners))}, not {thread}"


def _all_wait(match: re.Match[str], known: Known) -> Answer:
    """Every thread waits, or every one but that which runs or crashed."""
    waits = known.facts.all(Wait)
    if not waits:
        return None
    running = sorted({wait.thread for wait in waits if wait.kind == "running"})
    if len(running) > (1 if "other" in match[0].lower() else 0):
        return f"thread {running[-1]} does not wait"
    return True


def _another(match: re.Match[str], known: Known) -> Answer:
    """Something runs in another thread: not in a process of one."""
    processes = [process for process in known.facts.all(Process) if process.threads]
    if processes and all(len(process.threads) == 1 for process in processes):
        return f"thread {processes[0].threads[0]} is the only one of the process"
    return None


THREADS: tuple[Relation, ...] = (
    (
        cased(
            r"\b(?:runs|is running|executes|is executing|waits|is waiting|is blocked|stands) ",
            r"(?:in|on) (?:another|the other|a (?:second|third|different|separate|worker)|",
            r"the (?:second|third)) thread\b",
        ),
        _another,
    ),
    (
        cased(
            r"\b(?:[Aa]ll of them|[Ee]very (?:other )?thread(?: of the process)?|",
            r"[Aa]ll (?:the )?(?:other )?threads|Other threads) (?:waits?|are waiting|is waiting|",
            r"(?:is|are) blocked|blocks?)\b",
        ),
        _all_wait,
    ),
    (
        cased(
            _THREAD,
            r".{0,200}?\b(?:lock|mutex|semaphore|variable|monitor|section|futex|",
            r"(?<!code\s)at) (?:at )?",
            r"`?(?P<lock>0x[0-9a-f]+)`?",
            r"(?:,? (?:which|that) thread (?P<holder>0x[0-9a-f]+|\d+) (?:holds?|owns?)",
            r"|,? (?:held|owned) by thread (?P<holder2>0x[0-9a-f]+|\d+))?",
        ),
        _waits,
    ),
    (cased(_THREAD), _waiting),
    (
        cased(
            r"[Tt]hread (?P<thread>0x[0-9a-f]+|\d+) (?:holds?|owns?|has) (?:the )?",
            r"(?:lock|mutex) (?:at )?`?(?P<lock>0x[0-9a-f]+)`?",
        ),
        _owns,
    ),
)
