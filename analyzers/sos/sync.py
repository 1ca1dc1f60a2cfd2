"""``syncblk``: which thread holds which monitor."""

import re

from analyzers.base import Document
from analyzers.sos.text import MAX_ITEMS, decimal, hexadecimal, lines_of
from workbench.model.facts import AnyFact, Monitor, Monitors

# SOS/Strike/strike.cpp, SyncBlk.
_ROW = re.compile(
    r"^\s*(?P<index>\d{1,9})\s+(?P<block>[0-9a-f`]{8,17})\s+(?P<held>\d{1,10})\s+"
    r"(?P<recursion>\d{1,10})\s+(?P<holder>[0-9a-f`]{8,17})\s+"
    r"(?:(?P<osid>[0-9a-f]{1,8})\s+(?P<number>\d{1,6}|XXX)|none|orphaned)\s+"
    r"(?P<object>[0-9a-f`]{8,17})(?:\s+(?P<type>\S.*))?$",
    re.IGNORECASE,
)


def read(document: Document) -> list[AnyFact]:
    """One `Monitors` with every held monitor of the output; an empty table gives an empty one."""
    if "MonitorHeld" not in document.text:
        return []
    items: list[Monitor] = []
    header = 0
    for number, line in lines_of(document):
        if "MonitorHeld" in line and "Recursion" in line:
            header = header or number
            continue
        row = _ROW.match(line) if header else None
        if row is None or len(items) >= MAX_ITEMS:
            continue
        holder = hexadecimal(row["holder"])
        items.append(
            Monitor(
                index=int(row["index"]),
                object=hexadecimal(row["object"]),
                type=row["type"].strip() if row["type"] else None,
                held=decimal(row["held"]),
                recursion=decimal(row["recursion"]),
                owner=int(row["osid"], 16) if row["osid"] else None,
                owner_object=holder or None,
                line=number,
            )
        )
    if not header:
        return []
    last = items[-1].line if items else header
    return [Monitors(cite=document.cite(header, last), items=tuple(items))]
