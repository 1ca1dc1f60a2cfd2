"""The tool loop: what ends it, what it remembers, and how it goes on after a kill."""

import asyncio
import json
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, failure, item, statement
from workbench.agents.assisted import loop
from workbench.agents.assisted.helper import Helper
from workbench.agents.assisted.reading import Readings
from workbench.llm.errors import Fault
from workbench.llm.port import NoModel, Question, ToolCall
from workbench.model.category import Category
from workbench.model.events import Phase, StoppedBy
from workbench.model.target import Limits

Asked = Question[Any]
BT = ("exec", {"command": "info frame"})


def reads(count: int, first: int = 0) -> list[tuple[str, dict[str, Any]]]:
    """So many different calls that read the report."""
    return [
        ("report_get", {"path": "analysis.modules", "page": first + number + 1})
        for number in range(count)
    ]


async def test_the_same_call_for_ever_ends_without_progress(investigate: Investigate) -> None:
    session = await investigate(Scripted({"investigate": [[BT]]}))
    assisted = session.state.assisted
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.NO_PROGRESS
    assert assisted.iterations == 5
    assert [use.outcome for use in assisted.uses] == ["new", *["repeated"] * 4]
    assert assisted.uses[1].result.startswith("(asked in iteration 1 already)")
    commands = [evidence.command for evidence in session.state.evidence.values()]
    assert commands.count("info frame") == 1


async def test_a_model_that_does_not_answer_leaves_time_for_the_experts(
    investigate: Investigate, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Silent(Scripted):
        async def ask(self, *_: Any) -> Any:
            await asyncio.sleep(600)

    monkeypatch.setattr("workbench.model.target.MODELS_SHARE", 0.01)
    session = await investigate(Silent(), seconds=100.0)
    assert session.state.judgement is not None
    chosen = session.state.hypotheses[session.state.judgement.selected or ""]
    assert chosen.category is Category.NULL_POINTER_DEREFERENCE
    assert "its limit of 1 s is reached" in "".join(n.text for n in session.state.notices)
    assert session.state.phase is Phase.DONE


async def test_checkpoints_alone_end_without_progress(investigate: Investigate) -> None:
    steps = iter(range(1000))

    def calls(asked: Asked) -> Any:
        facts = [statement("register", slot="base", register="rax", value="0x0")]
        return [
            ("checkpoint_complete", {"facts": facts, "next_steps": [f"read frame {next(steps)}"]})
        ]

    session = await investigate(Scripted({"investigate": calls}))
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.NO_PROGRESS
    assert session.state.assisted.iterations == 4


async def test_empty_answers_end_without_progress(investigate: Investigate) -> None:
    session = await investigate(Scripted({"investigate": ""}))
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.NO_PROGRESS
    assert session.state.assisted.iterations == 4


async def test_two_hundred_calls_in_one_answer(investigate: Investigate) -> None:
    model = Scripted({"investigate": [reads(200), ""]})
    session = await investigate(model)
    assert len(session.state.assisted.uses) == 40
    said = model.said("investigate")[1]
    assert "160 more calls" in said


_LONG = "x" * 1_000_000


@pytest.mark.parametrize(
    "calls",
    [
        [("exec", {"command": f"info frame {_LONG}"})],
        [("evidence_annotate", {"id": "E1", "why_it_matters": _LONG})] * 40,
        [("inspect", {"deep": [{"deeper": [_LONG, 1]}], "then": _LONG})],
        [("exec", {f"key {number}": number for number in range(100_000)})],
        [("exec", {_LONG: 1})],
        [(_LONG, {"command": "bt"})],
    ],
    ids=["a command", "forty remarks", "nested", "many keys", "a key", "a name"],
)
async def test_a_models_own_long_call_is_not_told_whole(
    investigate: Investigate, calls: list[tuple[str, dict[str, Any]]]
) -> None:
    model = Scripted({"investigate": [calls]})
    session = await investigate(model, Limits(iterations=3))
    asked = [question for question in model.asked if question.prompt == "investigate"]
    sent = [json.dumps([asdict(message) for message in one.messages]) for one in asked]
    assert len(sent) == 3
    most = loop._ANSWERS + 40 * 400  # of one turn: its calls and their answers
    assert all(len(now) - len(before) < 2 * most for before, now in pairwise(sent))
    own = asked[1].messages[-1 - len(calls) :]
    assert [call.id for call in asked[1].messages[2].calls] == [
        message.call_id for message in own if message.call_id
    ]
    assert all(len(use.arguments) <= 400 for use in session.state.assisted.uses)


def test_what_a_call_says_stays_in_its_order_and_under_its_names() -> None:
    short = ToolCall("c", "exec", {"command": "bt"})
    assert loop.repeated(short, 100) == short
    cut = loop.repeated(ToolCall("c", "x", {"a": "bt", "b": "y" * 99, "c": ["z"]}), 20).arguments
    assert cut == {"a": "bt", "b": "y" * 16 + "… (99 characters)"}


@pytest.mark.parametrize(
    ("limits", "each", "by"),
    [
        (Limits(iterations=3), 1, StoppedBy.MAX_ITERATIONS),
        (Limits(tool_calls=5), 2, StoppedBy.MAX_TOOL_CALLS),
        (Limits(tokens=300), 1, StoppedBy.MAX_TOKENS),
        (Limits(seconds=0.0), 1, StoppedBy.TIMEOUT),
    ],
)
async def test_a_limit_ends_the_loop_and_not_the_case(
    investigate: Investigate, limits: Limits, each: int, by: StoppedBy
) -> None:
    session = await investigate(Scripted({"investigate": _new_commands(each)}), limits)
    state = session.state
    assert state.stopped is not None
    assert state.stopped.by is by
    assert state.assisted.tool_calls <= limits.tool_calls
    assert state.judgement is not None
    assert state.judgement.selected == "H1"


def _new_commands(each: int) -> Any:
    made = iter(range(1, 1000))

    def calls(asked: Asked) -> Any:
        return [("exec", {"command": f"x/{next(made)}gx $sp"}) for _ in range(each)]

    return calls


async def test_calls_that_ask_nothing_have_a_limit_of_their_own(investigate: Investigate) -> None:
    numbers = iter(range(10_000))

    def calls(asked: Asked) -> Any:
        return [
            ("evidence_annotate", {"id": f"E9{next(numbers)}", "why_it_matters": "x"})
            for _ in range(40)
        ]

    limits = Limits(meta_calls=50, idle_iterations=100)
    session = await investigate(Scripted({"investigate": calls}), limits)
    assert session.state.assisted.meta_calls == 50
    assert session.state.assisted.tool_calls == 0
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.MAX_TOOL_CALLS


async def test_code_writes_the_checkpoint_that_a_model_does_not(investigate: Investigate) -> None:
    model = Scripted({"investigate": _new_commands(1)})
    session = await investigate(model, Limits(iterations=9))
    checkpoints = session.state.assisted.checkpoints
    assert [(one.iteration, one.by) for one in checkpoints] == [(4, "code"), (8, "code")]
    assert checkpoints[0].facts
    assert checkpoints[0].tools
    assert len(checkpoints[0].do_not_repeat) == 4
    lengths = [len(q.messages) for q in model.asked if q.prompt == "investigate"]
    assert lengths[:5] == [2, 4, 6, 9, 2]  # at the fourth it is told that a checkpoint is due
    told = model.said("investigate")
    assert "checkpoint_complete" in told[3]
    assert "x/2gx $sp" in told[4]
    report = await session.build_report()
    assert [one.by for one in report.analysis.ai_analysis.checkpoints] == ["code", "code"]


async def test_a_models_checkpoint_keeps_what_holds(investigate: Investigate) -> None:
    def calls(asked: Asked) -> Any:
        fault = item(asked, "@fault")
        facts = [
            statement("register", f"{fault}:10", slot="base", register="rax", value="0x0"),
            statement("register", f"{fault}:10", slot="base", register="rax", value="0x1"),
        ]
        steps = ["read the registers again", "shell rm -rf /", "ask `meteor` why"]
        return [("checkpoint_complete", {"facts": facts, "next_steps": steps})]

    session = await investigate(
        Scripted({"investigate": [calls, _new_commands(1)]}), Limits(iterations=4)
    )
    mine = session.state.assisted.checkpoints[0]
    assert mine.by == "model"
    assert [claim.text for claim in mine.facts] == ["The base register `rax` held 0x0."]
    assert mine.next_steps == ("read the registers again",)


@pytest.mark.parametrize("fault", [Fault.UNSUPPORTED, Fault.REFUSED])
async def test_a_provider_that_cannot_carry_the_conversation(
    investigate: Investigate, fault: Fault
) -> None:
    commands = _new_commands(1)

    def no_history(asked: Asked) -> Any:
        if any(message.role == "tool" for message in asked.messages):
            return failure(fault)
        return commands(asked)

    model = Scripted({"investigate": no_history})
    session = await investigate(model, Limits(iterations=5))
    assisted = session.state.assisted
    assert not assisted.history
    assert assisted.iterations == 5
    assert assisted.tool_calls == 5
    assert len(assisted.checkpoints) == 5
    last = model.said("investigate")[-1]
    assert "x/4gx $sp" in last
    assert "asked already" in last


async def test_another_model_goes_on_where_one_was_lost(investigate: Investigate) -> None:
    session = await investigate(Scripted({"investigate": NoModel("nobody is there")}))
    picked = Scripted({"investigate": [reads(1), ""]})
    for model, again in ((picked, True), (Scripted(), False)):
        helper = Helper(session, model)
        await loop.investigate(helper, Readings(helper))
        assert (model.count("investigate") > 0) is again
    assert [use.tool for use in session.state.assisted.uses] == ["report_get"]


class Hanging(Scripted):
    """Answers some questions of the loop and then never again."""

    def __init__(self, script: Any, answers: int) -> None:
        super().__init__(script)
        self._answers = answers
        self.hangs = asyncio.Event()

    async def ask(self, question: Asked, on_text: Any = None) -> Any:
        if question.prompt == "investigate" and self.count("investigate") >= self._answers:
            self.hangs.set()
            await asyncio.Event().wait()
        return await super().ask(question, on_text)


async def test_a_killed_run_goes_on_from_its_last_checkpoint(investigate: Investigate) -> None:
    commands = _new_commands(1)
    dying = Hanging({"investigate": commands}, 6)
    session = await investigate(dying, Limits(iterations=8), finish=False)
    work = asyncio.ensure_future(session.run())
    await asyncio.wait_for(dying.hangs.wait(), 60)
    await session.close()
    with pytest.raises(asyncio.CancelledError):
        await work

    model = Scripted({"investigate": commands})
    resumed = await investigate(model, target=session.session_id)
    assisted = resumed.state.assisted
    assert assisted.iterations == 8
    assert model.count("investigate") == 2
    assert model.count("hypotheses") == 0
    told = model.said("investigate")[0]
    assert "x/6gx $sp" in told
    assert "fact: " in told
    commands_run = [evidence.command for evidence in resumed.state.evidence.values()]
    assert len(commands_run) == len(set(commands_run))
    assert resumed.state.stopped is not None
    assert resumed.state.stopped.by is StoppedBy.MAX_ITERATIONS


async def test_a_run_that_is_cut_short_asks_no_model(investigate: Investigate) -> None:
    silent = Hanging({}, 0)
    session = await investigate(silent, finish=False)
    work = asyncio.ensure_future(session.run())
    await asyncio.wait_for(silent.hangs.wait(), 60)
    work.cancel()
    await asyncio.wait([work])
    await session.cut_short(StoppedBy.TIMEOUT, "the time is up")
    assert session.state.stopped is not None
    assert session.state.stopped.by is StoppedBy.TIMEOUT
    assert session.state.judgement is not None
    assert session.state.judgement.selected == "H1"
    assert {question.prompt for question in silent.asked} <= {"reading", "hypotheses"}
