"""``!address -summary``: what takes the address space."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Block, Form, read_blocks
from analyzers.windbg.text import HEX, Line, plain
from workbench.model.facts import AddressSpace, SpaceRow

_HEAD = re.compile(
    r"^-{3,40} ?(?P<table>Usage|Type|State|Protect|Largest Region)\b.{0,120}-{3,}", re.I
)
_AMOUNT = r"(?P<shown>[\d.]{1,12} (?:[kMGTPE]B|bytes?))"
_ROWS = tuple(
    re.compile(pattern)
    for pattern in (
        # "Heap          43          0`0a4e4000 ( 164.891 MB)   3.57%    0.00%"
        r"^(?P<name>\S(?:.{0,40}\S)?)\s+(?P<d_regions>\d{1,9})\s+"
        rf"(?P<x_bytes>{HEX}) \(\s*{_AMOUNT}\)",
        # Until 6.12: "   2896a000 (  665000) : 31.71%    40.86%    : RegionUsageHeap"
        rf"^\s*(?P<x_bytes>{HEX}) \(\s*(?P<shown>\d{{1,15}})\) :\s*[\d.]{{1,9}}%.{{0,40}}: ?"
        r"(?P<name>[<\w>]{2,60})(?:\s.{0,200})?$",
        # "Free                    274`ad5a0000     7d7f`94a70000 ( 125.498 TB)"
        rf"^(?P<name>\S(?:.{{0,40}}\S)?)\s+(?P<base>{HEX})\s+(?P<x_bytes>{HEX}) \(\s*{_AMOUNT}\)",
    )
)
_OLD_LARGEST = re.compile(
    rf".*?Largest free region: Base {HEX} - Size (?P<x_bytes>{HEX}) \((?P<shown>\d{{1,15}} KB)\)"
)
_TABLE = Form((_HEAD,), (_OLD_LARGEST,), _ROWS, most=200)


def read_space(document: Document, lines: Sequence[Line]) -> list[AddressSpace]:
    """One fact for each summary of the output, which begins with the table of usage."""
    summaries: list[list[Block]] = [[]]
    for block in read_blocks(_TABLE, plain(lines)):
        if block.values["table"].lower() == "usage":
            summaries.append([])
        summaries[-1].append(block)
    return [fact for tables in summaries for fact in _fact(document, tables)]


def _fact(document: Document, tables: Sequence[Block]) -> list[AddressSpace]:
    rows: dict[str, list[SpaceRow]] = {"usage": [], "state": []}
    largest: SpaceRow | None = None
    last = 0
    for table in tables:
        name, last = table.values["table"].lower(), max(last, table.first)
        free = [row for row in table.rows if row["name"] == "Free"][-1:]
        if name in rows:
            rows[name] += [SpaceRow(**row) for row in table.rows if "base" not in row]
        elif name == "largest region" and free:
            said, line = free[0], free[0]["line"]
            largest = SpaceRow(name="Free", bytes=said["bytes"], shown=said["shown"], line=line)
        if "bytes" in table.where:
            said, line = table.values, table.where["bytes"]
            largest = SpaceRow(name="Free", bytes=said["bytes"], shown=said["shown"], line=line)
    shown = [*rows["usage"], *rows["state"]]
    if not shown:
        return []
    ends = [last, *(row.line for row in shown), largest.line if largest is not None else 0]
    return [
        AddressSpace(
            cite=document.cite(min(row.line for row in shown), max(ends)),
            usage=tuple(rows["usage"]), states=tuple(rows["state"]), largest_free=largest,
        )
    ]  # fmt: skip
