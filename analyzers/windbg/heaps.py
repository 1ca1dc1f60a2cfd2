"""``!heap -s`` and ``!heap -stat``: how large the heaps are, and which blocks fill them."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import HEX, MAX_ITEMS, Line, number
from workbench.model.facts import BlockSize, HeapBlocks, NativeHeap, NativeHeaps

_HEAD = re.compile(r"^\s*Heap\s+Flags\s+Reserv\s+Commit\s+Virt\s+Free\b")
# In KB; the last word tells a low-fragmentation heap.
_ROW = re.compile(
    r"^\s*(?P<address>[0-9a-fA-F`]{8,17})\s+[0-9a-fA-F]{8}\s+(?P<reserved>\d{1,12})\s+"
    r"(?P<committed>\d{1,12})\s+\d{1,12}\s+(?P<free>\d{1,12})\s+\d{1,9}\s"
)
_EXTERNAL = re.compile(r"^\s*External fragmentation\s+(?P<percent>\d{1,3}) ?%")
# "heap @ 0fd00000", then "    19fa40 7a - c614280  (93.96)": size, number and total, all of them
# hexadecimal.
_STAT = re.compile(rf"^\s*heap @ (?P<address>{HEX})\s*$")
_BLOCK = re.compile(
    rf"^\s*(?P<shown>(?P<size>{HEX})\s+(?P<count>{HEX})\s+-\s+(?P<bytes>{HEX}))\s+\((?P<percent>[\d.]{{1,6}})\)\s*$"
)


def read_heaps(document: Document, lines: Sequence[Line]) -> list[NativeHeaps | HeapBlocks]:
    """The lists of heaps, and of the blocks of one."""
    found: list[NativeHeaps | HeapBlocks] = []
    heaps: list[NativeHeap] = []
    blocks: list[BlockSize] = []
    listing, heap, first = False, None, 0

    def close() -> None:
        nonlocal heaps, blocks
        if heaps:
            last = max(max(item.line, item.external_line) for item in heaps)
            cite = document.cite(heaps[0].line, last)
            found.append(NativeHeaps(cite=cite, items=tuple(heaps)))
        if blocks and heap is not None:
            cite = document.cite(first, blocks[-1].line)
            found.append(HeapBlocks(cite=cite, heap=heap, items=tuple(blocks)))
        heaps, blocks = [], []

    for line in lines:
        text = line.text
        stat = _STAT.match(text)
        if line.prompt or stat is not None or _HEAD.match(text):
            close()
            listing = not line.prompt and stat is None
            heap = number(stat["address"]) if stat is not None else None
            first = line.number
        elif listing and len(heaps) < MAX_ITEMS:
            _take_heap(heaps, line)
        elif heap is not None and len(blocks) < MAX_ITEMS:
            block = _BLOCK.match(text)
            if block is not None:
                blocks.append(_block(block, line.number))
    close()
    return found


def _take_heap(heaps: list[NativeHeap], line: Line) -> None:
    row, external = _ROW.match(line.text), _EXTERNAL.match(line.text)
    if row is not None:
        heaps.append(
            NativeHeap(
                address=number(row["address"]),
                reserved=int(row["reserved"]) << 10,
                committed=int(row["committed"]) << 10,
                free=int(row["free"]) << 10,
                line=line.number,
            )
        )
    elif external is not None and heaps and not heaps[-1].external_line:
        last = heaps[-1]
        heaps[-1] = NativeHeap(
            address=last.address,
            reserved=last.reserved,
            committed=last.committed,
            free=last.free,
            line=last.line,
            external=int(external["percent"]),
            external_line=line.number,
        )


def _block(row: re.Match[str], line: int) -> BlockSize:
    percent = row["percent"]
    return BlockSize(
        size=number(row["size"]),
        count=number(row["count"]),
        bytes=number(row["bytes"]),
        percent=float(percent) if percent.count(".") < 2 and percent != "." else 0.0,
        shown=row["shown"],
        line=line,
    )
