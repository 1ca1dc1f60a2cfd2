"""The reader of `told_table`: what died, why the log says so, the frame and the address."""

import re
from functools import cache

from analyzers.base import Analysis, Document
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import NO_NAMES
from analyzers.log.result import analysis_of
from analyzers.log.rules import Loose
from analyzers.log.stacks import read_roles
from analyzers.log.text import MAX_FINDINGS, hex_value, lines_of, sentence, small
from analyzers.log.told_table import FRAMES, ROWS, Row
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Role

_WORDS = {
    "segmentation fault": "SIGSEGV", "segfault": "SIGSEGV", "segv": "SIGSEGV",
    "bus error": "SIGBUS",
    "illegal instruction": "SIGILL", "illegal operation": "SIGILL", "aborted": "SIGABRT",
    "abort()": "SIGABRT", "abrt": "SIGABRT", "floating point exception": "SIGFPE",
    "arithmetic exception": "SIGFPE", "killed": "SIGKILL", "exception_stack_overflow": "SIGSEGV",
    "exception_access_violation": "SIGSEGV", "exception_int_divide_by_zero": "SIGFPE",
    "exception_illegal_instruction": "SIGILL", "exception_breakpoint": "SIGTRAP",
}  # fmt: skip
# ntstatus.h: the signal that is alike, and the category where the code says it.
_CODES: dict[int, tuple[str | None, C | None]] = {
    0xC0000005: ("SIGSEGV", None), 0xC0000006: ("SIGBUS", C.BUS_ERROR),
    0x80000003: ("SIGTRAP", C.TRAP), 0xC000001D: ("SIGILL", C.ILLEGAL_INSTRUCTION),
    0xC0000094: ("SIGFPE", C.DIVIDE_BY_ZERO), 0xC00000FD: ("SIGSEGV", C.STACK_OVERFLOW),
    0xC0000374: ("SIGABRT", C.HEAP_CORRUPTION), 0xC0000409: ("SIGABRT", None),
    0xE06D7363: (None, C.UNCAUGHT_EXCEPTION), 0xE0434352: (None, C.UNCAUGHT_EXCEPTION),
    0xC0000135: (None, C.LIBRARY_LOAD_FAILURE), 0xC0000139: (None, C.MISSING_METHOD),
}  # fmt: skip
_SENT = frozenset({"SIGTERM", "SIGINT", "SIGHUP"})
_ENDED_FROM_OUTSIDE = _SENT | {"SIGKILL", "SIGQUIT"}
_NEAR = 60
_ABOVE = 14
_TRAMPOLINE = re.compile(
    r"^(?:__restore_rt|_sigtramp|__kernel_rt_sigreturn|killpg|<signal handler called>|sigsegv|"
    r"KiUserExceptionDispatcher\w*|SignalHandler\(int\)|CrashRecoverySignalHandler\(int\))"
)
_LIBC = re.compile(r"/lib(?:c|pthread)[-.\d]*\.so|/ld-linux")
_HEAP = re.compile(
    r"_CrtIsValid|is_block_type_valid|HEAP CORRUPTION|DAMAGE: |_pFirstBlock|_BLOCK_TYPE"
)


@cache
def _compiled(
    host: str,
) -> tuple[tuple[Row, re.Pattern[str], tuple[tuple[str, re.Pattern[str]], ...]], ...]:
    return tuple(
        (
            row,
            re.compile(row.pattern),
            tuple((f[:1] if f[0] in "<!" else "", re.compile(f.lstrip("<!"))) for f in row.fields),
        )
        for row in ROWS
        if row.host == host
    )


def read(document: Document) -> Analysis:
    """The sentences in their order, each with the lines up to the next one."""
    lines = list(lines_of(document))
    starts = [
        (at, *told)
        for at, (_, line) in enumerate(lines)
        if (told := _row(document.host, line)) is not None
    ][:MAX_FINDINGS]
    found: list[Finding] = []
    for place, (at, row, match, fields) in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        finding = _finding(document, lines, (at, end), row, match, fields)
        found += [finding] if finding is not None else []
    return analysis_of(document, found)


_Fields = tuple[tuple[str, re.Pattern[str]], ...]
_Lines = list[tuple[int, str]]


def _row(host: str, line: str) -> tuple[Row, re.Match[str], _Fields] | None:
    for row, pattern, fields in _compiled(host):
        match = pattern.search(line[:2000])
        if match is not None:
            return row, match, fields
    return None


def _finding(
    document: Document,
    lines: _Lines,
    span: tuple[int, int],
    row: Row,
    match: re.Match[str],
    fields: _Fields,
) -> Finding | None:
    begin, end = span
    groups = {key: value for key, value in match.groupdict().items() if value is not None}
    where = dict.fromkeys(groups, begin)
    for mark, pattern in fields:
        before = range(begin - 1, max(-1, begin - _NEAR), -1)
        around = before if mark == "<" else range(begin + 1, min(end, begin + _NEAR))
        tried = ((n, pattern.search(lines[n][1][:2000])) for n in around)
        at, more = next(((n, found) for n, found in tried if found is not None), (0, None))
        if more is None and mark == "!":
            return None
        for key, value in more.groupdict().items() if more is not None else ():
            if value and key.rstrip("_") not in groups:
                groups[key.rstrip("_")] = value
                where[key.rstrip("_")] = at
    first = min((begin, *where.values()))
    signal, given = _ending(groups)
    address = _address(groups.get("address"))
    pc = _address(groups.get("pc"))
    category = row.category or given
    if _HEAP.search(groups.get("message", "")) and row.host == "msvc":
        category = C.HEAP_CORRUPTION
    if category is C.BUFFER_OVERFLOW and groups.get("fault") == "misaligned":
        category = C.MISALIGNED_ACCESS
    elif category is C.BUFFER_OVERFLOW and "access" in groups and row.host == "cuda":
        category = C.OUT_OF_BOUNDS_READ if groups["access"] == "read" else C.OUT_OF_BOUNDS_WRITE
    if category is None and address is not None and "access" in groups:
        signal = signal or "SIGSEGV"
    known = address is not None or pc is not None or signal not in ("SIGSEGV", "SIGBUS")
    if row.host == "supervisor" and signal not in _SENT:
        known = False  # a watchdog aborts, a memory limit kills: the process says nothing itself
    if category is None and known:
        category = log_kinds.of_access(signal, address, None, pc)
        category = C.EXTERNAL_SIGNAL if signal in _ENDED_FROM_OUTSIDE else category
    placed = {"file", "line"} <= groups.keys() and where["file"] == where["line"]
    place = f"{groups['file']}:{groups['line']}" if placed else None
    access = {"r": "read", "w": "write", "e": "execute"}.get(groups.get("access", "-")[0].lower())
    return Finding(
        cite=document.cite(lines[first][0], lines[end - 1][0]), tool=row.tool, kind=row.kind,
        message=sentence(groups.get("message") or lines[begin][1]),
        line=lines[where.get("message", begin)][0],
        category=category.value if category is not None else None,
        rank=1 if row.category or given else 3 if row.host == "supervisor" else 2,
        access=access, address=address, pc=pc, signal=signal, process=small(groups.get("process")),
        place=place, place_line=lines[where.get("file", where.get("function", begin))][0],
        function=groups.get("function"),
        stacks=_placed(groups, where, lines) or _roles(row.host, lines[begin:end]),
    )  # fmt: skip


def _ending(groups: dict[str, str]) -> tuple[str | None, C | None]:
    """The signal and, where the code of an exception or of an exit says it, the category."""
    if "code" in groups:
        return _CODES.get(hex_value(groups["code"]), (None, None))
    if "code128" in groups:
        return log_kinds.NUMBERS.get(130 + int(groups["code128"]) - 128), None
    said = groups.get("signal")
    if said is None:
        return None, None
    if said.isdecimal():
        return log_kinds.NUMBERS.get(int(said[:3])), None
    if said.startswith("SIG"):
        return said, None
    found = _WORDS.get(said.lower()) or (
        f"SIG{said}" if said.isupper() and said != "UNKNOWN" else None
    )
    return found, C.STACK_OVERFLOW if said == "EXCEPTION_STACK_OVERFLOW" else None


def _address(text: str | None) -> int | None:
    if text is None:
        return None
    return 0 if text in ("NULL", "(nil)") else hex_value(text)


class _Frames:
    """Frames as a host writes them, else as others do."""

    def __init__(self, host: str) -> None:
        self.patterns = tuple(map(re.compile, FRAMES.get(host, ())))
        self.others = Loose()

    def __call__(self, line: str, number: int) -> Frame | None:
        """The frame of a line, or None."""
        for pattern in self.patterns:
            match = pattern.search(line[:2000])
            if match is not None:
                return self._frame({k: v for k, v in match.groupdict().items() if v}, number)
        return self.others(line, number)

    def _frame(self, said: dict[str, str], number: int) -> Frame:
        self.others.index = int(said["index"][:6]) if "index" in said else self.others.index + 1
        name = said.get("function", "").strip()
        known = name not in NO_NAMES
        address = _address(said.get("address"))
        return Frame(index=self.others.index, function=name if known else None,
                     file=said.get("file"), line=small(said.get("line")), module=said.get("module"),
                     offset=None, address=address, trust="symbols" if known else "unwound",
                     line_no=number)  # fmt: skip


def _placed(groups: dict[str, str], where: dict[str, int], lines: _Lines) -> tuple[Role, ...]:
    """The one frame that the fields make: a module with an offset, or a file and a line that stand
    in a line each."""
    apart = "file" in where and where["file"] != where.get("line", where["file"])
    if "module" not in groups and not apart:
        return ()
    key, other = ("file", "line") if apart else ("module", "offset")
    number = lines[where[key]][0]
    frame = Frame(
        index=0, module=groups.get("module"), line_no=number, trust="unwound",
        offset=hex_value(groups["offset"]) if "offset" in groups else None,
        file=groups.get("file") if apart else None,
        line=small(groups.get("line")) if apart else None,
        file_lines=(number, lines[where[other]][0]) if other in where else None,
    )  # fmt: skip
    return (Role(role="access", title="", line=number, last=number, frames=(frame,)),)


def _roles(host: str, lines: _Lines) -> tuple[Role, ...]:
    found = []
    if host == "backward":  # the outermost first, with source in between
        parse = _Frames(host)
        lines = sorted(lines, key=lambda each: f.index if (f := parse(each[1], each[0])) else -1)
    for at, role in enumerate(read_roles(lines, _Frames(host))):
        frames = role.frames[_above(role.frames) :]
        if frames:
            kind = "access" if not at and role.role in ("other", "create") else role.role
            found.append(
                Role(
                    role=kind,
                    title=role.title,
                    line=role.line,
                    last=role.last,
                    frames=frames,
                    thread=role.thread,
                    name=role.name,
                )
            )
    return tuple(found)


def _above(frames: tuple[Frame, ...]) -> int:
    """How many of the innermost frames are a crash handler's: those above what the system put
    between it and the code that it interrupted, which has no name in libc."""
    between = [
        at
        for at, frame in enumerate(frames[:_ABOVE])
        if at and (_TRAMPOLINE.match(frame.function or "") or _nameless(frame))
    ]
    last = -1
    for at in between:
        if last >= 0 and at != last + 1:
            break
        last = at
    return last + 1


def _nameless(frame: Frame) -> bool:
    return not frame.function and bool(frame.module and _LIBC.search(frame.module))
