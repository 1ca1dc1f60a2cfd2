"""minidump_stackwalk's output, for people and for machines (breakpad, rust-minidump)."""

import re

from analyzers.base import Analysis, Document
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.apple_cause import MACH
from analyzers.log.frames import frame_by
from analyzers.log.stacks import trace
from analyzers.log.text import MAX_FRAMES, analysis_of, hex_value, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Frame, Module, Note, Process, Role, Stack

_PIPE_FRAME = re.compile(
    r"^(?P<thread>\d{1,6})\|(?P<index>\d{1,6})\|(?P<module>[^|]*)\|(?P<function>[^|]*)\|"
    r"(?P<file>[^|]*)\|(?P<line>\d*)\|(?P<offset>(?:0x[0-9a-fA-F]+)?)"
)
_PIPE_MODULE = re.compile(
    r"^Module\|(?P<name>[^|]*)\|(?P<version>[^|]*)\|(?P<debug>[^|]*)\|(?P<id>[^|]*)\|"
    r"(?P<base>0x[0-9a-fA-F]{1,16})\|(?P<end>0x[0-9a-fA-F]{1,16})\|"
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
    r"^(?P<base>0x[0-9a-fA-F]{8,16}) - (?P<end>0x[0-9a-fA-F]{8,16})  "
    r"(?P<name>\S.{0,200}?)  (?P<version>\S.*)$"
)
_WINDOWS = {
    "EXCEPTION_ACCESS_VIOLATION": "SIGSEGV", "EXCEPTION_STACK_OVERFLOW": "stack",
    "EXCEPTION_ILLEGAL_INSTRUCTION": "SIGILL", "EXCEPTION_BREAKPOINT": "SIGTRAP",
    "EXCEPTION_INT_DIVIDE_BY_ZERO": "SIGFPE", "STATUS_STACK_BUFFER_OVERRUN": "cookie",
    "STATUS_HEAP_CORRUPTION": "heap", "FAST_FAIL": "cookie", **MACH,
}  # fmt: skip
_ARCHES = {"amd64": "x86_64", "x86": "i386", "arm64": "aarch64"}


def read(document: Document) -> Analysis:
    """The crash, where the dump was of one."""
    lines = list(lines_of(document))
    head = _Head(lines)
    roles = _stacks(lines, head.thread)
    facts: list[AnyFact] = []
    finding = _finding(document, head, roles)
    if finding is not None:
        facts.append(finding)
    facts += head.process(document)
    facts += _modules(document, lines)
    facts += [
        Stack(cite=document.cite(role.line, role.last), number=role.thread, frames=role.frames,
              current=role.role == "access")
        for role in roles
    ]  # fmt: skip
    read = analysis_of(document, [finding] if finding is not None else [])
    return Analysis(read.summary, tuple(facts), read.findings)


class _Head:
    """System, processor and crash, in either form."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.os: tuple[int, str] | None = None
        self.cpu: tuple[int, str] | None = None
        self.reason: tuple[int, str] | None = None
        self.address: tuple[int, int] | None = None
        self.thread: int | None = None
        self.notes: list[Note] = []
        self.tool = "Breakpad"
        for number, line in lines[:3000]:
            self._take(number, line)

    def _take(self, number: int, line: str) -> None:
        parts = line.split("|")
        key, _, value = line.partition(":")
        value = value.strip()
        match parts[0] if len(parts) > 1 else key.strip():
            case "OS" if len(parts) > 1:
                self.os = (number, parts[1])
            case "CPU" if len(parts) > 1:
                self.cpu = (number, parts[1])
            case "Crash" if len(parts) > 3:
                self.reason, self.tool = (number, parts[1]), "Breakpad (-m)"
                if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", parts[2]):
                    self.address = (number, hex_value(parts[2]))
                self.thread = small(parts[3].strip())
            case "Operating system":
                self.os = (number, value)
            case "CPU" if self.cpu is None:
                self.cpu = (number, value)
            case "Crash reason":
                self.reason = (number, value)
            case "Crash address":
                if found := re.match(r"0x[0-9a-fA-F]{1,16}\b", value):
                    self.address = (number, hex_value(found[0]))
            case "Assertion" | "Mac crash info" | "Crashing instruction" | "Memory accessed":
                self.notes.append(Note(text=sentence(line), line=number))
            case _:
                crashed = _THREAD.match(line)
                if crashed is not None and crashed["crashed"]:
                    self.thread = small(crashed["number"])

    def process(self, document: Document) -> list[AnyFact]:
        """The process as far as the output tells."""
        if self.os is None or self.cpu is None:
            return []
        system = self.os[1].lower()
        names = (("windows", "windows"), ("mac", "macos"), ("ios", "ios"), ("linux", "linux"),
                 ("android", "android"))  # fmt: skip
        os = next((name for word, name in names if word in system), system.split(" ")[0])
        cpu = self.cpu[1].split(" ")[0]
        return [
            Process(cite=document.cite(self.os[0], max(self.os[0], self.cpu[0])),
                    arch=_ARCHES.get(cpu, cpu), os=os)
        ]  # fmt: skip


def _finding(document: Document, head: _Head, roles: list[Role]) -> Finding | None:
    if head.reason is None or head.reason[1] in ("No crash", "DUMP_REQUESTED", ""):
        return None
    number, reason = head.reason
    word = re.split(r"[ /(]", reason, maxsplit=1)[0]
    signal = word if word.startswith("SIG") else None
    known = next((v for k, v in _WINDOWS.items() if word.startswith(k)), None)
    address = None if head.address is None or log_kinds.has_no_address(reason) else head.address[1]
    access = next((a for a in ("read", "write") if word.upper().endswith(a.upper())), None)
    frames = roles[0].frames if roles and roles[0].role == "access" else ()
    rank = 2
    category: Category | None
    special = {"stack": Category.STACK_OVERFLOW, "cookie": Category.STACK_BUFFER_OVERFLOW,
               "heap": Category.HEAP_CORRUPTION}  # fmt: skip
    if known in special:
        category = special[known]
    elif (signal or known) == "SIGABRT":
        category, rank = abort_category(frames) or Category.EXPLICIT_ABORT, 3
    else:
        by_stack = abort_category(frames[:6])
        category = by_stack or log_kinds.of_access(signal or known, address, access, None)
    return Finding(
        cite=document.cite(number), tool=head.tool, kind=word, message=sentence(reason),
        line=number, rank=rank, address=address, category=category, signal=signal,
        thread=head.thread, stacks=tuple(roles[:1]) if roles and roles[0].role == "access" else (),
        notes=tuple(head.notes[:6]))  # fmt: skip


def _stacks(lines: list[tuple[int, str]], crashed: int | None) -> list[Role]:
    """Every thread's stack, the crashed one first."""
    found: dict[int, list[Frame]] = {}
    titles: dict[int, tuple[int, str]] = {}
    now: int | None = None
    total = 0
    for number, line in lines:
        if total >= MAX_FRAMES:
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
    roles = [
        trace("access" if thread == crashed else "other", titles[thread][1], titles[thread][0],
              frames, thread)
        for thread, frames in found.items()
    ]  # fmt: skip
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


def _modules(document: Document, lines: list[tuple[int, str]]) -> list[AnyFact]:
    found: list[AnyFact] = []
    for number, line in lines:
        match = _PIPE_MODULE.match(line) or _HUMAN_MODULE.match(line)
        if match is None or len(found) >= 5000:
            continue
        identifier = match.groupdict().get("id")
        found.append(
            Module(cite=document.cite(number), name=match["name"], path=match["name"],
                   base=hex_value(match["base"]), end=hex_value(match["end"]) + 1,
                   build_id=identifier or None))  # fmt: skip
    return found
