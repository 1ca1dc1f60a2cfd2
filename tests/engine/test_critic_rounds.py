"""The critic's rounds: each is recorded, and what has not changed is not looked at twice."""

import pytest
from msgspec.structs import replace

from tests.engine.conftest import Opener
from workbench.agents import critic
from workbench.engine.recipe import GateMode
from workbench.model.claims import Claim
from workbench.model.critique import Round
from workbench.model.evidence import Command


async def test_a_round_in_which_nothing_has_come_is_the_one_before(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    criticise = critic.criticise

    def counted(state, text_of, number):  # type: ignore[no-untyped-def]
        looked.append(number)
        return criticise(state, text_of, number)

    monkeypatch.setattr(critic, "criticise", counted)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    first, second = session.state.rounds
    assert (first.number, second.number) == (1, 2)
    assert replace(second, number=1) == first
    assert looked == [1]
    assert session.state.conclusion is not None
    assert all(claim.status == "verified" for claim in session.state.conclusion.claims)


async def test_a_round_after_new_evidence_looks_again(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[tuple[int, int]] = []
    criticise = critic.criticise

    def asking(state, text_of, number):  # type: ignore[no-untyped-def]
        looked.append((number, len(state.evidence)))
        made: tuple[Round, tuple[Claim, ...]] = criticise(state, text_of, number)
        wish = replace(made[0].checks[0], passed=False, asks=(Command("info line", "more"),))
        return replace(made[0], checks=(wish, *made[0].checks[1:])), made[1]

    monkeypatch.setattr(critic, "criticise", asking)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    (_, before), (_, after) = looked
    assert after == before + 1
    assert [item.command for item in session.state.evidence.values()][-1] == "info line"
