"""lldb's backtraces: ``bt``, ``thread backtrace``, ``thread backtrace all``."""

import re
from itertools import groupby, pairwise

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Reader
from analyzers.lldb.frames import alike, parse_frame
from analyzers.lldb.text import answers, selected, thread_id
from analyzers.stacks import Header, Words, gather
from workbench.model.facts import Frame
from workbench.model.models import Complexity

_COMMAND = re.compile(r"^(?:bt|sys_bt|_regexp-bt|(?:th\w*|t) b\w*|thread backtrace)(?:\s|$)")
_ALL = re.compile(r"\s(?:all|unique)\b")
_THREAD = re.compile(
    r"^\s*(?P<current>\* )?\s*thread #(?P<number>\d{1,9})\b"
    r"(?:: tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,20})\b)?"
)
# What "thread backtrace unique" prints above a stack that several threads have.
_SHARED = re.compile(r"^\d{1,9} thread\(s\)(?P<numbers>(?: #\d{1,9}\b)+)\s*$")
_NUMBER = re.compile(r"#(\d{1,9})\b")
_NAME = re.compile(r", name = '([^']*)'")
_COUNT = re.compile(r"(?:-c|--count)[ =]?(\d{1,9})|^(?:bt|_regexp-bt) (\d{1,9})$")


def read(document: Document) -> Analysis:
    """One `Stack` per thread, as long as they are few; a listing without a thread header is the
    selected thread's. lldb does not say that it stopped at the count it was given."""
    current = selected(document.command)[0] is None
    found = gather(document, _WORDS, limit=_limit(document.command), current=current)
    return Analysis(found.summary, found.facts, found.findings, whole=True)


def _level(document: Document) -> Complexity:
    """One stack is read; what many threads do together takes more."""
    return Complexity.COMPLEX if _ALL.search(document.command[:200]) else Complexity.SIMPLE


def _limit(command: str) -> int | None:
    """How many frames of a thread were asked for at most."""
    found = _COUNT.search(command[:200].strip())
    return int(found[1] or found[2]) if found else None


def _header(line: str) -> Header | None:
    shared = _SHARED.match(line) if "thread(s)" in line[:20] else None
    if shared is not None:
        first, *others = map(int, _NUMBER.findall(shared["numbers"]))
        return Header(first, None, None, others=tuple(others))
    found = _THREAD.match(line[:1000])
    if found is None:
        return None
    name = _NAME.search(line[:1000])
    return Header(
        number=int(found["number"]),
        thread=thread_id(found["tid"]) if found["tid"] else None,
        name=name[1] if name else None,
        current=bool(found["current"]),
    )


def _mark_inlined(frames: list[Frame]) -> None:
    """lldb 23 marks no inlined function: it has the pc of the other function around it. lldb 14
    gives one whose name it cannot read (Rust's ``<impl …>::index``) that of the function around
    all of them, which is the last of those with one pc, or has its lines in another file."""
    for _, same in groupby(range(len(frames)), key=lambda at: frames[at].address):
        run = [*same]
        own = frames[run[-1]]
        before = frames[run[0] - 1] if run[0] else own
        nameless = run[:-1] if before.inlined or any(frames[at].inlined for at in run) else []
        nameless += [run[0] - 1] if own.file and before.file not in (None, own.file) else []
        for at in nameless if own.function is not None and not own.inlined else ():
            if frames[at].function == own.function:
                frames[at] = replace(frames[at], function=None, inlined=True)
    for at, (inner, outer) in enumerate(pairwise(frames)):
        if inner.address == outer.address is not None and inner.function != outer.function:
            frames[at] = replace(inner, inlined=True)


_WORDS = Words(
    opens=re.compile(r"\n(?=[* \t]{0,8}thread #\d|\d{1,9} thread\(s\) #\d)"),
    header=_header,
    frame=parse_frame,
    alike=alike,
    settle=_mark_inlined,
)

READER = Reader(read, answers(_COMMAND), _level)
