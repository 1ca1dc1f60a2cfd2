"""gdb's ``info threads``."""

import re

from analyzers.base import MAX_ITEMS, Analysis, Document, Reader, answers, hexadecimal
from workbench.model.facts import Thread, Threads
from workbench.model.text import counted

_COMMAND = re.compile(r"^(?:info|inf|i) (?:threads?|thr\w*)\b")
_ROW = re.compile(r"^(?P<current>[* ]) (?P<number>\d{1,9}(?:\.\d{1,9})?)\s+(?P<target>\S.*)$")
_LWP = re.compile(r"\b(?:LWP|process) (\d{1,10})\b")
_PTHREAD = re.compile(r"^Thread 0x([0-9a-fA-F]{1,32})\b")
_NAME = re.compile(r'^(?:Thread 0x[0-9a-fA-F]+ )?\(?(?:LWP|process) \d+\)? "([^"]*)"')


def read(document: Document) -> Analysis:
    """One `Threads`: TIDs where gdb shows an LWP or process, else the pthread's address."""
    items: list[Thread] = []
    for number, line in document.lines():
        row = _ROW.match(line)
        if row is None or len(items) >= MAX_ITEMS:
            continue
        target = row["target"]
        if "<unavailable> in ?? ()" in target:
            continue  # libthread_db alone lists it: by the id of another PID namespace
        lwp, pthread, name = _LWP.search(target), _PTHREAD.match(target), _NAME.match(target)
        thread = int(lwp[1]) if lwp else hexadecimal(pthread[1]) if pthread else None
        if thread is not None:
            items.append(
                Thread(
                    number=int(row["number"].split(".")[-1]),
                    thread=thread,
                    name=name[1] if name else None,
                    current=row["current"] == "*",
                    line=number,
                )
            )
    if not items:
        return Analysis("No threads")
    fact = Threads(cite=document.span(items), items=tuple(items))
    return Analysis(counted(len(items), "thread"), (fact,))


READER = Reader(read, answers("gdb", _COMMAND))
