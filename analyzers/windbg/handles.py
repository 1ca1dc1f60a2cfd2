"""``!handle``: how many handles of which kind a process has open."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import Line
from workbench.model.facts import HandleKind, Handles

_TOTAL = re.compile(r"^\s*(?P<total>\d{1,9}) Handles\s*$")
_HEAD = re.compile(r"^\s*Type\s+Count\s*$")
_ROW = re.compile(r"^\s*(?P<name>[A-Za-z][\w ]{0,60}?)\s+(?P<count>\d{1,9})\s*$")
_MOST = 200


def read_handles(document: Document, lines: Sequence[Line]) -> list[Handles]:
    """The counts at the end of each listing."""
    found: list[Handles] = []
    at = 0
    while at < len(lines):
        total = _TOTAL.match(lines[at].text)
        if total is None or at + 1 >= len(lines) or not _HEAD.match(lines[at + 1].text):
            at += 1
            continue
        first = lines[at]
        kinds: list[HandleKind] = []
        at += 2
        while at < len(lines) and len(kinds) < _MOST:
            row = _ROW.match(lines[at].text)
            if row is None or lines[at].prompt:
                break
            kinds.append(
                HandleKind(name=row["name"], count=int(row["count"]), line=lines[at].number)
            )
            at += 1
        kinds.sort(key=lambda kind: -kind.count)
        found.append(
            Handles(
                cite=document.cite(
                    first.number, max((k.line for k in kinds), default=first.number)
                ),
                total=int(total["total"]),
                total_line=first.number,
                kinds=tuple(kinds),
            )
        )
    return found
