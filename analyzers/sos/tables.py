"""``clrthreads`` (``!threads``) and dotnet-dump's own ``threads``; ``syncblk``, which thread holds
which monitor; ``threadpool``, in the words of each version; ``dumpdomain`` and ``clrmodules``, the
assemblies that were loaded, and from where."""

import re
from typing import Any

from analyzers.base import MAX_ITEMS, Document, hexadecimal
from analyzers.blocks import Form, fields, read_blocks, read_rows
from analyzers.sos.text import lines_of
from workbench.model import facts as f

# SOS/Strike/strike.cpp, SyncBlk.
_MONITOR_ROW = re.compile(
    r"(?i)^\s*(?P<d_index>\d{1,9})\s+[0-9a-f`]{8,17}\s+(?P<d_held>\d{1,10})\s+"
    r"(?P<d_recursion>\d{1,10})\s+(?P<x_owner_object>[0-9a-f`]{8,17})\s+"
    r"(?:(?P<x_owner>[0-9a-f]{1,8})\s+(?:\d{1,6}|XXX)|none|orphaned)\s+"
    r"(?P<x_object>[0-9a-f`]{8,17})(?:\s+(?P<type>\S.*))?$"
)
_MONITORS = Form(
    (re.compile(r".*MonitorHeld.*Recursion|.*Recursion.*MonitorHeld"),), rows=(_MONITOR_ROW,)
)


def read_monitors(document: Document) -> list[f.AnyFact]:
    """One `Monitors` with every held monitor of the output; an empty table gives an empty one."""
    if "MonitorHeld" not in document.text:
        return []
    blocks = read_blocks(_MONITORS, lines_of(document))
    if not blocks:
        return []
    rows = [row for block in blocks for row in block.rows]
    items = tuple(f.Monitor(**{**row, "owner_object": row["owner_object"] or None}) for row in rows)
    last = items[-1].line if items else blocks[0].first
    return [f.Monitors(cite=document.cite(blocks[0].first, last), items=items)]


_CPU = re.compile(r"^\s*CPU utilization:?\s+(?P<d_cpu>\d{1,3})\s*%", re.IGNORECASE)
# .NET Framework to 6: one line; later versions: one line each.
_WORKERS = re.compile(
    r".*?Worker Thread:\s*Total:\s*(?P<d_total>\d{1,9})\s+Running:\s*(?P<d_running>\d{1,9})\s+"
    r"Idle:\s*(?P<d_idle>\d{1,9})\s+MaxLimit:\s*(?P<d_maximum>\d{1,9})\s+"
    r"MinLimit:\s*(?P<d_minimum>\d{1,9})\b"
)
_EACH = tuple(
    re.compile(rf"^\s*{words}:\s*(?P<d_{name}>\d{{1,9}})\s*$")
    for words, name in (
        ("Workers Total", "total"), ("Workers Running", "running"), ("Workers Idle", "idle"),
        ("Worker Min Limit", "minimum"), ("Worker Max Limit", "maximum"),
    )
)  # fmt: skip
_QUEUE = re.compile(r"^\s*Work Request in Queue:\s*(?P<d_queued>[\d,]{1,12})")
_ITEM = re.compile(r"^\s*\[(?:Global(?: high-pri)?|0x[0-9a-f]+|Local[^\]]*)\]\s", re.IGNORECASE)


def read_pool(document: Document) -> list[f.AnyFact]:
    """One `PoolState`, when the output has any of its figures."""
    if "Worker" not in document.text:
        return []
    values: dict[str, int] = {}
    where: dict[re.Pattern[str], int] = {}
    items = 0
    for number, line in lines_of(document):
        for pattern in (_CPU, _WORKERS, _QUEUE, _ITEM, *_EACH):
            if (said := pattern.match(line)) is not None:
                values.update(fields(said))
                where[pattern] = number if pattern is _QUEUE else where.get(pattern, number)
                last = number
                items += pattern is _ITEM
                break
    workers = min((where[p] for p in (_WORKERS, *_EACH) if p in where), default=0)
    if not workers:
        return []
    if items:
        values.setdefault("queued", items)
    queue = where.get(_QUEUE) or where.get(_ITEM, 0)
    cite = document.cite(min(where.values()), last)
    return [f.PoolState(cite=cite, **values, workers_line=workers, queued_line=queue)]


# SOS/Strike/strike.cpp, DomainInfo: "Assembly:           0000… [path]"; ClrModulesCommand: base,
# size, path. A module that was made in memory has no path.
_OF_DOMAIN = re.compile(r"^\s*Assembly:\s+[0-9a-f`]{8,17}\s+\[(?P<path>[^\]]{1,1000})\]", re.I)
_MODULE = re.compile(
    r"(?i)^\s*[0-9a-f`]{8,17}\s+(?:0x)?[0-9a-f]{1,16}\s+(?P<path>\S.{0,1000}\.(?:dll|exe))\s*$"
)
# The global assembly cache names its folders after the version: v4.0_4.0.0.0__b77a5c561934e089.
_VERSION = re.compile(r"[\\/](?:v[\d.]+_)?(?P<version>\d+\.\d+\.\d+\.\d+)__[0-9a-f]{16}[\\/]")


def read_assemblies(document: Document) -> list[f.AnyFact]:
    """One `Assemblies`, when the output lists any."""
    if ".dll" not in document.text.lower() and ".exe" not in document.text.lower():
        return []
    patterns = (_OF_DOMAIN, _MODULE) if "clrmodules" in document.command.lower() else (_OF_DOMAIN,)
    found: dict[str, f.Assembly] = {}
    for number, line in lines_of(document):
        row = next((m for pattern in patterns if (m := pattern.match(line))), None)
        if row is not None and len(found) < MAX_ITEMS:
            path = row["path"].strip()
            name = re.split(r"[\\/]", path)[-1].rsplit(".", 1)[0]
            version = _VERSION.search(path)
            number_of = version["version"] if version else None
            one = f.Assembly(name=name, path=path, version=number_of, line=number)
            found.setdefault(path.lower(), one)
    items = tuple(found.values())
    return [f.Assemblies(cite=document.span(items), items=items)] if items else []


_THREADS_HEADER = re.compile(r".*\bOSID\s+ThreadOBJ\b")
# SOS/Strike/strike.cpp, PrintThreadsFromThreadStore; .NET Framework writes Enabled | Disabled.
_THREAD_ROW = re.compile(
    r"(?i)^\s*(?:(?P<d_number>\d{1,6})|X{3,4}|<{4})\s+(?P<id>[0-9a-f]{1,8})\s+(?P<x_thread>[0-9a-f]{1,8})\s+"
    r"(?P<x_object>[0-9a-f`]{8,17})\s+[0-9a-f]{1,8}\s+"
    r"(?:Preemptive|Cooperative|Enabled|Disabled)\s+"
    r"[0-9a-f`]+:[0-9a-f`]+\s+(?:[0-9a-f`]+|<error>)\s+(?:-\d{1,10}|(?P<d_locks>\d{1,10}))\s+\S+"
    r"(?P<last>.*)$"
)
_THROWN = re.compile(r"(?P<type>[^\s()][^()]*?)\s+\(?(?P<address>[0-9a-f`]{8,17})\)?(?=\s|$)", re.I)
_ROLES = (
    ("(Finalizer)", "finalizer"),
    ("(GC)", "gc"),
    ("(Threadpool Worker)", "pool-worker"),
    ("(Threadpool Completion Port)", "pool-io"),
)
_NATIVE = re.compile(
    r"(?i)^(?:(?P<current>\*)| ?)\s?(?P<d_number>\d{1,6})\s+0x(?P<x_id>[0-9A-F]{1,8})"
                     r"\s+\((?P<d_thread>\d{1,10})\)")  # fmt: skip


def read_threads(document: Document) -> list[f.AnyFact]:
    """One `ManagedThreads` for each list, and one `Threads` of a native list."""
    found: list[f.AnyFact] = []
    if "ThreadOBJ" in document.text:
        found += _managed(document)
    if ") " in document.text or ")\n" in document.text or document.text.endswith(")"):
        found += _native(document)
    return found


_THREADS = Form((_THREADS_HEADER,), rows=(_THREAD_ROW,), strict=True)


def _managed(document: Document) -> list[f.AnyFact]:
    return [
        f.ManagedThreads(cite=block.cite(document), items=tuple(map(_thread, block.rows)))
        for block in read_blocks(_THREADS, lines_of(document))
        if block.rows
    ]


def _thread(row: dict[str, Any]) -> f.ManagedThread:
    """A row with what stands behind its columns: the roles, and the last exception."""
    last, id = row.pop("last"), row.pop("id")
    role = next((name for word, name in _ROLES if word in last), "")
    for word, _ in _ROLES:
        last = last.replace(word, " ")
    thrown = _THROWN.search(last.replace("(nested exceptions)", " "))
    return f.ManagedThread(
        **row,
        id=int(id, 16) if not id.isdigit() else int(id),
        role=role,
        exception=thrown["type"].strip() if thrown else None,
        exception_address=hexadecimal(thrown["address"]) if thrown else None,
    )


def _native(document: Document) -> list[f.AnyFact]:
    items = tuple(
        f.Thread(**{**row, "current": bool(row["current"])})
        for row in read_rows(_NATIVE, lines_of(document))
        if row.pop("id") == row["thread"]
    )[:MAX_ITEMS]
    return [f.Threads(cite=document.span(items), items=items)] if items else []
