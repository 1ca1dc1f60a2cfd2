"""Android's tombstones and what logcat keeps of them (system/core/debuggerd)."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.format import first_of
from analyzers.log.monitors import monitor_findings
from analyzers.log.stacks import read_roles
from analyzers.log.text import analysis_of, hex_value, lines_of, notes_of, sentence, small
from analyzers.log.told_table import ROWS
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Process, Role, Signal, Stack

_SIGNAL = re.compile(
    r"^(?:Fatal )?signal (?P<number>\d{1,2}) \((?P<name>SIG[A-Z]+)\), code "
    r"(?P<code>-?\d{1,6})\b(?: \((?P<words>[^)]{1,60})\))?"
    r"(?:, fault addr (?P<address>(?:0x)?[0-9a-f]{1,16}\b|-{4,}))?"
)
_THREAD = re.compile(
    r"^pid: (?P<pid>\d{1,10}), tid: (?P<tid>\d{1,10}), name: (?P<name>.{1,100}?)  ?>>> "
    r"(?P<process>.{0,200}?) <<<"
)
_TID = re.compile(r"\bin tid (\d{1,10}) \(([^)]{1,100})\)")
_ABORT = re.compile(r"^Abort message: ['\"]?(?P<message>.{1,1000}?)['\"]?$")
_CAUSE = re.compile(r"^Cause: (?P<message>.{1,400})$")
_ABI = re.compile(r"^ABI: '(?P<abi>[\w-]{1,16})'")
_PC = re.compile(r"^\s{1,8}(?:.*\s)?(?:pc|rip|eip)\s+(?P<pc>[0-9a-f]{8,16})\b")
_NAMED = {"arm64": "aarch64", "x86": "i386"}
_NOTE = re.compile(
    r"^(?:Abort message|Cause: |memory near|deallocated by|allocated by|Note: |\[error\])"
)
_CAUSES: tuple[tuple[str, Category], ...] = (
    (r"null pointer dereference", Category.NULL_POINTER_DEREFERENCE),
    (r"(?i)Use[ -]After[ -]Free", Category.USE_AFTER_FREE),  # or HWASan's, in an abort message
    (r"Double Free", Category.DOUBLE_FREE),
    (r"Buffer (?:Over|Under)flow|heap-buffer-(?:over|under)flow", Category.HEAP_BUFFER_OVERFLOW),
    (r"stack (?:tag-mismatch|use)", Category.STACK_BUFFER_OVERFLOW),
    (r"stack pointer is .*stack overflow", Category.STACK_OVERFLOW),
    (r"execute-only|trying to execute", Category.WILD_POINTER),
)
_ABORTS: tuple[tuple[str, Category], ...] = (
    *((row.pattern, row.category) for row in ROWS
      if row.host == "scudo" and isinstance(row.category, Category)),
    (r"[Cc]heck failed|CHECK|FATAL|assert|ASSERT|FORTIFY: pthread|JNI DETECTED|"
     r"DEAD", Category.ASSERTION_FAILURE),
    (r"FORTIFY", Category.BUFFER_OVERFLOW),
    (r"stack corruption detected", Category.STACK_BUFFER_OVERFLOW),
    (r"Scudo ERROR|invalid address or address of corrupt block|heap corruption|corrupted chunk",
     Category.HEAP_CORRUPTION),
    (r"double free", Category.DOUBLE_FREE),
    # bionic/libc/bionic/malloc_tagged_pointers.h: free and realloc got what malloc did not give.
    (r"Pointer tag for 0x[0-9a-f]{1,16} was truncated", Category.INVALID_FREE),
    (r"[Oo]ut of memory|OOM|failed to allocate", Category.OUT_OF_MEMORY),
    (r"terminating (?:with|due to) uncaught exception|"
     r"uncaught exception", Category.UNCAUGHT_EXCEPTION),
    (r"panicked at|panic", Category.PANIC),
    (r"Pure virtual", Category.PURE_VIRTUAL_CALL),
)  # fmt: skip


def read(document: Document) -> Analysis:
    """The crash of the first process in the text."""
    lines = list(lines_of(document))
    seen = _Seen(lines)
    if seen.signal is None:
        return analysis_of(document, monitor_findings(document, lines))
    roles = _roles(lines)
    number, signal = seen.signal
    name = signal["name"]
    address = seen.address
    category, line, message = _category(seen, roles, name, address)
    rank = 1 if line != number else 2
    finding = Finding(
        cite=document.cite(1, lines[-1][0]), tool="Android", kind=name, message=sentence(message),
        line=line, rank=rank, address=address, pc=seen.pc, category=category, signal=name,
        thread=seen.tid, process=seen.pid, stacks=roles,
        notes=notes_of([(n, t.strip()) for n, t in lines[:600]], _NOTE, 6, line))  # fmt: skip
    read = analysis_of(document, [finding])
    facts = [f for f in read.facts if not isinstance(f, Stack)]
    return Analysis(read.summary, (*facts, *seen.facts(document, roles)), read.findings)


class _Seen:
    """The lines of a tombstone's head."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.signal: tuple[int, re.Match[str]] | None = None
        self.thread: tuple[int, re.Match[str]] | None = None
        self.message: tuple[int, str] | None = None
        self.cause: tuple[int, str] | None = None
        self.abi: tuple[int, str] | None = None
        self.pc: int | None = None
        self._tid: int | None = None
        for number, line in lines[:600]:
            text = line.strip()
            if (match := _SIGNAL.match(text)) is not None:
                if self.signal is None or (match["address"] and not self.signal[1]["address"]):
                    self.signal = (number, match)
                tid = _TID.search(text)
                self._tid = self._tid or (small(tid[1]) if tid else None)
            elif (match := _THREAD.match(text)) is not None:
                self.thread = self.thread or (number, match)
            elif (match := _ABORT.match(text)) is not None:
                self.message = self.message or (number, text)
            elif (match := _CAUSE.match(text)) is not None:
                self.cause = self.cause or (number, text)
            elif (match := _ABI.match(text)) is not None:
                self.abi = self.abi or (number, match["abi"])
            elif (match := _PC.match(line)) is not None and self.pc is None:
                self.pc = hex_value(match["pc"])

    @property
    def tid(self) -> int | None:
        """The thread that crashed."""
        return small(self.thread[1]["tid"]) if self.thread else self._tid

    @property
    def pid(self) -> int | None:
        """The process that crashed."""
        return small(self.thread[1]["pid"]) if self.thread else None

    @property
    def address(self) -> int | None:
        """The fault's address, where one is given."""
        if self.signal is None or log_kinds.has_no_address(self.signal[1][0]):
            return None
        text: str | None = self.signal[1]["address"]
        return hex_value(text) if text and not text.startswith("-") else None

    def facts(self, document: Document, roles: tuple[Role, ...]) -> list[AnyFact]:
        """The process, its signal and its stack."""
        found: list[AnyFact] = []
        if self.thread is not None and self.tid is not None:
            number, thread = self.thread
            if self.abi is not None:
                arch = _NAMED.get(self.abi[1], self.abi[1])
                found.append(
                    Process(cite=document.cite(number), pid=self.pid, arch=arch, os="android",
                            command_line=thread["process"] or None))  # fmt: skip
            if self.signal is not None:
                line, signal = self.signal
                found.append(
                    Signal(cite=document.cite(line), thread=self.tid, number=int(signal["number"]),
                           name=signal["name"], code=int(signal["code"]),
                           code_name=(signal["words"] or "").split(" ", 1)[0] or None,
                           fault_address=self.address))  # fmt: skip
        first = next((role for role in roles if role.frames), None)
        if first is not None:
            name = self.thread[1]["name"] if self.thread else None
            found.append(
                Stack(cite=document.cite(first.frames[0].line_no, first.last), thread=self.tid,
                      name=name, frames=first.frames, current=True))  # fmt: skip
        return found


def _roles(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    return tuple(
        replace(role, role="access") if at == 0 else role
        for at, role in enumerate(read_roles(lines)[:64])
    )


def _category(
    seen: _Seen, roles: tuple[Role, ...], name: str, address: int | None
) -> tuple[Category | None, int, str]:
    """Category, and the line and text that say it: the cause, the message, else the signal."""
    number, signal = seen.signal if seen.signal is not None else (1, None)
    nowhere = seen.pc is not None and seen.pc == address and seen.pc < log_kinds.NO_CODE
    if name == "SIGSEGV" and nowhere:
        return Category.NULL_FUNCTION_POINTER_CALL, number, signal[0] if signal else name
    for said, table in ((seen.cause, _CAUSES), (seen.message, _ABORTS)):
        if said is None:
            continue
        if (category := first_of(table, said[1])) is not None:
            return category, *said
    frames = roles[0].frames if roles else ()
    if name == "SIGABRT":
        by_stack = abort_category(frames) or Category.EXPLICIT_ABORT
        words = seen.message or (number, signal[0] if signal else name)
        return by_stack, words[0], words[1]
    reached = log_kinds.of_access(name, address, None, seen.pc)
    return reached, number, signal[0] if signal else name
