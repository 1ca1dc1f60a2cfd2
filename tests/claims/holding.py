"""Whether the statements of experts hold: each verified, by a few lines."""

from collections.abc import Iterable, Mapping

from analyzers.patterns.waitgraph import inferred_waits
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.model.claims import Claim
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook

_MOST = 6
"""Lines that one statement may rest on, its frame's included."""


def evidence_of(texts: Mapping[str, str], host: str = "") -> dict[str, Evidence]:
    """Items of a case, none of which was stored."""
    return {
        name: Evidence(
            id=name, command="", source=Source.FILE, intent="", at="", sha256="", size=len(text),
            lines=text.count("\n") + (not text.endswith("\n")), call_hash=name, host=host,
        )
        for name, text in texts.items()
    }  # fmt: skip


def unproved(claims: Iterable[Claim], facts: FactBook, texts: Mapping[str, str]) -> list[str]:
    """Every statement that the texts do not verify, or that rests on more than a few lines."""
    evidence = evidence_of(texts)
    read = texts.__getitem__
    typed = check(list(claims), Book(facts, evidence, read, inferred_waits))
    lost = [f"{c.kind}: {c.text}: {c.status} {c.reason} {c.args}" for c in typed if not c.holds]
    return lost + [
        f"{c.text} rests on {c.citations}" for c in typed if c.holds and _lines(c) > _MOST
    ]


def _lines(claim: Claim) -> int:
    return sum(max(1, (c.last or c.first) - c.first + 1) if c.first else 99
               for c in claim.citations)  # fmt: skip
