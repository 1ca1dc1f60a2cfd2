"""Who holds what a thread waits for, and what an address is."""

import pytest

from workbench.agents.chat.addresses import AWAITED, asks_of_addresses
from workbench.agents.chat.asked import read
from workbench.agents.chat.causes import categories_in
from workbench.agents.chat.expressions import OF_BLOCK
from workbench.model.category import Category


@pytest.mark.parametrize(
    ("question", "awaited"),
    [
        ("who holds the lock that thread 12 waits for?", True),
        ("which thread owns the mutex thread 12 is waiting for?", True),
        ("who holds what thread 12 waits for?", True),
        ("what does thread 12 hold?", False),
        ("who waits for what thread 12 holds?", False),
        ("which locks are held by thread 12?", False),
    ],
)
def test_the_holder_of_what_a_thread_waits_for_is_another(question: str, awaited: bool) -> None:
    assert (AWAITED.search(question) is not None) is awaited
    assert read(question).threads == (12,)


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("who owns 0x1855dc00?", True),
        ("whose is 0x1855dc00?", True),
        ("is 0x1855dc00 a valid pointer?", True),
        ("was 0x1855dc00 mapped?", True),
        ("is 0x1855dc00 freed?", False),
        ("what calls 0x1855dc00?", False),
        ("is this a valid reason?", False),
    ],
)
def test_a_question_about_an_address_is_known(question: str, asks: bool) -> None:
    assert asks_of_addresses(question) is asks


def test_the_size_of_what_was_freed_is_that_of_its_block() -> None:
    assert OF_BLOCK.search("how big is the object that was freed?")
    assert OF_BLOCK.search("how large was the freed memory?")
    assert not OF_BLOCK.search("how large is the object?")


def test_a_stack_that_overflowed_is_the_cause_of_that_name() -> None:
    assert categories_in("was the stack overflowed?") == {Category.STACK_OVERFLOW}
