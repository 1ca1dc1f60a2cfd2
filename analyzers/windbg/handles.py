"""``!handle``: how many handles of which kind a process has open."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks
from analyzers.windbg.text import Line, plain
from workbench.model.facts import HandleKind, Handles

_TOTAL = re.compile(r"^\s*(?P<d_total>\d{1,9}) Handles\s*$")
_HEAD = re.compile(r"^\s*(?P<table>Type)\s+Count\s*$")
_ROW = re.compile(r"^\s*(?P<name>[A-Za-z][\w ]{0,60}?)\s+(?P<d_count>\d{1,9})\s*$")
_LISTING = Form((_TOTAL,), (_HEAD,), (_ROW,), end=re.compile(r"^$"), strict=True, most=200)


def read_handles(document: Document, lines: Sequence[Line]) -> list[Handles]:
    """The counts at the end of each listing."""
    return [
        Handles(
            cite=document.cite(block.first, block.rows[-1]["line"] if block.rows else block.first),
            total=block.values["total"], total_line=block.first,
            kinds=tuple(sorted((HandleKind(**k) for k in block.rows), key=lambda k: -k.count)),
        )
        for block in read_blocks(_LISTING, plain(lines))
        if block.where.get("table") == block.first + 1
    ]  # fmt: skip
