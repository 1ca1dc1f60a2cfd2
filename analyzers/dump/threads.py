"""Reads ``@threads``: the frames of every thread, and what a system call at the top waits for."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.dump import text as dump_text
from workbench.model.facts import AnyFact, Frame, Stack, Wait
from workbench.model.text import counted

_HEX = r"0x[0-9a-f]{1,16}"
_THREAD = re.compile(r"thread (\d{1,10})(?: name (.{1,200}))?")
_FRAME = re.compile(
    rf"frame (\d{{1,6}}): ({_HEX})(?: at {_HEX})?: (.+?)(?: in (\S.*) at offset ({_HEX}))?"
)
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


class DumpThreads(Settled):
    """The analyzer of ``@threads``."""

    name = "dump-threads"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@threads``."""
        return dump_text.is_probe(document, "@threads")

    def analyze(self, document: Document) -> Analysis:
        """A `Stack` for each thread, and a `Wait` where its innermost function is known to wait."""
        facts: list[AnyFact] = []
        thread: int | None = None
        name: str | None = None
        frames: list[Frame] = []
        for number, line in [*dump_text.lines(document), (0, "thread 0")]:
            heading = _THREAD.fullmatch(line)
            if heading is not None:
                if thread is not None and frames:
                    facts += _facts(document, thread, name, frames)
                thread, name, frames = int(heading[1]), heading[2], []
                continue
            match = _FRAME.fullmatch(line)
            if match is not None and int(match[1]) == len(frames):
                frames.append(_frame(match, number))
        stacks = sum(isinstance(fact, Stack) for fact in facts)
        waiting = len(facts) - stacks
        summary = f"the frames of {counted(stacks, 'thread')}, {waiting} of them in a known wait"
        return Analysis(summary, tuple(facts))


def _frame(match: re.Match[str], number: int) -> Frame:
    return Frame(
        index=int(match[1]),
        function=None if match[3] == "no symbol" else match[3],
        module=match[4],
        offset=int(match[5], 16) if match[5] else None,
        address=int(match[2], 16),
        trust="unwound",
        line_no=number,
    )


def _facts(document: Document, thread: int, name: str | None, frames: list[Frame]) -> list[AnyFact]:
    cite = document.cite(frames[0].line_no, frames[-1].line_no)
    stack = Stack(
        cite=cite, number=None, thread=thread, name=name, frames=tuple(frames), complete=False
    )
    top = frames[0].function or ""
    for pattern, kind, detail in _WAITS:
        if pattern.fullmatch(top):
            lock = next((f for f in frames if _IN_LOCK.fullmatch(f.function or "")), None)
            wait = Wait(
                cite=document.cite(frames[0].line_no),
                thread=thread,
                kind="mutex" if lock is not None else kind,
                syscall=top,
                detail="a lock of the process" if lock is not None else detail,
            )
            return [stack, wait]
    return [stack]
