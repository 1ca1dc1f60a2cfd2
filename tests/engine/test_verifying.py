"""Cited commands run again in a fresh debugger."""

from pathlib import Path

import pytest

from tests.chat.conftest import GDB_LOG, hold_little, investigated
from tests.engine.conftest import Opener
from tests.store.test_session_store import NOW
from workbench.engine.recipe import GateMode
from workbench.engine.verifying import _difference, verify
from workbench.engine.viewing import viewed
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.events import HypothesisProposed
from workbench.model.evidence import Command
from workbench.model.hypothesis import Hypothesis
from workbench.model.target import Options
from workbench.opening import Request, open_session
from workbench.settings import Settings


async def test_what_was_printed_before_is_no_difference(open_one: Opener) -> None:
    session = await open_one()
    await session.ask(Command("p 1 + 1", "test"))
    item = await session.ask(Command("p $pc", "test"))
    assert item is not None
    assert (await session.text(item.id)).startswith("$2 = ")
    cites = Hypothesis(
        id="H1", statement="x", category=Category.UNKNOWN, citations=(Citation(item.id, 1, 1),)
    )
    await session.record(HypothesisProposed(hypothesis=cites))
    found = await verify(session.state, session.store, await open_one())
    assert (found.commands, found.differences) == (1, ())


async def test_a_line_far_into_a_huge_output_is_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_little(monkeypatch)
    text = f"{GDB_LOG}(gdb) acme report\n" + "".join(f"slot {n} idle\n" for n in range(2000))
    folder = await investigated(tmp_path, f"{text}jams: 1\n")
    log = tmp_path / "saved.txt"
    log.write_text(f"{text}jams: 2\n")
    request = Request(target=str(log), options=Options(), base=tmp_path, settings=Settings())
    fresh = await open_session(request, GateMode.HEADLESS)
    try:
        async with viewed(folder) as (store, state):
            item = next(one for one in state.evidence.values() if one.command == "acme report")
            cite = Citation(item.id, item.lines, item.lines)
            state.apply(
                HypothesisProposed(
                    hypothesis=Hypothesis(
                        id="H9", statement="x", category=Category.UNKNOWN, citations=(cite,)
                    )
                ),
                NOW,
            )
            found = await verify(state, store, fresh)
        assert f"{cite} acme report: was 'jams: 1', is 'jams: 2'" in found.differences
    finally:
        await fresh.close()


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ("$7 = (char *) 0x0", "$1 = (char *) 0x0", True),
        ("(int) $3 = 5", "(int) $0 = 5", True),
        ("$7 = 5", "$7 = 6", False),
        ("(int) $3 = 5", "(long) $3 = 5", False),
        ("x = $7 = 5", "x = $8 = 5", False),
    ],
)
def test_the_number_of_a_value_is_not_compared(before: str, now: str, same: bool) -> None:
    assert (_difference(Citation("E1", 2, 2), ["", before], ["other", now]) is None) is same
