"""Reports of the compilers' sanitizers, of libFuzzer and of GWP-ASan."""

import re
from collections.abc import Iterable

from analyzers.base import Analysis, Document
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.kinds import Kind
from analyzers.log.stacks import read_roles
from analyzers.log.text import (
    analysis_of,
    blocks_of,
    hex_value,
    lines_of,
    notes_of,
    sentence,
    small,
)
from workbench.model.category import Category
from workbench.model.facts import Finding, Frame, Note, Role
from workbench.model.text import unquoted

_ACCESS = re.compile(
    r"^\s{0,6}(?:Atomic |\[failed to restore the stack\] )?(?P<access>READ|WRITE|Read|Write|read|"
    r"write|ACCESS)(?: of size (?P<size>\d{1,12}))?(?: tags?: \S{1,20}\s.{0,60})? (?:at|"
    r"of) (?P<where>0x[0-9a-fA-F]{1,16})\b"
)
_SIGNAL_ACCESS = re.compile(r"caused by an? (READ|WRITE|UNKNOWN) memory access")
_NOTE = re.compile(
    r"is located \S+ ?(?:bytes )?|is a wild pointer|^\s{0,4}(?:Hint|HINT|hint): |^\s{0,4}Cause: |"
    r"Memory access at offset|This frame has \d|^SUMMARY: |Location is |Cycle in lock order|"
    r"Uninitialized value was|byte\(s\) leaked|caused by an? |Address 0x\S+ is |"
    r"^note: |Mutex M\d+ acquired here|^#\s*MiraclePtr|leak of \d+ byte|object-size|"
    r"terminating|pc points to|executing|exceeds maximum|MiraclePtr Status|^0x[0-9a-fA-F]+: note"
)


def _access_of(lines: list[tuple[int, str]]) -> tuple[str | None, int | None, int | None, int]:
    """Kind, size, address and line of the access, as the lines behind the header say it."""
    for number, line in lines[:40]:
        match = _ACCESS.match(line)
        if match is not None:
            access = match["access"].lower()
            return (
                None if access == "access" else access,
                small(match["size"]),
                hex_value(match["where"]),
                number,
            )
        said = _SIGNAL_ACCESS.search(line)
        if said is not None:
            known = said[1].lower()
            return (None if known == "unknown" else known), None, None, number
    return None, None, None, 0


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
        summary = _from_summary(document, lines)
        found = [summary] if summary is not None else []
    return analysis_of(document, found)


def _begins(line: str) -> bool:
    return bool(
        unquoted(_HEADER, line)
        or _RUNTIME_ERROR.match(line)
        or unquoted(_FAILED_ALLOC, line)
        or unquoted(_NO_WORD, line)
    )


def _finding(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    number, line = lines[0]
    failed = unquoted(_FAILED_ALLOC, line)
    if failed is not None:
        return Finding(
            cite=document.cite(number), tool=failed["tool"], kind="failed to allocate",
            message=sentence(line), line=number, category=Category.OUT_OF_MEMORY.value, rank=3,
            size=hex_value(failed["size"]), process=small(failed["pid"]), ends=None)  # fmt: skip
    roles = read_roles(lines[1:])
    notes = notes_of(lines[1:], _NOTE, 24)
    runtime = _RUNTIME_ERROR.match(line)
    if runtime is not None:
        return _undefined(document, lines, runtime, roles, notes)
    header = unquoted(_HEADER, line)
    if header is not None:
        return _reported(document, lines, header, roles, notes)
    other = unquoted(_NO_WORD, line)
    if other is not None and other["limited"]:
        return Finding(
            cite=document.cite(number, lines[-1][0]), tool=other["limited"], kind="rss limit",
            message=sentence(other["limit"]), line=number, stacks=roles, rank=1,
            category=Category.OUT_OF_MEMORY.value, notes=notes)  # fmt: skip
    if other is not None and other["gwp"]:
        return _guarded(document, lines, roles, notes)
    return _internal(document, number, line, roles) if other is not None else None


def _reported(
    document: Document,
    lines: list[tuple[int, str]],
    header: re.Match[str],
    roles: tuple[Role, ...],
    notes: tuple[Note, ...],
) -> Finding:
    number = lines[0][0]
    rest = header["rest"]
    ending = _KIND_END.search(rest)
    kind = rest[: ending.start()].strip() if ending else rest.strip()
    access, size, at, access_line = _access_of(lines[1:])
    address = _LOST.search(rest) or _ADDRESS.search(rest)
    value = hex_value(address[1]) if address else at
    pc = _PC.search(rest)
    signal = log_kinds.SIGNALS.get(kind.split()[0] if kind else "", None)
    if kind == "stack-overflow":
        signal = "SIGSEGV"
    thread = _THREAD.search(rest) or _THREAD.search(lines[1][1] if len(lines) > 1 else "")
    known, rank = _category_of(kind, rest, signal, value, access, pc, roles, lines)
    more = roles or notes or access or any(_GOES_ON.match(text) for _, text in lines[1:_HEAD])
    alone = not more and header["tool"] != "libFuzzer"
    nowhere = value == 0 and access is None and access_line  # UNKNOWN: a #GP, of which Linux says 0
    return Finding(
        cite=document.cite(number, lines[-1][0]), tool=header["tool"], kind=kind,
        message=sentence(_REGISTERS.sub("", rest)), line=number, rank=rank,
        category=known.category.value if known is not None else None, doubt="alone" * alone,
        sure=not alone and not nowhere and (known is None or known.sure),
        access=access, access_line=access_line, address=value,
        size=size, pc=hex_value(pc[1]) if pc else None, signal=signal or None,
        thread=small(thread[1]) if thread else None, process=small(header["pid"]),
        ends=None if signal is None and header["tool"] in _GO_ON else True,
        stacks=roles, notes=notes)  # fmt: skip


def _undefined(
    document: Document,
    lines: list[tuple[int, str]],
    found: re.Match[str],
    roles: tuple[Role, ...],
    notes: tuple[Note, ...],
) -> Finding:
    number, _ = lines[0]
    known = log_kinds.undefined(found["rest"])
    access = "read" if found["rest"].startswith("load ") else None
    access = "write" if found["rest"].startswith("store ") else access
    address = re.search(r"address 0x([0-9a-fA-F]{1,16})\b", found["rest"])
    place = re.sub(r"^(.*:\d+):\d+$", r"\1", found["place"])
    return Finding(
        cite=document.cite(number, lines[-1][0]), tool="UndefinedBehaviorSanitizer",
        kind=found["rest"].split(":", 1)[0][:120].strip(), line=number, rank=1,
        message=sentence(f"runtime error: {found['rest']}"),
        category=known.category.value if known is not None else None,
        sure=known is None or known.sure, access=access, access_line=number if access else 0,
        address=hex_value(address[1]) if address else None,
        place=None if place == "<unknown>" else place, stacks=roles, notes=notes,
        ends=None)  # fmt: skip


def _guarded(
    document: Document,
    lines: list[tuple[int, str]],
    roles: tuple[Role, ...],
    notes: tuple[Note, ...],
) -> Finding:
    """GWP-ASan (compiler-rt/lib/gwp_asan/optional/segv_handler_posix.cpp)."""
    for number, line in lines[1:6]:
        match = _GWP.match(line)
        if match is None:
            continue
        kind = match["kind"].lower().replace(" ", "-")
        kind = {
            "buffer-overflow": "heap-buffer-overflow",
            "buffer-underflow": "heap-buffer-underflow",
        }.get(kind, kind)
        known = log_kinds.named(kind)
        return Finding(
            cite=document.cite(lines[0][0], lines[-1][0]), tool="GWP-ASan", kind=match["kind"],
            message=sentence(line), line=number, rank=0,
            category=known.category.value if known else None,
            address=hex_value(match["address"]), stacks=roles, notes=notes)  # fmt: skip
    return _internal(document, lines[0][0], lines[0][1], roles)


_NO_MEMORY = re.compile(r"mmap|allocate|ENOMEM")


def _internal(document: Document, number: int, line: str, roles: tuple[Role, ...]) -> Finding:
    """A check of the tool's own: the program's are others. It is told memory only by mmap(2)."""
    last = roles[-1].last if roles else number
    return Finding(
        cite=document.cite(number, max(number, last)), tool="AddressSanitizer",
        kind="internal check", message=sentence(line), line=number, rank=2,
        category=Category.OUT_OF_MEMORY.value if _NO_MEMORY.search(line) else None, sure=False,
        stacks=roles)  # fmt: skip


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
        return Finding(
            function=where["function"] if where else None,
            place=where["place"] if where else None,
            cite=document.cite(number), tool=match["tool"], kind=kind,
            message=sentence(match["rest"]), line=number, rank=2, signal=signal or None,
            category=known.category.value if known else None, sure=known is None or known.sure,
            stacks=read_roles(lines))  # fmt: skip
    return None


_CAUSE = re.compile(r"^\s{0,4}(?:Potential )?Cause: (?P<kind>[\w -]{3,60})")
# What a fuzzer or a leak checker says at the end; anything else in the log explains more.
_SIDE_EFFECTS = (Category.MEMORY_LEAK, Category.EXPLICIT_ABORT, Category.INFINITE_LOOP)
# The tool's own allocator, and what a program calls to give memory back.
_ALLOCATOR = re.compile(r"(?:^|[ :])__(?:asan|hwasan|sanitizer|lsan|tsan|msan)::")
_FREE = re.compile(
    r"^(?:__interceptor_|wrap_)?(?:c?free|realloc|operator delete.{0,60})(?:\.\w+)*$"
)


def _category_of(
    kind: str,
    rest: str,
    signal: str | None,
    address: int | None,
    access: str | None,
    pc: re.Match[str] | None,
    roles: tuple[Role, ...],
    lines: list[tuple[int, str]],
) -> tuple[Kind | None, int]:
    """What a sanitizer's report stands for, and its rank."""
    cause = next((m for _, text in lines[:80] if (m := _CAUSE.match(text))), None)
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
    pc: re.Match[str] | None,
    roles: tuple[Role, ...],
) -> tuple[Category | None, int]:
    """What a signal's address and stack prove."""
    stack = roles[0].frames if roles else ()
    if kind == "int-divide-by-zero":
        return Category.DIVIDE_BY_ZERO, 0
    if signal == "SIGABRT":
        return abort_category(stack) or Category.EXPLICIT_ABORT, 3
    if _frees(stack):
        return Category.INVALID_FREE, 1
    by_stack = abort_category(stack)
    if by_stack is not None:
        return by_stack, 2
    where = hex_value(pc[1]) if pc else None
    return log_kinds.of_access(signal, address, access, where), 2


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
