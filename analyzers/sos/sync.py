"""``syncblk``: which thread holds which monitor."""

import re

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks
from analyzers.sos.text import lines_of
from workbench.model.facts import AnyFact, Monitor, Monitors

# SOS/Strike/strike.cpp, SyncBlk.
_ROW = re.compile(
    r"^\s*(?P<d_index>\d{1,9})\s+[0-9a-f`]{8,17}\s+(?P<d_held>\d{1,10})\s+"
    r"(?P<d_recursion>\d{1,10})\s+(?P<x_owner_object>[0-9a-f`]{8,17})\s+"
    r"(?:(?P<x_owner>[0-9a-f]{1,8})\s+(?:\d{1,6}|XXX)|none|orphaned)\s+"
    r"(?P<x_object>[0-9a-f`]{8,17})(?:\s+(?P<type>\S.*))?$",
    re.IGNORECASE,
)
_FORM = Form((re.compile(r".*MonitorHeld.*Recursion|.*Recursion.*MonitorHeld"),), rows=(_ROW,))


def read(document: Document) -> list[AnyFact]:
    """One `Monitors` with every held monitor of the output; an empty table gives an empty one."""
    if "MonitorHeld" not in document.text:
        return []
    blocks = read_blocks(_FORM, lines_of(document))
    if not blocks:
        return []
    rows = [row for block in blocks for row in block.rows]
    items = tuple(Monitor(**{**row, "owner_object": row["owner_object"] or None}) for row in rows)
    last = items[-1].line if items else blocks[0].first
    return [Monitors(cite=document.cite(blocks[0].first, last), items=items)]
