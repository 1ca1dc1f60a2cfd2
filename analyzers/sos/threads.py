"""``clrthreads`` (``!threads``), and dotnet-dump's own ``threads``."""

import re

from analyzers.base import Document
from analyzers.sos.text import MAX_ITEMS, decimal, hexadecimal, lines_of
from workbench.model.facts import AnyFact, ManagedThread, ManagedThreads, Thread, Threads

_HEADER = re.compile(r"\bOSID\s+ThreadOBJ\b")
# SOS/Strike/strike.cpp, PrintThreadsFromThreadStore; .NET Framework writes Enabled | Disabled.
_ROW = re.compile(
    r"^\s*(?P<number>\d{1,6}|X{3,4}|<{4})\s+(?P<id>[0-9a-f]{1,8})\s+(?P<osid>[0-9a-f]{1,8})\s+"
    r"(?P<object>[0-9a-f`]{8,17})\s+(?P<state>[0-9a-f]{1,8})\s+"
    r"(?P<mode>Preemptive|Cooperative|Enabled|Disabled)\s+"
    r"[0-9a-f`]+:[0-9a-f`]+\s+(?:[0-9a-f`]+|<error>)\s+(?P<locks>-?\d{1,10})\s+(?P<apt>\S+)"
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
_NATIVE = re.compile(r"^(?P<current>[* ])\s?(?P<number>\d{1,6})\s+0x(?P<id>[0-9A-F]{1,8})"
                     r"\s+\((?P<tid>\d{1,10})\)", re.IGNORECASE)  # fmt: skip


def read(document: Document) -> list[AnyFact]:
    """One `ManagedThreads` for each list, and one `Threads` of a native list."""
    found: list[AnyFact] = []
    if "ThreadOBJ" in document.text:
        found += _managed(document)
    if ") " in document.text or ")\n" in document.text or document.text.endswith(")"):
        found += _native(document)
    return found


def _managed(document: Document) -> list[AnyFact]:
    found: list[AnyFact] = []
    rows: list[ManagedThread] = []
    inside = False

    def close() -> None:
        if rows:
            cite = document.cite(rows[0].line, rows[-1].line)
            found.append(ManagedThreads(cite=cite, items=tuple(rows)))
            rows.clear()

    for number, line in lines_of(document):
        if _HEADER.search(line):
            close()
            inside = True
        elif inside:
            row = _ROW.match(line)
            if row is not None and len(rows) < MAX_ITEMS:
                rows.append(_thread(row, number))
            elif line.strip():
                inside = False
    close()
    return found


def _thread(row: re.Match[str], line: int) -> ManagedThread:
    last = row["last"]
    role = next((name for word, name in _ROLES if word in last), "")
    for word, _ in _ROLES:
        last = last.replace(word, " ")
    thrown = _THROWN.search(last.replace("(nested exceptions)", " "))
    return ManagedThread(
        number=int(row["number"]) if row["number"].isdigit() else None,
        id=int(row["id"], 16) if not row["id"].isdigit() else int(row["id"]),
        thread=int(row["osid"], 16),
        object=hexadecimal(row["object"]),
        locks=decimal(row["locks"]) if not row["locks"].startswith("-") else None,
        role=role,
        exception=thrown["type"].strip() if thrown else None,
        exception_address=hexadecimal(thrown["address"]) if thrown else None,
        line=line,
    )


def _native(document: Document) -> list[AnyFact]:
    items: list[Thread] = []
    for number, line in lines_of(document):
        row = _NATIVE.match(line) or _NATIVE.match(f" {line}")
        if row is None or len(items) >= MAX_ITEMS or int(row["id"], 16) != int(row["tid"]):
            continue
        items.append(
            Thread(
                number=int(row["number"]),
                thread=int(row["tid"]),
                name=None,
                current=row["current"] == "*",
                line=number,
            )
        )
    if not items:
        return []
    return [Threads(cite=document.cite(items[0].line, items[-1].line), items=tuple(items))]
