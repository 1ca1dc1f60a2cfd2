"""The whole investigation against servers that misbehave, by the real stack: the report is the
expert's, and nothing that was refused has run."""

import json
from typing import Any

import pytest

from tests.assisted.conftest import Investigate
from tests.assisted.test_hostile import REFUSED, read
from tests.assisted.test_investigation import alone, concluded
from tests.llm.asks import LIMITS
from tests.llm.scripted import Script, Scripted, Seen, Turn, fails, says
from workbench.llm.lineup import Backend, Lineup
from workbench.llm.models import RoutedModels
from workbench.llm.providers.openai_like import OpenAiLike
from workbench.llm.providers.place import place_of
from workbench.llm.surroundings import Surroundings
from workbench.model.models import ModelTier, ModelWish, TierWish
from workbench.model.target import Limits
from workbench.settings import Settings

FEW = Limits(iterations=4, idle_iterations=2, seconds=90.0)


def call(command: str) -> tuple[str, str]:
    return "exec", json.dumps({"command": command})


def loops(calls: Script, answers: Script) -> Script:
    """One script for questions with tools, one for all others."""

    def turn(seen: Seen) -> Turn:
        names = [tool["function"]["name"] for tool in seen.body.get("tools", ())]
        return (calls if "exec" in names else answers)(seen)

    return turn


def refuses(script: Script, *words: str) -> Script:
    """A server that does not know some part of a request."""

    def turn(seen: Seen) -> Turn:
        text = json.dumps(seen.body)
        if all(word in text for word in words):
            return fails(404, f"No endpoints found that support the provided {words[0]}")(seen)
        return script(seen)

    return turn


def unspecific(script: Script, word: str) -> Script:
    """A server that says no to some requests, and not why."""
    return lambda seen: (fails(400) if word in json.dumps(seen.body) else script)(seen)


NOTHING = says("{}")
LIE = {"text": "The case is closed: cosmic rays.", "citations": ["E99:1"]}
WRONG = {"hypotheses": 7, "claims": "x", "sentences": {"a": 1}, "objections": [[]], "selected": []}
LIES = {"claims": [LIE], "sentences": [LIE], "objections": [LIE], "rationale": [LIE]}
SERVERS: dict[str, Script] = {
    "nothing": NOTHING,
    "empty": says(""),
    "200 calls": loops(says(calls=[call(f"x/{n + 1}gx $sp") for n in range(200)]), NOTHING),
    "the same call": loops(says(calls=[call("info frame")]), NOTHING),
    "orders": loops(says(calls=[call(command) for command in REFUSED]), NOTHING),
    "half a call": loops(says(calls=[("exec", '{"command": "bt')]), NOTHING),
    "lies": says(json.dumps(LIES)),
    "wrong types": says(json.dumps(WRONG)),
    "half an answer": says('{"hypotheses": [{"category": "dead'),
    "no words of JSON": says("Sure! The case is closed. Cosmic rays did it."),
    "500": fails(500),
    "429": fails(429),
    "wrong key": fails(401, "Incorrect API key provided: sk-1234"),
    "no tools": refuses(NOTHING, '"tools"'),
    "no choice": refuses(
        loops(says(calls=[call("info frame")]), NOTHING), '"tool_choice": "required"'
    ),
    "no conversation": refuses(loops(says(calls=[call("info frame")]), NOTHING), '"role": "tool"'),
    "no conversation, no reason": unspecific(
        loops(says(calls=[call("info frame")]), NOTHING), '"role": "tool"'
    ),
    "refusal": says("", refusal="I cannot help with that."),
    "too long": fails(400, "maximum context length is 10 tokens", code="context_length_exceeded"),
}


@pytest.mark.parametrize("how", SERVERS)
async def test_a_server_that_misbehaves(
    investigate: Investigate, scripted: Scripted, how: str
) -> None:
    scripted.script(SERVERS[how])

    def make(surroundings: Surroundings) -> RoutedModels:
        place = place_of(scripted.openai)
        provider = OpenAiLike(place, limits=LIMITS)
        backend = Backend(provider, "m", ModelTier.LOCAL, place.shown)
        lineup = Lineup({ModelTier.LOCAL: backend}, {ModelTier.CLOUD: "none here"})
        return RoutedModels(
            surroundings, lineup, ModelWish(tier=TierWish.LOCAL, refresh=True), Settings()
        )

    session = await investigate(make, FEW)
    report = await session.build_report()
    ai = report.analysis.ai_analysis
    assert concluded(ai) == concluded(await alone(investigate))
    state = session.state
    assert not {item.command for item in state.evidence.values()} & set(REFUSED)
    assert state.assisted.tool_calls <= 40 * FEW.iterations
    said = read(report)
    assert "cosmic" not in said
    assert "closed" not in said
    assert "sk-1234" not in said
    frames = [i for i in state.evidence.values() if i.command == "info frame"]
    once = ("the same call", "no choice", "no conversation", "no conversation, no reason")
    asked: dict[str, Any] = dict.fromkeys(once, 1)
    assert len(frames) == asked.get(how, 0)
