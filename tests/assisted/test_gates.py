"""What a model proposes and asks for waits at the same gates as all else."""

import asyncio
from typing import Any

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted
from workbench.engine.recipe import GateMode
from workbench.engine.session import Session
from workbench.model.category import Category
from workbench.model.events import Phase
from workbench.model.hypothesis import Status
from workbench.model.target import Limits

ONE = Limits(iterations=1)


async def until(session: Session, kind: str) -> str:
    """The id of the open gate of a kind."""
    for _ in range(1800):
        gate = session.state.gate
        if gate is not None and gate.kind == kind:
            return gate.id
        await asyncio.sleep(0.05)
    raise AssertionError(f"no {kind} gate opened in phase {session.state.phase}")


async def done(session: Session) -> None:
    for _ in range(1800):
        if session.state.phase is Phase.DONE:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"it stays in phase {session.state.phase}")


async def test_a_model_hypothesis_waits_for_the_person(investigate: Investigate) -> None:
    proposed = {"category": "stack-overflow", "function": "second", "commands": ["info frame"]}
    model = Scripted({"hypotheses": {"hypotheses": [proposed]}})
    session = await investigate(model, ONE, mode=GateMode.ASK, finish=False)
    work = asyncio.ensure_future(session.run())
    await until(session, "hypothesis")
    mine = next(h for h in session.state.hypotheses.values() if h.proposed_by == "model")
    assert mine.status is Status.PROPOSED
    await session.gates.reject(mine.id, "it is none")
    for hypothesis in session.state.undecided():
        await session.gates.approve(hypothesis.id)
    await done(session)
    assert "info frame" not in {item.command for item in session.state.evidence.values()}
    work.cancel()


async def test_a_hypothesis_of_the_loop_is_tested_too(investigate: Investigate) -> None:
    asked = {
        "category": Category.STACK_OVERFLOW.value,
        "statement": "`second` was called too often.",
        "commands": ["info frame"],
    }
    model = Scripted({"investigate": [[("hypothesis_register", asked)]]})
    session = await investigate(model, ONE)
    mine = next(h for h in session.state.hypotheses.values() if h.proposed_by == "model")
    assert mine.status in (Status.REJECTED, Status.INCONCLUSIVE)
    assert "info frame" in {test.command for test in mine.tests}
    assert session.state.phase is Phase.DONE
    assert session.state.assisted.iterations == 1


async def test_a_command_that_is_not_known_to_read_is_asked_about(
    investigate: Investigate,
) -> None:
    calls = [("exec", {"command": "explore rows"})]
    model = Scripted({"investigate": [calls]})
    session = await investigate(model, ONE, mode=GateMode.ASK, finish=False)
    work = asyncio.ensure_future(session.run())
    await until(session, "hypothesis")
    await session.gates.approve_all()
    gate = await until(session, "policy")
    assert session.state.gate is not None
    assert session.state.gate.subjects == ("explore rows",)
    await session.gates.answer(gate, "reject", "no")
    await done(session)
    assert session.state.assisted.uses[0].outcome == "refused"
    work.cancel()


async def test_headless_it_is_refused(investigate: Investigate) -> None:
    model = Scripted({"investigate": [[("exec", {"command": "explore rows"})]]})
    session = await investigate(model, ONE)
    use: Any = session.state.assisted.uses[0]
    assert use.outcome == "refused"
    assert "not approved" in use.result
