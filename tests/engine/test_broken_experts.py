"""One broken reader or expert costs its own answer, never the run."""

from dataclasses import replace

import pytest

import analyzers.patterns as patterns
from analyzers.patterns.cause import Cause, Proof
from analyzers.patterns.null import NULL_POINTER_DEREFERENCE
from tests.engine.conftest import Opener
from workbench.engine.recipe import GateMode
from workbench.model.category import Category
from workbench.model.events import StoppedBy
from workbench.model.hypothesis import Status
from workbench.targets.reader import DumpReader


def explode(*_: object) -> None:
    raise RuntimeError("broken on purpose")


def put(expert: Cause, monkeypatch: pytest.MonkeyPatch) -> None:
    """This expert in place of the one of its cause."""
    others = [each for each in patterns.PATTERNS if each.category is not expert.category]
    monkeypatch.setattr(patterns, "PATTERNS", (*others, expert))


async def test_a_broken_expert_leaves_the_others(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(replace(NULL_POINTER_DEREFERENCE, findings=(Proof(explode, ""),)), monkeypatch)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    state = session.state
    verdicts = {h.category: h for h in state.hypotheses.values()}
    assert verdicts[Category.NULL_POINTER_DEREFERENCE].status is Status.INCONCLUSIVE
    assert "broken on purpose" in verdicts[Category.NULL_POINTER_DEREFERENCE].reason
    assert len(verdicts) > 1
    assert state.stopped is not None
    assert state.stopped.by is StoppedBy.INCONCLUSIVE


async def test_an_expert_that_cannot_even_propose_is_named(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(replace(NULL_POINTER_DEREFERENCE, sign=explode), monkeypatch)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    assert session.state.stopped is not None
    notices = [notice.text for notice in session.state.notices]
    assert any("null-pointer-dereference failed" in text for text in notices)


async def test_a_broken_probe_leaves_the_others(
    open_one: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = DumpReader.answer

    def breaks_on_stack(self: DumpReader, probe: str) -> str:
        if probe.startswith("@stack"):
            raise RuntimeError("broken on purpose")
        return answer(self, probe)

    monkeypatch.setattr(DumpReader, "answer", breaks_on_stack)
    session = await open_one(mode=GateMode.HEADLESS)
    await session.run()
    failed = {f.command.text: f.reason for f in session.state.failed_commands}
    assert "broken on purpose" in failed["@stack"]
    assert session.state.conclusion is not None
    assert session.state.conclusion.category is Category.NULL_POINTER_DEREFERENCE
