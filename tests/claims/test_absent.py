"""That an address is in no mapping stands on the whole list of mappings."""

import pytest

from workbench.claims.book import Book
from workbench.claims.check import decide
from workbench.claims.say import say
from workbench.model.citation import Citation
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import FactBook, Memory, Region


@pytest.mark.parametrize(
    ("address", "kind", "cited"),
    [
        (0x41414141, "unmapped", Citation("E1", 1, 3)),
        (0x2010, "heap", Citation("E1", 3, 3)),
    ],
)
def test_the_lines_of_a_mapping(address: int, kind: str, cited: Citation) -> None:
    regions = tuple(
        Region(start=n * 0x1000, end=(n + 1) * 0x1000, perms="rw-", path=None, offset=0,
               kind="heap", thread=None, dumped=True, line=n + 1)
        for n in (1, 2)
    )  # fmt: skip
    cite = Citation("E1", 1, 3)
    lines = ["mappings: 2", "0x1000-0x2000 rw- heap", "0x2000-0x3000 rw- heap"]
    item = Evidence(id="E1", command="@mappings", source=Source.FILE, intent="", at="", sha256="",
                    size=1, lines=3, call_hash="")  # fmt: skip
    facts = FactBook([Memory(regions=regions, cite=cite)])
    book = Book(facts, {"E1": item}, lambda _: "\n".join(lines), lambda _: iter(()))
    claim = decide(say("mapped", (cite,), address=address, kind=kind), book)
    assert claim.holds
    assert cited in claim.citations
