"""Holds statements to the evidence of an investigation."""

from collections.abc import Callable, Iterable

from analyzers.base import Document
from analyzers.patterns.waitgraph import inferred_waits
from analyzers.registry import analyze
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.model.claims import Claim
from workbench.model.facts import FactBook
from workbench.model.investigation import Investigation


def book_of(state: Investigation, text_of: Callable[[str], str]) -> Book:
    """What the statements of an investigation are checked against."""

    def read(name: str) -> FactBook:
        item = state.evidence[name]
        document = Document(name, item.command, item.host or state.host, text_of(name))
        return FactBook(analyze(document).facts)

    return Book(state.facts, state.evidence, text_of, inferred_waits, read)


def checked(
    claims: Iterable[Claim], state: Investigation, text_of: Callable[[str], str]
) -> tuple[Claim, ...]:
    """Each statement with its outcome, in order. Never raises on any text."""
    return check(tuple(claims), book_of(state, text_of))
