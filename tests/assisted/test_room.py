"""What a small context holds is trimmed once by what the refusal tells, and kept in mind."""

from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted
from workbench.agents.assisted.helper import Room, lowered
from workbench.llm.errors import Excess, Fault, ModelFailed
from workbench.llm.port import Question
from workbench.model.models import Role
from workbench.model.target import Limits

CONTEXT = 2048
A_TOKEN = 3  # characters


def small(refused: list[str]) -> Any:
    """A model that takes so many tokens, and says so as llama.cpp does."""

    def answer(asked: Question[Any]) -> Any:
        tokens = sum(len(message.content) for message in asked.messages) // A_TOKEN
        if tokens <= CONTEXT:
            return {} if asked.answer else ""
        refused.append(asked.prompt)
        raise ModelFailed(
            Fault.TOO_LONG, "it does not fit", provider="script", model="m", role=Role.CHAT,
            attempt=1, excess=Excess(tokens, CONTEXT),
        )  # fmt: skip

    return answer


async def test_later_questions_fit_after_one_refusal(investigate: Investigate) -> None:
    refused: list[str] = []
    prompts = ("hypotheses", "investigate", "explanation", "criticism")
    model = Scripted(dict.fromkeys(prompts, small(refused)))
    await investigate(model, Limits(iterations=2, told=16000))
    # One for each tier that is asked, and one where the list of kinds comes or goes with the room.
    assert len(refused) <= 3
    for prompt in {question.prompt for question in model.asked} & set(prompts):
        last = model.said(prompt)[-1]
        assert len(last) // A_TOKEN <= CONTEXT


@pytest.mark.parametrize("tokens", [2049, 2705, 4000, 40_000])
@pytest.mark.parametrize("varying", [1, 3000, 6000])
@pytest.mark.parametrize("size", [3000, 16_000])
def test_what_shrinks_is_cut_by_what_is_too_much(tokens: int, varying: int, size: int) -> None:
    length = 7000
    fits = lowered(size, Excess(tokens, CONTEXT), length, varying)
    assert fits is not None
    assert 0 < fits < size
    left = tokens * (length - varying + min(varying, fits)) / length
    assert left <= CONTEXT or fits == 500


def test_where_nothing_less_can_be_told_it_ends() -> None:
    size: int | None = 9000
    for _ in range(3):
        size = lowered(size, Excess(5000, 1), 10_000, 9000) if size is not None else None
    assert size is None


def test_a_refusal_without_numbers_is_followed_step_by_step() -> None:
    room = Room()
    room.learn("chat", None, 9000)
    assert room.share < 0.5
    assert room.excess("chat", 9000) is None


@pytest.mark.parametrize(
    ("window", "told", "excerpt"),
    [(None, 8000, 2048), (8192, 8000, 2048), (32_768, 32_768, 16_384), (65_536, 65_536, 32_768),
     (400_000, 200_000, 32_768)],
)  # fmt: skip
def test_what_is_shown_goes_with_the_window(window: int | None, told: int, excerpt: int) -> None:
    shown = Limits().within(window)
    assert (shown.told, shown.excerpt) == (told, excerpt)
    mine = Limits(told=500, excerpt=600).within(window)
    assert (mine.told, mine.excerpt) == (500, 600)


@pytest.mark.parametrize("window", [None, 100_000])
async def test_half_of_a_known_window_is_kept_of_the_conversation(
    investigate: Investigate, window: int | None
) -> None:
    """Where it is not known, the conversation begins anew at each checkpoint."""
    turns = [[("exec", {"command": f"x/{n}xw $sp"})] for n in range(1, 8)]
    model = Scripted({"investigate": [*turns, ""]}, window=window)
    await investigate(model, Limits(iterations=7, checkpoint_every=3))
    calls = [
        sum(len(message.calls) for message in question.messages)
        for question in model.asked
        if question.prompt == "investigate"
    ]
    assert calls == ([0, 1, 2, 3, 4, 5, 6] if window else [0, 1, 2, 0, 1, 2, 0])


async def test_the_first_question_is_told_by_the_window(investigate: Investigate) -> None:
    """The model is known before anything is built for it."""
    model = Scripted(window=100_000)
    session = await investigate(model, Limits(iterations=1))
    assert session.state.shown.told == 100_000
    assert len(model.said(model.asked[0].prompt)[0]) > 8000
