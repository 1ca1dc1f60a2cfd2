"""``threadpool``: workers, limits and waiting work, in the words of each version."""

import re

from analyzers.base import Document
from analyzers.sos.text import decimal, lines_of
from workbench.model.facts import AnyFact, PoolState

_CPU = re.compile(r"^\s*CPU utilization:?\s+(\d{1,3})\s*%", re.IGNORECASE)
# .NET Framework to 6: one line; later versions: one line each.
_WORKERS = re.compile(
    r"Worker Thread:\s*Total:\s*(?P<total>\d{1,9})\s+Running:\s*(?P<running>\d{1,9})\s+"
    r"Idle:\s*(?P<idle>\d{1,9})\s+MaxLimit:\s*(?P<maximum>\d{1,9})\s+MinLimit:\s*(?P<minimum>\d{1,9})\b"
)
_QUEUE = re.compile(r"^\s*Work Request in Queue:\s*([\d,]{1,12})")
_ITEM = re.compile(r"^\s*\[(?:Global(?: high-pri)?|0x[0-9a-f]+|Local[^\]]*)\]\s", re.IGNORECASE)
_FIELDS = {
    "Workers Total:": "total",
    "Workers Running:": "running",
    "Workers Idle:": "idle",
    "Worker Min Limit:": "minimum",
    "Worker Max Limit:": "maximum",
}


def read(document: Document) -> list[AnyFact]:
    """One `PoolState`, when the output has any of its figures."""
    if "Worker" not in document.text:
        return []
    values: dict[str, int] = {}
    first = last = workers = queue = items = 0
    for number, line in lines_of(document):
        cpu, old, queued = _CPU.match(line), _WORKERS.search(line), _QUEUE.match(line)
        if cpu is not None:
            values["cpu"] = int(cpu[1])
        elif old is not None:
            values.update({name: int(value) for name, value in old.groupdict().items()})
            workers = workers or number
        elif queued is not None:
            values["queued"] = decimal(queued[1])
            queue = number
        elif _ITEM.match(line):
            items += 1
            queue = queue or number
        else:
            field = next((f for f in _FIELDS if line.strip().startswith(f)), None)
            value = line.partition(":")[2].strip()
            if field is None or not value.isdigit() or len(value) > 9:
                continue
            values[_FIELDS[field]] = int(value)
            workers = workers or number
        first, last = first or number, number
    if not workers:
        return []
    if items:
        values.setdefault("queued", items)
    return [
        PoolState(
            cite=document.cite(first, last),
            total=values.get("total"),
            running=values.get("running"),
            idle=values.get("idle"),
            minimum=values.get("minimum"),
            maximum=values.get("maximum"),
            queued=values.get("queued"),
            cpu=values.get("cpu"),
            workers_line=workers,
            queued_line=queue,
        )
    ]
