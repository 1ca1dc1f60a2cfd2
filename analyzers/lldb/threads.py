"""lldb's ``thread list``."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.lldb.text import MAX_ITEMS, is_of, lines_of, thread_id
from workbench.model.facts import Thread, Threads

_COMMAND = re.compile(r"^(?:thread|th\w*|t) li?s?t?(?:\s|$)|^process status|^thread info")
_ROW = re.compile(
    r"^(?P<current>[* ]) thread #(?P<number>\d{1,9}): tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,20})\b"
)
_NAME = re.compile(r", name = '([^']*)'")


class LldbThreads(Settled):
    """Reads the thread list into one `Threads`."""

    name = "lldb-threads"

    def can_analyze(self, document: Document) -> bool:
        """True for ``thread list``."""
        return is_of(document, _COMMAND)

    def analyze(self, document: Document) -> Analysis:
        """Thread ids as the system gave them; ``current`` is the selected one."""
        threads = read_threads(document)
        if threads is None:
            return Analysis("No threads")
        count = len(threads.items)
        return Analysis(f"{count} thread" + ("" if count == 1 else "s"), (threads,))


def read_threads(document: Document) -> Threads | None:
    """The rows of the list; None where there is none."""
    items: list[Thread] = []
    first = last = 0
    for number, line in lines_of(document):
        row = _ROW.match(line)
        if row is None or len(items) >= MAX_ITEMS:
            continue
        name = _NAME.search(line)
        items.append(
            Thread(
                number=int(row["number"]),
                thread=thread_id(row["tid"]),
                name=name[1] if name else None,
                current=row["current"] == "*",
                line=number,
            )
        )
        first, last = first or number, number
    return Threads(cite=document.cite(first, last), items=tuple(items)) if items else None
