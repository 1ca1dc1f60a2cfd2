"""The debugger's thread list: ``~``, and the lines above the stacks of ``~*k``."""

import re
from collections.abc import Sequence

from msgspec.structs import replace

from analyzers.base import Document
from analyzers.windbg.text import MAX_ITEMS, Line
from workbench.model.facts import Thread, Threads

# ".  0  Id: 16a4.2be8 Suspend: 0 Teb: 00007ff5`ffc8e000 Unfrozen "name"", and NT 4's
# "  6  id: 16.6d   Teb 7ff68000 Unfrozen". "." is the selected thread, "#" that of the exception.
_THREAD = re.compile(
    r"^(?P<mark>[.#*]?)\s{0,5}(?P<number>\d{1,6})\s+[Ii]d: (?P<pid>[0-9a-fA-F]{1,8})\."
    r"(?P<tid>[0-9a-fA-F]{1,8})\b(?P<rest>.*)$"
)
_NAME = re.compile(r'(?:Unfrozen|Frozen)\s+"([^"]{1,256})"')


def parse_thread(text: str) -> Thread | None:
    """The thread that a line of ``~`` names: debugger's number (decimal) and TID, or None."""
    found = _THREAD.match(text.lstrip() if text[:2] == "  " else text)
    if found is None:
        return None
    name = _NAME.search(found["rest"])
    return Thread(
        number=int(found["number"]),
        thread=int(found["tid"], 16),
        name=name[1] if name else None,
        current=found["mark"] in (".", "*"),
    )


def read_threads(document: Document, lines: Sequence[Line]) -> list[Threads]:
    """One list of all threads that the output names."""
    items: dict[int, Thread] = {}
    for line in lines:
        found = parse_thread(line.text)
        if found is not None and len(items) < MAX_ITEMS:
            items.setdefault(found.number, replace(found, line=line.number))
    if not items:
        return []
    if sum(item.current for item in items.values()) > 1:  # !uniqstack puts a dot on every line
        items = {number: replace(item, current=False) for number, item in items.items()}
    rows = tuple(items.values())
    return [Threads(cite=document.span(rows), items=rows)]
