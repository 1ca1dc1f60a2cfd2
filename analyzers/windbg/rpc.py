"""RPC state: the cells that ``!rpcexts`` (and dbgrpc) print."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks, read_rows
from analyzers.windbg.text import Line, plain
from workbench.model.facts import RpcCell

_ROWS = {
    "endpoint": re.compile(
        r"^\s*(?P<x_process>[0-9a-fA-F]{4,8}) (?P<cell>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) "
        r"(?P<status>[0-9a-fA-F]{2})\s+[A-Z]{2,12} (?P<endpoint>\S{1,120})$"
    ),
    "call": re.compile(
        r"^\s*(?P<x_process>[0-9a-fA-F]{4,8}) (?P<cell>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) "
        r"(?P<status>[0-9a-fA-F]{2}) (?P<x_procedure>[0-9a-fA-F]{3}) "
        r"(?P<interface>[0-9a-fA-F]{8}) (?P<servicing>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) "
        r"[0-9a-fA-F]{8} (?P<x_call>[0-9a-fA-F]{8})\b"
    ),
}
_FIELDS = tuple(
    re.compile(rf"^\s*{pattern}")
    for pattern in (
        r"IfStart:\s*(?P<interface>[^\s\"]{1,120})",
        r"(?:ProcNum|Procedure Number):\s*(?P<d_procedure>\d{1,11})$",
        r'Endpoint:\s*"?(?P<endpoint>[^"\s][^"]{0,120})',
        r'Status:\s*"?(?P<status>[^"\s][^"]{0,120})',
        r"Thread ID:\s*(?P<x_thread>0x[0-9a-fA-F]{1,8})\b",
        r"Call ID:\s*(?P<x_call>0x[0-9a-fA-F]{1,8})\b",
        r"Servicing thread identifier:\s*(?P<servicing>\S{1,120})",
    )
)
# What a stack holds is told from its call's id on, what a cell holds below the cell's kind.
_FORMS = {
    "endpoint": Form((re.compile(r"^\s*CallID:\s*(?P<d_call>\d{1,11})$"),), _FIELDS),
    "status": Form(
        (re.compile(r"^\s*(?P<kind>Call|Thread|Endpoint|Connection|Client Call Info)\s*$"),),
        _FIELDS,
    ),
}


def read_rpc(document: Document, lines: Sequence[Line]) -> list[RpcCell]:
    """The stack's call, endpoints, calls and cells, in order."""
    texts = plain(lines)
    found = [
        RpcCell(cite=document.cite(row.pop("line")), kind=kind, **row)
        for kind, pattern in _ROWS.items()
        for row in read_rows(pattern, texts)
    ]
    for needed, form in _FORMS.items():
        for block in read_blocks(form, texts):
            if needed in block.where:
                kind = block.values.pop("kind", "stack")
                named = kind.lower() if kind in ("stack", "Thread") else "cell"
                cite = document.cite(block.first, block.last)
                found.append(RpcCell(cite=cite, kind=named, **block.values))
    return sorted(found, key=lambda cell: cell.cite.first)
