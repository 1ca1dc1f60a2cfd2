"""Android's tombstones and what logcat keeps of them (system/core/debuggerd)."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.blocks import first_of
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.monitors import monitor_findings
from analyzers.log.stacks import read_roles
from analyzers.log.text import Told, analysis_of, firsts, lines_of, notes_of, sentence, small
from analyzers.log.told_table import ROWS
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Process, Role, Signal, Stack

_SIGNAL = (
    r"^(?:Fatal )?signal:? (?P<number>\d{1,2}) \((?P<name>SIG[A-Z]+)\), code:? "
    r"(?P<code>-?\d{1,6})\b(?: \((?P<words>[^)]{1,60})\))?"
)
_HEAD = {
    "addressed": re.compile(
        _SIGNAL + r",? fault addr:? (?:(?P<address>(?:0x)?[0-9a-f]{1,16}\b)|-{4,})"
    ),
    "signal": re.compile(_SIGNAL + "(?P<address>)"),
    # OpenHarmony, faultloggerd (DfxSignal)
    "reason": re.compile(
        r"^Reason:Signal:(?P<name>SIG[A-Z]{2,6})\((?P<words>\w{1,40})\)"
        r"(?:@(?P<address>0x[0-9a-f]{1,16})\b)?"
    ),
    # Crashlytics' page; what it has of an abort is no address
    "crashed": re.compile(
        r"^Crashed: Thread ?:? ?"
        r"(?P<name>SIGABRT\b|SIG[A-Z]{2,6}(?= +(?P<address>0x[0-9a-f]{8,16})$))"
    ),
    "thread": re.compile(
        r"^pid: (?P<pid>\d{1,10}), tid: (?P<tid>\d{1,10}), name: (?P<name>.{1,100}?)  ?>>> "
        r"(?P<process>.{0,200}?) <<<"
    ),
    "console": re.compile(r"^pid: (?P<pid>\d{1,10}), tid: (?P<tid>\d{1,10}) {1,4}>>> "),
    "message": re.compile(r"^Abort message: ['\"]?.{1,1000}?['\"]?$"),
    "cause": re.compile(r"^Cause: .{1,400}$"),
    "abi": re.compile(r"^ABI: '(?P<abi>[\w-]{1,16})'"),
}
_TID = re.compile(r"\bin tid (\d{1,10}) \([^)]{1,100}\)")
_PC = re.compile(r"^\s{1,8}(?:.*\s)?(?:pc|rip|eip):?\s+(?:0x)?(?P<pc>[0-9a-f]{8,16})\b")
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
    *((rf"FORTIFY: .*(?:{words})", category) for words, category in log_kinds.FORTIFIED),
    (r"[Cc]heck failed|CHECK|FATAL|assert|ASSERT|JNI DETECTED|DEAD", Category.ASSERTION_FAILURE),
    (r"stack corruption detected", Category.STACK_BUFFER_OVERFLOW),
    # dlmalloc's USAGE_ERROR_ACTION: no block lies so close to null
    (r"invalid address or address of corrupt block 0x[0-9a-f]{1,4}\b", Category.INVALID_FREE),
    (r"Scudo ERROR|invalid address or address of corrupt block|heap corruption|corrupted chunk",
     Category.HEAP_CORRUPTION),
    (r"double free", Category.DOUBLE_FREE),
    # bionic/libc/bionic/malloc_tagged_pointers.h: free and realloc got what malloc did not give.
    (r"Pointer tag for 0x[0-9a-f]{1,16} was truncated", Category.INVALID_FREE),
    (r"[Oo]ut of memory|\bOOM\b|failed to allocate", Category.OUT_OF_MEMORY),
    (r"terminating (?:with|due to) uncaught exception|"
     r"uncaught exception", Category.UNCAUGHT_EXCEPTION),
    (r"panicked at|panic", Category.PANIC),
    (r"Pure virtual", Category.PURE_VIRTUAL_CALL),
)  # fmt: skip
_EITHER = re.compile(r"invalid address or address of corrupt block|chunk header")
"""What names two causes."""


def read(document: Document) -> Analysis:
    """The crash of the first process in the text."""
    lines = list(lines_of(document))
    seen = _Seen(lines)
    roles = _roles(lines)
    if seen.signal is None:
        found = _of_the_console(document, seen, roles)
        return analysis_of(document, found or monitor_findings(document, lines))
    number, signal = seen.signal
    category, line, message = _category(seen, seen.signal, roles)
    finding = Finding(
        cite=document.cite(1, lines[-1][0]),
        tool="Android",
        kind=signal["name"],
        message=sentence(message),
        line=line,
        rank=1 if line != number else 2,
        address=seen.address,
        pc=seen.pc,
        category=category,
        sure=not _EITHER.search(message) or category != Category.HEAP_CORRUPTION,
        signal=signal["name"],
        thread=seen.tid,
        process=seen.pid,
        stacks=roles,
        notes=notes_of([(n, t.strip()) for n, t in lines[:600]], _NOTE, 6, line),
    )
    return analysis_of(document, [finding], seen.facts(document, roles))


def _of_the_console(document: Document, seen: "_Seen", roles: tuple[Role, ...]) -> list[Finding]:
    """The crash that the Play Console shows, whose signal is its page's title: what the stack
    tells."""
    if "console" not in seen.said or not roles:
        return []
    line, match = seen.said["console"]
    frames = roles[0].frames
    ended = bool(frames) and frames[0].function == "abort"
    category = abort_category(frames) or (Category.EXPLICIT_ABORT if ended else None)
    return [
        Finding(
            cite=document.cite(1, roles[-1].last),
            tool="Android",
            kind="crash",
            message=sentence(match.string),
            line=line,
            rank=2,
            category=category,
            signal="SIGABRT" if ended else None,
            stacks=roles,
        )
    ]


class _Seen:
    """The lines of a tombstone's head."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.said = firsts(((number, text.strip()) for number, text in lines[:600]), _HEAD)
        heads = ("addressed", "signal", "reason", "crashed")
        self.signal = next((self.said[one] for one in heads if one in self.said), None)
        pcs = (match for _, text in lines[:600] if (match := _PC.match(text)) is not None)
        self.pc = next((hexadecimal(match["pc"]) for match in pcs), None)

    def _of(self, name: str, group: str) -> str | None:
        return self.said[name][1][group] if name in self.said else None

    @property
    def tid(self) -> int | None:
        """The thread that crashed."""
        lines = (self.said[name][1].string for name in ("signal", "addressed") if name in self.said)
        told = next((found[1] for line in lines if (found := _TID.search(line))), None)
        return small(self._of("thread", "tid") or told)

    @property
    def pid(self) -> int | None:
        """The process that crashed."""
        return small(self._of("thread", "pid"))

    @property
    def address(self) -> int | None:
        """The fault's address, where one is given."""
        if self.signal is None or log_kinds.has_no_address(self.signal[1].string):
            return None
        return hexadecimal(told) if (told := self.signal[1]["address"]) else None

    def facts(self, document: Document, roles: tuple[Role, ...]) -> list[AnyFact]:
        """The process, its signal and its stack."""
        found: list[AnyFact] = []
        if self.tid is not None and "thread" in self.said:
            abi = self._of("abi", "abi")
            if abi is not None:
                found.append(
                    Process(
                        cite=document.cite(self.said["thread"][0]),
                        pid=self.pid,
                        arch=_NAMED.get(abi, abi),
                        os="android",
                        command_line=self._of("thread", "process") or None,
                    )
                )
            if self.signal is not None and "number" in self.signal[1].re.groupindex:
                line, signal = self.signal
                found.append(
                    Signal(
                        cite=document.cite(line),
                        thread=self.tid,
                        number=int(signal["number"]),
                        name=signal["name"],
                        code=int(signal["code"]),
                        code_name=(signal["words"] or "").split(" ", 1)[0] or None,
                        fault_address=self.address,
                    )
                )
        first = next((role for role in roles if role.frames), None)
        if first is not None:
            found.append(
                Stack(
                    cite=document.cite(first.frames[0].line_no, first.last),
                    thread=self.tid,
                    name=self._of("thread", "name"),
                    frames=first.frames,
                    current=True,
                )
            )
        return found


def _roles(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    return tuple(
        replace(role, role="access") if at == 0 else role
        for at, role in enumerate(read_roles(lines)[:64])
    )


def _category(
    seen: _Seen, signal: Told, roles: tuple[Role, ...]
) -> tuple[Category | None, int, str]:
    """Category, and the line and text that say it: the cause, the message, else the signal."""
    name, said = signal[1]["name"], (signal[0], signal[1][0])
    nowhere = seen.pc is not None and seen.pc == seen.address and seen.pc <= log_kinds.ADDED
    if name == "SIGSEGV" and nowhere:
        return Category.NULL_FUNCTION_POINTER_CALL, *said
    for told, table in (("cause", _CAUSES), ("message", _ABORTS)):
        if told in seen.said:
            line, match = seen.said[told]
            if (category := first_of(table, match[0])) is not None:
                return category, line, match[0]
    if name == "SIGABRT":
        by_stack = abort_category(roles[0].frames if roles else ()) or Category.EXPLICIT_ABORT
        line, match = seen.said.get("message", signal)
        return by_stack, line, match[0]
    raised = log_kinds.is_raised(signal[1].string)
    return log_kinds.of_access(name, seen.address, None, seen.pc, raised), *said
