"""Python's tracebacks and faulthandler's dumps (Lib/traceback.py, Modules/faulthandler.c)."""

import re

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Analysis, Document, hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import frame_by
from analyzers.log.stacks import trace
from analyzers.log.text import analysis_of, lines_of, sentence
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Note, Role
from workbench.model.text import TRACEBACK

_FILE = re.compile(
    r'^\s{0,12}File "(?P<file>[^"]{1,400})", line (?P<line>\d{1,9})'
    r"(?:, in |  ?in | in )(?P<function>\S.{0,400})$"
)
# Behind what pytest has shown on its line: tests/test_till.py ..s
_FATAL = re.compile(
    r"^(?:\S{1,200}\.py(?:::\S{1,200})? )?[.sxXFE]{0,200}"
    r"(?P<told>(?P<kind>Fatal Python error|Windows fatal exception): (?P<message>.{1,600}))$"
)
_OWN = "Fatal Python error"
_THREAD = re.compile(
    r"^(?P<current>Current thread|Thread) 0x(?P<id>[0-9a-f]{4,16})"
    r"(?: \[(?P<name>[^\]]{0,64})\])?(?: \(most recent call first\))?:"
)
_TIMEOUT = re.compile(r"^\s{0,4}Timeout \(\d{1,3}:\d\d:\d\d(?:\.\d+)?\)!")
_RAISED = re.compile(
    r"^(?![A-Z]{2,20}:)(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,8}[A-Za-z_]\w{0,120})(?:: "
    r"(?P<message>.{0,2000}))?$"
)
_GROUP = re.compile(r"^\s{0,8}\+ Exception Group Traceback ")
_MARGIN = re.compile(r"^ {0,40}(?:\| |(?=\+ Exception Group))")
"""What stands before the lines of an exception group's traceback."""
_CHAINED = re.compile(r"^(?:During handling of the above|The above exception was the direct)")
_ENDS = {
    "Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Bus error": "SIGBUS",
    "Floating point exception": "SIGFPE", "Floating-point exception": "SIGFPE",
    "Illegal instruction": "SIGILL", "access violation": "SIGSEGV", "page error": "SIGBUS",
}  # fmt: skip
_DIVIDED = ("int divide by zero", "float divide by zero")
_TYPES: dict[str, C] = {
    "AssertionError": C.ASSERTION_FAILURE, "KeyboardInterrupt": C.EXTERNAL_SIGNAL,
    "MemoryError": C.OUT_OF_MEMORY, "RecursionError": C.STACK_OVERFLOW,
    "ZeroDivisionError": C.DIVIDE_BY_ZERO,
}  # fmt: skip
# Where a traceback begins that nobody caught: any other was printed by the function that caught it.
_STARTS = re.compile(r"^(?:<module>|_run_module_as_main|_bootstrap)$")
_WAITS = re.compile(
    r"^(?:wait|acquire|join|_wait_for_tstate_lock|__enter__|get|result|_wait|select|poll)$"
)


def read(document: Document) -> Analysis:
    """faulthandler's threads with the fatal error; the last traceback of each chain."""
    lines = list(lines_of(document))
    if any(_GROUP.match(line) for _, line in lines):
        lines = [(number, _MARGIN.sub("", line)) for number, line in lines]
    found: list[Finding] = []
    fatal = _fatal(document, lines)
    if fatal is not None:
        found.append(fatal)
    found += _tracebacks(document, lines)
    return analysis_of(document, found)


def _threads(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    """faulthandler's stacks, the innermost frame first as it prints them."""
    found: list[Role] = []
    title: tuple[int, re.Match[str]] | None = None
    frames: list[Frame] = []
    total = 0

    def close() -> None:
        if title is not None and frames:
            number, match = title
            role = "access" if match["current"].startswith("Current") else "other"
            found.append(
                trace(role, match[0], number, frames, hexadecimal(match["id"]), match["name"])
            )
        frames.clear()

    for number, line in lines:
        header = _THREAD.match(line)
        if header is not None:
            close()
            title = (number, header)
            continue
        if title is None:
            continue
        at = _FILE.match(line)
        if at is not None and total < MAX_ITEMS:
            frames.append(frame_by(at, len(frames), number))
            total += 1
        elif line.strip() and not line.startswith(" "):
            close()
            title = None
    close()
    current = [role for role in found if role.role == "access"]
    return tuple(current + [role for role in found if role.role != "access"])


def _fatal(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    roles = _threads(lines)
    for number, line in lines:
        match = _FATAL.match(line)
        hung = _TIMEOUT.match(line) if match is None else None
        if match is None and hung is None:
            continue
        message = match["message"] if match is not None else line.strip()
        said = match["told"] if match is not None else line
        signal = next((s for words, s in _ENDS.items() if message.startswith(words)), None)
        if hung is not None:
            category = _hung(roles)
        elif signal is not None:
            category = log_kinds.of_access(signal, None, None, None)
        elif message.startswith(_DIVIDED):
            category = C.DIVIDE_BY_ZERO
        elif "tack overflow" in message or "recover from" in message:
            category = C.STACK_OVERFLOW
        elif "emory" in message:
            category = C.OUT_OF_MEMORY
        else:
            category = C.PANIC if match is not None and match["kind"] == _OWN else None
        last = roles[-1].last if roles else number
        return Finding(
            cite=document.cite(number, max(number, last)),
            tool="Python",
            kind=match["kind"] if match is not None else "Timeout",
            message=sentence(said),
            line=number,
            category=category,
            rank=2 if signal and signal != "SIGABRT" else 3 if signal else 1,
            ends=None if match is not None and match["kind"] != _OWN else True,  # first chance
            signal=signal,
            thread=roles[0].thread if roles else None,
            stacks=roles[:32],
        )
    if not roles:
        return None
    first = roles[0]
    return Finding(
        cite=document.cite(first.line, roles[-1].last),
        tool="Python",
        kind="stacks",
        message=first.title,
        line=first.line,
        rank=3,
        thread=first.thread,
        stacks=roles[:32],
    )


def _hung(roles: tuple[Role, ...]) -> C | None:
    """What a dump after a time limit shows: every thread waits, or one of them runs."""
    tops = [role.frames[0].function or "" for role in roles if role.frames]
    return C.DEADLOCK if tops and all(_WAITS.match(top) for top in tops) and len(tops) > 1 else None


def _tracebacks(document: Document, lines: list[tuple[int, str]]) -> list[Finding]:
    found: list[Finding] = []
    chained: list[Note] = []
    at = 0
    while at < len(lines) and len(found) < 100:
        if not TRACEBACK.match(lines[at][1]):
            at += 1
            continue
        begin = at
        frames: list[Frame] = []
        raised: tuple[int, re.Match[str]] | None = None
        at += 1
        while at < len(lines):
            number, line = lines[at]
            text = line.strip()
            place = _FILE.match(line)
            if place is not None:
                if len(frames) < MAX_ITEMS:
                    frames.append(frame_by(place, 0, number))
            elif frames and text and not line.startswith(" " * (_indent(lines[begin][1]) + 1)):
                match = _RAISED.match(text)
                if match is not None:
                    raised = (number, match)
                break
            elif TRACEBACK.match(line):
                break
            at += 1
        if raised is None and begin and frames:
            match = _RAISED.match(lines[begin - 1][1].strip())  # Atheris prints it in front
            raised = (lines[begin - 1][0], match) if match is not None else None
        if raised is None:
            continue
        goes_on = any(_CHAINED.match(text.strip()) for _, text in lines[at + 1 : at + 4])
        number, match = raised
        if goes_on:
            chained.append(Note(text=sentence(match[0]), line=number))
            at += 1
            continue
        if found and found[-1].line == lines[begin][0] - 1 and found[-1].message.endswith(":"):
            at += 1
            continue  # the text of the message above
        ends = True if _STARTS.match(frames[0].function or "") else None
        one = _uncaught(document, lines[begin][0], number, match, frames, chained)
        found.append(replace(one, ends=ends))
        chained = []
        at += 1
    return found


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _uncaught(
    document: Document,
    first: int,
    last: int,
    match: re.Match[str],
    frames: list[Frame],
    chained: list[Note],
) -> Finding:
    ordered = [replace(frame, index=at) for at, frame in enumerate(reversed(frames))]
    short = match["type"].rsplit(".", 1)[-1]
    category = _TYPES.get(short, C.UNCAUGHT_EXCEPTION)
    if short == "ImportError" and "shared object" in (match["message"] or ""):
        category = C.LIBRARY_LOAD_FAILURE
    role = Role(
        role="access",
        title="Traceback (most recent call last):",
        line=first,
        last=max(first, last),
        frames=tuple(ordered),
    )
    return Finding(
        cite=document.cite(min(first, last), max(first, last)),
        tool="Python",
        kind=match["type"],
        message=sentence(match[0]),
        line=last,
        category=category,
        rank=3 if category is C.EXTERNAL_SIGNAL else 1,
        stacks=(role,) if ordered else (),
        notes=tuple(chained[:6]),
    )
