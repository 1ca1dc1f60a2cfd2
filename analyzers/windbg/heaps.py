"""``!heap -s`` and ``!heap -stat``: how large the heaps are, and which blocks fill them."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks
from analyzers.windbg.text import HEX, Line, plain
from workbench.model.facts import BlockSize, HeapBlocks, NativeHeap, NativeHeaps

_HEAD = re.compile(r"^\s*Heap\s+Flags\s+Reserv\s+Commit\s+Virt\s+Free\b")
# In KB; the last word tells a low-fragmentation heap.
_ROW = re.compile(
    r"^\s*(?P<x_address>[0-9a-fA-F`]{8,17})\s+[0-9a-fA-F]{8}\s+(?P<d_reserved>\d{1,12})\s+"
    r"(?P<d_committed>\d{1,12})\s+\d{1,12}\s+(?P<d_free>\d{1,12})\s+\d{1,9}\s"
)
_EXTERNAL = re.compile(r"^\s*External fragmentation\s+(?P<d_external>\d{1,3}) ?%")
# "heap @ 0fd00000", then "    19fa40 7a - c614280  (93.96)": size, number and total, all of them
# hexadecimal.
_STAT = re.compile(rf"^\s*heap @ (?P<x_heap>{HEX})\s*$")
_BLOCK = re.compile(
    rf"^\s*(?P<shown>(?P<x_size>{HEX})\s+(?P<x_count>{HEX})\s+-\s+(?P<x_bytes>{HEX}))\s+"
    r"\((?P<percent>\d{0,3}(?:\.\d{1,5})?)\)\s*$"
)
_HEAPS = Form((_HEAD,), rows=(_ROW,), more=(_EXTERNAL,), end=_STAT)
_BLOCKS = Form((_STAT,), rows=(_BLOCK,), end=_HEAD)


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
