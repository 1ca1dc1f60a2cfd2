"""Reads ``@loop``: whether a thread that computes can come to an end."""

import re

from msgspec.structs import replace

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import Loop, LoopRead

_HEX = r"0x[0-9a-f]{1,16}"
_CLOSED = re.compile(
    rf"thread (\d{{1,10}}): no way leads out from ({_HEX}) \(.*\): the (\d{{1,6}}) instructions "
    rf"that can follow lie from {_HEX} to {_HEX}; none of them returns, and none enters the kernel"
)
_ROUND = re.compile(
    rf"thread (\d{{1,10}}): goes round without an end from ({_HEX}) \(.*\): registers and memory "
    rf"are the same again after (\d{{1,6}}) instructions between {_HEX} and {_HEX}"
)
_READ = re.compile(
    rf"thread (\d{{1,10}}): the round reads ({_HEX}) \(.*\), "
    r"(?:the variable (\S{1,400})|no variable with a name)"
)
_WRITES = re.compile(rf"thread (\d{{1,10}}): the round writes {_HEX} \(.*\)")
_OPEN = re.compile(
    rf"thread (\d{{1,10}}): followed for (\d{{1,6}}) instructions from ({_HEX})"
    r"(?:, not past .*| .*)"
)


class DumpLoop(Settled):
    """The analyzer of ``@loop``."""

    name = "dump-loop"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@loop``."""
        return document.host == "dump" and document.command.split()[:1] == ["@loop"]

    def analyze(self, document: Document) -> Analysis:
        """One `Loop`, where the thread could be followed at all."""
        found: Loop | None = None
        for number, line in document.numbered():
            cite = document.cite(number)
            if found is None:
                found = _first(document, number, line)
            elif (match := _READ.fullmatch(line)) is not None and int(match[1]) == found.thread:
                read = LoopRead(address=int(match[2], 16), name=match[3], line=number)
                found = replace(found, reads=(*found.reads, read))
            elif (match := _WRITES.fullmatch(line)) is not None and int(match[1]) == found.thread:
                found = replace(found, writes=True)
        if found is None:
            return Analysis("the thread could not be followed")
        cite = found.cite
        told = {
            "closed": f"thread {found.thread} is in a loop without a way out",
            "round": f"thread {found.thread} goes round without an end",
        }.get(found.kind, f"thread {found.thread} may come to an end")
        return Analysis(told, (found,), (f"{told} [{cite}]",))


def _first(document: Document, number: int, line: str) -> Loop | None:
    cite = document.cite(number)
    for kind, pattern in (("closed", _CLOSED), ("round", _ROUND)):
        match = pattern.fullmatch(line)
        if match is not None:
            return Loop(cite=cite, thread=int(match[1]), kind=kind, at=int(match[2], 16),
                        count=int(match[3]))  # fmt: skip
    match = _OPEN.fullmatch(line)
    if match is None:
        return None
    return Loop(cite=cite, thread=int(match[1]), kind="open", at=int(match[3], 16),
                count=int(match[2]))  # fmt: skip
