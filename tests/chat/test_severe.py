"""A question about what an attacker could make of a crash gets the class that the report names."""

import pytest

from tests.chat.conftest import GDB_LOG, POOL_LOG, Asker
from workbench.agents.chat.unknown import NOTHING_SAID


@pytest.mark.parametrize(
    "question",
    ["is this exploitable?", "how severe is that?", "could an attacker reach it?"],
)
async def test_the_class_is_told_with_the_lines_of_its_reasons(
    to_ask: Asker, question: str
) -> None:
    reply = (await (await to_ask(GDB_LOG)).ask_question(question)).reply
    assert reply is not None
    assert any("SIGSEGV" in claim.text and claim.citations for claim in reply.held)
    assert any(text.startswith("By CASR's rules that is of the class") for text in reply.unknown)
    assert NOTHING_SAID not in reply.unknown


async def test_where_nothing_crashed_no_class_is_told(to_ask: Asker) -> None:
    reply = (await (await to_ask(POOL_LOG)).ask_question("is this exploitable?")).reply
    assert reply is not None
    assert not any("CASR" in text for text in reply.unknown)
