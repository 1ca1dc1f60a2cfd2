"""Reads ``@exception``: C++ exceptions in flight."""

import re

from msgspec import Struct

from analyzers.base import Analysis, Document, Settled
from workbench.model.facts import CxxException

_OBJECT = re.compile(
    r"exception object (0x[0-9a-f]{1,16}): type (.+) \(mangled (\S+)\), "
    r"(uncaught|caught|thrown again), handler count -?\d{1,10}(?:, thread (\d{1,10}))?"
)
_BASES = re.compile(r"exception object (0x[0-9a-f]{1,16}) derives from: (.+)")
_MESSAGE = re.compile(r"exception object (0x[0-9a-f]{1,16}) message: (.*)")


class _Reading(Struct):
    address: int
    type: str
    mangled: str
    state: str
    first: int
    last: int
    message: str | None = None
    bases: tuple[str, ...] = ()

    def fact(self, document: Document) -> CxxException:
        return CxxException(
            cite=document.cite(self.first, self.last),
            type=self.type,
            message=self.message,
            address=self.address,
            mangled=self.mangled,
            uncaught={"uncaught": True, "caught": False}.get(self.state),
            bases=self.bases,
        )


class DumpException(Settled):
    """The analyzer of ``@exception``."""

    name = "dump-exception"

    def can_analyze(self, document: Document) -> bool:
        """True for our reader's answer to ``@exception``."""
        return document.host == "dump" and document.command.split()[:1] == ["@exception"]

    def analyze(self, document: Document) -> Analysis:
        """A `CxxException` for each object, in the order of the text."""
        found: list[_Reading] = []
        for number, line in document.numbered():
            match = _OBJECT.fullmatch(line)
            if match is not None:
                found.append(
                    _Reading(int(match[1], 16), match[2], match[3], match[4], number, number)
                )
                continue
            match = _MESSAGE.fullmatch(line) or _BASES.fullmatch(line)
            if match is None or not found or int(match[1], 16) != found[-1].address:
                continue
            found[-1].last = number
            if match.re is _MESSAGE:
                found[-1].message = match[2]
            else:
                found[-1].bases = tuple(split_types(match[2]))
        if not found:
            return Analysis("no C++ exception in flight")
        facts = tuple(item.fact(document) for item in found)
        findings = tuple(_said(item, fact) for item, fact in zip(found, facts, strict=True))
        return Analysis(findings[0].rsplit(" [", 1)[0], facts, findings)


def _said(item: _Reading, fact: CxxException) -> str:
    text = f': "{item.message}"' if item.message is not None else ""
    return f"{item.state} exception of type {item.type}{text} [{fact.cite}]"


def split_types(text: str) -> list[str]:
    """Types separated by commas, those inside of angle brackets left alone."""
    found, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "," and depth <= 0:
            found.append(text[start:at].strip())
            start = at + 1
    return [*found, text[start:].strip()]
