"""``!runaway``: the processor time of each thread."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import MAX_ITEMS, Line
from workbench.model.facts import ThreadTime, ThreadTimes

_HEAD = re.compile(r"^\s*(?P<kind>User Mode|Kernel Mode|Elapsed) Time\s*$")
# "  33:1724     1 days 16:42:13.985", NT's "   4e0     0:12:16.0312": the fraction is milliseconds
# in either. Debuggers of later versions put the thread's name behind its id.
_ROW = re.compile(
    r"^\s*(?:(?P<number>\d{1,5}):)?(?P<thread>[0-9a-fA-F]{1,8})\s+(?:\([^()]{0,200}\)\s+)?"
    r"(?P<time>(?:(?P<days>\d{1,6}) days? )?(?P<hours>\d{1,6}):(?P<minutes>\d\d):"
    r"(?P<seconds>\d\d)\.(?P<thousandths>\d{3,4}))\s*$"
)
_KINDS = {"User Mode": "user", "Kernel Mode": "kernel", "Elapsed": "elapsed"}


def read_times(document: Document, lines: Sequence[Line]) -> list[ThreadTimes]:
    """One list for each table of the output."""
    found: list[ThreadTimes] = []
    kind, items = "", list[ThreadTime]()

    def close() -> None:
        nonlocal items
        if items:
            cite = document.cite(items[0].line - 1, items[-1].line)
            rows = sorted(items, key=lambda item: -item.seconds)
            found.append(ThreadTimes(cite=cite, kind=kind, items=tuple(rows)))
        items = []

    for line in lines:
        head = _HEAD.match(line.text)
        if head is not None:
            close()
            kind = _KINDS[head["kind"]]
            continue
        if line.prompt:
            close()
            kind = ""
        row = _ROW.match(line.text) if kind else None
        if row is not None and len(items) < MAX_ITEMS:
            items.append(_time(row, line.number))
    close()
    return found


def _time(row: re.Match[str], line: int) -> ThreadTime:
    minutes = (int(row["days"] or 0) * 24 + int(row["hours"])) * 60 + int(row["minutes"])
    return ThreadTime(
        number=int(row["number"]) if row["number"] else None,
        thread=int(row["thread"], 16),
        seconds=minutes * 60 + int(row["seconds"]) + int(row["thousandths"]) / 1000,
        shown=row["time"],
        line=line,
    )
