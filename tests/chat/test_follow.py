"""What "it" of a question means after other questions."""

import pytest

from workbench.agents.chat.follow import resolved
from workbench.agents.chat.words import content_words
from workbench.model.conversation import Exchange, Reply
from workbench.model.investigation import Investigation

THREAD, VALUE = "which stack has thread 77?", "what is till.coins?"


@pytest.mark.parametrize(
    ("before", "question", "read"),
    [
        (THREAD, "what does it wait for?", "what does thread 77 wait for?"),
        (THREAD, "who holds the lock that thread 3 waits for?", None),
        (THREAD, "is it still running?", "is thread 77 still running?"),
        (THREAD, "what is it doing?", "what is thread 77 doing?"),
        (THREAD, "show its backtrace", "show thread 77's backtrace"),
        (THREAD, "what blocks it?", "what blocks thread 77?"),
        (THREAD, "how do I fix it?", None),
        (THREAD, "what should I do about it?", None),
        (THREAD, "does it happen under load?", None),
        (THREAD, "did it run?", "did thread 77 run?"),
        (VALUE, "was it null?", "was till.coins null?"),
        (VALUE, "what was the value of n when it crashed?", None),
        (VALUE, "what was the value of n at that point?", None),
        (VALUE, "was it null when it crashed?", "was till.coins null when it crashed?"),
        (VALUE, "what is its type?", "what is till.coins's type?"),
        (VALUE, "is it a null pointer?", "is till.coins a null pointer?"),
        (VALUE, "is it a null pointer dereference?", None),
        (VALUE, "was it an error of pointer arithmetic?", None),
        (VALUE, "how do I fix it?", None),
        (VALUE, "what type of exception is it?", None),
        (VALUE, "how big is the block that p points to?", None),
        (VALUE, "is that a null pointer?", "is till.coins a null pointer?"),
        (
            VALUE,
            "is the value that f returned in it null?",
            "is the value that f returned in till.coins null?",
        ),
    ],
)
def test_what_it_means(before: str, question: str, read: str | None) -> None:
    state = Investigation()
    state.chat.append(Exchange(id="Q1", question=before, reply=Reply()))
    assert resolved(question, state) == (read or question)


@pytest.mark.parametrize("question", ["what should I check first?", "what can we do?"])
def test_who_asks_what_to_do_wants_advice(question: str) -> None:
    assert "advice" in content_words(question)
