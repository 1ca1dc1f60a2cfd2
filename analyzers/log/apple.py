"""Apple's crash reports: the JSON of .ips files, and the text of .crash files, also where a line of
JSON stands above it (.ips until iOS 14)."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.log.abort import abort_category
from analyzers.log.apple_cause import (
    ADDRESS,
    MACH,
    RESOURCES,
    WATCHDOG,
    cause_of,
    is_guard,
    reason_in,
)
from analyzers.log.apple_frames import threads_of
from analyzers.log.apple_json import body_of, parts_of, read_json
from analyzers.log.format import below_handler
from analyzers.log.stacks import listed
from analyzers.log.text import analysis_of, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Note, Process, Role


def read(document: Document) -> Analysis:
    """The text form, or the JSON form whose second line begins the report."""
    text = document.text.lstrip()
    report = body_of(document.text) if text.startswith("{") else None
    if report is None and text.startswith('"'):
        report = parts_of(document.text)
    if report is not None:
        return read_json(document, *report)
    return _read_text(document, list(lines_of(document)))


_KEYED = re.compile(r"^(?P<key>[A-Z][\w /-]{2,40}):\s{1,40}(?P<value>\S.{0,1000})$")
# Crashlytics keeps the exception in one line.
_BRIEF = re.compile(
    r"^(?P<value>EXC_[A-Z_]{3,30}) (?P<codes>(?:KERN|EXC)_\w{3,40}(?: 0x[0-9a-f]{1,16})?)$"
)
_CODES = ("Exception Codes", "Exception Subtype")
_TYPE = re.compile(r"(?P<name>EXC_[A-Z_]{3,30})(?: \((?P<signal>SIG[A-Z]+)[) ])?")
_POSIX = re.compile(r"SIG[A-Z]{2,6}")
# What other reporters print in front of a stack.
_RECEIVED = re.compile(r"^Application received signal (?P<name>SIG[A-Z]{2,6})\b")
_ARCH = {"X86-64": "x86_64", "ARM-64": "aarch64", "X86": "i386"}
_REASONS = ("Application ", "Termination", "Dyld Error", "Exception Message: ")
_ENDED = ("Termination Description", "Termination Reason")
_SHOWN = ("Exception Codes", "Exception Subtype", "Termination Reason", "VM Region Info")


def _read_text(document: Document, lines: list[tuple[int, str]]) -> Analysis:
    """One `Finding`, the threads' stacks and the process."""
    keys: dict[str, tuple[int, str]] = {}
    for at, text in lines[:4000]:
        match = _KEYED.match(text)
        if match is not None:  # other reporters write "Exception type", "Triggered by thread"
            key = re.sub(r"(?<= )(?!by\b)[a-z]", lambda m: m[0].upper(), match["key"])
            keys.setdefault(key, (at, match["value"].strip()))
        elif (brief := _BRIEF.match(text)) is not None:
            keys.setdefault("Exception Type", (at, brief["value"]))
            keys.setdefault("Exception Codes", (at, brief["codes"]))
    process = keys["Process"][1].partition(" [")[0].strip() if "Process" in keys else None
    roles, crashed = threads_of(lines, process)
    roles = [_below(role) if role.role == "access" else role for role in roles]
    if crashed is None and "Triggered by Thread" in keys:
        crashed = small(keys["Triggered by Thread"][1])
        roles = [replace(r, role="access") if r.thread == crashed else r for r in roles]
        roles.sort(key=lambda r: r.role != "access")
    kind = keys.get("Exception Type") or next(
        ((n, m["name"]) for n, t in lines[:60] if (m := _RECEIVED.match(t))), None
    )
    if kind is None:
        return _part(document, lines, roles, crashed)
    type_line, type_text = kind
    found = _TYPE.search(type_text)
    name = found["name"] if found else type_text[:60]
    codes = next((keys[key] for key in _CODES if key in keys), None)
    subtype = keys.get("Exception Subtype") or codes
    where = ADDRESS.search(subtype[1]) if subtype else None
    address = hexadecimal(where[1]) if where else None
    # Other crash reporters write a POSIX signal in the place of Apple's exception.
    posix = name if _POSIX.fullmatch(name) else None
    signal = (found["signal"] if found else None) or MACH.get(name, posix)
    if signal == "SIGABRT":
        address = None
    role = roles[0] if roles and roles[0].role == "access" else None
    message = next(text for at, text in lines if at == type_line)
    line = type_line
    pc = role.frames[0].address if role is not None and role.frames else None
    category, rank = cause_of(name, signal, address, pc, role)
    said, guard = _said(lines), _guard(lines)
    if said is not None:
        category, line, message, rank = *said, 1
    elif guard is not None:
        category, line, message, rank = Category.STACK_OVERFLOW, *guard, 1
    elif name == "EXC_RESOURCE" and subtype and subtype[1] in RESOURCES:
        line, rank, category = subtype[0], 1, RESOURCES[subtype[1]]
        message = next(text for at, text in lines if at == line)
    elif category is Category.EXPLICIT_ABORT and "Last Exception Backtrace" in document.text:
        category, rank = Category.UNCAUGHT_EXCEPTION, 1
    ended = next((keys[k] for k in _ENDED if k in keys and WATCHDOG.search(keys[k][1])), None)
    if ended is not None and said is None:
        name, line, message = "watchdog", ended[0], next(t for n, t in lines if n == ended[0])
    notes = [
        Note(text=sentence(next(t for n, t in lines if n == keys[key][0])), line=keys[key][0])
        for key in _SHOWN
        if key in keys and keys[key][0] != line
    ]
    finding = Finding(
        cite=document.cite(type_line),
        tool="Apple's crash reporter",
        kind=name,
        message=sentence(message),
        line=line,
        rank=rank,
        address=address,
        signal=signal,
        category=category,
        thread=crashed,
        stacks=() if role is None else (role,),
        notes=tuple(notes),
    )
    return analysis_of(document, [finding], [*_process(document, keys), *listed(document, roles)])


def _below(role: Role) -> Role:
    """A stack from what a signal interrupted on: what stands above ran in the program's handler."""
    frames = below_handler(role.frames)
    return replace(role, frames=frames) if frames else role


def _part(
    document: Document, lines: list[tuple[int, str]], roles: list[Role], crashed: int | None
) -> Analysis:
    """A report of which somebody kept no more than the stack that crashed, or the reason."""
    said, role = _said(lines), roles[0] if roles and roles[0].role == "access" else None
    category = said[0] if said is not None else None
    if category is None and role is not None:
        category = abort_category(role.frames)
    if category is None and role is None:
        return analysis_of(document, [])
    line = said[1] if said is not None else role.line if role is not None else 1
    message = said[2] if said is not None else role.title if role is not None else ""
    finding = Finding(
        cite=document.cite(line),
        tool="Apple's crash reporter",
        kind="crash",
        message=sentence(message),
        line=line,
        rank=1 if said is not None else 3,
        category=category,
        thread=crashed,
        stacks=tuple(roles[:1]),
    )
    return analysis_of(document, [finding], listed(document, roles))


def _guard(lines: list[tuple[int, str]]) -> tuple[int, str] | None:
    """The line that says that the access met a stack's guard."""
    return next(((n, t) for n, t in lines[:4000] if is_guard(t)), None)


def _said(lines: list[tuple[int, str]]) -> tuple[Category, int, str] | None:
    """What the application's own part of the report says, if it names a reason."""
    inside = False
    part: list[tuple[int, str]] = []
    for number, line in lines[:2000]:
        inside = line.startswith(_REASONS) or (inside and bool(line.strip()))
        if inside:
            part.append((number, line))
    found = reason_in([line for _, line in part])
    return (found[1], *part[found[0]]) if found is not None else None


def _process(document: Document, keys: dict[str, tuple[int, str]]) -> list[AnyFact]:
    process, code = keys.get("Process"), keys.get("Code Type")
    system = keys.get("OS Version")
    if process is None or code is None:
        return []
    pid = re.search(r"\[(\d{1,10})\]", process[1])
    os = "ios" if system and re.search(r"iPhone|iOS|iPad", system[1]) else "macos"
    arch = _ARCH.get(code[1].split(" ")[0], code[1].split(" ")[0].lower())
    path = keys.get("Path")
    said = [key[0] for key in (process, code, path) if key is not None]
    return [
        Process(
            cite=document.cite(min(said), max(said)),
            pid=small(pid[1]) if pid else None,
            executable=path[1] if path else None,
            arch=arch,
            os=os,
        )
    ]
