"""SOS in any debugger: every table of its output that is known, found by its heading.

One output may hold several (a log without prompts does), so all readers look at it; each looks
for its own heading first.
"""

from collections.abc import Callable, Sequence
from typing import Any

from analyzers.base import Analysis, Document, Reader
from analyzers.generic import read_first
from analyzers.sos import exception as sos_exception
from analyzers.sos import heap as sos_heap
from analyzers.sos import objects as sos_objects
from analyzers.sos import sosex
from analyzers.sos import stacks as sos_stacks
from analyzers.sos.tables import read_assemblies, read_monitors, read_pool, read_threads
from analyzers.sos.text import complexity_of, sos_command
from workbench.model import facts as f
from workbench.model.text import counted

_READERS = (
    read_threads, sos_stacks.read, sos_exception.read, read_monitors, read_pool, sos_heap.read,
    sos_objects.read_roots, sos_objects.read, read_assemblies, sosex.read,
)  # fmt: skip
_MARKS = ("OSID ThreadOBJ", "Call Site", "Exception object:", "MonitorHeld", "OS Thread Id: 0x",
          "Examining SyncBlocks", "DEADLOCK DETECTED")  # fmt: skip
_NAME = 120


def facts_of(document: Document) -> tuple[f.AnyFact, ...]:
    """Every fact that SOS output in a document states, in the order of the readers."""
    return tuple(fact for read in _READERS for fact in read(document))


def _knows(document: Document) -> bool:
    """True for SOS's commands, and for logs in which its headings stand."""
    if document.host == "dotnet-dump" or sos_command(document) is not None:
        return True
    return document.command == "(opening)" and any(m in document.text for m in _MARKS)


def read(document: Document) -> Analysis:
    """Facts of every table; the summary says what the first of each kind holds."""
    facts = facts_of(document)
    if not facts:
        return read_first(document)
    return Analysis(said_of(facts) or "Nothing known", facts, findings_of(facts))


READER = Reader(read, _knows, complexity_of)


def said_of(facts: Sequence[f.AnyFact]) -> str:
    """What the first of each kind holds, in one line; empty where there is nothing to say."""
    said = list(dict.fromkeys(filter(None, map(_summary, facts))))
    stacks = [fact for fact in facts if isinstance(fact, f.Stack)]
    if len(stacks) > 1:
        said.insert(0, f"Managed stacks of {counted(len(stacks), 'thread')}")
    elif stacks:
        said.insert(0, f"{len(stacks[0].frames)} managed frames from {_top(stacks[0])}")
    return "; ".join(said[:4])


def findings_of(facts: Sequence[f.AnyFact]) -> tuple[str, ...]:
    """Short sentences, each with its line."""
    return tuple(line for fact in facts for line in _findings(fact))[:20]


def _top(stack: f.Stack) -> str:
    return (stack.frames[0].function or "")[:_NAME]


_SUMMARIES: dict[type, Callable[[Any], str]] = {
    f.ManagedThreads: lambda fact: f"{len(fact.items)} managed threads",
    f.Threads: lambda fact: f"{counted(len(fact.items), 'thread')}",
    f.ManagedException: lambda fact: f"Exception {fact.type[:_NAME]}",
    f.Finding: lambda fact: f"{fact.tool} says: {fact.message[:_NAME]}",
    f.Monitors: lambda fact: (
        f"{len(fact.items)} held monitors" if fact.items else "No monitor is held"
    ),
    f.PoolState: lambda fact: (
        f"{fact.total} pool workers" if fact.total is not None else "The thread pool"
    ),
    f.HeapTypes: lambda fact: (
        f"{counted(fact.objects, 'object')} of {len(fact.items)} types on the heap"
    ),
    f.HeapObjects: lambda fact: f"{counted(fact.count, 'object')}",
    f.GcHeap: lambda fact: f"{fact.bytes} bytes on the managed heap",
    f.FinalizerQueue: lambda fact: f"{counted(fact.ready, 'object')} wait for their finalizer",
    f.Assemblies: lambda fact: f"{len(fact.items)} assemblies",
    f.AsyncTasks: lambda fact: f"{fact.count} unfinished asynchronous operations",
    f.GcRoots: lambda fact: f"Rooted through {counted(len(fact.steps), 'object')}",
    f.StackObjects: lambda fact: f"{counted(len(fact.items), 'object')} on a stack",
}


def _summary(fact: f.AnyFact) -> str:
    said = _SUMMARIES.get(type(fact))
    return said(fact) if said is not None else ""


def _findings(fact: f.AnyFact) -> list[str]:
    match fact:
        case f.ManagedThreads():
            return [
                f"Thread {item.thread:#x} last threw {item.exception[:_NAME]} "
                f"[{fact.cite.evidence}:{item.line}]"
                for item in fact.items
                if item.exception
            ]
        case f.Monitors():
            return [
                f"Thread {item.owner:#x} holds the monitor of {item.object:#x}; "
                f"{item.waiters} wait for it [{fact.cite.evidence}:{item.line}]"
                for item in fact.items
                if item.owner is not None
            ]
        case f.ManagedException():
            chain = [fact.type, *(inner.type for inner in fact.inner)]
            return [f"{' wrapping '.join(name[:_NAME] for name in chain[:6])} [{fact.cite}]"]
        case _:
            return []
