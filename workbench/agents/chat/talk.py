"""What a person said, beside what it is held to: the state, and the lines of its evidence, which
sentences quote."""

import re
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.lines import Found, Numbered, fitting, unnamed
from workbench.agents.checking import book_of
from workbench.claims.book import Book
from workbench.claims.say import at, say
from workbench.claims.tokens import unaccented
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction
from workbench.model.investigation import Investigation
from workbench.model.text import lines_of, printable

LONGEST = 240
"""Characters of a line that a sentence quotes."""
LEAD = "The evidence shows"
_MARKS = (('"', '"'), ("\u201c", "\u201d"), ("\u00ab", "\u00bb"))


def quote(line: str) -> str | None:
    """A line in quotation marks that it does not hold itself; None where nothing can be quoted."""
    words = re.sub(r"[\t\r\n\f\v]+", " ", unaccented(line)).strip()
    if len(words) > LONGEST:
        words = words[:LONGEST].rsplit(" ", 1)[0]
    if not words or printable(words) != words:
        return None
    for first, last in _MARKS:
        if first not in words and last not in words:
            return f"{first}{words}{last}"
    return None


def quoting(lead: str, evidence: str, line: int, text: str, *, by: str = "lead") -> list[Claim]:
    """``lead: "the line"``, citing it, as a list; empty where the line cannot be quoted, or is
    none (0). The lead of a line ``by`` its "log" is that log's name, as it is written."""
    quoted = quote(text) if line else None
    if quoted is None:
        return []
    cites = (Citation(evidence, line, line),)
    return [say("quote", cites, **{by: lead}, text=at(quoted[1:-1], cites, quoted))]


MOST_QUOTED = 5


class Told(NamedTuple):
    """``claim`` says what was found; ``agrees`` when it is as it was stated, in the clause ``said``
    of the person's words."""

    claim: Claim
    agrees: bool
    said: str = ""


def agreed(found: Iterable[Told]) -> list[Claim]:
    """What is as it was stated."""
    return [one.claim for one in found if one.agrees]


def against(found: Iterable[Told]) -> list[Contradiction]:
    """What was stated otherwise than it is."""
    return [Contradiction(one.said, one.claim) for one in found if not one.agrees]


class Talk:
    """``text_of`` gives the stored text of an item; ``lines`` are those that may answer."""

    def __init__(self, state: Investigation, asked: Asked, text_of: Callable[[str], str]) -> None:
        self.state = state
        self.asked = asked
        self.text_of = text_of
        self.lines: list[Numbered] = []
        self._split: dict[str, list[str]] = {}

    def about(self, asked: Asked) -> "Talk":
        """The same lines for another question about them."""
        other = Talk(self.state, asked, self.text_of)
        other.lines = self.lines
        return other

    @cached_property
    def book(self) -> Book:
        """What statements are checked against."""
        return book_of(self.state, self.text_of)

    @cached_property
    def fitting(self) -> list[Found]:
        """The lines that fit the question best."""
        return fitting(self.asked, self.lines, MOST_QUOTED)

    @property
    def unnamed(self) -> tuple[str, ...]:
        """What the question names and none of the lines holds."""
        return tuple(unnamed(self.asked, self.fitting))

    def line_of(self, evidence: str, number: int) -> str:
        """One line, from 1; empty where there is none."""
        if evidence not in self._split:
            self._split[evidence] = list(lines_of(self.text_of(evidence)))
        lines = self._split[evidence]
        return lines[number - 1] if 0 < number <= len(lines) else ""

    def quote(self, lead: str, evidence: str, number: int) -> list[Claim]:
        """A line in its own words, as a list; empty where it cannot be quoted."""
        return quoting(lead, evidence, number, self.line_of(evidence, number))
