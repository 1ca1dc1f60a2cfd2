"""gdb's backtraces: ``bt``, ``where``, ``thread apply ... bt``."""

import re
from dataclasses import dataclass, field

from msgspec.structs import replace

from analyzers.base import Analysis, Document
from analyzers.gdb.frames import parse_frame
from analyzers.gdb.text import MAX_ITEMS, bare_command, hex_value, lines_of
from analyzers.gdb.variables import read_variables
from workbench.model.facts import AnyFact, Frame, Stack
from workbench.model.models import Complexity

_COMMAND = re.compile(r"^(?:bt|backtrace|where|ba\w*|backt\w*|whe|wher)(?:\s|$)")
_ALL = re.compile(r"\bthread\s+apply\s+all\b|\btaas\b")
_FULL = re.compile(r"\s(?:-?full|fu?)\b")
# gdb/thread.c, thread_target_id_str: Thread NUMBER (TARGET-ID "name"):
_THREAD = re.compile(
    r"^Thread (?P<number>\d{1,9}(?:\.\d{1,9})?) \((?P<target>.*)\):?\s*$",
)
_LWP = re.compile(r"\(?\b(?:LWP|process) (\d{1,10})\)?")
_NAME = re.compile(r'"([^"]*)"')
_STOPPED = "Backtrace stopped:"
_MORE = "(More stack frames follow"


@dataclass
class _Open:
    first: int
    number: int | None = None
    thread: int | None = None
    name: str | None = None
    current: bool = False
    frames: list[Frame] = field(default_factory=list)
    last: int = 0
    complete: bool = True
    corrupt: bool = False


class GdbStacks:
    """Reads every stack of an output into one `Stack` each."""

    name = "gdb-stacks"

    def complexity(self, document: Document) -> Complexity:
        """One stack is read; what many threads do together takes more."""
        return Complexity.COMPLEX if _ALL.search(document.command[:200]) else Complexity.SIMPLE

    def can_analyze(self, document: Document) -> bool:
        """True for gdb's backtrace commands, with or without ``thread apply``."""
        return document.host == "gdb" and bool(_COMMAND.match(bare_command(document.command)))

    def analyze(self, document: Document) -> Analysis:
        """One `Stack` per thread; a listing without a thread header is the selected thread's."""
        stacks: list[Stack] = []
        now: _Open | None = None
        total = 0
        for number, line in lines_of(document):
            header = _THREAD.match(line) if line.startswith("Thread ") else None
            if header:
                if now is not None:
                    _close(now, document, stacks)
                now = _opened_by(header, number)
                continue
            if line.startswith("#"):
                frame = parse_frame(line, number)
                if frame is None or total >= MAX_ITEMS:
                    continue
                if now is None or (now.frames and frame.index <= now.frames[-1].index):
                    if now is not None:
                        _close(now, document, stacks)
                    now = _Open(number, current=not stacks)
                now.frames.append(frame)
                now.last = number
                total += 1
            elif now is not None and line.startswith(_STOPPED):
                now.corrupt, now.last = True, number
            elif now is not None and line.startswith(_MORE):
                now.complete, now.last = False, number
        if now is not None:
            _close(now, document, stacks)
        facts: tuple[AnyFact, ...] = tuple(stacks)
        if _FULL.search(bare_command(document.command)):
            facts += tuple(read_variables(document))
        return Analysis(_summary(stacks), facts, _findings(stacks))


def _opened_by(header: re.Match[str], number: int) -> _Open:
    target = header["target"]
    lwp = _LWP.search(target)
    thread_name = _NAME.search(target)
    return _Open(
        number,
        number=int(header["number"].split(".")[-1]),
        thread=int(lwp[1]) if lwp else _pthread_id(target),
        name=thread_name[1] if thread_name else None,
    )


def _pthread_id(target: str) -> int | None:
    match = re.match(r"^Thread 0x([0-9a-fA-F]{1,32})$", target)
    return hex_value(match[1]) if match else None


def _close(now: _Open, document: Document, stacks: list[Stack]) -> None:
    if not now.frames:
        return
    frames = now.frames
    # gdb prints no address for the caller that a function was inlined into (gdb/stack.c,
    # frame_show_address), so a missing address marks the frame before it as inlined.
    for place in range(len(frames) - 1):
        outer = frames[place + 1]
        if outer.address is None and not outer.signal_handler:
            frames[place] = replace(frames[place], inlined=True)
    stacks.append(
        Stack(
            cite=document.cite(now.first, max(now.last, now.first)),
            number=now.number,
            thread=now.thread,
            name=now.name,
            frames=tuple(frames),
            current=now.current,
            complete=now.complete,
            corrupt=now.corrupt,
        )
    )


def _summary(stacks: list[Stack]) -> str:
    if not stacks:
        return "No stack"
    if len(stacks) > 1:
        return f"Stacks of {len(stacks)} threads"
    frames = stacks[0].frames
    top = frames[0].function or "??"
    depth = f"{len(frames)} frame" + ("" if len(frames) == 1 else "s")
    ending = ", cut" if not stacks[0].complete else ", broken" if stacks[0].corrupt else ""
    return f"{depth} from {top[:80]}{ending}"


def _findings(stacks: list[Stack]) -> tuple[str, ...]:
    found = []
    for stack in stacks:
        if stack.corrupt:
            found.append(f"Unwinding stopped early [{stack.cite}]")
        if any(frame.signal_handler for frame in stack.frames):
            found.append(f"The stack runs through a signal handler [{stack.cite}]")
    return tuple(found[:20])
