"""What a person said, beside what it is held to: the state, and the lines of its evidence."""

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import NamedTuple

from workbench.agents.chat.asked import Asked
from workbench.agents.chat.lines import Found, Numbered, fitting, unnamed
from workbench.agents.chat.quoting import quoting
from workbench.agents.checking import book_of
from workbench.claims.book import Book
from workbench.model.claims import Claim
from workbench.model.conversation import Contradiction
from workbench.model.investigation import Investigation
from workbench.model.text import lines_of

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
