"""Apple's crash reports: the text of .crash files and the JSON of .ips files."""

import json
import re

from analyzers.base import Analysis, Document, Settled
from analyzers.log import kinds as log_kinds
from analyzers.log.abort import abort_category
from analyzers.log.result import analysis_of
from analyzers.log.text import MAX_FRAMES, hex_value, lines_of, sentence, small
from workbench.model.category import Category
from workbench.model.facts import AnyFact, Finding, Frame, Note, Process, Role, Stack

_KEYED = re.compile(r"^(?P<key>[A-Z][\w /-]{2,40}):\s{1,40}(?P<value>\S.{0,1000})$")
_TYPE = re.compile(r"(?P<name>EXC_[A-Z_]{3,30})(?: \((?P<signal>SIG[A-Z]+)\))?")
_POSIX = re.compile(r"SIG[A-Z]{2,6}")
_ADDRESS = re.compile(r"(?:\bat |address ?= ?)(0x[0-9a-fA-F]{1,16})\b")
_FRAME = re.compile(
    r"^(?P<index>\d{1,5})\s{1,6}(?P<module>\S.{0,120}?)\s{1,60}(?P<address>0x[0-9a-fA-F]{4,16}) "
    r"(?P<rest>\S.{0,3000})$"
)
_SYMBOL = re.compile(
    r"^(?P<name>.{1,2900}?) \+ (?P<offset>\d{1,20})(?: "
    r"\((?P<file>[^():]{1,300}):(?P<line>\d{1,9})\))?$"
)
_THREAD = re.compile(
    r"^Thread (?P<number>\d{1,6})(?P<crashed> Crashed)?:{1,2}(?: "
    r"(?P<name>\S.{0,200}))?"
)
_MACH = {"EXC_BAD_ACCESS": "SIGSEGV", "EXC_BAD_INSTRUCTION": "SIGILL", "EXC_BREAKPOINT": "SIGTRAP",
         "EXC_ARITHMETIC": "SIGFPE", "EXC_CRASH": "SIGABRT"}  # fmt: skip
_SAID: tuple[tuple[str, Category], ...] = (
    (r"Assertion failed|assertion failed", Category.ASSERTION_FAILURE),
    (r"uncaught exception|Terminating app due to uncaught|"
     r"crashing? due to uncaught", Category.UNCAUGHT_EXCEPTION),
    (r"pointer being freed was not allocated", Category.INVALID_FREE),
    (r"[Dd]ouble free", Category.DOUBLE_FREE),
    (r"Incorrect checksum for freed|heap corruption|corrupted", Category.HEAP_CORRUPTION),
    (r"stack buffer overflow|stack_chk_fail|stack smashing", Category.STACK_BUFFER_OVERFLOW),
    (r"detected buffer overflow", Category.BUFFER_OVERFLOW),
    (r"Fatal error: ", Category.PANIC),
    (r"Library (?:not loaded|missing)|[Ss]ymbol not found|"
     r"image not found", Category.LIBRARY_LOAD_FAILURE),
    (r"[Ss]tack overflow|stack guard", Category.STACK_OVERFLOW),
)  # fmt: skip
_ARCH = {"X86-64": "x86_64", "ARM-64": "aarch64", "X86": "i386"}
_MOST_STACKS = 400


class LogApple(Settled):
    """One `Finding`, the threads' stacks and the process."""

    name = "log-apple"

    def can_analyze(self, document: Document) -> bool:
        """True for a crash report."""
        return document.host == "apple"

    def analyze(self, document: Document) -> Analysis:
        """The text form, or the JSON form whose second line holds the report."""
        lines = list(lines_of(document))
        if lines and lines[0][1].lstrip().startswith("{"):
            return _json(document)
        return _text(document, lines)


def _text(document: Document, lines: list[tuple[int, str]]) -> Analysis:
    keys: dict[str, tuple[int, str]] = {}
    for at, text in lines[:4000]:
        match = _KEYED.match(text)
        if match is not None:
            keys.setdefault(match["key"], (at, match["value"].strip()))
    roles, crashed = _threads(lines)
    kind = keys.get("Exception Type")
    if kind is None:
        return analysis_of(document, [])
    type_line, type_text = kind
    found = _TYPE.search(type_text)
    name = found["name"] if found else type_text[:60]
    codes = keys.get("Exception Codes") or keys.get("Exception Subtype")
    subtype = keys.get("Exception Subtype") or codes
    where = _ADDRESS.search(subtype[1]) if subtype else None
    address = hex_value(where[1]) if where else None
    # Other crash reporters write a POSIX signal in the place of Apple's exception.
    posix = name if _POSIX.fullmatch(name) else None
    signal = (found["signal"] if found else None) or _MACH.get(name, posix)
    role = roles[0] if roles else None
    said = _said(lines)
    category: Category | None = None
    message, line, rank = f"Exception Type:  {type_text}", type_line, 2
    message = next((text for at, text in lines if at == type_line), message)
    if said is not None:
        category, line, message, rank = *said, 1
    elif signal == "SIGABRT" and role is not None:
        category, rank = abort_category(role.frames) or Category.EXPLICIT_ABORT, 3
    else:
        pc = role.frames[0].address if role is not None and role.frames else None
        category = log_kinds.of_access(signal, address, None, pc)
        if name == "EXC_BAD_ACCESS" and signal == "SIGBUS":
            category = log_kinds.of_access("SIGSEGV", address, None, pc)
    notes = [
        Note(text=sentence(f"{key}: {keys[key][1]}"), line=keys[key][0])
        for key in ("Exception Codes", "Exception Subtype", "Termination Reason")
        if key in keys and keys[key][0] != line
    ]
    notes = [
        Note(text=sentence(next(t for n, t in lines if n == x.line)), line=x.line) for x in notes
    ]
    finding = Finding(
        cite=document.cite(type_line), tool="Apple's crash reporter", kind=name,
        message=sentence(message), line=line, rank=rank, address=address, signal=signal,
        category=category.value if category else None, thread=crashed, stacks=tuple(roles[:1]),
        notes=tuple(notes),
    )  # fmt: skip
    facts: list[AnyFact] = [finding, *_process(document, keys), *_stacks(document, roles)]
    read = analysis_of(document, [finding])
    return Analysis(read.summary, tuple(facts), read.findings)


def _said(lines: list[tuple[int, str]]) -> tuple[Category, int, str] | None:
    """What the application's own part of the report says, if it names a reason."""
    inside = 0
    for number, line in lines[:2000]:
        if line.startswith(("Application Specific", "Termination", "Dyld Error")):
            inside = number
        elif not line.strip():
            inside = 0
        if inside:
            for pattern, category in _SAID:
                if re.search(pattern, line):
                    return category, number, line
    return None


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
        Process(cite=document.cite(min(said), max(said)),
                pid=small(pid[1]) if pid else None, command_line=None,
                executable=path[1] if path else None, arch=arch, os=os, threads=(), snapshot=False)
    ]  # fmt: skip


def frame_of(line: str, number: int) -> Frame | None:
    """One line of a thread's stack."""
    match = _FRAME.match(line)
    if match is None:
        return None
    symbol = _SYMBOL.match(match["rest"].strip())
    name = symbol["name"] if symbol else match["rest"].strip()
    known = not re.fullmatch(r"0x[0-9a-f]+|0|\?{2,3}", name)
    return Frame(
        index=int(match["index"]),
        function=name if known else None,
        file=symbol["file"] if symbol else None,
        line=small(symbol["line"]) if symbol and symbol["line"] else None,
        module=None if match["module"].strip() == "???" else match["module"].strip(),
        address=hex_value(match["address"]),
        trust="symbols" if known else "unwound",
        line_no=number,
    )


def _threads(lines: list[tuple[int, str]]) -> tuple[list[Role], int | None]:
    """The stacks, the crashed thread's first, and its number."""
    roles: list[Role] = []
    crashed: int | None = None
    now: tuple[int, str, int, bool, str | None] | None = None
    frames: list[Frame] = []
    total = 0

    def close() -> None:
        nonlocal crashed
        if now is not None and frames and len(roles) < _MOST_STACKS:
            number, title, thread, is_crashed, name = now
            if is_crashed:
                crashed = thread
            role = Role(role="access" if is_crashed else "other", title=sentence(title),
                        line=number, last=frames[-1].line_no, frames=tuple(frames), thread=thread,
                        name=name)  # fmt: skip
            roles.insert(0, role) if is_crashed else roles.append(role)
        frames.clear()

    for number, line in lines:
        header = _THREAD.match(line)
        if header is not None and " name:" not in line:
            close()
            now = (number, line, int(header["number"]), bool(header["crashed"]), header["name"])
            continue
        if now is None:
            continue
        frame = frame_of(line, number)
        if frame is not None and total < MAX_FRAMES:
            frames.append(frame)
            total += 1
        elif not line.strip():
            close()
            now = None
    close()
    return roles, crashed


def _stacks(document: Document, roles: list[Role]) -> list[AnyFact]:
    return [
        Stack(cite=document.cite(role.line, role.last), number=role.thread, thread=None,
              name=role.name, frames=role.frames, current=role.role == "access")
        for role in roles
    ]  # fmt: skip


def _json(document: Document) -> Analysis:
    """An .ips file: a line of JSON about the report, then the report."""
    text = document.text
    body = text.partition("\n")[2]
    first = 2
    try:
        report = json.loads(body)
    except ValueError:
        try:
            report, first = json.loads(text), 1
        except (ValueError, RecursionError):
            return analysis_of(document, [])
    except RecursionError:
        return analysis_of(document, [])
    if not isinstance(report, dict):
        return analysis_of(document, [])
    lines = document.numbered()
    exception = report.get("exception")
    exception = exception if isinstance(exception, dict) else {}
    name = str(exception.get("type") or "crash")[:60]
    signal = str(exception.get("signal") or "") or _MACH.get(name)
    where = _ADDRESS.search(str(exception.get("subtype") or ""))
    address = hex_value(where[1]) if where else None
    role = _faulting(report, lines, first)
    frames = role.frames if role is not None else ()
    said = json.dumps(report.get("asi") or report.get("termination") or "")[:4000]
    category = next((c for pattern, c in _SAID if re.search(pattern, said)), None)
    rank = 1 if category is not None else 2
    if category is None and signal == "SIGABRT":
        category, rank = abort_category(frames) or Category.EXPLICIT_ABORT, 3
    if category is None:
        shown = "SIGSEGV" if name == "EXC_BAD_ACCESS" else signal
        category = log_kinds.of_access(shown, address, None, None)
    line = _line_with(lines, f'"{name}"', first)
    finding = Finding(
        cite=document.cite(line), tool="Apple's crash reporter", kind=name, message=name, line=line,
        rank=rank, category=category.value if category else None, address=address,
        signal=signal or None, thread=small(str(report.get("faultingThread"))),
        stacks=(role,) if role is not None else (),
    )  # fmt: skip
    return analysis_of(document, [finding])


def _faulting(report: dict[str, object], lines: list[tuple[int, str]], first: int) -> Role | None:
    threads = report.get("threads")
    images = report.get("usedImages")
    which = report.get("faultingThread")
    if not isinstance(threads, list):
        return None
    thread = next((t for t in threads if isinstance(t, dict) and t.get("triggered")), None)
    if thread is None and isinstance(which, int) and 0 <= which < len(threads):
        thread = threads[which]
    if not isinstance(thread, dict) or not isinstance(thread.get("frames"), list):
        return None
    frames: list[Frame] = []
    for index, raw in enumerate(thread["frames"][:2000]):
        if not isinstance(raw, dict):
            continue
        symbol, image = raw.get("symbol"), raw.get("imageIndex")
        module = None
        if isinstance(images, list) and isinstance(image, int) and 0 <= image < len(images):
            named = images[image]
            module = named.get("name") if isinstance(named, dict) else None
        function = symbol if isinstance(symbol, str) and symbol else None
        source = raw.get("sourceFile")
        at = _line_with(lines, f'"{function}"', first) if function else first
        frames.append(
            Frame(index=index, function=function,
                  module=module if isinstance(module, str) else None,
                  file=source if isinstance(source, str) else None,
                  line=raw["sourceLine"] if isinstance(raw.get("sourceLine"), int) else None,
                  trust="symbols" if function else "unwound", line_no=at)
        )  # fmt: skip
    if not frames:
        return None
    last = max(frame.line_no for frame in frames)
    return Role(role="access", title="faultingThread", line=first, last=last, frames=tuple(frames))


def _line_with(lines: list[tuple[int, str]], words: str, first: int) -> int:
    """The first line that holds a text, from ``first`` on."""
    return next((n for n, line in lines if n >= first and words in line), first)
