"""``clrstack`` of one thread or of all, with or without locals and native frames."""

import re
from dataclasses import dataclass, field

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Document, hexadecimal
from analyzers.names import split_call
from analyzers.sos.text import lines_of
from workbench.model import facts as f

_THREAD = re.compile(r"\bOS Thread Id: 0x([0-9a-f]{1,8})\b(?: \((\d{1,6})\))?", re.IGNORECASE)
_HEADER = re.compile(r"^\s*Child SP\s+IP\s+Call Site\s*$", re.IGNORECASE)
# .NET Framework 2 to 3.5 head it as native stacks are headed: only below a thread's line.
_OLD_HEADER = re.compile(r"^\s*(?:ESP\s+EIP|Child-SP\s+(?P<ret>RetAddr)\s+Call Site)\s*$", re.I)
_FRAME = re.compile(
    r"(?i)^\s*(?P<sp>[0-9a-f`]{8,17})\s(?:\s*(?P<ip>[0-9a-f`]{8,17})\s)?\s*(?P<site>\S.*)$"
)
_INTERNAL = re.compile(r"^\[(?P<kind>\w+)(?::\s*[0-9a-f`]*)?\s*\]\s*(?P<rest>.*)$", re.IGNORECASE)
_SOURCE = re.compile(
    r"^(?P<site>.*\S)\s+\[(?P<file>[^\[\]]{1,2000}?)\s+@\s+(?P<line>\d{1,9})\]\s*$"
)
_NATIVE_AT = re.compile(r"^(?P<site>.*\S) at (?P<file>\S+):(?P<line>\d{1,9})$")
_OFFSET = re.compile(r"^(?P<site>.*\S)\s*\+\s*(?P<offset>-?(?:0x[0-9a-f]+|\d{1,12}))$", re.I)
_MODULE = re.compile(r"^(?P<module>[^()\s!]{1,500})!(?P<rest>\S.*)$")
_SIGNATURE = re.compile(r"^\[DEFAULT\]\s*(?:\[\w+\]\s*)*\S+\s+(?P<rest>.*?)\s+\([^()]*\)$")
_VALUE = re.compile(
    r"(?i)^\s+(?:(?P<name>[^\s(][^=(]{0,200}?)?\s*)?(?:\((?P<place>0x[0-9a-f]+|[^()]{1,20})\)\s*)?"
    r"= (?P<value>\S.*)$"
)
_SLOT = re.compile(r"^0x[0-9a-f]{6,16}$", re.IGNORECASE)
_SMALLEST = 0x10000
"""A value below this is no object."""


@dataclass
class _Open:
    line: int
    thread: int | None = None
    number: int | None = None
    frames: list[f.Frame] = field(default_factory=list)
    objects: list[f.StackObject] = field(default_factory=list)
    variables: list[f.Variable] = field(default_factory=list)
    last: int = 0
    native: bool = False
    returns: bool = False  # the second column is where the frame returns to, not where it is


def read(document: Document) -> list[f.AnyFact]:
    """One `Stack` a thread that has frames, marked as managed, and `StackObjects` and `Locals`
    from what ``-a`` shows."""
    if "Call Site" not in document.text and "OS Thread Id:" not in document.text:
        return []
    found: list[f.AnyFact] = []
    now: _Open | None = None
    inside = False
    total = several = 0
    for number, line in lines_of(document):
        thread = _THREAD.search(line)
        if thread is not None:
            _close(now, document, found)
            several += 1
            now = _Open(number, int(thread[1], 16), int(thread[2]) if thread[2] else None)
            inside = False
            continue
        below = now is not None and now.line == number - 1
        old = _OLD_HEADER.match(line) if below else None
        if _HEADER.match(line) or old is not None:
            if now is None or inside:
                _close(now, document, found)
                now = _Open(number)
            now.returns = old is not None and old["ret"] is not None
            inside = True
            continue
        if not inside or now is None or total >= MAX_ITEMS:
            continue
        frame = frame_of(line, number, len(now.frames))
        if frame is not None:
            total += 1
            now.last = number
            if frame.function is not None:
                if now.returns:
                    frame = replace(frame, address=None)
                now.native = now.native or _is_native(frame)
                now.frames.append(frame)
        elif line.strip():
            inside = _variable(now, line, number)
    _close(now, document, found)
    if several == 1:
        found = [_current(fact) for fact in found]
    return found


def _current(fact: f.AnyFact) -> f.AnyFact:
    return replace(fact, current=True) if isinstance(fact, f.Stack) else fact


def _is_native(frame: f.Frame) -> bool:
    """True for a frame of a library that holds no managed code, as ``-f`` shows them."""
    return frame.module is not None and not frame.module.lower().endswith((".dll", ".exe"))


def _close(now: _Open | None, document: Document, found: list[f.AnyFact]) -> None:
    if now is None:
        return
    if now.frames:
        found.append(
            f.Stack(
                cite=document.cite(now.line, max(now.last, now.line)),
                number=now.number,
                thread=now.thread,
                frames=tuple(now.frames),
                managed=not now.native,
            )
        )
    if now.objects and now.thread is not None:
        cite = document.cite(now.objects[0].line, now.objects[-1].line)
        found.append(f.StackObjects(cite=cite, thread=now.thread, items=tuple(now.objects)))
    if now.variables and now.frames:
        cite = document.cite(now.variables[0].line, now.variables[-1].line)
        function = now.frames[0].function
        found.append(f.Locals(cite=cite, function=function, variables=tuple(now.variables)))


def frame_of(line: str, number: int, index: int) -> f.Frame | None:
    """The frame that a line shows; one without a function for the runtime's own markers; None
    when the line is no frame."""
    match = _FRAME.match(line)
    if match is None or line.lstrip().startswith("0x"):
        return None
    site = match["site"].strip()
    sp, ip = hexadecimal(match["sp"]), hexadecimal(match["ip"]) if match["ip"] else None
    internal = _INTERNAL.match(site)
    if internal is not None and internal["kind"] != "DEFAULT":
        site = internal["rest"].strip()
        if not site:
            return f.Frame(index=index, stack_pointer=sp, line_no=number)
    if site == "<unknown>" or site.startswith("[NativeStackFrame"):
        return f.Frame(index=index, stack_pointer=sp, line_no=number)
    file, source_line, module, offset = None, None, None, None
    source = _SOURCE.match(site) or _NATIVE_AT.match(site)
    if source is not None:
        site, file, source_line = source["site"], source["file"], int(source["line"])
    signature = _SIGNATURE.match(site)
    if signature is not None:
        site = signature["rest"]
    shifted = _OFFSET.match(site)
    if shifted is not None:
        site, offset = shifted["site"], int(shifted["offset"], 0)
    named = _MODULE.match(site)
    if named is not None:
        module, site = named["module"], named["rest"]
    function, args = split_call(site)
    if function in ("Unknown", ""):
        return f.Frame(index=index, module=module, stack_pointer=sp, line_no=number)
    return f.Frame(
        index=index,
        function=function,
        args=args,
        file=file,
        line=source_line,
        module=module,
        offset=offset if offset is not None and offset >= 0 and module and not ip else None,
        address=ip,
        line_no=number,
        stack_pointer=sp,
    )


def _variable(now: _Open, line: str, number: int) -> bool:
    """Take a line of ``-a``; False when the line belongs to no stack any more."""
    if line.strip() in ("PARAMETERS:", "LOCALS:"):
        return True
    if not line[:1].isspace():
        return line.startswith(("GetFrameContext failed", "***", "WARNING", "<"))
    match = _VALUE.match(line)
    if match is None or not now.frames or len(now.objects) >= MAX_ITEMS:
        return True
    value = match["value"].split()[0]
    name = (match["name"] or "").strip()
    now.last = number
    if value == "<no":
        return True
    frame = now.frames[-1]
    place = match["place"] or (name if _SLOT.match(name) else None)
    if frame.index == 0 and len(now.variables) < 200:
        now.variables.append(f.Variable(name=name or "local", value=value, line=number))
    if _SLOT.match(value) and hexadecimal(value) >= _SMALLEST:
        slot = hexadecimal(place) if place and _SLOT.match(place) else None
        now.objects.append(
            f.StackObject(address=hexadecimal(value), slot=slot, frame=frame.index, line=number)
        )
    return True
