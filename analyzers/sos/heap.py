"""The managed heap: ``dumpheap -stat``, ``eeheap -gc``, ``finalizequeue``."""

import re

from analyzers.base import Document, hexadecimal
from analyzers.blocks import Form, decimal, read_blocks, read_rows
from analyzers.sos.text import lines_of, sos_command
from workbench.model import facts as f

_KEPT = 200
_SAMPLE = 16
_ADDRESS = re.compile(r"^\s*(?:0x)?([0-9a-f`]{8,17})$", re.IGNORECASE)
_HEADER = re.compile(r"^\s*(?:MT|MethodTable)\s+Count\s+Total ?Size\s+Class Name\s*$")
_ROW = re.compile(
    r"(?i)^\s*(?:0x)?(?P<x_table>[0-9a-f`]{8,17})\s+(?P<d_count>[\d,.]{1,18})\s+"
    r"(?P<d_bytes>[\d,.]{1,22})\s+(?P<name>\S.*)$"
)
_TOTAL = re.compile(
    r"^\s*Total\s+(?P<d_objects>[\d,.]{1,18})\s+objects"
    r"(?:,\s*(?:Total size:\s*)?(?P<d_bytes>[\d,.]{1,22})(?:\s+bytes)?)?"
)
_TABLE = Form((_HEADER,), (_TOTAL,), (_ROW,), last=_TOTAL)
_SOME = re.compile(r"\s-(?:mt|type|min|max|gen|segment|heap|strings|dead|live|thinlock)\b", re.I)
# Until .NET Framework 3.5: "GC Heap Size  0x2dad564(47895908)".
_GC_SIZE = re.compile(
    r"(?i)^\s*(?:Total )?GC (?:Allocated )?Heap Size"
    r"(?::\s*Size:\s*0x[0-9a-f]+\s*\(([\d,]{1,22})\)|\s+0x[0-9a-f]+\((\d{1,19})\))"
)
_READY = re.compile(r"(?i)^\s*Ready for finalization\s+(?P<d_ready>[\d,]{1,12})\s+objects")


def read(document: Document) -> list[f.AnyFact]:
    """Facts of every heap table in the output."""
    text = document.text
    found: list[f.AnyFact] = []
    if "Class Name" in text and "Count" in text:
        found += _types(document)
    if "Heap Size" in text:
        found += _gc(document)
    if "eady for finalization" in text:
        found += _finalizer(document)
    if "-short" in document.command and sos_command(document) == "dumpheap":
        found += _objects(document)
    return found


def _objects(document: Document) -> list[f.AnyFact]:
    rows = [(n, match[1]) for n, line in lines_of(document) if (match := _ADDRESS.match(line))]
    if not rows:
        return []
    step = max(1, len(rows) // _SAMPLE)
    sample = tuple(hexadecimal(digits) for _, digits in rows[::step][: _SAMPLE + 1])
    return [
        f.HeapObjects(cite=document.cite(rows[0][0], rows[-1][0]), count=len(rows), sample=sample)
    ]


def _types(document: Document) -> list[f.AnyFact]:
    """A table a heap. What a command selected, and what lists only objects with finalizers, is not
    the whole."""
    asked, lines = sos_command(document), lines_of(document)
    whole = not _SOME.search(document.command) and asked in (None, "dumpheap", "heapstat")
    finalizable = next((n for n, line in lines if "finalizable objects" in line), len(lines) + 1)
    found: list[f.AnyFact] = []
    for block in read_blocks(_TABLE, lines):
        rows = [f.HeapType(**row) for row in block.rows]
        held = sorted((row for row in rows if row.name != "Free"), key=lambda row: -row.bytes)
        free = next((row for row in reversed(rows) if row.name == "Free"), None)
        total = block.values.get("bytes")
        if held or (free is not None and free.bytes):
            found.append(
                f.HeapTypes(
                    cite=document.cite(block.first, block.last),
                    items=tuple(held[:_KEPT]),
                    objects=block.values.get("objects", sum(row.count for row in rows)),
                    bytes=sum(row.bytes for row in rows) if total is None else total,
                    free=free.bytes if free is not None else 0,
                    free_line=free.line if free is not None else 0,
                    whole=whole and block.last < finalizable,
                )
            )
    return found


def _gc(document: Document) -> list[f.AnyFact]:
    sizes = ((number, _GC_SIZE.match(line)) for number, line in lines_of(document))
    found = [(number, size[1] or size[2]) for number, size in sizes if size is not None]
    return [
        f.GcHeap(cite=document.cite(number), bytes=decimal(digits), bytes_line=number)
        for number, digits in found[-1:]
    ]


def _finalizer(document: Document) -> list[f.AnyFact]:
    ready = list(read_rows(_READY, lines_of(document)))
    if not ready:
        return []
    most = int(max(ready, key=lambda row: int(row["ready"]))["line"])
    count = sum(row["ready"] for row in ready)
    return [f.FinalizerQueue(cite=document.cite(most), ready=count, ready_line=most)]
