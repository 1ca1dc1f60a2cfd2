"""The parts of a log that are read: all of it, or of a huge one what lies around its reports."""

import re

from workbench.targets.files import Buffer
from workbench.targets.transcript.decode import LONGEST_RECORD

WHOLE = 64 << 20
"""Bytes up to which a log is read as a whole."""
_STEP = 4 << 20
_BEFORE, _BEHIND = 64 << 10, 2 << 20
_TAIL = 1 << 20

# Words without which hardly any report begins; the splitter looks closer.
_WORDS = re.compile(
    rb"Sanitizer|runtime error: |\(gdb\)|\(lldb\)|pwndbg>|:\d{3}> |kd> |SIG[A-Z]{2,6}|"
    rb"BUG: |panic|Oops|fatal|Fatal|FATAL|Traceback|Exception|==\d+== |"
    rb"Assertion|terminate called|dumped core|"
    rb"\*\*\* |tid: |goroutine \d|Crash|Check failed|ProblemType|#0 |segfault at|"
    rb"\[BUG\]|got signal|by signal|on signal|Unhandled|Fault|panic: |={9} |ERROR \*\*|OOM"
)


def read_reports(file: Buffer, encoding: str) -> tuple[bytes, int]:
    """The bytes to read and how many were left out. At most `WHOLE` bytes are returned."""
    size = len(file)
    if size <= WHOLE:
        return bytes(file[0:size]), 0
    if encoding.startswith("utf-16"):
        return bytes(file[0 : WHOLE & ~1]), size - (WHOLE & ~1)
    kept: list[bytes] = []
    total = at = 0
    first = bytes(file[0:_STEP])
    ends = b"\r" if b"\r" in first and b"\n" not in first else b"\n"
    while at < size and total < WHOLE - _TAIL:
        block = bytes(file[at : at + _STEP])
        last = block.rfind(ends) + 1
        if not last and len(block) == _STEP:  # of a line that long the rest is left out anyway
            block = block[:LONGEST_RECORD]
        match = _WORDS.search(block[: last or len(block)])
        if match is None or not block:
            at = at + last if last else _next_line(file, at, ends)
            continue
        begin = block.rfind(ends, 0, max(0, match.start() - _BEFORE)) + 1
        start = at + begin
        part = bytes(file[start : start + min(_BEHIND, WHOLE - _TAIL - total)])
        whole = part.rfind(ends) + 1
        part = part[: whole or LONGEST_RECORD]
        kept.append(part if whole else part + ends)
        total += len(part)
        at = start + len(part) if whole else _next_line(file, start, ends)
    if at < size - _TAIL:
        tail = bytes(file[size - _TAIL : size])
        kept.append(tail[tail.find(ends) + 1 :])
        total += len(kept[-1])
    return b"".join(kept), size - total


def _next_line(file: Buffer, at: int, ends: bytes) -> int:
    """Where the line behind the one at a place begins."""
    while at < len(file):
        block = bytes(file[at : at + _STEP])
        found = block.find(ends)
        if found >= 0 or not block:
            return at + found + 1
        at += len(block)
    return len(file)
