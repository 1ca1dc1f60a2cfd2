"""``threadpool``: workers, limits and waiting work, in the words of each version."""

import re

from analyzers.base import Document
from analyzers.blocks import fields
from analyzers.sos.text import lines_of
from workbench.model.facts import AnyFact, PoolState

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


def read(document: Document) -> list[AnyFact]:
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
    return [PoolState(cite=cite, **values, workers_line=workers, queued_line=queue)]
