"""What a fact says to something that was stated, in the words of the line that says it."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from workbench.agents.chat.quoting import LEAD, quoting
from workbench.model.citation import Citation
from workbench.model.claims import Claim

LineOf = Callable[[str, int], str]
"""The text of a line, from 1, of an evidence item; empty where there is none."""

_LINES = 40


class Told(Struct, frozen=True):
    """``claim`` quotes what was found; ``agrees`` when it is as it was stated."""

    claim: Claim
    agrees: bool


def line(evidence: str, number: int, agrees: bool, line_of: LineOf) -> Iterator[Told]:
    """A line, where it can be quoted."""
    for claim in quoting(LEAD, evidence, number, line_of(evidence, number)):
        yield Told(claim, agrees)


def line_with(
    words: tuple[str, ...], cite: Citation, agrees: bool, line_of: LineOf
) -> Iterator[Told]:
    """The first line of a fact that begins with one of the words, the first of them that any line
    begins with; its first line where none does."""
    first = cite.first or 1
    numbers = range(first, min(max(first, cite.last), first + _LINES) + 1)
    for word in words:
        for number in numbers:
            if line_of(cite.evidence, number).lstrip().startswith(word):
                yield from line(cite.evidence, number, agrees, line_of)
                return
    yield from line(cite.evidence, first, agrees, line_of)
