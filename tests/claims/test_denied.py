"""A denial is verified only where a line has another value for what its words are about."""

import pytest
from msgspec.structs import replace

from tests.claims.holding import evidence_of
from workbench.claims.book import Book
from workbench.claims.check import decide
from workbench.claims.say import deny, say
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome
from workbench.model.facts import Chunk, FactBook

_LIST = """1\tvoid f(int *x, int *y)
2\t{
3\t    free(x);
4\t    free(y);
5\t    put(x, 1);
6\t    put(y, 2);
7\t}"""
_HEAP = "0x5010: chunk 0x5000 of size 0x20, in-use"
_ROWS: list[tuple[Claim, int, Outcome]] = [
    (say("frees", function="f", expression="y", at=3), 3, Outcome.VERIFIED),
    (say("frees", function="f", expression="x", at=3), 3, Outcome.REFUTED),
    (say("frees", function="f", expression="z"), 3, Outcome.UNKNOWN),  # more of it may be unlisted
    (say("frees", function="f", expression="x"), 4, Outcome.REFUTED),  # by another line
    (say("calls", function="f", callee="put", index=1, expression="y", at=5), 5, Outcome.VERIFIED),
    (say("calls", function="f", callee="put", index=1, expression="y"), 5, Outcome.REFUTED),
    (say("calls", function="f", callee="put", arguments="x,1", at=6), 6, Outcome.VERIFIED),
    (say("calls", function="f", callee="get", at=6), 6, Outcome.UNKNOWN),
]


@pytest.mark.parametrize(("claim", "line", "outcome"), _ROWS)
def test_of_a_line_of_source(claim: Claim, line: int, outcome: Outcome) -> None:
    texts = {"E1": _LIST}
    evidence = {"E1": replace(evidence_of(texts)["E1"], command="list f.c:1,7")}
    book = Book(FactBook(), evidence, texts.__getitem__, lambda _: ())
    cited = tuple(replace(arg, cites=(Citation("E1", line, line),)) for arg in claim.args)
    assert decide(replace(deny(claim), args=cited, by="model"), book).status is outcome


@pytest.mark.parametrize(
    ("args", "outcome"),
    [
        ({"state": "tcache"}, Outcome.VERIFIED),
        ({"state": "in-use"}, Outcome.REFUTED),
        ({"state": "in-use", "size": 0x40}, Outcome.UNKNOWN),  # its words tell no size
    ],
)
def test_of_what_its_words_leave_out(args: dict[str, str | int], outcome: Outcome) -> None:
    cite = Citation("E1", 1, 1)
    chunk = Chunk(
        cite=cite, heap=0x5000, address=0x5010, start=0x5000, size=0x20, state="in-use", offset=0x10
    )
    texts = {"E1": _HEAP}
    book = Book(FactBook([chunk]), evidence_of(texts), texts.__getitem__, lambda _: ())
    assert decide(deny(say("chunk", (cite,), address=0x5010, **args)), book).status is outcome
