"""The critic's rounds: the first checks and objects, the next verifies what was mended."""

import pytest
from msgspec.structs import replace

from tests.engine.conftest import Opener
from workbench.agents import critic
from workbench.engine.recipe import GateMode
from workbench.model.claims import Claim
from workbench.model.critique import Round
from workbench.model.evidence import Command
from workbench.model.target import Limits


@pytest.mark.parametrize("allowed", [0, 2])  # none at all: code checks what it states even so
async def test_a_round_that_found_nothing_is_the_last(open_one: Opener, allowed: int) -> None:
    session = await open_one(mode=GateMode.HEADLESS, limits=Limits(critic_rounds=allowed))
    await session.run()
    (only,) = session.state.rounds
    assert only.number == 1
    assert all(check.passed for check in only.checks)
    assert session.state.conclusion is not None
    assert all(claim.status == "verified" for claim in session.state.conclusion.claims)


@pytest.mark.parametrize(("asked", "rounds"), [("info line", 2), ("bt 64", 1), ("", 1)])
async def test_a_round_verifies_what_came_of_the_one_before(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch, asked: str, rounds: int
) -> None:
    """Where nothing new came, there is nothing to verify."""
    looked: list[tuple[int, int]] = []
    criticise = critic.criticise

    def asking(state, text_of, number):  # type: ignore[no-untyped-def]
        looked.append((number, len(state.evidence)))
        made: tuple[Round, tuple[Claim, ...]] = criticise(state, text_of, number)
        asks = (Command(asked, "more"),) if asked else ()
        wish = replace(made[0].checks[0], passed=False, asks=asks)
        return replace(made[0], checks=(wish, *made[0].checks[1:])), made[1]

    monkeypatch.setattr(critic, "criticise", asking)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    before = looked[0][1]
    assert looked == [(1, before), (2, before + 1)][:rounds]
    last = [item.command for item in session.state.evidence.values()][-1]
    assert (last == asked) is (rounds == 2)
