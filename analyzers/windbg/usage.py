"""``!runaway``: the processor time of each thread."""

import re
from collections.abc import Sequence
from typing import Any

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks
from analyzers.windbg.text import Line, plain
from workbench.model.facts import ThreadTime, ThreadTimes

_TIMES_HEAD = re.compile(r"^\s*(?P<kind>User Mode|Kernel Mode|Elapsed) Time\s*$")
# "  33:1724     1 days 16:42:13.985", NT's "   4e0     0:12:16.0312": the fraction is milliseconds
# in either. Debuggers of later versions put the thread's name behind its id.
_TIMES_ROW = re.compile(
    r"^\s*(?:(?P<d_number>\d{1,5}):)?(?P<x_thread>[0-9a-fA-F]{1,8})\s+(?:\([^()]{0,200}\)\s+)?"
    r"(?P<shown>(?:(?P<d_days>\d{1,6}) days? )?(?P<d_hours>\d{1,6}):(?P<d_minutes>\d\d):"
    r"(?P<d_seconds>\d\d)\.(?P<d_thousandths>\d{3,4}))\s*$"
)
_TIME_KINDS = {"User Mode": "user", "Kernel Mode": "kernel", "Elapsed": "elapsed"}


_TIMES = Form((_TIMES_HEAD,), rows=(_TIMES_ROW,))


def read_times(document: Document, lines: Sequence[Line]) -> list[ThreadTimes]:
    """One list for each table of the output."""
    found: list[ThreadTimes] = []
    for block in read_blocks(_TIMES, plain(lines)):
        if block.rows:
            rows = sorted(map(_time, block.rows), key=lambda item: -item.seconds)
            cite = document.cite(block.rows[0]["line"] - 1, block.rows[-1]["line"])
            kind = _TIME_KINDS[block.values["kind"]]
            found.append(ThreadTimes(cite=cite, kind=kind, items=tuple(rows)))
    return found


def _time(row: dict[str, Any]) -> ThreadTime:
    days, hours, minutes, seconds, thousandths = (
        row.pop(part) or 0 for part in ("days", "hours", "minutes", "seconds", "thousandths")
    )
    whole = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    return ThreadTime(**row, seconds=whole + thousandths / 1000)
