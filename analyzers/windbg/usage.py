"""What a process uses: ``!runaway``, the processor time of each thread; ``!heap -s`` and ``-stat``,
how large the heaps are and which blocks fill them; ``!handle``, how many handles of which kind are
open; ``!address -summary``, what takes the address space."""

import re
from collections.abc import Sequence
from typing import Any

from analyzers.base import Document
from analyzers.blocks import Block, Form, read_blocks
from analyzers.windbg.text import HEX, Line, plain
from workbench.model.facts import (
    AddressSpace,
    BlockSize,
    HandleKind,
    Handles,
    HeapBlocks,
    NativeHeap,
    NativeHeaps,
    SpaceRow,
    ThreadTime,
    ThreadTimes,
)

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


_HEAPS_HEAD = re.compile(r"^\s*Heap\s+Flags\s+Reserv\s+Commit\s+Virt\s+Free\b")
# In KB; the last word tells a low-fragmentation heap.
_HEAPS_ROW = re.compile(
    r"^\s*(?P<x_address>[0-9a-fA-F`]{8,17})\s+[0-9a-fA-F]{8}\s+(?P<d_reserved>\d{1,12})\s+"
    r"(?P<d_committed>\d{1,12})\s+\d{1,12}\s+(?P<d_free>\d{1,12})\s+\d{1,9}\s"
)
_EXTERNAL = re.compile(r"^\s*External fragmentation\s+\d{1,3} ?%")
# "heap @ 0fd00000", then "    19fa40 7a - c614280  (93.96)": size, number and total, all of them
# hexadecimal.
_STAT = re.compile(rf"^\s*heap @ (?P<x_heap>{HEX})\s*$")
_BLOCK = re.compile(
    rf"^\s*(?P<shown>(?P<x_size>{HEX})\s+(?P<x_count>{HEX})\s+-\s+(?P<x_bytes>{HEX}))\s+"
    r"\((?P<percent>\d{0,3}(?:\.\d{1,5})?)\)\s*$"
)
_HEAPS = Form((_HEAPS_HEAD,), rows=(_HEAPS_ROW,), more=(_EXTERNAL,), end=_STAT)
_BLOCKS = Form((_STAT,), rows=(_BLOCK,), end=_HEAPS_HEAD)


def read_heaps(document: Document, lines: Sequence[Line]) -> list[NativeHeaps | HeapBlocks]:
    """The lists of heaps, and of the blocks of one."""
    found: list[NativeHeaps | HeapBlocks] = []
    for block in read_blocks(_HEAPS, plain(lines)):
        if block.rows:
            heaps = tuple(
                NativeHeap(**{k: v << 10 if k in _IN_KB else v for k, v in row.items()})
                for row in block.rows
            )
            cite = document.cite(heaps[0].line, block.last)
            found.append(NativeHeaps(cite=cite, items=heaps))
    for block in read_blocks(_BLOCKS, plain(lines)):
        if block.rows:
            sizes = tuple(
                BlockSize(**{**row, "percent": float(row["percent"] or 0)}) for row in block.rows
            )
            cite = document.cite(block.first, block.last)
            found.append(HeapBlocks(cite=cite, heap=block.values["heap"], items=sizes))
    return sorted(found, key=lambda fact: fact.cite.first)


_IN_KB = frozenset({"reserved", "committed", "free"})


_TOTAL = re.compile(r"^\s*(?P<d_total>\d{1,9}) Handles\s*$")
_HANDLES_HEAD = re.compile(r"^\s*(?P<table>Type)\s+Count\s*$")
_HANDLES_ROW = re.compile(r"^\s*(?P<name>[A-Za-z][\w ]{0,60}?)\s+(?P<d_count>\d{1,9})\s*$")
_HANDLES = Form(
    (_TOTAL,), (_HANDLES_HEAD,), (_HANDLES_ROW,), end=re.compile(r"^$"), strict=True, most=200
)


def read_handles(document: Document, lines: Sequence[Line]) -> list[Handles]:
    """The counts at the end of each listing."""
    return [
        Handles(
            cite=document.cite(block.first, block.rows[-1]["line"] if block.rows else block.first),
            total=block.values["total"], total_line=block.first,
            kinds=tuple(sorted((HandleKind(**k) for k in block.rows), key=lambda k: -k.count)),
        )
        for block in read_blocks(_HANDLES, plain(lines))
        if block.where.get("table") == block.first + 1
    ]  # fmt: skip


_SPACE_HEAD = re.compile(
    r"^-{3,40} ?(?P<table>Usage|Type|State|Protect|Largest Region)\b.{0,120}-{3,}", re.I
)
_AMOUNT = r"(?P<shown>[\d.]{1,12} (?:[kMGTPE]B|bytes?))"
_SPACE_ROWS = tuple(
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
_SPACE = Form((_SPACE_HEAD,), (_OLD_LARGEST,), _SPACE_ROWS, most=200)


def read_space(document: Document, lines: Sequence[Line]) -> list[AddressSpace]:
    """One fact for each summary of the output, which begins with the table of usage."""
    summaries: list[list[Block]] = [[]]
    for block in read_blocks(_SPACE, plain(lines)):
        if block.values["table"].lower() == "usage":
            summaries.append([])
        summaries[-1].append(block)
    return [fact for tables in summaries for fact in _space(document, tables)]


def _space(document: Document, tables: Sequence[Block]) -> list[AddressSpace]:
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
