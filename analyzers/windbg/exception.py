"""The exception of a log: the event line, ``.exr``, and the fields of ``!analyze -v``."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from analyzers.base import hexadecimal
from analyzers.windbg.text import HEX, Line, Symbol, parse_symbol

# "(14a8.c04): Access violation - code c0000005 (!!! second chance !!!)"; old debuggers leave the
# process and thread out.
_EVENT = re.compile(
    r"^(?:\((?P<pid>[0-9a-fA-F]{1,8})\.(?P<tid>[0-9a-fA-F]{1,8})\): )?"
    r"(?P<name>[A-Z][^\n]{2,120}?) - code (?P<code>[0-9a-fA-F]{8}) \((?P<chance>[^()]{3,60})\)"
)
_STORED = re.compile(r"^This dump file has (?:an? )?(?P<what>.{3,60}?) stored in it\.")
_EXR = re.compile(
    r"^\s*ExceptionAddress:\s+(?P<address>[0-9a-fA-F`]{8,17})\b(?:\s+\((?P<symbol>.*))?"
)
_CODE = re.compile(r"^\s*ExceptionCode:\s+(?P<code>[0-9a-fA-F]{8})(?:\s+\((?P<name>[^()]*)\))?")
_FLAGS = re.compile(r"^\s*ExceptionFlags:\s+(?P<flags>[0-9a-fA-F]{8})\b")
_PARAMETER = re.compile(r"^\s*Parameter\[(?P<n>\d{1,2})\]:\s+(?P<value>[0-9a-fA-F`]{8,17})\b")
_ATTEMPT = re.compile(
    r"^\s*Attempt to (?P<verb>read from|write to|execute non-executable) address\s+"
    r"(?P<address>[0-9a-fA-F`]{8,17})\b"
)
_SUBCODE = re.compile(r"^\s*Subcode:\s+(?P<code>0x[0-9a-fA-F]{1,8})(?:\s+(?P<name>\w{3,80}))?")
_FIELD = re.compile(r"^(?P<key>[A-Z][A-Z0-9_]{2,40}):\s*(?P<value>.*)$")
_LAST_EVENT = re.compile(
    r"^Last event: (?P<pid>[0-9a-fA-F]{1,8})\.(?P<tid>[0-9a-fA-F]{1,8}): (?P<rest>.*)$"
)
_IN_LINE = re.compile(r"\([0-9a-f]{1,8}\.[0-9a-f]{1,8}\): ")
_OLD_EVENT = re.compile(
    r"^Last event: Exception (?P<code>[0-9A-Fa-f]{8}), (?P<chance>first|second) chance"
)
_VERBS = {"read from": "read", "write to": "write", "execute non-executable": "execute"}
BREAKPOINT, SINGLE_STEP = 0x80000003, 0x80000004
# A debugger's own stops: the loader's initial breakpoint and a break-in from outside.
_OWN_STOPS = frozenset(
    {"LdrpDoDebuggerBreak", "DbgUiRemoteBreakin", "LdrInitShimEngineDynamic", "DebugBreakProcess",
     "LdrpInitializeProcess", "RtlpBreakWithStatusInstruction"}
)  # fmt: skip
ALL_ONES = ((1 << 32) - 1, (1 << 64) - 1)


@dataclass
class Event:
    """One exception that the debugger reported as it came; ``subcode`` is a fast fail's."""

    line: int
    code: int
    name: str
    subcode: int | None = None
    pid: int | None = None
    thread: int | None = None
    second: bool = False
    stored: bool = False

    @property
    def chance(self) -> str | None:
        """Whether handlers had been asked; a dump that was stored does not say."""
        return None if self.stored else "second" if self.second else "first"


@dataclass
class Record:
    """One exception record, whole or in parts; ``lines`` are those that say it."""

    lines: list[int] = field(default_factory=list)
    code: int | None = None
    name: str | None = None
    address: int | None = None
    symbol: Symbol | None = None
    flags: int = 0
    parameters: dict[int, int] = field(default_factory=dict)
    access: str | None = None
    fault_address: int | None = None
    subcode: int | None = None
    process: str | None = None
    thread: int | None = None
    faulting_ip: Symbol | None = None

    @property
    def known(self) -> bool:
        """True when it says what failed, or where."""
        return (self.code, self.fault_address, self.faulting_ip) != (None, None, None)


def read_events(lines: Sequence[Line]) -> list[Event]:
    """The exceptions that the debugger announced, in order; its own stops are left out."""
    found: list[Event] = []
    for at, line in enumerate(lines):
        event = _last_event(line.text) or _glued(line.text) or _EVENT.match(line.text)
        if event is None:
            continue
        code = int(event["code"], 16)
        if code in (BREAKPOINT, SINGLE_STEP) and _own_stop(lines[at + 1 : at + 12]):
            continue
        found.append(
            Event(
                line=line.number,
                code=code,
                name=event["name"].strip() if event["name"] != "Exception" else "Exception",
                pid=int(event["pid"], 16) if event["pid"] else None,
                thread=int(event["tid"], 16) if event["tid"] else None,
                second="second" in event["chance"] and "first" not in event["chance"],
                stored="first/second" in event["chance"],
                subcode=_subcode(lines[at + 1 : at + 2]),
            )
        )
    return found


def _subcode(below: Sequence[Line]) -> int | None:
    """``Subcode: 0x7 FAST_FAIL_FATAL_APP_EXIT`` right below an event."""
    found = _SUBCODE.match(below[0].text) if below else None
    return int(found["code"], 16) if found is not None else None


def _glued(text: str) -> re.Match[str] | None:
    """An event behind what the program printed without ending its line."""
    if " - code " not in text:
        return None
    found = _IN_LINE.search(text)
    if found is None or text.count('"', 0, found.start()) % 2:
        return None  # a string in memory may hold such a line
    return _EVENT.match(text[found.start() :])


def _last_event(text: str) -> re.Match[str] | None:
    """``.lastevent``: "Last event: 3f0.f20: Access violation - code c0000005 (first chance)"; NT's
    "Last event: Exception C00000FD, second chance"."""
    if not text.startswith("Last event: "):
        return None
    old = _OLD_EVENT.match(text)
    if old is not None:
        return _EVENT.match(f"Exception - code {old['code']} ({old['chance']} chance)")
    about = _LAST_EVENT.match(text)
    return _EVENT.match(f"({about['pid']}.{about['tid']}): {about['rest']}") if about else None


def _own_stop(below: Sequence[Line]) -> bool:
    """True when what stopped is the debugger's own doing, by the symbol below the event."""
    for line in below:
        if line.prompt or _EVENT.match(line.text):
            return False
        if line.text.startswith("Time Travel Position:"):
            return True  # where a recording begins, or is entered
        text = line.text.rstrip(":")
        symbol = parse_symbol(text) if "!" in text and line.text.endswith(":") else None
        if symbol is not None and symbol.function is not None:
            return symbol.function.lstrip("_") in _OWN_STOPS
    return False


def stored_breakpoint(lines: Sequence[Line]) -> int | None:
    """The line that says that a dump was written because of a breakpoint, or None."""
    for line in lines:
        found = _STORED.match(line.text)
        if found is not None and "breakpoint" in found["what"]:
            return line.number
    return None


def read_record(lines: Sequence[Line]) -> Record:
    """The exception record that ``.exr`` or ``!analyze -v`` printed; an empty one for none.

    Of several (an outer and an inner exception) the first counts, which ``!analyze`` took.
    """
    record = Record()
    block = "first"  # waiting for the first record, in it, or past it
    previous: Line | None = None
    for line in lines:
        text = line.text
        if _EXR.match(text):
            block = "in" if block == "first" else "past"
        if block == "in" and not text and record.code is not None:
            block = "past"
        begun = block == "in" or (block == "first" and _CODE.match(text) is not None)
        if begun and _record_line(record, text):
            record.lines.append(line.number)
        if _analysis_line(record, text, previous):
            record.lines.append(line.number)
        if text:
            previous = line
    if (record.code, record.address, record.parameters) == (BREAKPOINT, 0, {}):
        return Record(process=record.process)  # what a debugger shows of a dump without exception
    return record if record.known else Record()


def _record_line(record: Record, text: str) -> bool:
    if found := _EXR.match(text):
        record.address = hexadecimal(found["address"])
        if found["symbol"]:
            record.symbol = parse_symbol(found["symbol"].rstrip(") "))
    elif found := _CODE.match(text):
        record.code, record.name = int(found["code"], 16), (found["name"] or "").strip() or None
    elif found := _FLAGS.match(text):
        record.flags = int(found["flags"], 16)
    elif found := _PARAMETER.match(text):
        record.parameters[int(found["n"])] = hexadecimal(found["value"])
    elif found := _ATTEMPT.match(text):
        record.access = _VERBS[found["verb"]]
        record.fault_address = hexadecimal(found["address"])
    elif found := _SUBCODE.match(text):
        record.subcode = int(found["code"], 16)
    else:
        return False
    return True


def _analysis_line(record: Record, text: str, previous: Line | None) -> bool:
    """A field of ``!analyze`` that says something of the exception."""
    if previous is not None and previous.text.startswith("FAULTING_IP:"):
        if record.faulting_ip is None:
            record.faulting_ip = parse_symbol(text) or _numeric_place(text)
            return True
        return False
    found = _FIELD.match(text)
    if found is None:
        return False
    key, value = found["key"], found["value"].strip()
    if key in ("READ_ADDRESS", "WRITE_ADDRESS"):
        address = re.match(HEX, value)
        if address is None or record.fault_address is not None:
            return False
        record.fault_address = hexadecimal(address[0])
        record.access = key.split("_", 1)[0].lower()
        return True
    if key == "FAULTING_THREAD" and re.fullmatch(r"[0-9a-fA-F]{8}|0{8}[0-9a-fA-F]{8}", value):
        thread = int(value, 16)
        record.thread = thread if 0 < thread < 0xFFFFFFFF else None
        return record.thread is not None
    if key == "PROCESS_NAME" and value:
        record.process = value[:260]
    if key in ("EXCEPTION_CODE", "EXCEPTION_CODE_STR") and record.code is None:
        code = re.search(r"(?:0x)?([0-9a-fA-F]{8})\b", value)
        if code is not None:
            record.code = int(code[1], 16)
            return True
    return False


def _numeric_place(text: str) -> Symbol | None:
    """``+205``: an offset into nothing, which ``!analyze`` prints for code in no module."""
    return Symbol() if re.fullmatch(r"\+(?:0x)?[0-9a-fA-F]{1,16}", text.strip()) else None
