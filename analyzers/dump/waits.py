"""Reads ``@locks``, who waits for which lock; ``@loop``, whether a thread that computes can come to
an end; ``@monitors``, which thread holds which .NET monitor."""

import re
from collections import Counter
from typing import Any

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import read
from workbench.model.facts import LockCycle, Loop, LoopRead, Monitor, Monitors, Wait
from workbench.model.text import counted

_LOCKS = {
    "wait": r"thread {thread:n}: waits for {kind:\w{1,20}} {address:x} in {syscall:\w+}"
    "{detail:.*}",
    "call": "thread {thread:n}: {kind:io|child|sleep|other} in {syscall:[^;]{1,60}}[; {detail:.*}]",
    "running": "thread {thread:n}: {kind:running}, in no system call",
    "name": "address {address:x} lies in the variable {name:w}",
    "cycle": "cycle: {steps:.*}",
}
_OWNER = re.compile(r"; (?:owner|thread to end) (\d{1,10}) \(")
_STEP = re.compile(
    r"thread (\d{1,10}) waits for \w{1,20} (0x[0-9a-f]{1,16}) (?:held by|the end of)"
    r" thread \d{1,10}(?: \(itself\))?"
)
_LOOP = {
    "closed": "thread {thread:n}: no way leads out from {at:x} ({}): the {count:n} instructions "
    "that can follow lie from {:x} to {:x}; none of them returns, and none enters the kernel",
    "round": "thread {thread:n}: goes round without an end from {at:x} ({}): [the ]registers and "
    "memory [that decide where it goes ]are the same again after {count:n} instructions between "
    "{:x} and {:x}",
    "reads": "thread {thread:n}: the round reads {address:x} ({}), "
    "[the variable {name:w}|no variable with a name]",
    "writes": "thread {thread:n}: the round writes {:x} ({})",
    "open": "thread {thread:n}: followed for {count:n} instructions from {at:x}[, not past {}| {}]",
}
_LOOPS = {
    "closed": "thread {} is in a loop without a way out",
    "round": "thread {} goes round without an end",
    "open": "thread {} may come to an end",
}
_MONITORS = {
    "monitor": "monitor {index:n}: object {object:x}, [held by [thread {owner:n} ({:x}), ]the "
    "runtime's thread {owner_object:x}|not held], recursion {recursion:n}, {counted:n} waiters, "
    "lock word {:x}"
}


def locks(document: Document) -> Analysis:
    """A `Wait` for each thread and a `LockCycle` for each ring."""
    waits: list[Wait] = []
    cycles: list[LockCycle] = []
    findings: list[str] = []
    names: dict[int | None, dict[str, Any]] = {}
    for name, number, line, fields in read(document, _LOCKS):
        cite = document.cite(number)
        if name == "name":
            names[fields["address"]] = {"name": fields["name"], "name_line": number}
        elif name == "cycle":
            steps = [_STEP.fullmatch(part) for part in fields["steps"].split("; ")]
            ring = [step for step in steps if step is not None]
            if len(ring) == len(steps):
                threads = tuple(int(step[1]) for step in ring)
                held = tuple(int(step[2], 16) for step in ring)
                cycles.append(LockCycle(cite=cite, threads=threads, locks=held))
                findings.append(f"{line} [{cite}]")
        else:
            detail = fields.pop("detail", None) or ""
            if name == "wait":
                owner = _OWNER.search(detail)
                fields["owner"] = int(owner[1]) if owner is not None else None
                if "; recursive" in detail or "; not recursive" in detail:
                    fields["recursive"] = "; recursive" in detail
                fields["sound"] = "; no mutex has such words" not in detail
                fields["beneath"] = "; a signal's handler runs" in detail
            waits.append(Wait(cite=cite, detail=detail.removeprefix("; "), **fields))
    waits = [replace(wait, **names.get(wait.address or 0, {})) for wait in waits]
    return Analysis(_summary(waits, cycles), (*waits, *cycles), tuple(findings))


def _summary(waits: list[Wait], cycles: list[LockCycle]) -> str:
    if not waits:
        return "no thread's state was read"
    kinds = Counter(wait.kind for wait in waits)
    states = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items()))
    found = f"{counted(len(cycles), 'cycle')} of waiting threads" if cycles else "no cycle"
    return f"threads: {states}; {found}"


def loop(document: Document) -> Analysis:
    """One `Loop`, where the thread could be followed at all."""
    found: Loop | None = None
    for name, number, _, fields in read(document, _LOOP):
        if name in _LOOPS:
            found = found or Loop(cite=document.cite(number), kind=name, **fields)
        elif found is not None and fields.pop("thread") == found.thread:
            if name == "writes":
                found = replace(found, writes=True)
            else:
                found = replace(found, reads=(*found.reads, LoopRead(line=number, **fields)))
    if found is None:
        return Analysis("the thread could not be followed")
    told = _LOOPS[found.kind].format(found.thread)
    return Analysis(told, (found,), (f"{told} [{found.cite}]",))


def monitors(document: Document) -> Analysis:
    """One `Monitors` with every held monitor; an empty one when none is held."""
    if not document.text.startswith("sync table "):
        return Analysis("No table of sync blocks")
    items = tuple(
        Monitor(
            held=2 * fields["counted"] + bool(fields["owner_object"] is not None),
            line=number,
            **fields,
        )
        for _, number, _, fields in read(document, _MONITORS)
    )
    fact = Monitors(cite=document.cite(1, items[-1].line if items else 1), items=items)
    waited = sum(item.waiters > 0 for item in items)
    return Analysis(f"{len(items)} held monitors, {waited} of them waited for", (fact,))
