"""HotSpot's error files (hs_err_pid.log) and its report of deadlocks.

Written by src/hotspot/share/utilities/vmError.cpp and runtime/deadlockCycle of OpenJDK.
"""

import re

from analyzers.base import Document, hexadecimal
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import frame_by
from analyzers.log.stacks import trace
from analyzers.log.text import notes_of, sentence, small
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Note, Role

# Until Java 6 the error was "unexpected", and the HotSpot Virtual Machine's before.
_FATAL = re.compile(
    r"^# An? (?:fatal|unexpected) error has been detected by (?:the )?(?:Java Runtime|HotSpot)"
)
# A page that takes "#" for a heading, or a person, left it out.
_PLAIN = re.compile(
    r"^[\s._*]{0,3}(?:An? )?(?:fatal|unexpected) error has been detected by (?:the )?Java R"
)
_BELOW = re.compile(r"siginfo:|Current thread|-{5}|Native frames:")
_HEAD = 40
_MEMORY = re.compile(r"^# There is insufficient memory for the Java")
_SIGNAL = re.compile(
    r"^#\s+(?P<name>SIG[A-Z]+|"
    r"EXCEPTION_[A-Z_]+) \((?P<code>0x[0-9a-f]+)\) at pc=(?P<pc>0x[0-9a-f]{1,16}), "
    r"pid=(?P<pid>\d{1,10})\b(?:, tid=(?P<tid>\d{1,20})\b)?"
)
# A code of Windows' own that no handler knew.
_CODE = re.compile(r"^#\s+Internal Error \((?P<code>0x[0-9a-f]{8})\), pid=")
_CODES = {
    0xE06D7363: C.UNCAUGHT_EXCEPTION, 0xE0434352: C.UNCAUGHT_EXCEPTION,
    0xC0000374: C.HEAP_CORRUPTION, 0xC06D007E: C.LIBRARY_LOAD_FAILURE,
    0xC06D007F: C.MISSING_METHOD,
}  # fmt: skip
_ENDINGS = {
    "EXCEPTION_STACK_OVERFLOW": C.STACK_OVERFLOW, "EXCEPTION_INT_DIVIDE_BY_ZERO": C.DIVIDE_BY_ZERO,
    "EXCEPTION_IN_PAGE_ERROR": C.BUS_ERROR, "EXCEPTION_ILLEGAL_INSTRUCTION": C.ILLEGAL_INSTRUCTION,
    "EXCEPTION_PRIV_INSTRUCTION": C.ILLEGAL_INSTRUCTION, "EXCEPTION_BREAKPOINT": C.TRAP,
    "EXCEPTION_DATATYPE_MISALIGNMENT": C.MISALIGNED_ACCESS,
}  # fmt: skip
# "JavaThread "main" [_thread_in_native, id=4693, stack(0x00007ffb7fc57000,0x00007ffb7fd57000)]",
# "[stack: 0x00007ffb7fc57000,0x00007ffb7fd57000]"
_STACK = re.compile(r"\bstack(?:: |\()(?P<low>0x[0-9a-f]{1,16}), ?(?P<high>0x[0-9a-f]{1,16})\b")
_ZONES = 0x40000
"""Guard zones at a stack's low end are no larger (os::init, StackYellowPages and its kin)."""
_INTERNAL = re.compile(r"^#\s+Internal Error \((?P<file>[^:()]{1,300}):(?P<line>\d{1,9})\)")
_ERROR = re.compile(
    r"^#\s+(?P<message>(?:Error|guarantee|assert|fatal error|Out of Memory|Native memory)\b.*)$"
)
_SIGINFO = re.compile(r"^siginfo: .*?si_addr: (?P<addr>0x[0-9a-f]{1,16})\b")
_WINDOWS = re.compile(
    r"^siginfo: .*?(?P<access>reading|writing|executing) address (?P<addr>0x[0-9a-f]{1,16})\b|"
    r"^siginfo: ExceptionCode=.*?ExceptionInformation=(?P<kind>0x[0-9a-f]+) "
    r"(?P<addr2>0x[0-9a-f]{1,16})\b"
)
_PROBLEM = re.compile(r"^#\s+Problematic frame:")
# Frame::print_on_error: native code with its library, "J 1204 c2 com.acme.Cache.get(J)J (41 bytes)
# @ 0x..." of compiled and "j  com.acme.Cache.get(J)J+12" of interpreted Java.
_FRAME = re.compile(
    r"^(?:# )?(?P<letter>[CVJjAv]) {1,2}(?:\d{1,9}(?![\dx])%? ?(?:[cC][12]|jvmci|n)? {0,2})?"
    r"(?:\[(?P<module>[^\]+]{1,300})\+(?P<offset>0x[0-9a-f]+)\]\s*)?(?P<name>\S.{0,600})?$"
)
_METHOD = re.compile(
    r"^(?P<name>[\w$./<>]{1,400})\([\w$/;\[]{0,400}\)[\w$/;\[]{1,200}(?:\+\d|@| |$)"
)
_BARE = re.compile(r"0x[0-9a-f]{1,16}")
_DEADLOCK = re.compile(r"^Found (?:one|\d+) (?:Java-level )?deadlock")
_WAITS = re.compile(
    r"^\s{1,8}waiting (?:to lock|for ownable synchronizer)|"
    r"^\s{1,8}which is held by|^\"[^\"]{1,200}\":$"
)


def hotspot_findings(document: Document, lines: list[tuple[int, str]]) -> list[Finding]:
    """The error that ended the virtual machine, or a deadlock that it found."""
    for at, (number, line) in enumerate(lines):
        if _PLAIN.match(line):
            below = lines[at : at + _HEAD]
            end = next((n for n, (_, text) in enumerate(below) if _BELOW.match(text)), _HEAD)
            head = [(n, f"# {text.strip(' *#_')}") for n, text in below[:end]]
            return [_crash(document, head + lines[at + end :], memory=False)]
        if _FATAL.match(line) or _MEMORY.match(line):
            return [_crash(document, lines[at:], memory=bool(_MEMORY.match(line)))]
        if _DEADLOCK.match(line):
            roles = _java_stacks(lines[at:])
            return [
                Finding(
                    cite=document.cite(number, lines[-1][0]),
                    tool="Java",
                    kind="deadlock",
                    message=sentence(line),
                    line=number,
                    category=C.DEADLOCK,
                    rank=0,
                    stacks=roles,
                    notes=notes_of(lines[at : at + 60], _WAITS),
                )
            ]
    return []


def _crash(document: Document, lines: list[tuple[int, str]], memory: bool) -> Finding:
    number, line = lines[0]
    message, message_line = line, number
    signal = pc = address = access = pid = tid = None
    category: C | None = C.OUT_OF_MEMORY if memory else None
    rank = 1 if memory else 2
    notes: list[Note] = []
    access_line = 0
    raised = False
    place = None
    stack: tuple[int, int] | None = None
    for below, text in lines[:2000]:
        found = _SIGNAL.match(text)
        if found is not None and pc is None:
            name = found["name"]
            signal = name if name.startswith("SIG") else None
            if name == "EXCEPTION_ACCESS_VIOLATION":
                signal = "SIGSEGV"
            category = _ENDINGS.get(name, category)
            pc, pid, tid = hexadecimal(found["pc"]), small(found["pid"]), small(found["tid"])
            message, message_line = text, below
            continue
        code = _CODE.match(text)
        if code is not None and pc is None:
            message, message_line, rank = text, below, 1
            category = _CODES.get(int(code["code"], 16), category)
            continue
        if stack is None and text.startswith("Current thread"):
            shown = _STACK.search(text)
            stack = (hexadecimal(shown["low"]), hexadecimal(shown["high"])) if shown else None
        internal = _INTERNAL.match(text)
        if internal is not None and pc is None:
            message, message_line, rank = text, below, 1
            category, place = C.ASSERTION_FAILURE, f"{internal['file']}:{internal['line']}"
            continue
        error = _ERROR.match(text)
        if error is not None and len(notes) < 6:
            notes.append(Note(text=sentence(error["message"]), line=below))
            if re.search(r"[Oo]ut of [Mm]emory|memory allocation", text):
                category = C.OUT_OF_MEMORY
        info = _SIGINFO.match(text) or _WINDOWS.match(text)
        if info is not None:
            groups = info.groupdict()
            where = groups.get("addr") or groups.get("addr2")
            address = hexadecimal(where) if where and not log_kinds.has_no_address(text) else None
            raised = log_kinds.is_raised(text)
            access = {"reading": "read", "writing": "write"}.get(groups.get("access") or "")
            access_line = below if access else 0
            notes.append(Note(text=sentence(text), line=below))
    if category is None:
        category = log_kinds.of_access(signal, address, access, pc, raised)
        if category is C.WILD_POINTER and stack is not None and address is not None:
            ran_out = stack[0] - _ZONES <= address < stack[0] + _ZONES
            category = C.STACK_OVERFLOW if ran_out else category
    return Finding(
        cite=document.cite(number, lines[min(len(lines), 2000) - 1][0]),
        tool="Java",
        kind="fatal error",
        message=sentence(message.lstrip("# ")),
        line=message_line,
        category=category,
        rank=rank,
        access=access,
        access_line=access_line,
        address=address,
        pc=pc,
        signal=signal,
        thread=tid,
        process=pid,
        place=place,
        stacks=_native(lines),
        notes=tuple(notes[:8]),
        stack=stack,
    )


def _native(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    """``Native frames:``, else the problematic frame alone."""
    frames: list[Frame] = []
    first = 0
    inside = False
    for number, line in lines[:4000]:
        if line.startswith("Native frames:"):
            inside, first = True, number
            frames = []
            continue
        if _PROBLEM.match(line):
            inside, first = True, number
            continue
        if not inside:
            continue
        match = _FRAME.match(line)
        if match is None:
            inside = not line.strip() and not frames
            continue
        name = (match["name"] or "").split("+0x", 1)[0].strip()
        method = _METHOD.match(name) if match["letter"] in "Jj" else None
        name = method["name"] if method is not None else name
        code = {"address": name, "function": ""} if _BARE.fullmatch(name) else {"function": name}
        frames.append(frame_by({**match.groupdict(), **code}, len(frames), number))
        if len(frames) >= 500:
            break
    if not frames:
        return ()
    return (trace("access", "Native frames", first or frames[0].line_no, frames),)


def _java_stacks(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    from analyzers.log.managed import _JAVA_FRAME

    roles: list[Role] = []
    frames: list[Frame] = []
    title: tuple[int, str] = (0, "")
    for number, line in [*lines[:4000], (0, '"end":')]:
        if line.startswith('"'):
            if frames:
                role = "other" if roles else "access"
                roles.append(trace(role, title[1], title[0], frames))
                frames = []
            title = (number, line)
            continue
        match = _JAVA_FRAME.match(line)
        if match is not None:
            frames.append(frame_by(match, len(frames), number))
    return tuple(roles[:16])
