"""RPC state: the cells that ``!rpcexts`` (and dbgrpc) print."""

import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import fields
from analyzers.windbg.text import Line
from workbench.model.facts import RpcCell

_PAIR = re.compile(r"^\s*(?P<key>[A-Z][A-Za-z ()]{2,60}?):\s*(?P<value>\S.*)?$")
_ENDPOINT = re.compile(
    r"^\s*(?P<x_process>[0-9a-fA-F]{4,8}) (?P<cell>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) "
    r"(?P<status>[0-9a-fA-F]{2})\s+[A-Z]{2,12} (?P<endpoint>\S{1,120})$"
)
_CALL = re.compile(
    r"^\s*(?P<x_process>[0-9a-fA-F]{4,8}) (?P<cell>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) "
    r"(?P<status>[0-9a-fA-F]{2}) (?P<x_procedure>[0-9a-fA-F]{3}) (?P<interface>[0-9a-fA-F]{8}) "
    r"(?P<servicing>[0-9a-fA-F]{4}\.[0-9a-fA-F]{4}) [0-9a-fA-F]{8} (?P<x_call>[0-9a-fA-F]{8})\b"
)
_WORD = re.compile(r'^"?([^"]{0,120})"?')


def read_rpc(document: Document, lines: Sequence[Line]) -> list[RpcCell]:
    """The stack's call, endpoints, calls and cells, in order."""
    found: list[RpcCell] = []
    stack: dict[str, str] = {}
    cell: dict[str, str] = {}
    spans: dict[str, list[int]] = {"stack": [], "cell": []}
    kind = ""

    def close() -> None:
        nonlocal kind
        if stack.get("CallID") and stack.get("Endpoint"):
            first, last = spans["stack"][0], spans["stack"][-1]
            found.append(
                RpcCell(
                    cite=document.cite(first, last),
                    kind="stack",
                    call=_decimal(stack["CallID"]),
                    interface=stack.get("IfStart"),
                    procedure=_decimal(stack.get("ProcNum", "")),
                    endpoint=stack["Endpoint"],
                )
            )
        if kind and cell.get("Status") and spans["cell"]:
            first, last = spans["cell"][0], spans["cell"][-1]
            found.append(_cell(document, kind, cell, first, last))
        stack.clear()
        cell.clear()
        spans["stack"], spans["cell"], kind = [], [], ""

    for line in lines:
        text = line.text
        if line.prompt:
            close()
            continue
        endpoint, call = _ENDPOINT.match(text), _CALL.match(text)
        row = endpoint or call
        if row is not None:
            said = "endpoint" if endpoint is not None else "call"
            found.append(RpcCell(cite=document.cite(line.number), kind=said, **fields(row)))
        elif text.strip() in ("Call", "Thread", "Endpoint", "Connection", "Client Call Info"):
            close()
            kind = text.strip().lower().split()[0]
            spans["cell"] = [line.number]
        else:
            _pair(line, stack, cell, spans, kind)
    close()
    return found


def _pair(
    line: Line,
    stack: dict[str, str],
    cell: dict[str, str],
    spans: dict[str, list[int]],
    kind: str,
) -> None:
    pair = _PAIR.match(line.text)
    if pair is None or pair["value"] is None:
        return
    word = _WORD.match(pair["value"].strip())
    value = word[1].strip() if word else ""
    target, name = (cell, "cell") if kind else (stack, "stack")
    target[pair["key"].strip()] = value
    spans[name].append(line.number)


def _cell(document: Document, kind: str, cell: dict[str, str], first: int, last: int) -> RpcCell:
    thread = re.match(r"0x([0-9a-fA-F]{1,8})\b", cell.get("Thread ID", ""))
    servicing = cell.get("Servicing thread identifier")
    call = re.match(r"0x([0-9a-fA-F]{1,8})\b", cell.get("Call ID", ""))
    return RpcCell(
        cite=document.cite(first, last),
        kind="thread" if kind == "thread" else "cell",
        status=cell.get("Status"),
        thread=int(thread[1], 16) if thread else None,
        servicing=servicing,
        call=int(call[1], 16) if call else None,
        procedure=_decimal(cell.get("Procedure Number", "")),
    )


def _decimal(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 12 else None
