"""gdb's ``info proc mappings`` and ``info sharedlibrary``."""

import re

from analyzers.base import Analysis, Document, Reader, answers, hexadecimal
from analyzers.maps import Row, facts_of, said_of
from workbench.model.facts import AnyFact, Module

_COMMAND = re.compile(
    r"^(?:info|inf|i) (?:sharedlibrary|shared\w*|sh|dll|proc (?:mappings|map\w*|all))\b"
)
_HEX = r"0x([0-9a-f]{1,16})"
# Start, end, size, offset; gdb 12 and later list permissions of a process, no gdb those of a core.
_MAPPING = re.compile(
    rf"^\s*{_HEX}\s+{_HEX}\s+0x[0-9a-f]{{1,16}}\s+{_HEX}(?:\s+([r-][w-][x-])[ps-]?)?(?:\s+(\S.*?))?\s*$"
)
_LIBRARY = re.compile(rf"^(?:{_HEX}\s+{_HEX})?\s+(Yes|No)(?: (\(\*\)))?\s+(\S.*?)\s*$")
_LIBRARIES = re.compile(r"^From\s+To\s+Syms Read\b")
_PAGE = 0xFFF


def read(document: Document) -> Analysis:
    """`Module` for each file with code, `Memory` where every mapping is listed."""
    facts = read_modules(document)
    missing = [f for f in facts if isinstance(f, Module) and f.status == "missing"]
    found = tuple(f"{module.path} was not found [{module.cite}]" for module in missing[:20])
    return Analysis(said_of(facts, len(missing)), tuple(facts), found)


def read_modules(document: Document) -> list[AnyFact]:
    """The facts of every table of the two kinds in an output."""
    rows: list[Row] = []
    libraries: list[AnyFact] = []
    listing = False
    for number, line in document.lines():
        if _LIBRARIES.match(line):
            listing = True
            continue
        library = _LIBRARY.match(line) if listing else None
        if library is not None:
            module = _library(document, library, number)
            if module is not None:
                libraries.append(module)
            continue
        listing = False
        mapping = _MAPPING.match(line) if "0x" in line else None
        if mapping is not None:
            start, end, offset = (hexadecimal(mapping[at]) for at in (1, 2, 3))
            rows.append(Row(number, start, end, mapping[4], mapping[5] or "", offset))
    whole = any(row.path == "[stack]" for row in rows)
    return [*libraries, *facts_of(document, rows, whole)]


def _library(document: Document, row: re.Match[str], number: int) -> Module | None:
    """A library whose whole range is told: gdb before 17 gives that of its code (solib.c)."""
    if row[1] is None:
        return None
    start, end = hexadecimal(row[1]), hexadecimal(row[2])
    if start >= end or start & _PAGE or end & _PAGE:
        return None
    read = row[3] == "Yes"
    return Module(
        cite=document.cite(number),
        name=row[5].rpartition("/")[2] or row[5],
        path=row[5],
        base=start,
        end=end,
        status="unverified" if read else "missing",
        symbols=("symbols" if row[4] else "debug-info") if read else "unknown",
    )


READER = Reader(read, answers("gdb", _COMMAND))
