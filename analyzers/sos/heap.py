"""The managed heap: ``dumpheap -stat``, ``eeheap -gc``, ``finalizequeue``, ``gcroot``."""

import re

from analyzers.base import Document
from analyzers.sos.text import MAX_ITEMS, decimal, hexadecimal, lines_of, sos_command
from workbench.model.facts import (
    AnyFact,
    FinalizerQueue,
    GcHeap,
    GcRoots,
    HeapObjects,
    HeapType,
    HeapTypes,
    RootStep,
)

_KEPT = 200
_SAMPLE = 16
_ADDRESS = re.compile(r"^\s*(?:0x)?([0-9a-f`]{8,17})$", re.IGNORECASE)
_HEADER = re.compile(r"^\s*(?:MT|MethodTable)\s+Count\s+Total ?Size\s+Class Name\s*$")
_ROW = re.compile(
    r"^\s*(?P<table>[0-9a-f`]{8,17})\s+(?P<count>[\d,.]{1,18})\s+(?P<bytes>[\d,.]{1,22})\s+(?P<name>\S.*)$",
    re.IGNORECASE,
)
_TOTAL = re.compile(r"^\s*Total\s+([\d,.]{1,18})\s+objects(?:,\s*([\d,.]{1,22})\s+bytes)?")
_SOME = re.compile(r"\s-(?:mt|type|min|max|gen|segment|heap|strings|dead|live|thinlock)\b", re.I)
_SIZE = r"Size:\s*0x[0-9a-f]+\s*\(([\d,]{1,22})\)"
_GC_SIZE = re.compile(rf"^\s*(?:Total )?GC (?:Allocated )?Heap Size:\s*{_SIZE}", re.IGNORECASE)
_COMMITTED = re.compile(rf"^\s*(?:Total )?GC Committed Heap Size:\s*{_SIZE}", re.IGNORECASE)
_HEAPS = re.compile(r"^\s*Number of GC Heaps:\s*(\d{1,6})")
_LARGE = re.compile(r"^\s*Large object heap\b", re.IGNORECASE)
_SEGMENT = re.compile(
    r"^\s*[0-9a-f`]{8,17}\s.*?0x[0-9a-f]{1,16}\s*\(([\d,]{1,22})\)", re.IGNORECASE
)
_READY = re.compile(r"^\s*Ready for finalization\s+([\d,]{1,12})\s+objects", re.IGNORECASE)
_GENERATION = re.compile(
    r"^\s*generation\s+\d\s+has\s+([\d,]{1,12})\s+(?:finalizable\s+)?objects", re.IGNORECASE
)
_STEP = re.compile(r"^\s*->\s*(?P<address>[0-9a-f`]{8,17})\s+(?P<type>\S.*)$", re.IGNORECASE)
_ROOTS = re.compile(r"^\s*Found\s+([\d,]{1,12})\s+(?:unique\s+)?roots?", re.IGNORECASE)
_TARGET = re.compile(r"\bgcroot\s+(?:-\S+\s+)*(?:0x)?([0-9a-f`]{6,17})\b", re.IGNORECASE)


def read(document: Document) -> list[AnyFact]:
    """Facts of every heap table in the output."""
    text = document.text
    found: list[AnyFact] = []
    if "Class Name" in text and "Count" in text:
        found += _types(document)
    if "Heap Size:" in text:
        found += _gc(document)
    if "eady for finalization" in text:
        found += _finalizer(document)
    if "-short" in document.command and sos_command(document) == "dumpheap":
        found += _objects(document)
    if "-> " in text and ("Found " in text or "GCRoot" in text or "gcroot" in document.command):
        found += _roots(document)
    return found


def _objects(document: Document) -> list[AnyFact]:
    rows = [(n, match[1]) for n, line in lines_of(document) if (match := _ADDRESS.match(line))]
    if not rows:
        return []
    step = max(1, len(rows) // _SAMPLE)
    sample = tuple(hexadecimal(digits) for _, digits in rows[::step][: _SAMPLE + 1])
    return [
        HeapObjects(cite=document.cite(rows[0][0], rows[-1][0]), count=len(rows), sample=sample)
    ]


def _types(document: Document) -> list[AnyFact]:
    found: list[AnyFact] = []
    rows: list[HeapType] = []
    free, total, objects, first, last = (0, 0), 0, 0, 0, 0
    whole = not _SOME.search(document.command)
    in_table = False

    def close(objects: int, said: int | None) -> None:
        nonlocal rows, total, free
        if rows or free[0]:
            rows.sort(key=lambda row: -row.bytes)
            found.append(
                HeapTypes(
                    cite=document.cite(first, max(last, first)),
                    items=tuple(rows[:_KEPT]),
                    objects=objects,
                    bytes=said if said is not None else total,
                    free=free[0],
                    free_line=free[1],
                    whole=whole,
                )
            )
        rows, total, free = [], 0, (0, 0)

    for number, line in lines_of(document):
        if _HEADER.match(line):
            in_table, first, last, objects = True, number, number, 0
            continue
        if not in_table:
            continue
        row, end = _ROW.match(line), _TOTAL.match(line)
        if row is not None and len(rows) < MAX_ITEMS:
            count, size, name = decimal(row["count"]), decimal(row["bytes"]), row["name"].strip()
            total, last, objects = total + size, number, objects + count
            if name == "Free":
                free = (size, number)
            else:
                table = hexadecimal(row["table"])
                rows.append(HeapType(name=name, count=count, bytes=size, table=table, line=number))
        elif end is not None:
            last, in_table = number, False
            close(decimal(end[1]), decimal(end[2]) if end[2] else None)
    if in_table:
        close(objects, None)
    return found


def _gc(document: Document) -> list[AnyFact]:
    size = committed = heaps = None
    size_line = large = 0
    in_large = seen_large = False
    for number, line in lines_of(document):
        whole, held, count = _GC_SIZE.match(line), _COMMITTED.match(line), _HEAPS.match(line)
        if whole is not None:
            size, size_line = decimal(whole[1]), number
        elif held is not None:
            committed = decimal(held[1])
        elif count is not None:
            heaps = int(count[1])
        elif _LARGE.match(line):
            in_large = seen_large = True
        elif in_large and (segment := _SEGMENT.match(line)) is not None:
            large += decimal(segment[1])
        elif in_large and line.strip() and "segment" not in line:
            in_large = False
    if size is None:
        return []
    return [
        GcHeap(
            cite=document.cite(size_line),
            bytes=size,
            committed=committed,
            large=large if seen_large else None,
            heaps=heaps,
            bytes_line=size_line,
        )
    ]


def _finalizer(document: Document) -> list[AnyFact]:
    registered = ready = ready_line = first = 0
    most = -1
    for number, line in lines_of(document):
        waiting, generation = _READY.match(line), _GENERATION.match(line)
        if waiting is not None:
            ready += decimal(waiting[1])
            if decimal(waiting[1]) > most:
                most, ready_line = decimal(waiting[1]), number
        elif generation is not None:
            registered += decimal(generation[1])
        else:
            continue
        first = first or number
    if not ready_line:
        return []
    cite = document.cite(min(first, ready_line), max(first, ready_line))
    return [FinalizerQueue(cite=cite, registered=registered, ready=ready, ready_line=ready_line)]


def _roots(document: Document) -> list[AnyFact]:
    target = _TARGET.search(document.command)
    steps: list[RootStep] = []
    root, before, unique, first = "", "", 0, 0
    for number, line in lines_of(document):
        step, count = _STEP.match(line), _ROOTS.match(line)
        if count is not None:
            unique = decimal(count[1])
        if step is not None and len(steps) < 1000:
            if not steps:
                root, first = before, max(1, number - 1)
            address = hexadecimal(step["address"])
            steps.append(RootStep(address=address, type=step["type"].strip(), line=number))
        elif steps and line.strip():
            break
        elif line.strip():
            before = line.strip()[:200]
    if not steps:
        return []
    return [
        GcRoots(
            cite=document.cite(first, steps[-1].line),
            target=hexadecimal(target[1]) if target else steps[-1].address,
            steps=tuple(steps),
            root=root,
            unique=unique,
        )
    ]
