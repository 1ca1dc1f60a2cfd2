"""The whole investigation with a scripted model, on a real core."""

import asyncio
import re
from types import SimpleNamespace
from typing import Any
from unittest.mock import ANY

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.script import Scripted, failure, item, statement
from workbench.engine.outcome import exit_status
from workbench.llm.errors import Fault
from workbench.llm.port import CapReached, NoModel, Question, Unfit
from workbench.model.category import Category
from workbench.model.events import Noticed, StoppedBy
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.models import Effort
from workbench.model.report_conclusion import AiAnalysis
from workbench.model.target import Limits

Asked = Question[Any]
FEW = Limits(iterations=3)


def concluded(ai: AiAnalysis) -> tuple[object, ...]:
    """What is the expert's alone, whatever a model says."""
    return (ai.category, ai.cwe, ai.root_cause, ai.frame, ai.confidence, ai.judge.selected)


def advised(ai: AiAnalysis) -> tuple[str | None, str]:
    """What it says, whichever session it names."""
    given = "\n".join(ai.summary.recommendations)
    return ai.summary.description, re.sub(r"reproduce \S+ --", "reproduce SESSION --", given)


_ALONE: list[AiAnalysis] = []


async def alone(investigate: Investigate) -> AiAnalysis:
    """What the experts say without a model: the same every time, so found once."""
    if not _ALONE:
        session = await investigate(None)
        _ALONE.append((await session.build_report()).analysis.ai_analysis)
    return _ALONE[0]


def by_category(state: Investigation, category: Category) -> Any:
    return next(h for h in state.hypotheses.values() if h.category is category)


@pytest.mark.usefixtures("own_gdb")
async def test_a_model_that_says_nothing_leaves_the_experts_report(
    investigate: Investigate,
) -> None:
    model = Scripted()
    session = await investigate(model, Limits(iterations=2))
    ai = (await session.build_report()).analysis.ai_analysis
    expert = await alone(investigate)
    assert concluded(ai) == concluded(expert)
    assert (ai.claims, ai.judge) == (expert.claims, expert.judge)
    assert advised(ai) == advised(expert)
    assert ai.follow_up_questions == expert.follow_up_questions
    assert ai.stopped_by == "maxIterations"
    assert exit_status(session.state) == 0


def hypotheses(asked: Asked) -> dict[str, Any]:
    fault = item(asked, "@fault")
    return {
        "hypotheses": [
            {
                "category": "null pointer dereference",
                "statement": "said by the expert too",
                "function": "second",
                "citations": [f"{fault}:8"],
                "commands": [],
            },
            {
                "category": "stack-overflow",
                "statement": "`second` was called too often.",
                "function": "second()",
                "citations": [f"{item(asked, 'bt 64')}:1"],
                "commands": ["bt -3", "info frame", "shell ls", "x/4gx $sp", 'echo "stack"'],
            },
            {"category": "bad luck", "statement": "it happens", "commands": ["bt"]},
        ]
    }


def explanation(asked: Asked) -> dict[str, Any]:
    fault, stack = item(asked, "@fault"), item(asked, "bt 64")
    return {
        "hypothesis": "H1",
        "confidence": 1.0,
        "statements": [
            statement("caller", f"{stack}:2", function="second", caller="first"),
            statement("register", f"{fault}:10", slot="base", register="rax", value="0x0"),
            statement("owns", f"{fault}:10", owner=77),
        ],
        "explanation": "`second` was handed a row that 0xdeadbeef had cleared.",
    }


async def test_what_holds_of_a_models_words_stands_beside_the_experts(
    investigate: Investigate,
) -> None:
    def criticism(asked: Asked) -> dict[str, Any]:
        return {
            "counter_hypothesis": {"category": "wild-pointer", "commands": ["info line"]},
            "objections": [
                {
                    "kind": "contradiction",
                    "statement": statement("caller", "E1:1", function="third", caller="main"),
                }
            ],
            "questions": ["Does `second` always get such a row?", "Is `shell` there?", "Run it."],
        }

    model = Scripted(
        {
            "hypotheses": hypotheses,
            "investigate": [[("exec", {"command": "info line second"})], ""],
            "explanation": explanation,
            "criticism": criticism,
        }
    )
    session = await investigate(model, FEW)
    state = session.state
    report = await session.build_report()
    ai, expert = report.analysis.ai_analysis, await alone(investigate)
    assert concluded(ai) == concluded(expert)

    added = by_category(state, Category.STACK_OVERFLOW)
    assert added.proposed_by == "model"
    assert added.status is not Status.CONFIRMED
    assert {"info frame", "x/4gx $sp"} <= {test.command for test in added.tests}
    assert (
        sum(h.category is Category.NULL_POINTER_DEREFERENCE for h in state.hypotheses.values()) == 1
    )
    ran = {evidence.command for evidence in state.evidence.values()}
    assert not any(command.startswith(("shell", "echo")) for command in ran)

    mine = {claim.text: claim.status for claim in ai.claims if claim.by == "model"}
    assert mine == {
        "`first` called `second`.": "verified",
        "The base register `rax` held 0x0.": "verified",
        "Thread 77 holds the lock.": "unknown",
    }
    assert ai.reasoning is not None
    assert "`first` called `second`" in ai.reasoning
    assert "Thread 77" not in ai.reasoning
    assert advised(ai) == advised(expert)
    assert ai.explanation is not None
    assert not ai.explanation.checked
    assert ai.explanation.unseen == ("0xdeadbeef",)
    assert len(ai.critique.rounds) == 2
    assert "third" not in str(ai.critique)
    assert state.rounds[-1].questions == ("Does `second` always get such a row?",)
    for format in ("md", "html"):
        shown = await session.report(format)
        assert "The model&#39;s explanation (not checked)" in shown.replace("'", "&#39;")
        assert "Thread 77 holds" in shown  # among what was rejected
    log = (session.folder / "session.log").read_text()
    assert "model, exec" in log
    assert "model, end of the tools" in log


async def test_what_a_model_asked_for_is_no_fact(investigate: Investigate) -> None:
    calls = [("exec", {"command": "info registers rax"}), ("inspect", {"address": "0x0"})]
    session = await investigate(Scripted({"investigate": [calls, ""]}), FEW)
    state = session.state
    mine = [evidence for evidence in state.evidence.values() if evidence.by_model]
    assert [evidence.command for evidence in mine] == ["info registers rax", "x/8ga 0x0"]
    assert not {fact.cite.evidence for fact in state.facts} & {evidence.id for evidence in mine}


async def test_a_provider_that_is_gone_costs_one_notice(investigate: Investigate) -> None:
    model = Scripted({"hypotheses": NoModel("nobody is there")})
    session = await investigate(model)
    ai = (await session.build_report()).analysis.ai_analysis
    assert concluded(ai) == concluded(await alone(investigate))
    assert ai.stopped_by == "concluded"
    assert [question.prompt for question in model.asked] == ["hypotheses"]
    assert [notice for notice in ai.notices if "nobody is there" in notice]
    assert len(ai.notices) == 1


async def test_a_question_that_is_no_tiers_ends_no_harder_one(investigate: Investigate) -> None:
    model = Scripted({"explanation": Unfit("no model of this machine answers")})
    session = await investigate(model, FEW)
    assert model.count("explanation") >= 1
    assert model.count("criticism") >= 1
    assert not (await session.build_report()).analysis.ai_analysis.notices


@pytest.mark.parametrize(
    ("money", "by"), [(True, StoppedBy.MAX_COST), (False, StoppedBy.MAX_TOKENS)]
)
async def test_a_cap_ends_the_model_and_not_the_case(
    investigate: Investigate, money: bool, by: StoppedBy
) -> None:
    reached = CapReached("the cap is reached", money=money)
    session = await investigate(Scripted({"investigate": reached}))
    assert session.state.stopped is not None
    assert session.state.stopped.by is by
    ai = (await session.build_report()).analysis.ai_analysis
    assert concluded(ai) == concluded(await alone(investigate))


async def test_a_summary_is_shortened_until_it_fits(investigate: Investigate) -> None:
    def fits(asked: Asked) -> Any:
        told = sum(len(message.content) for message in asked.messages)
        return failure(Fault.TOO_LONG) if told > 3000 else {}

    model = Scripted({"hypotheses": fits})
    await investigate(model, Limits(iterations=1))
    lengths = [len(told) for told in model.said("hypotheses")]
    assert lengths[0] > 3000
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[-1] <= 3000


async def test_a_call_that_the_person_stops_is_no_failure(investigate: Investigate) -> None:
    stopped = failure(Fault.STOPPED)
    prompts = ("hypotheses", "investigate", "explanation", "criticism")
    model = Scripted(dict.fromkeys(prompts, stopped))
    session = await investigate(model)
    assert {question.prompt for question in model.asked} >= set(prompts)
    assert not (await session.build_report()).analysis.ai_analysis.notices


async def test_whatever_a_model_raises_the_report_is_the_experts(
    investigate: Investigate,
) -> None:
    model = Scripted(
        {
            "hypotheses": failure(Fault.UNUSABLE),
            "investigate": ValueError("a fault of the provider's own"),
            "explanation": failure(Fault.DECLINED),
        }
    )
    session = await investigate(model)
    ai = (await session.build_report()).analysis.ai_analysis
    assert concluded(ai) == concluded(await alone(investigate))
    assert session.state.assisted.ended["hypotheses"]


async def test_a_model_that_is_picked_in_place_of_a_dead_one_counts_at_once(
    investigate: Investigate,
) -> None:
    dead, picked = Scripted({"hypotheses": NoModel("nobody is there")}), Scripted()
    session = await investigate(dead, FEW, finish=False)

    async def make(*_: Any) -> Any:
        return lambda _: picked

    def pick() -> Any:
        return SimpleNamespace(make=make)

    def look(rows: Any) -> None:
        if any(isinstance(row.event, Noticed) for row in rows):
            end()
            picking.append(asyncio.ensure_future(session.speaking.use(ANY, "m", Effort.LOW)))

    picking: list[asyncio.Future[None]] = []
    session.speaking.make_picking = pick
    end = session.subscribe(look)
    await session.run()
    await asyncio.gather(*picking)
    assert [question.prompt for question in dead.asked] == ["hypotheses"]
    assert picked.count("investigate") == 3
    assert picked.count("explanation") >= 1


async def test_an_explanation_that_holds_is_not_asked_for_again(investigate: Investigate) -> None:
    def explanation(asked: Asked) -> dict[str, Any]:
        fault = item(asked, "@fault")
        return {
            "hypothesis": "H1",
            "confidence": 0.9,
            "statements": [
                statement("register", f"{fault}:10", slot="base", register="rax", value="0x0")
            ],
        }

    model = Scripted({"explanation": explanation})
    session = await investigate(model, FEW)
    assert model.count("criticism") == 1
    assert model.count("explanation") == 1
    assert session.state.assisted.explanation is not None


@pytest.mark.parametrize(
    ("category", "status"),
    [("data-race", Status.INCONCLUSIVE), ("stack-overflow", Status.REJECTED)],
)
async def test_only_what_would_leave_a_trace_is_rejected_for_want_of_one(
    investigate: Investigate, category: str, status: Status
) -> None:
    def proposed(asked: Asked) -> dict[str, Any]:
        citations = [f"{item(asked, 'bt 64')}:1"]
        one = {"category": category, "statement": "`second` did it.", "citations": citations}
        return {"hypotheses": [{**one, "function": "second", "commands": []}]}

    session = await investigate(Scripted({"hypotheses": proposed}), FEW)
    hypothesis = by_category(session.state, Category(category))
    assert hypothesis.status is status
    assert hypothesis.proposed_by == "model"
