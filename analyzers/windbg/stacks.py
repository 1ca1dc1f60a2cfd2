"""Stacks as ``k`` and its kin print them, and ``STACK_TEXT`` of ``!analyze -v``."""

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from analyzers.base import MAX_ITEMS, Document, hexadecimal
from analyzers.windbg.lists import parse_thread
from analyzers.windbg.text import Line, Symbol, parse_symbol
from workbench.model.facts import Frame, Stack

_ADDRESS = r"(?:[0-9a-fA-F]{8}`[0-9a-fA-F]{8}|[0-9a-fA-F]{16}|[0-9a-fA-F]{8})"
_NONE = r"(?:-{8}(?:`-{8})?)"
# Frame number (kn), bytes used (kf), stack pointer, return address, the rest.
_ROW = re.compile(
    rf"^\s*(?:(?P<index>[0-9a-fA-F]{{2,4}})\s+)?(?:(?P<used>[0-9a-fA-F]{{1,6}})\s+)?"
    rf"(?:(?P<inline>\(Inline(?: Function)?\))|(?P<sp>{_ADDRESS}))\s+:?\s*"
    rf"(?P<ret>{_ADDRESS}|{_NONE})(?:\s+(?P<rest>\S.*))?$"
)
_HEADER = re.compile(
    r"^\s*#?\s*(?:Memory\s+)?(?:ChildEBP|Child-SP|Child-FP|FramePtr|Call Site\b)(?:\s|$)"
)
# kc: call sites alone, numbered or not.
_BARE_HEADER = re.compile(r"^\s*#?\s*Call Site\s*$")
_BARE = re.compile(r"^\s*(?:(?P<index>[0-9a-fA-F]{2,4})\s+)?(?P<site>\S+!\S.*)$")
_COLUMN = re.compile(rf"^(?::|\.\.\.|{_ADDRESS}|{_NONE})(?=\s)\s*")
_STACK_TEXT = re.compile(r"^\s{0,2}STACK_TEXT:")
_TYPED = re.compile(r"^~\s*(?P<thread>\d{1,6})\s*e?\s*k")
_NOISE = re.compile(
    r"^(?:WARNING:|\*\*\*|Unable to |Missing image name|Following frames|No symbols|"
    r"\(Inline Frame|Unwind information|TRIAGER:|\s+[a-zA-Z_<].*(?:,|\)))"
)
_MANAGED = re.compile(r"^OS Thread Id: 0x|^\s*SP\s+IP\s+Function\s*$")
# kd's !thread: "THREAD ffaf5410  Cid e7.e8  Teb: 7ffde000 WAIT: (Executive)", its stack below.
_KERNEL_THREAD = re.compile(
    r"^\s*THREAD (?P<thread>[0-9a-f]{8}(?:[0-9a-f]{8})?)\s{1,4}Cid [0-9a-f]{1,8}\.[0-9a-f]{1,8}\b"
)
# "OwningThread DbgId = ~1s": !cs -l -o shows the owner's stack below.
_OWNER = re.compile(r"^\s*OwningThread DbgId\s{0,4}=\s{0,4}~(?P<thread>\d{1,6})s")
# What hands an exception to the program's own handlers: frames above it are the handling.
_DISPATCHERS = frozenset({"KiUserExceptionDispatcher", "KiUserExceptionDispatch"})
_HANDLERS = frozenset(
    {"UnhandledExceptionFilter", "RtlUnhandledExceptionFilter", "RtlKnownExceptionFilter",
     "GetApplicationRecoveryCallback", "WerpReportFault", "WerpReportFaultInternal"}
)  # fmt: skip
_WIDTH = 80
"""Columns of the terminal that wraps a line; captured output then has the rest on the next."""


class Listed(NamedTuple):
    """A stack, and whether ``!analyze`` printed it: then it is that of the exception."""

    stack: Stack
    analyzed: bool


@dataclass
class _Open:
    first: int
    number: int | None = None
    thread: int | None = None
    name: str | None = None
    current: bool = False
    frames: list[Frame] = field(default_factory=list)
    last: int = 0
    next_address: int | None = None
    analyzed: bool = False
    bare: bool = False
    doubtful: bool = False


def read_stacks(document: Document, lines: Sequence[Line]) -> list[Listed]:
    """Every stack of an output, in order.

    ``number`` is the debugger's thread number where a prompt, a ``~N k`` or a thread's line says
    it. ``current`` marks the stack of the exception (``STACK_TEXT``), or of the selected thread.
    Frames that only handle the exception are left out. A frame's ``address`` is the return address
    of the frame before it; ``args`` are the raw words that ``kb`` shows.
    """
    found: list[Listed] = []
    now: _Open | None = None
    about: _Open | None = None  # what a thread's line said of the stack that follows
    total, skip, managed = 0, 0, False

    def close() -> None:
        nonlocal now
        if now is not None and now.frames:
            found.append(Listed(_stack(document, now), now.analyzed))
        now = None

    for at, line in enumerate(lines):
        if skip:
            skip -= 1
            continue
        if line.typed is not None:
            close()
            managed, about = False, _typed(line.number, line.typed)
            continue
        text = line.text
        if _MANAGED.match(text):
            close()
            managed = True
        if managed:  # SOS's frames have a reader of their own
            managed = bool(text)
            continue
        if (whose := _whose(line)) is not None:
            close()
            about = whose
            continue
        if _STACK_TEXT.match(text) or _HEADER.match(text):
            close()
            now = _opened(document, line, about, "STACK_TEXT" in text)
            now.bare = _BARE_HEADER.match(text) is not None
            continue
        bare = _BARE.match(text) if now is not None and now.bare and total < MAX_ITEMS else None
        if now is not None and bare is not None:
            symbol = parse_symbol(bare["site"])
            if symbol is not None:
                # A frame of kc has neither addresses nor offsets.
                now.frames.append(
                    symbol.frame(_index(now, bare), line.number, address=None, args="")
                )
                now.last = line.number
                total += 1
                continue
        row = _ROW.match(text) if total < MAX_ITEMS else None
        if row is not None:
            joined, extra = _joined(text, lines, at)
            symbol = _symbol(joined)
            if symbol is not None:
                if now is None and symbol.function is None:
                    continue
                now = now or _opened(document, line, about, analyzed=False)
                _add(now, row, symbol, joined, line.number)
                now.last = line.number + extra
                skip, total = extra, total + 1
                continue
        if now is not None and text:
            if text.startswith("WARNING:"):
                now.doubtful = True
            elif not _NOISE.match(text):
                close()
                about = None
    close()
    if sum(one.stack.current and one.stack.thread is not None for one in found) > 1:
        return [Listed(replace(one.stack, current=False), one.analyzed) for one in found]
    return found


def _typed(first: int, command: str) -> _Open | None:
    """The thread that a command names, whose stack follows."""
    typed = _TYPED.match(command)
    return _Open(first, int(typed["thread"])) if typed is not None else None


def _whose(line: Line) -> _Open | None:
    """The thread that a line names, whose stack follows."""
    if (kernel := _KERNEL_THREAD.match(line.text)) is not None:
        return _Open(line.number, thread=hexadecimal(kernel["thread"]))
    if (owner := _OWNER.match(line.text)) is not None:
        return _Open(line.number, int(owner["thread"]))
    if (told := parse_thread(line.text)) is None:
        return None
    return _Open(line.number, told.number, told.thread, told.name, told.current)


def _opened(document: Document, line: Line, about: _Open | None, analyzed: bool) -> _Open:
    """A stack that begins; with the thread that was told above its citation begins there."""
    if analyzed:
        return _Open(line.number, current=True, analyzed=True)
    if about is not None:
        return dataclasses.replace(about, first=min(about.first, line.number), frames=[])
    typed = _typed(line.number, document.command.strip())
    return typed or _Open(line.number, line.thread, current=True)


def _joined(text: str, lines: Sequence[Line], at: int) -> tuple[str, int]:
    """A row with what a terminal wrapped to the next line, and how many lines that took."""
    if len(text) not in (_WIDTH, _WIDTH - 1) or at + 1 >= len(lines):
        return text, 0
    following = lines[at + 1]
    wrapped = following.text
    if not wrapped or following.prompt or wrapped[0] in " \t*" or _ROW.match(wrapped):
        return text, 0
    if _HEADER.match(wrapped) or re.match(r"^[A-Z_]{4,40}:|^quit:|^Followup", wrapped):
        return text, 0
    return text + wrapped, 1


def _columns(text: str) -> tuple[list[str], str]:
    """The raw words in front of the call site, and the call site."""
    words: list[str] = []
    while found := _COLUMN.match(text):
        word = found[0].strip()
        if word not in (":", "..."):
            words.append(word)
        text = text[found.end() :]
        if len(words) > 16:
            break
    return words, text


def _symbol(joined: str) -> Symbol | None:
    row = _ROW.match(joined)
    return None if row is None or row["rest"] is None else parse_symbol(_columns(row["rest"])[1])


def _index(now: _Open, row: re.Match[str]) -> int:
    index = int(row["index"], 16) if row["index"] else len(now.frames)
    last = now.frames[-1].index if now.frames else -1
    return max(index, last + 1)


def _add(now: _Open, row: re.Match[str], symbol: Symbol, joined: str, line_no: int) -> None:
    whole = _ROW.match(joined)
    words = _columns(whole["rest"])[0] if whole is not None and whole["rest"] else []
    inlined = row["inline"] is not None or symbol.inlined
    address = None if inlined else now.next_address
    now.frames.append(
        symbol.frame(
            _index(now, row),
            line_no,
            address=address if symbol.address is None else symbol.address,
            args=symbol.args or " ".join(words[:8]),
            trust="symbols" if symbol.function is not None else "unwound",
            inlined=inlined,
        )
    )
    if not inlined:
        ret = row["ret"]
        now.next_address = None if ret.startswith("-") else hexadecimal(ret) or None


def _stack(document: Document, now: _Open) -> Stack:
    frames = now.frames
    cut = 0
    for place, frame in enumerate(frames):
        system = frame.module is not None and frame.module.lower().startswith("ntdll")
        if system and frame.function in _DISPATCHERS:
            cut = place + 1
    handled = cut < len(frames) and cut > 0
    frames = frames[cut:] if handled else frames
    handling = not handled and any(
        frame.function is not None and frame.function.lstrip("_") in _HANDLERS for frame in frames
    )
    return Stack(
        cite=document.cite(now.first, max(now.first, now.last)),
        number=now.number,
        thread=now.thread,
        name=now.name,
        frames=tuple(frames),
        current=now.current and not handling,
        corrupt=now.doubtful,
    )


def with_thread(stack: Stack, thread: int | None, address: int | None) -> Stack:
    """A stack of ``!analyze`` with the thread that it names, and where its innermost frame ran."""
    frames = stack.frames
    if frames and frames[0].address is None and address is not None and not frames[0].inlined:
        frames = (replace(frames[0], address=address), *frames[1:])
    return replace(stack, thread=stack.thread or thread, frames=frames)
