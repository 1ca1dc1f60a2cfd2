"""What of an earlier session with the same signature counts as its confirmed cause."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.engine.conftest import Opener
from tests.store.test_session_store import NOW, opened
from workbench.engine.archive import take_in
from workbench.engine.comparing import _earlier, _may_be_same
from workbench.engine.copying import fork
from workbench.model.category import Category
from workbench.model.events import (
    AnyEvent,
    HypothesisDecided,
    HypothesisMoved,
    HypothesisProposed,
)
from workbench.model.hypothesis import Hypothesis, Rung, Status, Verdict
from workbench.model.session_events import Earlier, Recognised
from workbench.store import catalog
from workbench.store.session_store import SessionStore
from workbench.store.summary import row_of


def _verdict(status: Status = Status.CONFIRMED, *, chain: bool = False) -> AnyEvent:
    verdict = Verdict(status=status, confidence=0.9, rung=Rung.MACHINE, reason="x", by_chain=chain)
    return HypothesisDecided(id="H1", verdict=verdict)


_BY_PERSON = HypothesisMoved(id="H1", status=Status.CONFIRMED, by="user")


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize(
    ("events", "counts"),
    [
        ([_verdict()], True),
        ([_verdict(chain=True)], False),
        ([_verdict(Status.INCONCLUSIVE)], False),
        ([_BY_PERSON], True),
        ([_verdict(Status.REJECTED), _BY_PERSON], True),
        ([HypothesisMoved(id="H1", status=Status.CONFIRMED, by="engine")], False),
    ],
)
async def test_only_an_expert_or_a_person_here_confirms(
    tmp_path: Path, events: list[AnyEvent], counts: bool, elsewhere: bool
) -> None:
    store = await SessionStore.create(tmp_path / "a", Path("/c/core"), NOW)
    guess = Hypothesis(id="H1", statement="x", category=Category.DOUBLE_FREE, proposed_by="model")
    first = [opened(store.session_id), HypothesisProposed(hypothesis=guess)]
    await store.append([*first, *events], NOW)
    await store.close()
    folder = await take_in(store.folder, tmp_path / "b") if elsewhere else store.folder
    for made in (folder, await fork(folder, None, NOW)):
        session = SimpleNamespace(folder=made)
        found = _earlier(session, row_of(made))  # type: ignore[arg-type]
        assert found.confirmed == (("double-free",) if counts and not elsewhere else ())


async def test_the_session_that_asks_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = [await SessionStore.create(tmp_path, Path("/c/core"), NOW) for _ in range(2)]
    for one in (own, other):
        known = Recognised(signature="f", stack_hash="0", count=0, earlier=())
        await one.append([opened(one.session_id), known], NOW)
        await one.close()
    read = list[str]()
    monkeypatch.setattr(catalog, "_row_of", lambda at: read.append(at.name) or row_of(at))
    rows = catalog.with_signature(tmp_path, "f", "0", own.session_id)
    assert [row.session_id for row in rows] == read == [other.session_id]


@pytest.mark.parametrize(
    ("signature", "program", "other", "may_be"),
    [
        ("f", "", "", True),
        ("f", "relay", "", True),
        ("f", "relay", "proxy", False),
        ("strlen | main", "relay", "relay", True),
        ("strlen | main", "relay", "", False),
        ("main", "", "", False),
    ],
)
def test_what_was_seen_before_was_no_other_program(
    signature: str, program: str, other: str, may_be: bool
) -> None:
    assert _may_be_same(program, other, signature) is may_be


async def test_the_cause_that_it_had_before_is_tested_first(open_one: Opener) -> None:
    session = await open_one()
    cause = Category.DOUBLE_FREE
    for number, category in enumerate((Category.NULL_POINTER_DEREFERENCE, cause, cause), 1):
        made = Hypothesis(id=f"H{number}", statement="x", category=category, citations=())
        await session.record(HypothesisProposed(hypothesis=made))
    waiting = list(session.state.hypotheses.values())
    assert session._workflow._likely(waiting).id == "H1"
    earlier = Earlier(session_id="s", at="", category=None, confirmed=(cause.value,))
    await session.record(Recognised(signature="f", stack_hash="0", count=1, earlier=(earlier,)))
    assert session._workflow._likely(waiting).id == "H2"
