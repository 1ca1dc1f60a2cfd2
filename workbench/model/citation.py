"""A citation: an evidence item, or a span of its lines."""

import re

from msgspec import Struct

_CITATION = re.compile(r"\b(E[1-9][0-9]*)(?::([1-9][0-9]*)(?:-([1-9][0-9]*))?)?\b")


class Citation(Struct, frozen=True, order=True):
    """``E3`` (first == 0: the whole item) or ``E3:4-6``; lines count from 1, both ends included."""

    evidence: str
    first: int = 0
    last: int = 0

    def __str__(self) -> str:
        if not self.first:
            return self.evidence
        if self.last <= self.first:
            return f"{self.evidence}:{self.first}"
        return f"{self.evidence}:{self.first}-{self.last}"


def parse_citations(text: str) -> list[Citation]:
    """Every citation written in a text, in order of appearance."""
    found = []
    for match in _CITATION.finditer(text):
        first = int(match[2] or 0)
        found.append(Citation(match[1], first, int(match[3] or first)))
    return found
