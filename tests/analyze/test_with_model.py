"""Conversations with a model in memory: its turns are used as far as they hold."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.analyze.talking import conversation
from tests.analyze.test_conversation import APP_LOG
from tests.assisted.script import statement
from tests.chat.conftest import GDB_LOG
from tests.chat.words import Words, failed
from workbench.model.conversation import Turn, TurnKind

Talk = Callable[..., Awaitable[Sequence[Turn]]]


@pytest.fixture
def talk(tmp_path: Path) -> Talk:
    """Has a whole conversation about one file."""

    async def run(text: str, models: Words, *answers: str) -> Sequence[Turn]:
        return (await conversation(tmp_path, text, lambda _: models, *answers)).conversation

    return run


def solution(text: str, *statements: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "solution", "text": text, "statements": list(statements)}


async def test_it_asks_and_proposes(talk: Talk) -> None:
    words = "The pool of 50 was used up; the disk at 0xdeadbeef was full."
    true = statement("quote", "E2:5", text="pool exhausted")
    lie = statement("quote", "E2:5", text="the disk was full")
    models = Words(
        initial={"kind": "question", "question": "How large is the connection pool?"},
        followup=solution(words, true, lie),
        final={"text": "In short: the pool was used up."},
    )
    asked, proposed, final = await talk(APP_LOG, models, "50")
    assert (asked.text, asked.by) == ("How large is the connection pool?", "words")
    assert proposed.kind is TurnKind.SOLUTION
    assert '"pool exhausted"' in [claim.text for claim in proposed.claims]
    assert not any("disk" in claim.text for turn in (proposed, final) for claim in turn.claims)
    assert proposed.text.startswith("No cause is proved")
    assert proposed.explanation == words
    assert final.kind is TurnKind.FINAL
    assert final.explanation == "In short: the pool was used up."
    assert models.prompts() == ["initial", "followup", "final"]
    assert "The person: 50" in models.asked[1].messages[-1].content


async def test_what_the_experts_prove_stays_whatever_it_says(talk: Talk) -> None:
    models = Words(
        initial=solution(
            "It was a deadlock of `close_drawer`.",
            statement("waits", "E3:2", thread=1, kind="mutex", name="close_drawer"),
        ),
        final={"text": "Everything is fine."},
    )
    proposed, final = await talk(GDB_LOG, models)
    assert proposed.text.startswith("Null pointer dereference")
    assert "null pointer" in proposed.claims[0].text.lower()
    assert not any("deadlock" in claim.text for claim in (*proposed.claims, *final.claims))


@pytest.mark.parametrize(
    "question",
    [
        "Why did `launch_missiles` run in thread 4711?",
        'Who wrote "rm -rf" to 0xfeedface?',
        "",
    ],
)
async def test_a_question_that_invents_is_not_asked(talk: Talk, question: str) -> None:
    turns = await talk(APP_LOG, Words(initial={"kind": "question", "question": question}))
    assert turns[0].by == "code"
    assert "launch" not in turns[0].text


async def test_a_model_that_only_asks_comes_to_an_end(talk: Talk) -> None:
    again = {"kind": "question", "question": "Which version is it?"}
    models = Words(initial=again, followup=[{**again, "question": f"{n}?"} for n in "abcdefghij"])
    turns = await talk(APP_LOG, models, *["no"] * 12)
    asked = [turn for turn in turns if turn.kind is TurnKind.QUESTION]
    assert len(asked) == 8
    assert turns[8].kind is TurnKind.SOLUTION


async def test_a_model_that_fails_leaves_the_conversation_to_plain_code(talk: Talk) -> None:
    models = Words(initial=failed(), followup=failed(), final=failed())
    turns = await talk(APP_LOG, models, "no", "no", "no")
    assert [turn.kind for turn in turns] == [
        *[TurnKind.QUESTION] * 3, TurnKind.SOLUTION, TurnKind.FINAL,
    ]  # fmt: skip
    assert len(models.asked) == 1


async def test_a_models_turn_keeps_what_is_told_beside(tmp_path: Path) -> None:
    models = Words(initial=solution("The pool was used up in worker 3."))
    files = {"a.log": APP_LOG, "b.csv": "1,2"}
    state = await conversation(tmp_path, files, lambda _: models)
    assert state.conversation[0].by == "words"
    assert state.conversation[0].notes == ("Not read: b.csv: only .log, .md, .txt are read",)
