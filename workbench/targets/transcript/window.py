"""The parts of a log that are read: all of it, or of a huge one what lies around its reports."""

import re

from workbench.targets.files import Buffer
from workbench.targets.transcript.decode import LONGEST_RECORD

WHOLE = 64 << 20
"""Bytes up to which a log is read as a whole."""
LINES = 250_000
"""The same in lines: what reading costs goes by these."""
STEP = 4 << 20
_BEFORE, _BEHIND = 64 << 10, 2 << 20
_TAIL = 1 << 20

# Words without which hardly any report begins; the splitter looks closer. Looked for one by one:
# that is ten times as fast as a pattern of all of them.
_WORDS = (
    b"Sanitizer", b"runtime error: ", b"(gdb)", b"(lldb)", b"pwndbg>", b"BUG: ", b"panic", b"Oops",
    b"fatal", b"Fatal", b"FATAL", b"Traceback", b"Exception", b"Assertion", b"terminate called",
    b"dumped core", b"*** ", b"tid: ", b"Crash", b"Check failed", b"ProblemType", b"#0 ",
    b"segfault at", b"[BUG]", b"got signal", b"by signal", b"on signal", b"nhandled", b"Fault",
    b"========= ", b"ERROR **", b"OOM", b"Error)\n", b"still has locks held", b"0# ",
    b"CORRUPTION DETECTED", b"SEH exception", b"TRAP: ", b"exit signal", b"code=dumped",
    b"code=killed", b" at address 0x", b"internal compiler error", b"Error #", b"Scudo ERROR",
    b"signal (", b"ERROR: LoadError", b"Stacktrace:", b".pl line ", b".pm line ", b"Slogan: ",
    b"** (", b"suspect faulting", b"xit code", b"xit Code", b"Error@", b"Prelude.", b".hs:",
    b"HasCallStack", b"forrtl: ", b"ccess violation", b"untime error ", b"_ERROR : ",
)  # fmt: skip
# A shape, and what stands in every line that has it.
_SHAPES = tuple(
    (core, re.compile(shape))
    for core, shape in (
        (b"> ", rb":\d{3}> |kd> "),
        (b"SIG", rb"SIG[A-Z]{2,6}"),
        (b"== ", rb"==\d+== "),
        (b"goroutine ", rb"goroutine \d"),
    )
)


def first_word(block: bytes) -> int | None:
    """Where the first of the words stands, if any does."""
    found = [at for word in _WORDS if (at := block.find(word)) >= 0]
    found += [m.start() for core, shape in _SHAPES if core in block and (m := shape.search(block))]
    return min(found, default=None)


def read_reports(file: Buffer, encoding: str, at: int = 0) -> tuple[bytes, int]:
    """The bytes to read, of a large file from ``at`` on, and how many were left out. At most
    `WHOLE` bytes are returned, and `LINES` lines with the last `_TAIL` bytes besides."""
    size = len(file)
    first = bytes(file[0:STEP])
    ends = b"\r" if b"\r" in first and b"\n" not in first else b"\n"
    if size <= WHOLE or encoding.startswith("utf-16"):
        data = _first(bytes(file[0 : min(size, WHOLE)]), ends, LINES)
        if len(data) == size:
            return data, 0
        if encoding.startswith("utf-16"):
            data = data[: len(data) & ~1]
            return data, size - len(data)
    kept: list[bytes] = []
    total = 0
    left = LINES
    while at < size and total < WHOLE - _TAIL and left > 0:
        block = bytes(file[at : at + STEP])
        last = block.rfind(ends) + 1
        if not last and len(block) == STEP:  # of a line that long the rest is left out anyway
            block = block[:LONGEST_RECORD]
        word = first_word(block[: last or len(block)])
        if word is None or not block:
            at = at + last if last else _next_line(file, at, ends)
            continue
        begin = block.rfind(ends, 0, max(0, word - _BEFORE)) + 1
        start = at + begin
        part = bytes(file[start : start + min(_BEHIND, WHOLE - _TAIL - total)])
        whole = part.rfind(ends) + 1
        part = _first(part[: whole or LONGEST_RECORD], ends, left)
        left -= part.count(ends)
        kept.append(part if whole else part + ends)
        total += len(part)
        at = start + len(part) if whole else _next_line(file, start, ends)
    if at < size - _TAIL:
        tail = bytes(file[size - _TAIL : size])
        kept.append(tail[tail.find(ends) + 1 :])
        total += len(kept[-1])
    return b"".join(kept), size - total


def _first(data: bytes, ends: bytes, count: int) -> bytes:
    """The first lines of a log's bytes."""
    if data.count(ends) <= count:
        return data
    return data[: len(data) - len(data.split(ends, count)[-1])]


def _next_line(file: Buffer, at: int, ends: bytes) -> int:
    """Where the line behind the one at a place begins."""
    while at < len(file):
        block = bytes(file[at : at + STEP])
        found = block.find(ends)
        if found >= 0 or not block:
            return at + found + 1
        at += len(block)
    return len(file)
