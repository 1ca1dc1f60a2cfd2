"""What lies where in memory, as a debugger lists it: mappings, and the modules that they show."""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from analyzers.base import MAX_ITEMS, Document
from workbench.model.facts import AnyFact, Memory, Module, Region
from workbench.model.text import counted

_LIBRARY = re.compile(r"\.so(?:\.|$)|\.dylib$")
_KINDS = {"[heap]": "heap", "[stack]": "stack"}
_TOP = 1 << 64


class Row(NamedTuple):
    """One line of a listing: [start, end), permissions as ``r-x`` where it has them."""

    line: int
    start: int
    end: int
    perms: str | None
    path: str
    offset: int = 0


def facts_of(document: Document, rows: Iterable[Row], whole: bool) -> list[AnyFact]:
    """The modules of a listing, and `Memory` where it is ``whole``: of a core gdb lists only files,
    and what is not in a list is not therefore unmapped."""
    kept = [row for row in rows if row.start < row.end <= _TOP][:MAX_ITEMS]
    facts: list[AnyFact] = [*_modules(document, kept)]
    if whole and kept and all(row.perms for row in kept):
        lines = [row.line for row in kept]
        facts.append(
            Memory(
                cite=document.cite(min(lines), max(lines)),
                regions=tuple(sorted((_region(row) for row in kept), key=lambda r: r.start)),
            )
        )
    return facts


def _region(row: Row) -> Region:
    perms = row.perms or ""
    kind = _KINDS.get(row.path.split(":")[0] + ("]" if ":" in row.path else ""), "")
    if not kind:
        kind = "vdso" if row.path.startswith("[v") else "file" if row.path else "anonymous"
    return Region(
        start=row.start,
        end=row.end,
        perms=perms,
        path=row.path or None,
        offset=row.offset,
        kind="none" if perms == "---" and not row.path else kind,
        thread=None,
        dumped=False,
        line=row.line,
    )


def _modules(document: Document, rows: list[Row]) -> list[Module]:
    """Files of which code is mapped; where permissions are not listed, libraries and what is mapped
    in several parts."""
    files: dict[str, list[Row]] = {}
    for row in rows:
        if row.path.startswith("/") and not row.path.startswith(("/dev/", "/memfd:", "/SYSV")):
            files.setdefault(row.path, []).append(row)
    found = []
    for path, parts in files.items():
        known = any(row.perms for row in parts)
        code = any("x" in (row.perms or "") for row in parts)
        if not (code if known else _LIBRARY.search(path) or len(parts) > 2):
            continue
        lines = [row.line for row in parts]
        found.append(
            Module(
                cite=document.cite(min(lines), max(lines)),
                name=path.rpartition("/")[2] or path,
                path=path,
                base=min(row.start for row in parts),
                end=max(row.end for row in parts),
            )
        )
    return found


def said_of(facts: Sequence[AnyFact], missing: int = 0) -> str:
    """One line on modules and mappings."""
    modules = sum(isinstance(fact, Module) for fact in facts)
    regions = sum(len(fact.regions) for fact in facts if isinstance(fact, Memory))
    lost = f", {missing} not found" if missing else ""
    mapped = f", {counted(regions, 'mapping')}" if regions else ""
    return f"{counted(modules, 'module')}{lost}{mapped}"
