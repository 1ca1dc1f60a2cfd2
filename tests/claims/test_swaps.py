"""Over samples of every family: a verified statement holds no longer with one of its arguments
exchanged for another value of the same evidence."""

from collections import Counter
from itertools import islice

import pytest

from analyzers.patterns.waitgraph import inferred_waits
from tests.analyzers.investigation import Inquiry
from tests.samples.case import CASES, how, make
from tests.soak import part
from workbench.claims.book import Book
from workbench.claims.check import check
from workbench.claims.kinds import KINDS
from workbench.claims.render import form, needed
from workbench.evaluate.investigating import still_held
from workbench.evaluate.schema import Case
from workbench.model.claims import Arg, Claim

SAMPLES = 2
MOST_OF_A_KIND = 4
FAMILIES = {
    name: tuple(case for case in CASES if case.batch == name)
    for name in sorted({case.batch for case in CASES})
}


def _some(cases: tuple[Case, ...]) -> list[Case]:
    """As many different programs as possible first, of this machine."""
    first: dict[str, Case] = {}
    for case in cases:
        first.setdefault(case.target, case)
    mine = [case for case in (*first.values(), *cases) if not how(case).machine]
    return list({case.id: case for case in mine}.values())[:SAMPLES]


def of_rows(book: Book) -> list[Claim]:
    """Some statements of each kind that say just what a fact or a text says."""
    found = []
    for kind in KINDS.values():
        some = [
            Claim(kind.name, tuple(Arg(n, value, (row.line,)) for n, value in row.values.items()))
            for row in islice(book.rows(Claim(kind.name)), 16 * MOST_OF_A_KIND)
            if needed(form(kind.text, row.values)) <= row.values.keys()
        ]
        found += some[:: max(1, len(some) // MOST_OF_A_KIND)][:MOST_OF_A_KIND]
    return found


@pytest.mark.soak
@pytest.mark.parametrize("family", part(FAMILIES, every=3))
def test_no_statement_holds_with_an_argument_exchanged(family: str) -> None:
    """`make soak` does so with every sample."""
    exchange(_some(FAMILIES[family]))


def exchange(samples: list[Case]) -> None:
    count: Counter[str] = Counter()
    held = []
    for case in samples:
        found = Inquiry(*make(case)).conclude()
        book = Book(found.facts, found.evidence, found.texts.__getitem__, inferred_waits)
        said = [claim for verdict in found.verdicts.values() for claim in verdict.claims]
        done = check([*said, *of_rows(book)], book)
        assert all(claim.holds for claim in done[: len(said)])
        told = [claim for claim in done if claim.holds]
        count.update(statements=len(done), verified=len(told))
        exchanged, still = still_held(told, book)
        count.update(exchanged=exchanged)
        held += [f"{case.id}: {text}" for text in still]
    print(dict(count))
    assert not held
    assert count["verified"] >= 0.98 * count["statements"]
    assert count["exchanged"] > 100 * len(samples)


def test_every_family_is_here() -> None:
    assert len(FAMILIES) == 10
    assert all(len(_some(cases)) == SAMPLES for cases in FAMILIES.values())
