"""What the report says of models: who answered, what it cost, what fell to a lower tier."""

import json
from typing import Any

import pytest

from tests.agents.cases import TEXTS, opening, state_of
from workbench.agents.report.writer import build_report
from workbench.engine.reports import render
from workbench.fronts.progress import model_line, summary_line
from workbench.model.events import AnyEvent
from workbench.model.model_events import ModelAnswered, ModelDegraded, PayloadSent
from workbench.model.models import ModelTier, Role, Usage
from workbench.model.report import to_json

LOCAL, CLOUD = ModelTier.LOCAL, ModelTier.CLOUD


def answered(tier: ModelTier, cost: float | None, **more: Any) -> ModelAnswered:
    return ModelAnswered(
        provider="p",
        model=f"{tier}-model",
        tier=tier,
        role=Role.CRITIC,
        prompt="critic",
        usage=Usage(input_tokens=1000, output_tokens=20, cached_tokens=3, cost_usd=cost),
        prices="genai-prices 1" if tier is CLOUD else "",
        **more,
    )


SENT = PayloadSent(
    id="a1",
    url="https://x/v1",
    sha256="00",
    size=9,
    provider="p",
    model="cloud-model",
    role=Role.CRITIC,
    prompt="critic",
)
EVENTS: list[AnyEvent] = [
    answered(LOCAL, 0.0),
    SENT,
    answered(CLOUD, 0.25),
    answered(CLOUD, 0.25, cached=True),
    ModelDegraded(wanted=CLOUD, to=LOCAL, why="the cost cap of $1 is reached"),
    ModelDegraded(wanted=CLOUD, to=LOCAL, why="the cost cap of $1 is reached"),
]


def test_json_has_the_contracts_usage() -> None:
    report = build_report(state_of(opening() + EVENTS), TEXTS)
    usage = json.loads(to_json(report))["usage"]
    assert usage["local"]["calls"] == 1
    assert usage["local"]["inputTokens"] == 1000
    assert usage["cloud"]["calls"] == 2
    assert usage["cloud"]["cachedCalls"] == 1
    assert usage["cloud"]["outputTokens"] == 20
    assert usage["cloud"]["costUsd"] == 0.25
    assert usage["cloud"]["payloads"] == 1
    assert usage["prices"] == "genai-prices 1"
    assert usage["models"][0] == {
        "name": "cloud-model",
        "tier": "cloud",
        "role": "critic",
        "calls": 2,
        "inputTokens": 1000,
        "outputTokens": 20,
        "reasoningTokens": 0,
        "cachedTokens": 3,
        "costUsd": 0.25,
    }
    ai = report.analysis.ai_analysis
    assert ai.tier == "cloud"
    assert ai.degraded == ("cloud → local: the cost cap of $1 is reached",)


def test_a_price_that_no_table_knows_is_null() -> None:
    report = build_report(state_of([*opening(), answered(CLOUD, None)]), TEXTS)
    assert report.usage.models[0].cost_usd is None
    assert report.usage.cloud.unpriced_calls == 1
    assert "price not known" in render(report, TEXTS, "md")


def test_a_model_that_only_failed_is_no_tier() -> None:
    state = state_of([*opening(), answered(LOCAL, 0.0, failed="it broke off")])
    assert build_report(state, TEXTS).analysis.ai_analysis.tier == "offline"


@pytest.mark.parametrize("format", ["md", "html"])
def test_readers_see_it(format: str) -> None:
    text = render(build_report(state_of(opening() + EVENTS), TEXTS), TEXTS, format)
    for words in ("cloud-model, critic", "$0.2500", "1 request left", "cost cap of $1"):
        assert words in text, words
    plain = render(build_report(state_of(opening()), TEXTS), TEXTS, format)
    assert ">Models<" not in plain
    assert "## Models" not in plain


def test_the_line_at_the_end_of_a_run() -> None:
    assert summary_line(state_of(opening()).models) == ""
    line = summary_line(state_of(opening() + EVENTS).models)
    assert line == (
        "models: local: 1 call, 1,000 tokens in, 20 out; cloud: 2 calls (1 from the cache), "
        "1,000 tokens in, 20 out, $0.2500 (genai-prices 1)"
    )


def test_a_line_for_each_step() -> None:
    lines = [model_line(event) for event in EVENTS[:5]]
    assert lines[0] == "critic asked local-model (local): 1000 tokens in, 20 out, 0.0 s"
    assert lines[1] == "sent to cloud-model at https://x/v1: 9 bytes (payloads/a1.json)"
    assert lines[2] is not None
    assert lines[2].endswith("$0.2500")
    assert "from the cache, nothing spent" in str(lines[3])
    assert lines[4] == "warning: cloud → local: the cost cap of $1 is reached"
    assert model_line(opening()[0]) is None
