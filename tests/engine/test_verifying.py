"""Cited commands run again in a fresh debugger."""

import pytest

from tests.engine.conftest import Opener
from workbench.engine.verifying import _difference, verify
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.events import HypothesisProposed
from workbench.model.evidence import Command
from workbench.model.hypothesis import Hypothesis


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
