"""lldb's ``thread list``."""

import re

from analyzers.base import Analysis, Document, Reader
from analyzers.lldb.text import MAX_ITEMS, answers, thread_id
from workbench.model.facts import Thread, Threads
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:thread|th\w*|t) li?s?t?(?:\s|$)|^process status|^thread info")
_ROW = re.compile(
    r"^(?P<current>[* ]) thread #(?P<number>\d{1,9}): tid = (?P<tid>0x[0-9a-f]{1,16}|\d{1,20})\b"
)
_NAME = re.compile(r", name = '([^']*)'")


def read(document: Document) -> Analysis:
    """One `Threads`, with thread ids as the system gave them; ``current`` is the selected one."""
    items: list[Thread] = []
    for number, line in document.lines():
        row = _ROW.match(line)
        if row is None or len(items) >= MAX_ITEMS:
            continue
        name = _NAME.search(line)
        items.append(
            Thread(number=int(row["number"]), thread=thread_id(row["tid"]),
                   name=name[1] if name else None, current=row["current"] == "*", line=number)
        )  # fmt: skip
    if not items:
        return Analysis("No threads")
    fact = Threads(cite=document.span(items), items=tuple(items))
    return Analysis(counted(len(items), "thread"), (fact,))


READER = Reader(read, answers(_COMMAND))
