"""Conversations with a model in memory: its turns are used as far as they hold."""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.analyze.talking import conversation
from tests.analyze.test_conversation import APP_LOG
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


def solution(*sentences: tuple[str, list[str]]) -> dict[str, Any]:
    return {
        "kind": "solution",
        "sentences": [{"text": text, "citations": cites} for text, cites in sentences],
    }


async def test_it_asks_and_proposes_what_holds(talk: Talk) -> None:
    good = ("The log says `pool exhausted` in worker 3.", ["E2:5"])
    lie = ("The disk at 0xdeadbeef was full.", ["E2:5"])
    models = Words(
        initial={"kind": "question", "question": "How large is the connection pool?"},
        followup=solution(good, lie),
        final={"sentences": [{"text": good[0], "citations": good[1]}]},
    )
    asked, proposed, final = await talk(APP_LOG, models, "50")
    assert (asked.text, asked.by) == ("How large is the connection pool?", "words")
    assert proposed.kind is TurnKind.SOLUTION
    assert good[0] in [claim.text for claim in proposed.claims]
    assert not any(
        "0xdeadbeef" in claim.text for turn in (proposed, final) for claim in turn.claims
    )
    assert proposed.text.startswith("No cause is proved")
    assert final.kind is TurnKind.FINAL
    # Some of its proposal is struck: it is told what, once.
    assert models.prompts() == ["initial", "followup", "followup", "final"]
    told = models.asked[1].messages[-1].content
    assert "The person: 50" in told
    assert "0xdeadbeef" not in told
    again = models.asked[2].messages[-1].content
    assert "The disk at 0xdeadbeef was full.: 0xdeadbeef stands in none of the cited" in again


async def test_a_sentence_about_a_log_is_said_in_the_words_of_the_files(talk: Talk) -> None:
    log = (
        "09:14:58 WARN pool: waited 3500 ms for a connection (active=20 idle=0 waiting=6)\n"
        "09:15:09 WARN pool: waited 7300 ms for a connection (active=20 idle=0 waiting=31)\n"
        "09:15:31 ERROR request timed out after 30000ms, the export held it for 38120 ms\n"
    )
    true = [
        ("`waiting` rose from 6 to 31 between 09:14:58 and 09:15:09.", ["E2:1-2"]),
        ("The export held a connection for 38120 ms, longer than 30000 ms.", ["E2:3"]),
    ]
    lies = [
        ("`waiting` fell from 6 to 31 between 09:14:58 and 09:15:09.", ["E2:1-2"]),
        ("The request at 09:15:32 timed out after 30000 ms.", ["E2:3"]),
        ("The export was killed at 09:15:31.", ["E2:3"]),
    ]
    models = Words(initial=solution(*true, *lies))
    proposed = (await talk(log, models))[0]
    said = [claim.text for claim in proposed.claims]
    assert [text for text, _ in true if text not in said] == []
    assert [text for text, _ in lies if text in said] == []


async def test_what_the_experts_prove_stays_whatever_it_says(talk: Talk) -> None:
    models = Words(
        initial=solution(("It was a deadlock of `close_drawer`.", ["E3:2"])),
        final=solution(("Everything is fine.", [])),
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
    models = Words(initial=solution(("The log says `pool exhausted` in worker 3.", ["E2:5"])))
    files = {"a.log": APP_LOG, "b.csv": "1,2"}
    state = await conversation(tmp_path, files, lambda _: models)
    assert state.conversation[0].by == "words"
    assert state.conversation[0].notes == ("Not read: b.csv: only .log, .md, .txt are read",)
