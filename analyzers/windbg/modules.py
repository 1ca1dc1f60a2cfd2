"""Modules: ``ModLoad:`` lines and the tables of ``lm``."""

import ntpath
import re
from collections.abc import Sequence

from analyzers.base import Document
from analyzers.blocks import Form, read_blocks, read_rows
from analyzers.windbg.text import HEX, MAX_ITEMS, Line, plain
from workbench.model.facts import Module

_MODLOAD = re.compile(rf"^ModLoad: (?P<x_base>{HEX}) (?P<x_end>{HEX})\s+(?P<path>\S.*)$")
_ROW = re.compile(
    rf"^(?P<x_base>{HEX}) (?P<x_end>{HEX})\s+(?P<path>\S{{1,128}})(?:\s+[A-Z#\s]{{0,6}})?"
    r"\s*(?:\((?P<symbols>[^()]{3,60})\))?(?:\s+\S.*)?$"
)
_TABLE = Form(
    (re.compile(r"^start\s+end\s+module name", re.IGNORECASE),),
    rows=(_ROW,),
    end=re.compile(rf"^(?!\s|$|ModLoad:|{HEX} {HEX}\s)"),
    most=MAX_ITEMS,
)
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
    texts = plain(lines)
    rows = [*read_rows(_MODLOAD, texts), *(r for b in read_blocks(_TABLE, texts) for r in b.rows)]
    found: dict[int, Module] = {}
    for row in sorted(rows, key=lambda row: int(row["line"])):
        path, base, end = row["path"], row["base"], row["end"]
        kind = (row.get("symbols") or "").lower().removesuffix(")")
        if base < end and len(found) < MAX_ITEMS:
            found[base] = Module(
                cite=document.cite(row["line"]), name=ntpath.basename(path) or path, path=path,
                base=base, end=end, symbols=_SYMBOLS.get(kind, "unknown"),
                status=_STATUS.get(kind, "found" if "symbols" in row else "unverified"),
            )  # fmt: skip
    return list(found.values())
