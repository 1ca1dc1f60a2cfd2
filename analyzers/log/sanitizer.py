"""Reports of the compilers' sanitizers, of libFuzzer and of GWP-ASan."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category, ended_by
from analyzers.log.kinds import Kind
from analyzers.log.stacks import read_roles
from analyzers.log.text import (
    access_in,
    analysis_of,
    blocks_of,
    lines_of,
    notes_of,
    sentence,
    small,
)
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Note, Role
from workbench.model.text import unquoted

_ACCESS = (
    re.compile(
        r"^\s{0,6}(?:Atomic |\[failed to restore the stack\] )?(?P<access>READ|WRITE|Read|Write|"
        r"read|write|ACCESS)(?: of size (?P<size>\d{1,12}))?(?: tags?: \S{1,20}\s.{0,60})? (?:at|"
        r"of) (?P<address>0x[0-9a-fA-F]{1,16})\b"
    ),
    re.compile(r"caused by an? (?P<access>READ|WRITE|UNKNOWN) memory access"),
)
_NOTE = re.compile(
    r"is located \S+ ?(?:bytes )?|is a wild pointer|^\s{0,4}(?:Hint|HINT|hint): |^\s{0,4}Cause: |"
    r"Memory access at offset|This frame has \d|^SUMMARY: |Location is |Cycle in lock order|"
    r"Uninitialized value was|byte\(s\) leaked|caused by an? |Address 0x\S+ is |"
    r"^note: |Mutex M\d+ acquired here|^#\s*MiraclePtr|leak of \d+ byte|object-size|"
    r"terminating|pc points to|executing|exceeds maximum|MiraclePtr Status|^0x[0-9a-fA-F]+: note"
)


_HEADER = re.compile(
    r"(?:==(?P<pid>\d{1,9})==\s{0,2})?(?:ERROR|WARNING|FATAL): (?P<tool>\w{3,30}Sanitizer|"
    r"libFuzzer):? (?P<rest>\S.{0,2000})$"
)
_NO_WORD = re.compile(
    r"(?P<tool>AddressSanitizer) (?P<rest>CHECK failed: .{0,1000})$|"
    r"==\d{1,9}==(?P<limited>\w+Sanitizer): (?P<limit>(?:hard|soft) rss limit exhausted.{0,200})$|"
    r"^\*\*\* (?P<gwp>GWP-ASan) detected a memory error \*\*\*"
)
_FAILED_ALLOC = re.compile(
    r"==(?P<pid>\d{1,9})==\s?(?:WARNING|ERROR): (?P<tool>\w+Sanitizer) failed to allocate "
    r"0x(?P<size>[0-9a-fA-F]{1,16}) bytes"
)
_RUNTIME_ERROR = re.compile(
    r"^(?P<place>(?:\S{1,400}?:\d{1,7}(?::\d{1,7})?)|"
    r"<unknown>): runtime error: (?P<rest>.{1,1000})$"
)
# Lines of a report behind its first one.
_GOES_ON = re.compile(
    r"[\s\"]{0,5}(?:==\d{1,9}==|SUMMARY: |#\d|\[?0x[0-9a-f]{6}|(?:Direct|Indirect) leak of |"
    r"(?:READ|WRITE|Read|Write|Previous|Uninitialized|Freed|Mutex|Cycle|Thread|Location) )"
)
_GO_ON = frozenset({"ThreadSanitizer", "LeakSanitizer"})
"""After whose reports a process goes on; UBSan's do as well."""
_HEAD = 24
# Where it was and its frame, which the stack says better.
_REGISTERS = re.compile(
    r" (?:at |\()pc 0x[0-9a-f]+(?: bp 0x[0-9a-f]+ sp 0x[0-9a-f]+)?(?: T\d+)?\)?$"
)
_KIND_END = re.compile(r" on (?:unknown )?address\b| on 0x| \(|: | in thread|, |$")
_ADDRESS = re.compile(
    r"(?:address|on|at)(?: which was not malloc\(\)-ed:)? 0x([0-9a-fA-F]{1,16})\b"
)
_LOST = re.compile(r"address which was not malloc\(\)-ed: 0x([0-9a-fA-F]{1,16})\b")
_PC = re.compile(r"\bpc 0x([0-9a-fA-F]{1,16})\b")
_THREAD = re.compile(r"\bT(\d{1,9})\b\)?")
_GWP = re.compile(
    r"^(?P<kind>[A-Z][\w -]{2,40}) at 0x(?P<address>[0-9a-fA-F]{1,16})\b(?P<rest>.{0,200})$"
)


def read(document: Document) -> Analysis:
    """The reports in their order; each has the lines up to the next one."""
    lines = list(lines_of(document))
    tried = (_finding(document, block) for block in blocks_of(lines, _begins))
    found = [finding for finding in tried if finding is not None]
    if not found:
        rest = _from_summary(document, lines) or _from_region(document, lines)
        found = [rest] if rest is not None else []
    return analysis_of(document, found)


def _begins(line: str) -> bool:
    return bool(
        unquoted(_HEADER, line)
        or _RUNTIME_ERROR.match(line)
        or unquoted(_FAILED_ALLOC, line)
        or unquoted(_NO_WORD, line)
    )


class _Report(NamedTuple):
    """One report: its lines, and the stacks and notes below the first of them."""

    document: Document
    lines: list[tuple[int, str]]
    roles: tuple[Role, ...]
    notes: tuple[Note, ...]

    def finding(
        self, tool: str, kind: str, words: str, known: Kind | None, rank: int, **more: Any
    ) -> Finding:
        """What it says in its first line, or in ``line``; ``known`` is the cause that it names."""
        number, last = self.lines[0][0], self.lines[-1][0]
        given: dict[str, Any] = {
            "line": number,
            "sure": known is None or known.sure,
            "stacks": self.roles,
            "notes": self.notes,
            "category": known.category if known is not None else None,
        }
        cite = self.document.cite(number, last)
        fields = {"cite": cite, **given, **more}
        return Finding(tool=tool, kind=kind, message=sentence(words), rank=rank, **fields)


def _finding(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    line = lines[0][1]
    failed, none = unquoted(_FAILED_ALLOC, line), Kind(Category.OUT_OF_MEMORY)
    if failed is not None:
        size, process = hexadecimal(failed["size"]), small(failed["pid"])
        only = _Report(document, lines[:1], (), ())
        return only.finding(
            failed["tool"],
            "failed to allocate",
            line,
            none,
            3,
            size=size,
            process=process,
            ends=None,
        )
    said = _Report(document, lines, read_roles(lines[1:]), notes_of(lines[1:], _NOTE, 24))
    runtime = _RUNTIME_ERROR.match(line)
    if runtime is not None:
        return _undefined(said, runtime)
    header = unquoted(_HEADER, line)
    if header is not None:
        return _reported(said, header)
    other = unquoted(_NO_WORD, line)
    if other is not None and other["limited"]:
        return said.finding(other["limited"], "rss limit", other["limit"], none, 1)
    if other is not None and other["gwp"]:
        return _guarded(said)
    return _internal(said) if other is not None else None


def _reported(report: _Report, header: re.Match[str]) -> Finding:
    rest, lines = header["rest"], report.lines
    ending = _KIND_END.search(rest)
    kind = rest[: ending.start()].strip() if ending else rest.strip()
    access, size, at, access_line = access_in(lines[1:41], _ACCESS)
    address = _LOST.search(rest) or _ADDRESS.search(rest)
    value = hexadecimal(address[1]) if address else at
    found = _PC.search(rest)
    pc = hexadecimal(found[1]) if found else None
    signal = log_kinds.SIGNALS.get(kind.split()[0] if kind else "", None)
    if kind == "stack-overflow":
        signal = "SIGSEGV"
    thread = _THREAD.search(rest) or _THREAD.search(lines[1][1] if len(lines) > 1 else "")
    known, rank = _category_of(report, kind, rest, signal, value, access, pc)
    goes_on = any(_GOES_ON.match(text) for _, text in lines[1:_HEAD])
    more = report.roles or report.notes or access or goes_on
    alone = not more and header["tool"] != "libFuzzer"
    nowhere = value == 0 and access is None and access_line  # UNKNOWN: a #GP, of which Linux says 0
    return report.finding(
        header["tool"],
        kind,
        _REGISTERS.sub("", rest),
        known,
        rank,
        doubt="alone" * alone,
        sure=not alone and not nowhere and (known is None or known.sure),
        access=access,
        access_line=access_line,
        address=value,
        size=size,
        pc=pc,
        signal=signal or None,
        thread=small(thread[1]) if thread else None,
        process=small(header["pid"]),
        ends=None if signal is None and header["tool"] in _GO_ON else True,
    )


_NO_TABLE = re.compile(r"note: object has (?:an? )?(?:possibly )?invalid vptr")
"""An object that is of no class, not of another one: freed, never made or written over
(ubsan_handlers_cxx.cpp)."""


def _undefined(report: _Report, found: re.Match[str]) -> Finding:
    rest = found["rest"]
    access = "read" if rest.startswith("load ") else None
    access = "write" if rest.startswith("store ") else access
    address = re.search(r"address 0x([0-9a-fA-F]{1,16})\b", rest)
    place = re.sub(r"^(.*:\d+):\d+$", r"\1", found["place"])
    known = log_kinds.undefined(rest)
    if known is not None and any(_NO_TABLE.search(text) for _, text in report.lines[1:3]):
        known = known._replace(sure=False)
    return report.finding(
        "UndefinedBehaviorSanitizer",
        rest.split(":", 1)[0][:120].strip(),
        f"runtime error: {rest}",
        known,
        1,
        access=access,
        access_line=report.lines[0][0] if access else 0,
        address=hexadecimal(address[1]) if address else None,
        place=None if place == "<unknown>" else place,
        ends=None,
    )


_GUARDED = {
    "buffer-overflow": "heap-buffer-overflow", "buffer-underflow": "heap-buffer-underflow"
}  # fmt: skip


def _guarded(report: _Report) -> Finding:
    """GWP-ASan (compiler-rt/lib/gwp_asan/optional/segv_handler_posix.cpp)."""
    tried = ((number, line, _GWP.match(line)) for number, line in report.lines[1:6])
    for number, line, match in tried:
        if match is not None:
            kind = match["kind"].lower().replace(" ", "-")
            known = log_kinds.named(_GUARDED.get(kind, kind))
            return report.finding(
                "GWP-ASan",
                match["kind"],
                line,
                known,
                0,
                line=number,
                sure=True,
                address=hexadecimal(match["address"]),
                notes=(),
            )
    return _internal(report)


_NO_MEMORY = re.compile(r"mmap|allocate|ENOMEM")


def _internal(report: _Report) -> Finding:
    """A check of the tool's own: the program's are others. It is told memory only by mmap(2)."""
    number, line = report.lines[0]
    known = Kind(Category.OUT_OF_MEMORY) if _NO_MEMORY.search(line) else None
    last = report.roles[-1].last if report.roles else number
    cite = report.document.cite(number, max(number, last))
    return report.finding(
        "AddressSanitizer", "internal check", line, known, 2, sure=False, cite=cite, notes=()
    )


_SUMMARY = re.compile(r"SUMMARY: (?P<tool>\w{3,30}Sanitizer|libFuzzer): (?P<rest>\S.{0,1000})$")
_WHERE = re.compile(
    r" (?:(?P<place>[^\s()]{1,400}:\d{1,7})(?::\d{1,7})?|\([^\n]{1,400}\+0x[0-9a-f]{1,16}\)) in "
    r"(?P<function>(?!__)\S.{0,400})$"
)


def _from_summary(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    """A report of which nothing but its last line is left."""
    for number, line in lines:
        match = unquoted(_SUMMARY, line)
        if match is None:
            continue
        known = log_kinds.named(match["rest"])
        kind = match["rest"].split(" ", 1)[0]
        signal = log_kinds.SIGNALS.get(kind)
        where = _WHERE.search(match["rest"])
        inner = match["rest"].rpartition(" in ")[2].partition("(")[0]
        roles = (  # a stack without what it names is another one, whose title is lost
            role
            if any(inner in (f.function or "") for f in role.frames) or not inner
            else replace(role, role="other")
            for role in read_roles(lines)
        )
        return Finding(
            function=where["function"] if where else None,
            place=where["place"] if where else None,
            cite=document.cite(number),
            tool=match["tool"],
            kind=kind,
            message=sentence(match["rest"]),
            line=number,
            rank=2,
            signal=signal or None,
            category=known.category if known is not None else None,
            sure=known is None or known.sure,
            stacks=tuple(roles),
        )
    return None


_REGION = re.compile(
    r"^(?P<address>0x[0-9a-f]{4,16}) is located \d+ bytes "
    r"(?:(?P<out>to the (?:right|left) of|after|before)|inside of) \d+-byte region \["
)


def _from_region(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    """A report of which no more is left than where the access lay (asan_descriptions.cpp): beside a
    heap block, or in one that had been freed."""
    shown = ((number, line, m) for number, line in lines if (m := _REGION.match(line)) is not None)
    number, line, where = next(shown, (0, "", None))
    if where is None:
        return None
    roles = read_roles(lines)
    freed = any(role.role == "free" for role in roles)
    category = Category.USE_AFTER_FREE if freed else Category.HEAP_BUFFER_OVERFLOW
    return Finding(
        cite=document.cite(number, lines[-1][0]),
        tool="AddressSanitizer",
        kind="region",
        message=sentence(line),
        line=number,
        rank=2,
        address=hexadecimal(where["address"]),
        category=category if freed or where["out"] else None,
        stacks=tuple(role for role in roles if role.role in ("free", "alloc")),
    )


_CAUSE = re.compile(r"^\s{0,4}(?:Potential )?Cause: (?P<kind>[\w -]{3,60})")
# What a fuzzer or a leak checker says at the end; anything else in the log explains more.
_SIDE_EFFECTS = (Category.MEMORY_LEAK, Category.EXPLICIT_ABORT, Category.INFINITE_LOOP)
# The tool's own allocator, and what a program calls to give memory back.
_ALLOCATOR = re.compile(r"(?:^|[ :])__(?:asan|hwasan|sanitizer|lsan|tsan|msan)::")
_FREE = re.compile(
    r"^(?:__interceptor_|wrap_)?(?:c?free|realloc|operator delete.{0,60})(?:\.\w+)*$"
)


def _category_of(
    report: _Report,
    kind: str,
    rest: str,
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: int | None,
) -> tuple[Kind | None, int]:
    """What a sanitizer's report stands for, and its rank."""
    roles = report.roles
    cause = next((m for _, text in report.lines[:80] if (m := _CAUSE.match(text))), None)
    if cause is not None:
        known = log_kinds.named(cause["kind"].replace(" ", "-").lower())
        if known is not None:
            return known, 0
    if signal and kind != "stack-overflow":
        reached, rank = _reached(kind, signal, address, access, pc, roles)
        return (Kind(reached) if reached is not None else None), rank
    known = log_kinds.named(f"{kind} {rest}" if kind in ("attempting", "") else kind, access)
    if known is None or not known.sure:
        known = log_kinds.named(rest, access)
    if known is None and kind.startswith("deadly signal"):
        ended = abort_category(roles[0].frames) if roles else None
        return (Kind(ended) if ended is not None else None), 3
    if kind.startswith("unknown-crash"):
        reached = log_kinds.of_access("SIGSEGV", address, access, None)
        return (Kind(reached) if reached is not None else None), 2
    if kind.startswith("tag-mismatch"):
        freed = any(role.role == "free" for role in roles)
        return Kind(Category.USE_AFTER_FREE if freed else Category.HEAP_BUFFER_OVERFLOW, freed), 1
    return known, 3 if known is not None and known.category in _SIDE_EFFECTS else 0


def _reached(
    kind: str,
    signal: str,
    address: int | None,
    access: str | None,
    pc: int | None,
    roles: tuple[Role, ...],
) -> tuple[Category | None, int]:
    """What a signal's address and stack prove."""
    stack = roles[0].frames if roles else ()
    if kind == "int-divide-by-zero":
        return Category.DIVIDE_BY_ZERO, 0
    if signal != "SIGABRT" and _frees(stack):
        return Category.INVALID_FREE, 1
    return ended_by(signal, address, access, pc, stack)


def _frees(frames: Iterable[Frame]) -> bool:
    """True for an access that the tool's allocator made while it freed a pointer: no block of its
    own stands there."""
    for frame in list(frames)[:12]:
        name = frame.function or ""
        if _FREE.match(name):
            return frame.index > 0
        if not _ALLOCATOR.search(name):
            return False
    return False
