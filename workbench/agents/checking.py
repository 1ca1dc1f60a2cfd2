"""Holds statements to the evidence of an investigation."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from workbench.agents.grounding import check_claim
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.model.citation import Citation
from workbench.model.claims import Arg, Claim, Outcome
from workbench.model.facts import FactBook
from workbench.model.investigation import Investigation

SENTENCE = "sentence"
"""Words of our own code around quoted values, for which there is no kind yet: only its numbers,
names and quotations are looked up."""


def worded(text: str, citations: Iterable[Citation], by: str = "expert") -> Claim:
    """A sentence of our own code with the lines that its values stand in."""
    cites = tuple(citations)
    return Claim(SENTENCE, (Arg("text", text, cites),), text=text, by=by)


def book_of(state: Investigation, text_of: Callable[[str], str]) -> Book:
    """What the statements of an investigation are checked against."""
    from analyzers.patterns.waits import inferred_waits

    def read(name: str) -> FactBook:
        from analyzers.base import Document
        from analyzers.registry import analyze

        item = state.evidence[name]
        document = Document(name, item.command, item.host or state.host, text_of(name))
        return FactBook(analyze(document).facts)

    return Book(state.facts, state.evidence, text_of, inferred_waits, read)


def checked(
    claims: Iterable[Claim], state: Investigation, text_of: Callable[[str], str]
) -> tuple[Claim, ...]:
    """Each statement with its outcome, in order. Never raises on any text."""
    given = tuple(claims)
    typed = [claim for claim in given if claim.kind != SENTENCE]
    done = iter(check(typed, book_of(state, text_of)))
    return tuple(
        next(done) if claim.kind != SENTENCE else _looked_up(claim, state, text_of)
        for claim in given
    )


def _looked_up(claim: Claim, state: Investigation, text_of: Callable[[str], str]) -> Claim:
    if claim.by == "model":
        return replace(claim, status=Outcome.UNKNOWN, reason="a model's own words are not checked")
    failures = check_claim(claim, state.evidence, text_of)
    if not failures:
        return replace(claim, status=Outcome.VERIFIED, reason="")
    detail = "; ".join(dict.fromkeys(failure.detail for failure in failures[:6]))
    return replace(claim, status=Outcome.REFUTED, reason=detail)
