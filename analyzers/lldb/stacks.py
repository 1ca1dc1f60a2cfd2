"""lldb's backtraces: ``bt``, ``thread backtrace``, ``thread backtrace all``."""

import re
from dataclasses import dataclass, field

from analyzers.base import Analysis, Document
from analyzers.lldb.frames import is_frame, parse_frame
from analyzers.lldb.text import MAX_ITEMS, is_of, lines_of, selected, thread_id
from workbench.model.facts import Frame, Stack
from workbench.model.models import Complexity

_COMMAND = re.compile(r"^(?:bt|sys_bt|_regexp-bt|(?:th\w*|t) b\w*|thread backtrace)(?:\s|$)")
_THREAD = re.compile(
    r"^\s*(?P<current>\* )?\s*thread #(?P<number>\d{1,9})"
    r"(?:: tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,20}))?"
)
_ALL = re.compile(r"\s(?:all|unique)\b")
_NAME = re.compile(r", name = '([^']*)'")
_COUNT = re.compile(r"(?:-c|--count)[ =]?(\d{1,9})|^(?:bt|_regexp-bt) (\d{1,9})$")


@dataclass
class _Open:
    first: int
    number: int | None = None
    thread: int | None = None
    name: str | None = None
    current: bool = False
    frames: list[Frame] = field(default_factory=list)
    last: int = 0


class LldbStacks:
    """Reads every stack of an output into one `Stack` each."""

    name = "lldb-stacks"

    def complexity(self, document: Document) -> Complexity:
        """One stack is read; what many threads do together takes more."""
        return Complexity.COMPLEX if _ALL.search(document.command[:200]) else Complexity.SIMPLE

    def can_analyze(self, document: Document) -> bool:
        """True for lldb's backtrace commands."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """One `Stack` per thread; a listing without a thread header is the selected thread's."""
        stacks = read_stacks(document)
        return Analysis(_summary(stacks), tuple(stacks), _findings(stacks))


def read_stacks(document: Document) -> list[Stack]:
    """Every listing of more than a frame's line, or under the header of a thread."""
    stacks: list[Stack] = []
    now: _Open | None = None
    limit = _limit(document.command)
    selects = selected(document.command)[0] is not None
    total = 0
    for number, line in lines_of(document):
        if is_frame(line):
            frame = parse_frame(line, number)
            if frame is None or total >= MAX_ITEMS:
                continue
            if now is None or (now.frames and frame.index <= now.frames[-1].index):
                _close(now, document, stacks, limit)
                now = _Open(number, current=not stacks and not selects)
            now.frames.append(frame)
            now.last = number
            total += 1
            continue
        header = _THREAD.match(line)
        if header is not None:
            _close(now, document, stacks, limit)
            name = _NAME.search(line)
            now = _Open(
                number,
                number=int(header["number"]),
                thread=thread_id(header["tid"]) if header["tid"] else None,
                name=name[1] if name else None,
                current=bool(header["current"]) and not selects,
            )
    _close(now, document, stacks, limit)
    return stacks


def _limit(command: str) -> int | None:
    """How many frames of a thread were asked for at most."""
    found = _COUNT.search(command[:200].strip())
    return int(found[1] or found[2]) if found else None


def _close(now: _Open | None, document: Document, stacks: list[Stack], limit: int | None) -> None:
    if now is None or not now.frames:
        return
    stacks.append(
        Stack(
            cite=document.cite(now.first, max(now.last, now.first)),
            number=now.number,
            thread=now.thread,
            name=now.name,
            frames=tuple(now.frames),
            current=now.current,
            # lldb does not say that it stopped at the count it was given.
            complete=limit is None or len(now.frames) < limit,
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
    return f"{depth} from {top[:80]}" + ("" if stacks[0].complete else ", cut")


def _findings(stacks: list[Stack]) -> tuple[str, ...]:
    return tuple(
        f"The stack runs through a signal handler [{stack.cite}]"
        for stack in stacks
        if any(frame.signal_handler for frame in stack.frames)
    )[:20]
