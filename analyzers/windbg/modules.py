"""Modules: ``ModLoad:`` lines and the tables of ``lm``."""

import ntpath
import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.windbg.text import HEX, MAX_ITEMS, Line, number
from workbench.model.facts import Module

_MODLOAD = re.compile(rf"^ModLoad: (?P<start>{HEX}) (?P<end>{HEX})\s+(?P<path>\S.*)$")
_ROW = re.compile(
    rf"^(?P<start>{HEX}) (?P<end>{HEX})\s+(?P<name>\S{{1,128}})(?:\s+(?P<mark>[A-Z#\s]{{0,6}}))?"
    r"\s*(?:\((?P<symbols>[^()]{3,60})\))?(?:\s+(?P<path>\S.*))?$"
)
_TABLE = re.compile(r"^start\s+end\s+module name", re.IGNORECASE)
_IMAGE = re.compile(r"^\s+(?:Loaded symbol image file|Image path): (?P<path>\S.*)$")
_SYMBOLS = {
    "pdb symbols": "debug-info",
    "private pdb symbols": "debug-info",
    "coff symbols": "symbols",
    "codeview symbols": "debug-info",
    "export symbols": "stripped",
    "no symbols": "stripped",
}
_STATUS = {"mismatched": "mismatched", "deferred": "unverified"}


def read_modules(document: Document, lines: Sequence[Line]) -> list[Module]:
    """Loaded modules with [base, end), each with the line that says so."""
    found: dict[int, Module] = {}
    table = False
    for line in lines:
        text = line.text
        load = _MODLOAD.match(text)
        if load is not None:
            _add(found, document, line, load, load["path"].strip(), None)
            continue
        if _TABLE.match(text):
            table = True
        elif table and text:
            row = _ROW.match(text)
            if row is not None:
                _add(found, document, line, row, row["name"], (row["symbols"] or "").lower())
            elif not text.startswith(" ") or line.prompt:
                table = False
    return list(found.values())


def _add(
    found: dict[int, Module],
    document: Document,
    line: Line,
    row: re.Match[str],
    path: str,
    symbols: str | None,
) -> None:
    start, end = number(row["start"]), number(row["end"])
    if end <= start or len(found) >= MAX_ITEMS:
        return
    kind = (symbols or "").removesuffix(")")
    found[start] = Module(
        cite=document.cite(line.number),
        name=ntpath.basename(path) or path,
        path=path,
        base=start,
        end=end,
        status=_STATUS.get(kind, "unverified" if symbols is None else "found"),
        symbols=_SYMBOLS.get(kind, "unknown"),
    )
