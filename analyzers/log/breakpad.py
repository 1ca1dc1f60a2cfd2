"""minidump_stackwalk's output, for people and for machines (breakpad, rust-minidump)."""

import re
from operator import itemgetter

from analyzers.base import MAX_ITEMS, Analysis, Document, hexadecimal
from analyzers.blocks import read_rows
from analyzers.fast_fails import NAMES
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import ended_by
from analyzers.log.apple_cause import MACH
from analyzers.log.frames import frame_by
from analyzers.log.stacks import listed, trace
from analyzers.log.text import Told, analysis_of, firsts, lines_of, notes_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Frame, Module, Process, Role

_PIPE_FRAME = re.compile(
    r"^(?P<thread>\d{1,6})\|(?P<index>\d{1,6})\|(?P<module>[^|]*)\|(?P<function>[^|]*)\|"
    r"(?P<file>[^|]*)\|(?P<line>\d*)\|(?P<offset>(?:0x[0-9a-fA-F]+)?)"
)
_PIPE_MODULE = re.compile(
    r"^Module\|(?P<name>[^|]*)\|[^|]*\|[^|]*\|(?P<build_id>[^|]*)\|"
    r"(?P<x_base>0x[0-9a-fA-F]{1,16})\|(?P<x_end>0x[0-9a-fA-F]{1,16})\|"
)
_THREAD = re.compile(r"^Thread (?P<number>\d{1,6})(?P<crashed> \(crashed\))?(?: .*)?$")
_FRAME = re.compile(r"^\s{0,2}(?P<index>\d{1,5})\s{1,4}(?P<rest>\S.{0,3000})$")
_SYMBOL = re.compile(
    r"^(?P<module>[^!\s][^!]{0,200})!(?P<function>.{1,2500}?)(?: \[(?P<file>[^\[\]]{1,500}?) ?: "
    r"?(?P<line>\d{1,9})(?: \+ 0x[0-9a-fA-F]+)?\])?(?: \+ 0x[0-9a-fA-F]+)?$"
)
_BARE = re.compile(r"^(?P<module>\S{1,200}) \+ (?P<offset>0x[0-9a-fA-F]{1,16})$")
_ALONE = re.compile(r"^(?P<address>0x[0-9a-fA-F]{1,16})$")
_HUMAN_MODULE = re.compile(
    r"^(?P<x_base>0x[0-9a-fA-F]{8,16}) - (?P<x_end>0x[0-9a-fA-F]{8,16})  "
    r"(?P<name>\S.{0,200}?)  \S.*$"
)
_MOST_MODULES = 5000
# For people, and for machines with bars between the fields.
_HEAD = {
    "os": re.compile(r"^(?:OS\||\s*Operating system\s*:\s*)(?P<value>[^|]*)"),
    "cpu": re.compile(r"^(?:CPU\||\s*CPU\s*:\s*)(?P<value>[^|]*)"),
    "machine": re.compile(
        r"^Crash\|(?P<value>[^|]*)\|(?P<address>0x[0-9a-fA-F]{1,16}(?=\|))?[^|]*\|\s*(?P<thread>\d*)"
    ),
    "reason": re.compile(r"^\s*Crash reason\s*:\s*(?P<value>.*?)\s*$"),
    "address": re.compile(r"^\s*Crash address\s*:\s*(?P<address>0x[0-9a-fA-F]{1,16})\b"),
    "crashed": re.compile(r"^Thread (?P<thread>\d{1,6}) \(crashed\)(?: .*)?$"),
}
_NOTE = re.compile(r"^\s*(?:Assertion|Mac crash info|Crashing instruction|Memory accessed)\s*:")
_SYSTEMS = {
    "windows": "windows", "mac": "macos", "ios": "ios", "linux": "linux", "android": "android"
}  # fmt: skip
_WINDOWS = {
    "EXCEPTION_ACCESS_VIOLATION": "SIGSEGV", "EXCEPTION_STACK_OVERFLOW": Category.STACK_OVERFLOW,
    "EXCEPTION_ILLEGAL_INSTRUCTION": "SIGILL", "EXCEPTION_BREAKPOINT": "SIGTRAP",
    "EXCEPTION_INT_DIVIDE_BY_ZERO": "SIGFPE",
    "STATUS_HEAP_CORRUPTION": Category.HEAP_CORRUPTION,
    **NAMES, **MACH,
}  # fmt: skip
_FAILED_FAST = re.compile(r"\bFAST_FAIL_[A-Z_]{3,60}")
_ARCHES = {"amd64": "x86_64", "x86": "i386", "arm64": "aarch64"}


def read(document: Document) -> Analysis:
    """The crash, where the dump was of one."""
    lines = list(lines_of(document))
    said = firsts(lines[:3000], _HEAD)
    crash = said.get("machine") or said.get("crashed")
    crashed = small(crash[1]["thread"]) if crash is not None else None
    roles = _stacks(lines, crashed)
    finding = _finding(document, lines, said, crashed, roles)
    more = [*_process(document, said), *_modules(document, lines), *listed(document, roles)]
    return analysis_of(document, [finding] if finding is not None else [], more)


def _process(document: Document, said: dict[str, Told]) -> list[AnyFact]:
    """The process as far as the output tells."""
    if "os" not in said or "cpu" not in said:
        return []
    (line, os), (below, cpu) = said["os"], said["cpu"]
    system = os["value"].lower()
    name = next((_SYSTEMS[word] for word in _SYSTEMS if word in system), system.split(" ")[0])
    arch = cpu["value"].split(" ")[0]
    cite = document.cite(line, max(line, below))
    return [Process(cite=cite, arch=_ARCHES.get(arch, arch), os=name)]


def _finding(
    document: Document,
    lines: list[tuple[int, str]],
    said: dict[str, Told],
    crashed: int | None,
    roles: list[Role],
) -> Finding | None:
    told = said.get("machine") or said.get("reason")
    if told is None and "crashed" in said and roles:  # what stands above was cut away
        told = said["crashed"]
    number, reason = (told[0], told[1].groupdict().get("value")) if told else (0, "")
    if told is not None and reason is None:
        reason = told[1][0]
    if reason in ("No crash", "DUMP_REQUESTED", "", None):
        return None
    word = re.split(r"[ /(]", reason, maxsplit=1)[0]
    failed = _FAILED_FAST.search(reason)  # STATUS_STACK_BUFFER_OVERRUN alone says none
    named = failed[0] if failed is not None else word
    known = next((v for k, v in _WINDOWS.items() if named.startswith(k)), None)
    signal = word if word.startswith("SIG") else None
    at = said.get("machine") or said.get("address")
    known_at = at is not None and at[1]["address"] and not log_kinds.has_no_address(reason)
    address = hexadecimal(at[1]["address"]) if at is not None and known_at else None
    access = next((a for a in ("read", "write") if word.upper().endswith(a.upper())), None)
    stacks = tuple(role for role in roles[:1] if role.role == "access")
    frames = stacks[0].frames if stacks else ()
    pc = next((f.address for f in frames[:1] if f.function is f.module is None), None)
    raised = signal is None or log_kinds.is_raised(reason)
    category, rank = (
        (known, 2)
        if isinstance(known, Category)
        else ended_by(signal or known, address, access, pc, frames, 6, raised)
    )
    return Finding(
        cite=document.cite(number),
        tool="Breakpad (-m)" if "machine" in said else "Breakpad",
        kind=word,
        message=sentence(reason),
        line=number,
        rank=rank,
        address=address,
        pc=pc,
        category=category,
        signal=signal,
        thread=crashed,
        stacks=stacks,
        notes=notes_of(lines[:3000], _NOTE, 6),
    )


def _stacks(lines: list[tuple[int, str]], crashed: int | None) -> list[Role]:
    """Every thread's stack, the crashed one first."""
    found: dict[int, list[Frame]] = {}
    titles: dict[int, tuple[int, str]] = {}
    now: int | None = None
    total = 0
    for number, line in lines:
        if total >= MAX_ITEMS:
            break
        pipe = _PIPE_FRAME.match(line)
        if pipe is not None:
            thread = int(pipe["thread"])
            titles.setdefault(thread, (number, line))
            found.setdefault(thread, []).append(_pipe_frame(pipe, number))
            total += 1
            continue
        header = _THREAD.match(line)
        if header is not None:
            now = int(header["number"])
            titles.setdefault(now, (number, line))
            continue
        frame = human_frame(line, number) if now is not None else None
        if frame is not None and now is not None:
            found.setdefault(now, []).append(frame)
            total += 1
    kinds = {thread: "access" if thread == crashed else "other" for thread in found}
    roles = [
        trace(kinds[thread], titles[thread][1], titles[thread][0], frames, thread)
        for thread, frames in found.items()
    ]
    return sorted(roles, key=lambda role: role.role != "access")


def _pipe_frame(match: re.Match[str], number: int) -> Frame:
    file = match["file"]
    if file.count(":") >= 2:  # git:HOST/REPOSITORY:PATH:REVISION
        file = file.split(":")[2] if file.startswith(("git:", "hg:", "s3:")) else file
    named = {"offset": None} if match["function"] else {}
    return frame_by(match, 0, number, file=file or None, **named)


def human_frame(line: str, number: int) -> Frame | None:
    """`` 0  libfoo.so!f [a.cc : 12 + 0x5]`` or `` 1  libfoo.so + 0x12``."""
    match = _FRAME.match(line)
    if match is None:
        return None
    rest = match["rest"].strip()
    placed = _SYMBOL.match(rest) or _BARE.match(rest) or _ALONE.match(rest)
    return frame_by(placed, int(match["index"]), number) if placed is not None else None


def _modules(document: Document, lines: list[tuple[int, str]]) -> list[Module]:
    tables = (read_rows(pattern, lines) for pattern in (_PIPE_MODULE, _HUMAN_MODULE))
    rows = sorted((row for rows in tables for row in rows), key=itemgetter("line"))
    return [
        Module(
            cite=document.cite(row["line"]),
            name=row["name"],
            path=row["name"],
            base=row["base"],
            end=row["end"] + 1,
            build_id=row.get("build_id") or None,
        )
        for row in rows[:_MOST_MODULES]
    ]
