"""What was written down of ten crashes before the code was read that decides it: what is true is
verified, what is not never is."""

import pytest

from tests.claims.stated import Stated, stated
from tests.samples.away import AWAY, Away
from workbench.claims.check import check
from workbench.claims.kinds import KINDS
from workbench.evaluate.investigating import still_held

SHARE = 0.95


@pytest.mark.parametrize("away", AWAY, ids=lambda away: away.name)
def test_truths_are_verified_and_lies_are_not(away: Away) -> None:
    truths, lies = stated("truths.json", away.name), stated("lies.json", away.name)
    case = Stated(away, truths, lies)
    groups = [case.claims(one) for one in truths]
    flat = [claim for group in groups for claim in group]
    done = iter(check(flat, case.book))
    missed, wide, told = [], [], []
    for one, group in zip(truths, groups, strict=True):
        checked = [next(done) for _ in group]
        missed += [f"{one['english']} {c.kind}: {c.reason}" for c in checked if not c.holds][:1]
        told += checked
        wide += [str(c) for claim in checked if claim.holds for c in claim.citations if not c.first]
    passed = [
        lie["english"]
        for lie in lies
        if all(c.holds for c in check([*flat, *case.claims(lie)], case.book)[len(flat) :])
    ]
    exchanged, held = still_held([claim for claim in told if claim.holds], case.book)
    print(*missed, f"{exchanged} exchanged, {len(held)} held", sep="\n")
    assert not passed
    assert not held
    assert not wide, "a statement rests on lines, not on a whole output"
    assert len(missed) <= (1 - SHARE) * len(truths), missed


def test_there_is_enough_to_measure() -> None:
    truths, lies = ([one for away in AWAY for one in stated(file, away.name)]
                    for file in ("truths.json", "lies.json"))  # fmt: skip
    assert len(truths) >= 150
    assert len(lies) >= 60
    kinds = {claim["kind"] for one in truths for claim in one["claims"]}
    assert kinds <= KINDS.keys()
    assert len(kinds) >= 28
    assert 40 <= len(KINDS) <= 64
