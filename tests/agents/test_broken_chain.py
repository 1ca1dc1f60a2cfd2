"""A chain of which the critic struck a link leads to no origin."""

import pytest
from msgspec.structs import replace

from workbench.agents.critic import numbered, without_broken_chain
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.critique import Conclusion, Symptom
from workbench.model.origin import Origin, OriginKind


@pytest.mark.parametrize("struck", [None, 0, 1, 2])
@pytest.mark.parametrize("outcome", [Outcome.REFUTED, Outcome.UNKNOWN])
def test_an_origin_falls_with_a_link_of_its_chain(struck: int | None, outcome: Outcome) -> None:
    lines = (Citation("E2", 1, 1),)
    claims = [
        replace(say("frees", lines, function=name, at=9), status=Outcome.VERIFIED)
        for name in ("drop", "sweep", "beside")
    ]
    if struck is not None:
        claims[struck] = replace(claims[struck], status=outcome)
    failed = Symptom(category=Category("null-pointer-dereference"), frame=None, claims=())
    drawn = Conclusion(
        hypothesis="H1", category=Category("use-after-free"), confidence=0.8,
        claims=tuple(claims), chain=tuple(claim.text for claim in claims[:2]), symptom=failed,
        origin=Origin(kind=OriginKind.FREED, function="sweep", file="a.c", line=9, evidence=lines),
    )  # fmt: skip
    left = without_broken_chain(numbered(drawn))
    if struck in (None, 2):
        assert left == numbered(drawn)
    else:
        assert (left.origin, left.chain, left.symptom) == (None, (), None)
        assert (left.category, left.confidence) == (failed.category, 0.5)
