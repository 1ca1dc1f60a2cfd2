"""gdb's backtraces: ``bt``, ``where``, ``thread apply ... bt``."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Reader, answers, hexadecimal
from analyzers.gdb.frames import alike, parse_frame
from analyzers.gdb.variables import read_variables
from analyzers.stacks import Header, Words, gather
from workbench.model.facts import Frame
from workbench.model.gdb_commands import bare_command
from workbench.model.models import Complexity

_COMMAND = re.compile(r"^(?:bt|backtrace|where|ba\w*|backt\w*|whe|wher)(?:\s|$)")
_ALL = re.compile(r"\bthread\s+apply\s+all\b|\btaas\b")
_FULL = re.compile(r"\s(?:-?full|fu?)\b")
# gdb/thread.c, thread_target_id_str: Thread NUMBER (TARGET-ID "name"):
_THREAD = re.compile(r"^Thread (?P<number>\d{1,9}(?:\.\d{1,9})?) \((?P<target>.*)\):?\s*$")
_LWP = re.compile(r"\b(?:LWP|process) (\d{1,10})\b")
_PTHREAD = re.compile(r"^Thread 0x([0-9a-fA-F]{1,32})$")
_NAME = re.compile(r'"([^"]*)"')
_FOLDED = re.compile(r"^ {3,4}(?=\S)")  # gdb/stack.c, print_frame: wrap_hint
_PLACED = re.compile(r"\) (?:at .{1,1000}:\d{1,9}|from .{1,1000})$")


def read(document: Document) -> Analysis:
    """One `Stack` per thread, as long as they are few; a listing without a thread header is the
    selected thread's."""
    found = gather(document, _WORDS)
    facts = found.facts
    if _FULL.search(bare_command(document.command)):
        facts += tuple(read_variables(document))
    return Analysis(found.summary, facts, found.findings, whole=True)


def _level(document: Document) -> Complexity:
    """One stack is read; what many threads do together takes more."""
    return Complexity.COMPLEX if _ALL.search(document.command[:200]) else Complexity.SIMPLE


def _header(line: str) -> Header | None:
    found = _THREAD.match(line[:1000]) if line.startswith("Thread ") else None
    if found is None:
        return None
    target = found["target"]
    lwp, pthread, name = _LWP.search(target), _PTHREAD.match(target), _NAME.search(target)
    thread = int(lwp[1]) if lwp else hexadecimal(pthread[1]) if pthread else None
    return Header(int(found["number"].split(".")[-1]), thread, name[1] if name else None)


def _remark(line: str) -> str:
    if line.startswith("Backtrace stopped:"):
        return "broken"
    return "cut" if line.startswith("(More stack frames follow") else ""


def _frame(line: str, number: int) -> Frame | None:
    """A frame's line, or what KDE's crash dialog leaves of its own handler's frames (drkonqi,
    backtraceparsergdb.cpp): the crash stands below."""
    if line[:1] == "#":
        return parse_frame(line, number)
    if line[:8] == "[KCrash " and line.rstrip().lower() == "[kcrash handler]":
        return Frame(index=0, signal_handler=True, line_no=number)
    return None


def _alike(line: str) -> object:
    return "[KCrash Handler]" if line[:8] == "[KCrash " else alike(line)


def _folds(line: str, behind: list[str]) -> int:
    """How many lines go on with a frame's that gdb folded: inside of its arguments, or before the
    place of its code."""
    count = 0
    for text in behind:
        inside = line.count("(") > line.count(")")
        if not _FOLDED.match(text) or not (inside or text.lstrip().startswith(("at ", "from "))):
            break
        line, count = f"{line} {text.strip()}", count + 1
        if _PLACED.search(line):
            break
    return count if line[:1] == "#" else 0


def _mark_inlined(frames: list[Frame]) -> None:
    """gdb prints no address for the caller that a function was inlined into (gdb/stack.c,
    frame_show_address), so a missing address marks the frame before it as inlined."""
    for place in range(len(frames) - 1):
        outer = frames[place + 1]
        if outer.address is None and not outer.signal_handler:
            frames[place] = replace(frames[place], inlined=True)


_WORDS = Words(
    opens=re.compile(r"\n(?=Thread \d{1,9}(?:\.\d{1,9})? \()"), header=_header, frame=_frame,
    alike=_alike, remark=_remark, settle=_mark_inlined, folds=_folds)  # fmt: skip

READER = Reader(read, answers("gdb", _COMMAND), _level)
