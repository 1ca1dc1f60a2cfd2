"""``clrthreads`` (``!threads``), and dotnet-dump's own ``threads``."""

import re
from typing import Any

from analyzers.base import Document
from analyzers.blocks import Form, hexadecimal, read_blocks, read_rows
from analyzers.sos.text import MAX_ITEMS, lines_of
from workbench.model.facts import AnyFact, ManagedThread, ManagedThreads, Thread, Threads

_HEADER = re.compile(r".*\bOSID\s+ThreadOBJ\b")
# SOS/Strike/strike.cpp, PrintThreadsFromThreadStore; .NET Framework writes Enabled | Disabled.
_ROW = re.compile(
    r"^\s*(?:(?P<d_number>\d{1,6})|X{3,4}|<{4})\s+(?P<id>[0-9a-f]{1,8})\s+(?P<x_thread>[0-9a-f]{1,8})\s+"
    r"(?P<x_object>[0-9a-f`]{8,17})\s+[0-9a-f]{1,8}\s+"
    r"(?:Preemptive|Cooperative|Enabled|Disabled)\s+"
    r"[0-9a-f`]+:[0-9a-f`]+\s+(?:[0-9a-f`]+|<error>)\s+(?:-\d{1,10}|(?P<d_locks>\d{1,10}))\s+\S+"
    r"(?P<last>.*)$",
    re.IGNORECASE,
)
_THROWN = re.compile(r"(?P<type>[^\s()][^()]*?)\s+\(?(?P<address>[0-9a-f`]{8,17})\)?(?=\s|$)", re.I)
_ROLES = (
    ("(Finalizer)", "finalizer"),
    ("(GC)", "gc"),
    ("(Threadpool Worker)", "pool-worker"),
    ("(Threadpool Completion Port)", "pool-io"),
)
_NATIVE = re.compile(r"^(?:(?P<current>\*)| ?)\s?(?P<d_number>\d{1,6})\s+0x(?P<x_id>[0-9A-F]{1,8})"
                     r"\s+\((?P<d_thread>\d{1,10})\)", re.IGNORECASE)  # fmt: skip


def read(document: Document) -> list[AnyFact]:
    """One `ManagedThreads` for each list, and one `Threads` of a native list."""
    found: list[AnyFact] = []
    if "ThreadOBJ" in document.text:
        found += _managed(document)
    if ") " in document.text or ")\n" in document.text or document.text.endswith(")"):
        found += _native(document)
    return found


_LIST = Form((_HEADER,), rows=(_ROW,), strict=True)


def _managed(document: Document) -> list[AnyFact]:
    return [
        ManagedThreads(cite=block.cite(document), items=tuple(map(_thread, block.rows)))
        for block in read_blocks(_LIST, lines_of(document))
        if block.rows
    ]


def _thread(row: dict[str, Any]) -> ManagedThread:
    """A row with what stands behind its columns: the roles, and the last exception."""
    last, id = row.pop("last"), row.pop("id")
    role = next((name for word, name in _ROLES if word in last), "")
    for word, _ in _ROLES:
        last = last.replace(word, " ")
    thrown = _THROWN.search(last.replace("(nested exceptions)", " "))
    return ManagedThread(
        **row, id=int(id, 16) if not id.isdigit() else int(id), role=role,
        exception=thrown["type"].strip() if thrown else None,
        exception_address=hexadecimal(thrown["address"]) if thrown else None,
    )  # fmt: skip


def _native(document: Document) -> list[AnyFact]:
    items = tuple(
        Thread(number=row["number"], thread=row["thread"], current=bool(row["current"]),
               line=row["line"])
        for row in read_rows(_NATIVE, lines_of(document))
        if row["id"] == row["thread"]
    )[:MAX_ITEMS]  # fmt: skip
    return [Threads(cite=document.span(items), items=items)] if items else []
