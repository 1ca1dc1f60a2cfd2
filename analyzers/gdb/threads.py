"""gdb's ``info threads``."""

import re

from analyzers.base import Analysis, Document, Settled
from analyzers.gdb.text import MAX_ITEMS, hex_value, lines_of
from workbench.model.facts import Thread, Threads
from workbench.model.gdb_commands import bare_command

_COMMAND = re.compile(r"^(?:info|inf|i) (?:threads?|thr\w*)\b")
_ROW = re.compile(r"^(?P<current>[* ]) (?P<number>\d{1,9}(?:\.\d{1,9})?)\s+(?P<target>\S.*)$")
_LWP = re.compile(r"\b(?:LWP|process) (\d{1,10})\b")
_PTHREAD = re.compile(r"^Thread 0x([0-9a-fA-F]{1,32})\b")
_NAME = re.compile(r'^(?:Thread 0x[0-9a-fA-F]+ )?\(?(?:LWP|process) \d+\)? "([^"]*)"')


class GdbThreads(Settled):
    """Reads the thread list into one `Threads`."""

    name = "gdb-threads"

    def can_analyze(self, document: Document) -> bool:
        """True for ``info threads``."""
        return document.host == "gdb" and bool(_COMMAND.match(bare_command(document.command)))

    def analyze(self, document: Document) -> Analysis:
        """TIDs where gdb shows an LWP or process, else the pthread's address."""
        items: list[Thread] = []
        first = last = 0
        for number, line in lines_of(document):
            row = _ROW.match(line)
            if row is None or len(items) >= MAX_ITEMS:
                continue
            target = row["target"]
            lwp, pthread = _LWP.search(target), _PTHREAD.match(target)
            if lwp is None and pthread is None:
                continue
            name = _NAME.match(target)
            items.append(
                Thread(
                    number=int(row["number"].split(".")[-1]),
                    thread=int(lwp[1]) if lwp else hex_value(pthread[1]) if pthread else 0,
                    name=name[1] if name else None,
                    current=row["current"] == "*",
                    line=number,
                )
            )
            first, last = first or number, number
        if not items:
            return Analysis("No threads")
        fact = Threads(cite=document.cite(first, last), items=tuple(items))
        return Analysis(f"{len(items)} thread" + ("" if len(items) == 1 else "s"), (fact,))
