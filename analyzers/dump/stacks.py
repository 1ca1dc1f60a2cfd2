"""Reads ``@stack``, the shape of a thread's stack, and ``@threads``, the frames of every thread."""

import re
from typing import Any

from analyzers.base import Analysis, Document
from analyzers.dump.shapes import read
from workbench.model.facts import AnyFact, Frame, Repeat, Stack, StackShape, Wait
from workbench.model.text import counted

_WHERE = r"{function}[ in {module:\S.*} at offset {offset:x}]"
_FRAME = f"frame {{index:n}}: {{address:x}}[ at {{:x}}]: {_WHERE}"
_STACK = {
    "thread": "thread {thread:n}",
    "stack": "stack {start:x}-{end:x}: {:[0-9]{1,20}} bytes, of {main:the first|a} thread{}",
    "no stack": "stack pointer {pointer:x}: {}, in no stack",
    "pointer": "stack pointer {pointer:x}: {distance:n} bytes {side:above|below} {}",
    "guard": "below the stack: {guard:unmapped|no-access|mapped}[ {}]",
    "overflow": "stack overflow: {}",
    "smashed": "smashed: the return slot {:x} holds {smash_word:x}, {}",
    "recursion": "recursion: return address {address:x} stands {count:n} times on the stack"
    f"[, every {{:x}} bytes]: {_WHERE}",
    "entered": f"recursion entered: from return address {{address:x}}: {_WHERE}",
    "frame": _FRAME,
    "below": f"left below the stack pointer: return address {{address:x}} at {{:x}}: {_WHERE}",
    "scanned": f"return address {{address:x}} at {{:x}}: {_WHERE}",
    "absent": "memory of the stack: none of it is in the dump {}",
    "run": "run: {}",
}
_FINDINGS = frozenset({"overflow", "smashed", "run", "recursion"})
_THREADS = {"thread": "thread {thread:n}[ name {name:.{1,200}}]", "frame": _FRAME}
# What ntdll's and win32u's system calls wait for (their documented Win32 callers); the kinds are
# those of `Wait`.
_WAITS = (
    (re.compile(r"(?:Nt|Zw)DelayExecution"), "sleep", "a time to pass"),
    (re.compile(r"(?:Nt|Zw)(?:RemoveIoCompletion|WaitForWorkViaWorkerFactory)\w*"), "other",
     "work of its pool"),
    (re.compile(r"(?:Nt|Zw)(?:ReadFile|WriteFile|DeviceIoControlFile|FsControlFile)"), "other",
     "I/O"),
    (re.compile(r"(?:Nt|Zw)User(?:GetMessage|WaitMessage|MsgWaitForMultipleObjectsEx?)"), "other",
     "a window message"),
    (re.compile(r"(?:Nt|Zw)(?:WaitForKeyedEvent|WaitForAlertByThreadId)"), "mutex",
     "a lock of the process"),
    (re.compile(r"(?:Nt|Zw)(?:WaitForSingleObject|SignalAndWaitForSingleObject)(?:Ex)?"), "other",
     "an object"),
    (re.compile(r"(?:Nt|Zw)WaitForMultipleObjects\w*"), "other", "one of several objects"),
    (re.compile(r"(?:Nt|Zw)Alpc\w+"), "other", "another process"),
)  # fmt: skip
_IN_LOCK = re.compile(r"Rtlp?(?:EnterCriticalSection\w*|WaitOnCriticalSection|AcquireSRWLock\w*)")


def stack(document: Document) -> Analysis:
    """One `StackShape` when the thread and its stack pointer are there, and a `Stack` where frame
    pointers led to callers."""
    said = list(read(document, _STACK))
    found: dict[str, Any] = {}
    frames: dict[str, list[Frame]] = {"scanned": [], "below": [], "frame": []}
    recursion: list[Repeat] = []
    entered: list[Frame] = []
    absent = False
    for name, number, _, fields in said:
        match name:
            case "stack":
                found |= fields | {"main": fields["main"] == "the first"}
            case "pointer":
                sign = 1 if fields["side"] == "above" else -1
                found["pointer"] = fields["pointer"]
                found["guard_distance"] = fields["distance"] * sign
            case "overflow":
                found["overflowed"] = True
            case "smashed":
                found |= fields | {"smashed": True}
            case "recursion":
                recursion.append(Repeat(line=number, **_named(fields)))
            case "entered":
                entered.append(_frame(fields, len(entered), "unwound", number))
            case "scanned" | "below":
                frames[name].append(_frame(fields, len(frames[name]), "scan", number))
            case "frame":
                if fields["index"] == len(frames[name]):
                    frames[name].append(_frame(fields, fields["index"], "unwound", number))
            case "absent":
                absent = True
            case _:
                found |= fields
    if "thread" not in found or "pointer" not in found:
        return Analysis("no stack was read")
    shape = StackShape(
        cite=document.cite(said[0].number, said[-1].number),
        **found,
        recursion=tuple(recursion),
        entered=entered[0] if entered else None,
        outer=tuple(entered[1:]),
        scanned=tuple(frames["scanned"]),
        below=tuple(frames["below"]),
    )
    facts: tuple[AnyFact, ...] = (shape,)
    if frames["frame"]:
        facts += (_unwound(document, shape.thread, None, frames["frame"]),)
    findings = tuple(f"{s.line} [{document.cite(s.number)}]" for s in said if s.name in _FINDINGS)
    return Analysis(_summary(shape, absent), facts, findings)


def threads(document: Document) -> Analysis:
    """A `Stack` for each thread, and a `Wait` where its innermost function is known to wait."""
    listed: list[tuple[int, str | None, list[Frame]]] = []
    for name, number, _, fields in read(document, _THREADS):
        if name == "thread":
            listed.append((fields["thread"], fields["name"], []))
        elif listed and fields["index"] == len(listed[-1][2]):
            listed[-1][2].append(_frame(fields, fields["index"], "unwound", number))
    stacks = [_unwound(document, *each) for each in listed if each[2]]
    waits = {stack.thread: wait for stack in stacks if (wait := _wait(document, stack)) is not None}
    facts = [f for stack in stacks for f in (stack, waits.get(stack.thread)) if f is not None]
    known = f"{len(facts) - len(stacks)} of them in a known wait"
    return Analysis(f"the frames of {counted(len(stacks), 'thread')}, {known}", tuple(facts))


def _wait(document: Document, stack: Stack) -> Wait | None:
    top = stack.frames[0]
    for pattern, kind, detail in _WAITS:
        if pattern.fullmatch(top.function or ""):
            if any(_IN_LOCK.fullmatch(frame.function or "") for frame in stack.frames):
                kind, detail = "mutex", "a lock of the process"
            return Wait(
                cite=document.cite(top.line_no),
                thread=stack.thread or 0,
                kind=kind,
                syscall=top.function,
                detail=detail,
            )
    return None


def _unwound(document: Document, thread: int, name: str | None, frames: list[Frame]) -> Stack:
    cite = document.cite(frames[0].line_no, frames[-1].line_no)
    return Stack(cite=cite, thread=thread, name=name, frames=tuple(frames), complete=False)


def _frame(fields: dict[str, Any], index: int, trust: str, number: int) -> Frame:
    return Frame(**_named(fields) | {"index": index}, trust=trust, line_no=number)


def _named(fields: dict[str, Any]) -> dict[str, Any]:
    function = fields["function"]
    return fields | {"function": None if function == "no symbol" else function}


def _summary(shape: StackShape, absent: bool) -> str:
    words = []
    if shape.overflowed:
        words.append("overflowed")
    if shape.smashed:
        words.append("a return slot is overwritten")
    if shape.recursion:
        top = shape.recursion[0]
        words.append(f"{top.function or hex(top.address)} returns {top.count} times")
    other = "its memory is not in the dump" if absent else "nothing unusual"
    return f"stack of thread {shape.thread}: {'; '.join(words) or other}"
