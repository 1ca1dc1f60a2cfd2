"""The engine of tools' reports: sentences that begin one, what they say, the stacks behind them.

A `Format` is what a tool prints: rows of sentences, how it writes frames, and which other lines
tell more. A `Row` is who says a sentence, what it calls it, the category (None: the signal, the
address and the stack tell; a function: its words do) and its fields: patterns, each looked for in
the lines behind the sentence. One that begins with ``<`` is looked for in front of it; without the
one that begins with ``!`` the sentence tells nothing; what ``+`` finds in the next three lines is
no sentence of its own. Where a line behind does not fit the one that begins with ``=``, the process
went on. Groups: ``message``, ``file`` with ``line``, ``function``, ``address``,
``pc``, ``signal`` (a name, a number or strsignal(3)'s words), ``code`` (of a Windows exception),
``access``, ``thread``, ``process``, ``module`` with ``offset``, ``nowhere`` (the address is none).
The first row that fits a line is taken.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.base import Document, hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import Loose
from analyzers.log.kinds import Kind
from analyzers.log.stacks import Parse, as_access, read_roles
from analyzers.log.text import (
    MAX_FINDINGS,
    MAX_LINES,
    address_of,
    lines_of,
    notes_of,
    offset_of,
    sentence,
    small,
)
from analyzers.names import unreturned
from analyzers.owners.printed import is_start
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Role

Decide = Callable[[Mapping[str, str], str], C | Kind | None]
"""A category by the groups and the message."""


class Row(NamedTuple):
    """One sentence. Without ``rank`` it is 1 where a category is told, else 2. ``ends``: whether
    the process ended with it (`Finding`)."""

    host: str
    tool: str
    kind: str
    pattern: str
    category: C | Kind | Decide | None = None
    fields: tuple[str, ...] = ()
    rank: int | None = None
    ends: bool | None = True


class Format(NamedTuple):
    """What a tool prints. ``handled``: a crash handler's own frames may stand above the fault's.
    ``reverse``: the outermost frame comes first, and source may stand in between; ``above``: and
    the sentence behind all of them; ``either``: it may stand behind them."""

    rows: tuple[Row, ...]
    frames: Callable[[], Parse] = Loose
    notes: re.Pattern[str] | None = None
    handled: bool = False
    reverse: bool = False
    above: bool = False
    either: bool = False


_WORDS = {
    "segment violation": "SIGSEGV",
    "segmentation fault": "SIGSEGV", "segfault": "SIGSEGV", "segv": "SIGSEGV",
    "bad pointer dereference": "SIGSEGV", "system trap": "SIGTRAP", "bus error": "SIGBUS",
    "illegal": "SIGILL", "numerical": "SIGFPE", "child aborted": "SIGABRT",
    "subprocess aborted": "SIGABRT",
    "illegal instruction": "SIGILL", "illegal operation": "SIGILL", "aborted": "SIGABRT",
    "abort": "SIGABRT", "abort trap": "SIGABRT", "trace trap": "SIGTRAP",
    "illegal hardware instruction": "SIGILL", "undefined instruction": "SIGILL",
    "translation fault": "SIGSEGV", "permission fault": "SIGSEGV", "access flag fault": "SIGSEGV",
    "alignment fault": "SIGBUS",
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
    0xC000027B: (None, C.UNCAUGHT_EXCEPTION),  # of the Windows Runtime, stowed
}  # fmt: skip
_SENT = frozenset({"SIGTERM", "SIGINT", "SIGHUP"})
_ENDED_FROM_OUTSIDE = _SENT | {"SIGKILL", "SIGQUIT"}
_NEAR = 60
_ABOVE = 14
_TRAMPOLINE = re.compile(
    r"^(?:calltrap$|__restore_rt|__default_(?:rt_)?sa_restorer|_sigtramp|__kernel_rt_sigreturn|"
    r"asm_exc_\w+|killpg|(?:__)?funlockfile|<signal handler called>|sigsegv|"
    r"KiUserExceptionDispatcher\w*|commpage_signal_handler|(?:CrashRecovery)?SignalHandler\(int\))"
)
_HANDLER = re.compile(r"(?i)sig(?:nal|segv|fault)?_?handler")
_CAUGHT = re.compile(r"\bcommpage_signal_handler\b|<signal handler called>|\b_sigtramp \+")
_LIBC = re.compile(r"(?:^|/)lib(?:c|pthread)[-.\d]*\.s|/ld-linux")


_Fields = tuple[tuple[str, re.Pattern[str]], ...]
_Lines = list[tuple[int, str]]
_Told = tuple[int, Row, re.Match[str], _Fields]
_BELOW = 4


@cache
def _compiled(rows: tuple[Row, ...]) -> tuple[tuple[Row, re.Pattern[str], _Fields], ...]:
    return tuple(
        (
            row,
            re.compile(row.pattern),
            tuple(
                (f[:1] if f[0] in "<!+=" else "", re.compile(f.lstrip("<!+="))) for f in row.fields
            ),
        )
        for row in rows
    )


def findings_of(document: Document, format: Format) -> list[Finding]:
    """One finding for each sentence that the format knows, with the lines up to the next one."""
    lines = list(lines_of(document))
    starts: list[_Told] = []
    passed = -1
    for at, (_, line) in enumerate(lines):
        told = _row(format, line) if at > passed else None
        if told is not None and len(starts) < MAX_FINDINGS:
            starts.append((at, *told))
            passed = _below(lines, at, told[2])
    found = []
    for place, start in enumerate(starts):
        end = starts[place + 1][0] if place + 1 < len(starts) else len(lines)
        found.append(_finding(document, format, lines, end, start))
        either = format.either and found[-1] is not None and not found[-1].stacks
        if (format.above or either) and found[-1] is not None:
            before = starts[place - 1][0] + 1 if place else 0
            found[-1] = replace(found[-1], stacks=_roles(format, lines[before : start[0]]))
    return [finding for finding in found if finding is not None]


def _row(format: Format, line: str) -> tuple[Row, re.Match[str], _Fields] | None:
    for row, pattern, fields in _compiled(format.rows):
        match = pattern.search(line)
        if match is not None:
            return row, match, fields
    return None


def _below(lines: _Lines, at: int, fields: _Fields) -> int:
    """Where the message of a sentence stands that has it in a line below; -1 where it does not."""
    wanted = [pattern for mark, pattern in fields if mark == "+"]
    near = range(at + 1, min(at + _BELOW, len(lines)))
    return next((n for n in near if any(p.search(lines[n][1]) for p in wanted)), -1)


def _finding(
    document: Document, format: Format, lines: _Lines, end: int, told: _Told
) -> Finding | None:
    begin, row, match, fields = told
    found = match.groupdict().items()
    groups = {key.rstrip("_"): value for key, value in found if value is not None}
    where = dict.fromkeys(groups, begin)
    ends = row.ends
    for mark, pattern in fields:
        if mark == "=":
            ends = ends if all(pattern.search(text) for _, text in lines[begin + 1 :]) else False
            continue
        before = range(begin - 1, max(-1, begin - _NEAR), -1)
        behind = range(begin + 1, min(end, begin + (_BELOW if mark == "+" else _NEAR)))
        tried = ((n, pattern.search(lines[n][1])) for n in (before if mark == "<" else behind))
        at, more = next(((n, found) for n, found in tried if found is not None), (0, None))
        if more is None and mark == "!":
            return None
        for key, value in more.groupdict().items() if more is not None else ():
            if value and key.rstrip("_") not in groups:
                groups[key.rstrip("_")] = value
                where[key.rstrip("_")] = at
    if "nowhere" in groups:
        groups.pop("address", None)
    first = min((begin, *where.values()))
    message = groups.get("message") or lines[begin][1]
    line = lines[where.get("message", begin)][0]
    signal, given = _ending(groups)
    address, pc = address_of(groups.get("address")), address_of(groups.get("pc"))
    decided = row.category(groups, message) if callable(row.category) else row.category
    said = decided or given
    if row.category is C.EXPLICIT_ABORT and any(_CAUGHT.search(t) for _, t in lines[begin:end]):
        said = (
            None  # a signal's handler ended the process: its cause is what the signal interrupted
        )
    sure = not isinstance(said, Kind) or said.sure
    category = said.category if isinstance(said, Kind) else said
    if category is None and address is not None and "access" in groups:
        signal = signal or "SIGSEGV"
    known = address is not None or pc is not None or signal not in ("SIGSEGV", "SIGBUS")
    if row.host == "supervisor" and signal not in _SENT:
        known = False  # a watchdog aborts, a memory limit kills: the process says nothing itself
    if category is None and known:
        about = {*where.values(), *range(begin, min(end, begin + _NEAR))}
        raised = log_kinds.is_raised(*(lines[n][1] for n in about))
        category = log_kinds.of_access(signal, address, None, pc, raised)
        category = C.EXTERNAL_SIGNAL if signal in _ENDED_FROM_OUTSIDE else category
    rank = 1 if said else 3 if row.host == "supervisor" else 2
    placed = {"file", "line"} <= groups.keys() and where["file"] == where["line"]
    place_line = lines[where.get("file", where.get("function", begin))][0]
    access = {"r": "read", "w": "write", "e": "execute"}.get(groups.get("access", "-")[0].lower())
    shown = lines[where.get("address", begin)][0]
    return Finding(
        cite=document.cite(lines[first][0], lines[end - 1][0]),
        tool=row.tool,
        kind=row.kind,
        message=sentence(message),
        line=line,
        sure=sure,
        category=category,
        rank=rank if row.rank is None else row.rank,
        ends=ends,
        access=access,
        address=address,
        pc=pc,
        signal=signal,
        access_line=shown if shown not in (line, lines[begin][0]) else 0,
        thread=small(groups.get("thread")),
        process=small(groups.get("process")),
        place=f"{groups['file']}:{groups['line']}" if placed else None,
        place_line=place_line if place_line != line else 0,
        function=unreturned(groups["function"]) if "function" in groups else None,
        stacks=_placed(groups, where, lines)
        or from_fault(_roles(format, lines[begin:end]), pc)
        or (_at_pc(pc, lines[where["pc"]][0]) if where.get("pc", begin) > begin else ()),
        notes=()
        if format.notes is None
        else notes_of(lines[begin + 1 : min(end, begin + 400)], format.notes, without=line),
    )


def _ending(groups: dict[str, str]) -> tuple[str | None, C | None]:
    """The signal and, where the code of an exception or of an exit says it, the category."""
    if "code" in groups:
        told = groups["code"]
        code = int(told) & 0xFFFFFFFF if told.startswith("-") else hexadecimal(told)
        return _CODES.get(code, (None, None))
    if "code128" in groups:
        return log_kinds.NUMBERS.get(130 + int(groups["code128"]) - 128), None
    said = groups.get("signal") or ("named" in groups and f"EXCEPTION_{groups['named']}") or None
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


def _placed(groups: dict[str, str], where: dict[str, int], lines: _Lines) -> tuple[Role, ...]:
    """The one frame that the fields make: a module with an offset, or a file and a line that stand
    in a line each."""
    apart = "file" in where and where["file"] != where.get("line", where["file"])
    if "module" not in groups and not apart:
        return ()
    key, other = ("file", "line") if apart else ("module", "offset")
    number, pc = lines[where[key]][0], address_of(groups.get("pc"))
    offset = offset_of(groups, pc)
    frame = Frame(
        index=0,
        module=groups.get("module"),
        line_no=number,
        trust="unwound",
        offset=offset,
        address=pc if "base" in groups and offset is not None else None,
        file=groups.get("file") if apart else None,
        line=small(groups.get("line")) if apart else None,
        file_lines=(number, lines[where[other]][0]) if other in where else None,
    )
    return (Role(role="access", title="", line=number, last=number, frames=(frame,)),)


def _at_pc(pc: int | None, number: int) -> tuple[Role, ...]:
    """The one frame of a report that has registers below it, and no stack."""
    frame = Frame(index=0, address=pc, line_no=number, trust="unwound")
    role = Role(role="access", title="", line=number, last=number, frames=(frame,))
    return (role,) if pc else ()


def from_fault(roles: tuple[Role, ...], pc: int | None) -> tuple[Role, ...]:
    """Stacks without what stands above the instruction that faulted: the handler's own frames."""
    frames = roles[0].frames if roles and pc else ()
    at = next((n for n, frame in enumerate(frames) if frame.address == pc), 0)
    return (replace(roles[0], frames=frames[at:]), *roles[1:]) if at else roles


def _roles(format: Format, lines: _Lines) -> tuple[Role, ...]:
    if format.reverse:
        parse = format.frames()
        framed = {number for number, line in lines if parse(line, number) is not None}
        lines.sort(key=lambda each: -each[0] if each[0] in framed else -MAX_LINES)
    roles = as_access(read_roles(lines, format.frames()))
    return without_handler(roles) if format.handled else roles


def without_handler(roles: tuple[Role, ...]) -> tuple[Role, ...]:
    """Stacks without the frames of a crash handler; none that had no other."""
    cut = (replace(role, frames=below_handler(role.frames)) for role in roles)
    return tuple(role for role in cut if role.frames)


def below_handler(frames: tuple[Frame, ...]) -> tuple[Frame, ...]:
    """A stack without the innermost frames that are a crash handler's: those above what the system
    put between it and the code that it interrupted, which has no name in libc."""
    between = [
        at
        for at, frame in enumerate(frames[:_ABOVE])
        if _TRAMPOLINE.match(frame.function or "") or (at and _nameless(frame, frames[at - 1]))
    ]
    last = -1
    for at in between:
        if last >= 0 and at != last + 1:
            break
        last = at
    below = frames[last + 1 :]
    if below and all(
        _LIBC.search(frame.module or "") and is_start(frame.function or "start_thread")
        for frame in below
    ):
        return frames  # it is where the thread was started
    return below


def _nameless(frame: Frame, called: Frame) -> bool:
    if not frame.function and frame.module is None:
        return bool(_HANDLER.search(called.function or ""))
    return not frame.function and bool(frame.module and _LIBC.search(frame.module))
