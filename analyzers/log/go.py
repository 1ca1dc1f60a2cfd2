"""Go's panics, fatal errors and race reports (runtime/panic.go, runtime/traceback.go)."""

import re
from collections.abc import Iterator

from msgspec.structs import replace

from analyzers.base import Analysis, Document, hexadecimal
from analyzers.blocks import first_of
from analyzers.log import kinds as log_kinds
from analyzers.log.frames import frame_by
from analyzers.log.stacks import trace
from analyzers.log.text import analysis_of, blocks_of, lines_of, sentence, small
from workbench.model.category import Category as C
from workbench.model.facts import Finding, Frame, Note, Role

# net/http recovers a handler's panic, prints it and goes on (net/http/server.go, conn.serve), and
# so do negroni and its kin.
_PANIC = re.compile(
    r"^(?:\[recovered\] |Exception has occurred: )?(?:(?P<word>panic|fatal error)|"
    r"(?P<served>http2?: panic serving \S{1,80} ?|PANIC))"
    r"(?:: (?P<message>.{1,2000})| \"(?P<shown>.{1,2000})\")$"
)
_RECOVERED = re.compile(r"^(?:\S[^\n:]{0,60}[:!]{0,2} )?(?P<message>runtime error: .{1,500})$")
_RUNTIME = re.compile(r"^runtime: (?P<message>(?:goroutine stack exceeds|out of memory).*)$")
_RACE = re.compile(r"^WARNING: DATA RACE")
_SIGNAL = re.compile(
    r"^\[signal (?P<name>SIG[A-Z]+|"
    r"0x[0-9a-f]+).*?(?:addr=(?P<addr>0x[0-9a-f]{1,16}\b))?(?: pc=(?P<pc>0x[0-9a-f]{1,16}\b))?\]"
)
_BARE_SIGNAL = re.compile(r"^(?P<name>SIG[A-Z]+): (?P<message>.{1,80})$")
_CODE = re.compile(
    r"^PC=(?P<pc>0x[0-9a-f]{1,16}) m=-?\d{1,9} sigcode=(?P<code>\d{1,20})\b"
    r"(?: addr=(?P<addr>0x[0-9a-f]{1,16})$)?"
)
_FAULT = re.compile(r"^unexpected fault address (?P<addr>0x[0-9a-f]{1,16})\b")
_GOROUTINE = re.compile(
    r"^goroutine (?P<id>\d{1,10})(?: gp=\S+)?(?: m=\S+)?(?: mp=\S+)? \[(?P<state>[^\]]{1,200})\]:?"
)
_CALL = re.compile(  # delve's beside the runtime's
    r"^(?:(?P<function>\S[^\n]{0,2000})\([^()\n]*\)|"
    r"\s{0,8}\d{1,6}  0x[0-9a-f]{8,16} in (?P<function_>\S{1,600}))$"
)
_QUALIFIED = re.compile(r"(?:[\w.%-]+/)*[\w%-]+\.[\w.()*{}\[\]-]+$")  # with its package
_CREATED = re.compile(r"^created by (?P<function>\S{1,600})")
_PLACE = re.compile(
    r"^\s{0,12}(?:at )?(?P<file>\S.{0,400}?\.(?:go|s|c|"
    r"cgo\d?\.go)):(?P<line>\d{1,9})(?: \+0x[0-9a-f]+)?(?: fp=.*)?$"
)
_RACE_SIDE = re.compile(
    r"^(?:Previous )?(?P<access>[Rr]ead|"
    r"[Ww]rite) at (?P<address>0x[0-9a-f]{1,16}) by (?P<who>.{1,40}):$"
)
_DEFERRED = re.compile(
    r"^(?:panic$|runtime\.(?:gopanic|panic\w*|goPanic\w*|sigpanic|throw|fatal\w*|dopanic\w*)$)"
)

_MESSAGES: tuple[tuple[str, C], ...] = (
    (r"^panic: runtime error: integer divide by zero", C.DIVIDE_BY_ZERO),
    (r"^panic: (?:runtime error: (?:invalid memory address or nil pointer|.*\bnil map)|"
     r"assignment to entry in nil map(?: \[recovered\])?$)", C.NULL_POINTER_DEREFERENCE),
    (r"^fatal error: stack overflow|^runtime: goroutine stack exceeds", C.STACK_OVERFLOW),
    (r"^(?:fatal error: (?:runtime: )?|runtime: )(?:out of memory|cannot allocate memory)",
     C.OUT_OF_MEMORY),
    (r"^fatal error: (?:all goroutines are asleep|no goroutines .* deadlock!)", C.DEADLOCK),
    (r"^fatal error: concurrent (?:map|write)", C.DATA_RACE),
    (r"^panic: runtime error: integer overflow", C.INTEGER_OVERFLOW),
    (r"^panic: (?:runtime error: )?unaligned 64-bit atomic", C.MISALIGNED_ACCESS),
    (r"^panic: assert(?:ion)? failed", C.ASSERTION_FAILURE),
)  # fmt: skip
"""What the runtime itself says; the same words of an error that a program gave to panic() are
what somebody else told it."""


def category_of(said: str) -> C:
    """What a report's first line stands for; a panic where it names nothing narrower."""
    return first_of(_MESSAGES, said) or C.PANIC


def read(document: Document) -> Analysis:
    """Each panic with its goroutines' stacks, what the process outlived last; every data race."""
    lines = list(lines_of(document))
    panics = [p for part in _parts(lines) if (p := _panic(document, part)) is not None]
    panics.sort(key=lambda panic: panic.ends is False)
    return analysis_of(document, [*panics, *_races(document, lines)])


def _parts(lines: list[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """The lines up to where a runtime that has listed goroutines says that something failed."""
    begin = 0
    listed = False
    for at, (_, line) in enumerate(lines):
        if listed and (_PANIC.match(line) or _RUNTIME.match(line) or _BARE_SIGNAL.match(line)):
            yield lines[begin:at]
            begin, listed = at, False
        listed = listed or _GOROUTINE.match(line) is not None
    yield lines[begin:]


def _panic(document: Document, lines: list[tuple[int, str]]) -> Finding | None:
    roles = _goroutines(lines)
    said = message_line = 0
    message = text = ""
    kind, served, recovered = "panic", False, False
    notes: list[Note] = []
    signal = address = pc = code = None
    for number, line in lines[:400]:
        match = _PANIC.match(line)
        if match is not None:
            words = match["message"] or match["shown"]
            if said and not words.startswith(("runtime error", "fault")):
                notes.append(Note(text=sentence(line), line=number))
                continue
            said, message_line, message = number, number, words
            kind, served = match["word"] or match["served"], bool(match["served"])
            text = line[match.start("served" if served else "word") :]
            continue
        over = _RUNTIME.match(line)
        if over is not None:
            notes.append(Note(text=sentence(line), line=number))
        sign = _SIGNAL.match(line)
        if sign is not None:
            notes.append(Note(text=sentence(line), line=number))
            signal = sign["name"] if sign["name"].startswith("SIG") else None
            told = sign["addr"] and not log_kinds.has_no_address(line)
            address = hexadecimal(sign["addr"]) if told else None
            pc = hexadecimal(sign["pc"]) if sign["pc"] else None
        bare = _BARE_SIGNAL.match(line)
        if bare is not None and not said:
            said, message_line, message, kind, text = number, number, line, bare["name"], line
            signal = bare["name"]
        of_bare = _CODE.match(line)
        if of_bare is not None and signal is not None:
            code, pc = of_bare["code"], hexadecimal(of_bare["pc"])
            told = of_bare["addr"] and not log_kinds.has_no_address(line)
            address = hexadecimal(of_bare["addr"]) if told else None
        fault = _FAULT.match(line)
        if fault is not None:
            notes.append(Note(text=sentence(line), line=number))
            address = hexadecimal(fault["addr"])
    if not said and any(line.startswith("panic(") for _, line in lines[:400]):
        # what recovered it printed it, and debug.Stack: whether the process went on, nothing tells
        words = ((n, m["message"]) for n, line in lines[:400] if (m := _RECOVERED.match(line)))
        heads = ((n, line) for n, line in lines[:400] if _GOROUTINE.match(line))
        said, message = next(words, None) or next(heads, (0, ""))
        message_line, text, recovered = said, message, True
    if not said:
        return None
    category: C | None = category_of(f"{'panic' if served else kind}: {message}")
    stacks = roles[:8]
    if signal is not None and kind == signal:
        category = _of_bare(signal, address, code, pc)
    if message.startswith("unexpected signal") and address is not None:
        # C code: where it failed is not on Go's stack
        category = log_kinds.of_access(signal, address, None, pc, raised=True) or category
    if category is C.DATA_RACE:
        # A map's own check sees one of the two sides (internal/runtime/maps, fatal()): any of the
        # other goroutines, or one that ended since, may have been the second.
        stacks = stacks[:1] + tuple(replace(role, role="thread") for role in stacks[1:])
    return Finding(
        cite=document.cite(said, max(said, stacks[0].last if stacks else said)),
        tool="Go",
        kind=kind,
        message=sentence(text),
        line=message_line,
        category=category,
        ends=None if recovered else not served,
        sure=not recovered,
        address=address,
        pc=pc,
        signal=signal,
        stacks=stacks,
        notes=tuple(notes[:6]),
    )


def _of_bare(signal: str, address: int | None, code: str | None, pc: int | None) -> C | None:
    """What a signal stands for that the runtime made no panic of: sent, or of C's code."""
    if signal == "SIGQUIT" or code == "0":  # SI_USER: kill(2), as a watchdog's
        return C.EXTERNAL_SIGNAL
    if code is None or (signal == "SIGSEGV" and address is None):
        return None  # of an old runtime, which does not say whether it was sent
    return log_kinds.of_access(signal, address, None, pc, raised=int(code) <= _LAST_RAISED)


_LAST_RAISED = 0x80
"""SI_KERNEL; Go prints the negative codes of what was sent as 64 bits without a sign."""


class _Calls:
    """Frames of two lines each: the call, and where it stands."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self._call: tuple[int, str] | None = None

    def take(self, number: int, line: str) -> None:
        """One more line. A call whose place was not kept is a frame too, between others."""
        place, call = _PLACE.match(line), _CALL.match(line)
        if self._call is not None and (place is not None or _QUALIFIED.match(self._call[1])):
            at, function = self._call
            said = {"function": function, **(place.groupdict() if place is not None else {})}
            lines = (number, number) if place is not None else None
            self.frames.append(frame_by(said, len(self.frames), at, file_lines=lines))
        known = call is not None and place is None and not _CREATED.match(line)
        self._call = None
        if call is not None and known:
            self._call = (number, call["function"] or call["function_"])

    def end(self) -> None:
        """No line follows."""
        self.take(0, "")


def _goroutines(lines: list[tuple[int, str]]) -> tuple[Role, ...]:
    """A stack for each goroutine, the one that panicked first."""
    parts: list[tuple[int, str, int | None, _Calls]] = [(0, "", None, _Calls())]
    for number, line in lines:
        header = _GOROUTINE.match(line)
        if header is not None:
            parts.append((number, line, small(header["id"]), _Calls()))
        else:
            parts[-1][-1].take(number, line)
    for part in parts:
        part[-1].end()
    shown = [part for part in parts if part[-1].frames]
    found = [
        trace(
            "other" if at else "access",
            title,
            line or calls.frames[0].line_no,
            _panicking(calls.frames),
            thread,
        )
        for at, (line, title, thread, calls) in enumerate(shown)
    ]
    if len(found) > 1 and not found[0].title:
        # "runtime stack:" stands above: what the runtime itself ran when it gave up, which failed
        # itself where a signal interrupted a frame of it.
        runtime, first, *others = found
        if not any(frame.function == "runtime.sigpanic" for frame in shown[0][-1].frames) or (
            shown[0][-1].frames[-1].function == "runtime.sigpanic"
        ):
            found = [replace(first, role="access"), replace(runtime, role="other"), *others]
    return tuple(found)


def _panicking(frames: list[Frame]) -> list[Frame]:
    """The frames from the one that panicked on: what stands above ran in deferred calls."""
    last = max(
        (at for at, frame in enumerate(frames[:60]) if _DEFERRED.match(frame.function or "")),
        default=-1,
    )
    return frames[last + 1 :] or frames


def _races(document: Document, lines: list[tuple[int, str]]) -> list[Finding]:
    found: list[Finding] = []
    for block in blocks_of(lines, _RACE.match, 50):
        roles: list[Role] = []
        access = address = None
        access_line = 0
        for index, (number, line) in enumerate(block):
            side = _RACE_SIDE.match(line)
            if side is None:
                continue
            if access is None:
                access, address = side["access"].lower(), hexadecimal(side["address"])
                access_line = number
            stack = _race_stack(block[index + 1 : index + 401])
            roles.append(trace("other" if roles else "access", line, number, stack))
        number, line = block[0]
        found.append(
            Finding(
                cite=document.cite(number, block[-1][0]),
                tool="Go's race detector",
                kind="data race",
                message=sentence(line),
                line=number,
                rank=0,
                category=C.DATA_RACE,
                access=access,
                access_line=access_line,
                address=address,
                stacks=tuple(roles),
            )
        )
    return found


def _race_stack(lines: list[tuple[int, str]]) -> list[Frame]:
    calls = _Calls()
    for number, line in lines:
        if not line.strip() or line.startswith("==="):
            break
        calls.take(number, line.strip())
    return calls.frames
