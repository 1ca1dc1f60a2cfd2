"""The parts of a log that are read: all of it, or of a huge one what lies around its reports."""

import re

from workbench.targets.files import Buffer

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
    rb"\*\*\* |tid: |goroutine \d|Crash|Check failed|ProblemType|#0 |segfault at"
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
    while at < size and total < WHOLE - _TAIL:
        block = bytes(file[at : at + _STEP])
        match = _WORDS.search(block)
        if match is None or not block:
            at += _STEP
            continue
        begin = block.rfind(b"\n", 0, max(0, match.start() - _BEFORE)) + 1
        start = at + begin
        part = bytes(file[start : start + min(_BEHIND, WHOLE - _TAIL - total)])
        part = part[: part.rfind(b"\n") + 1] or part
        kept.append(part)
        total += len(part)
        at = start + len(part)
    if at < size - _TAIL:
        tail = bytes(file[size - _TAIL : size])
        kept.append(tail[tail.find(b"\n") + 1 :])
        total += len(kept[-1])
    return b"".join(kept), size - total
