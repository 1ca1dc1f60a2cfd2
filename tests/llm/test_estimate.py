"""``--dry-run``: calls, tokens and dollars for each tier, and nothing asked of anybody."""

import json
import os
from pathlib import Path

import pytest

from tests.crashes import build, crash
from tests.engine.conftest import NULL_WRITE
from tests.forking import workbench
from tests.llm.scripted import Scripted
from workbench.estimating import Estimate, TierEstimate, Work, as_text, estimate
from workbench.model.models import Effort, ModelWish, TierWish
from workbench.settings import Secret, Settings

SETTINGS = Settings(openai_api_key=Secret("sk-estimate-0123456789"), max_cost=1.0)


def tier(made: Estimate, name: str) -> TierEstimate:
    return next(one for one in made.tiers if one.tier == name)


@pytest.mark.parametrize("work", list(Work))
def test_each_tier_has_its_numbers(work: Work) -> None:
    made = estimate(work, SETTINGS, ModelWish(tier=TierWish.CLOUD))
    assert tier(made, "offline").calls == (0, 0)
    for name in ("local", "cloud"):
        one = tier(made, name)
        for low, high in (one.calls, one.input_tokens, one.output_tokens):
            assert 0 < low <= high
    local, cloud = tier(made, "local"), tier(made, "cloud")
    assert local.usd == (0.0, 0.0)
    assert cloud.usd is not None
    assert 0 < cloud.usd[0] <= cloud.usd[1]
    assert cloud.model == "gpt-5-mini"
    assert [one.tier for one in made.tiers if one.used] == ["cloud"]
    assert made.prices.startswith("genai-prices ")


def test_effort_and_budgets_count() -> None:
    def out(effort: Effort, settings: Settings = SETTINGS) -> tuple[int, int]:
        wish = ModelWish(tier=TierWish.CLOUD, effort=effort)
        return tier(estimate(Work.INVESTIGATION, settings, wish), "cloud").output_tokens

    assert out(Effort.LOW) < out(Effort.MEDIUM) < out(Effort.HIGH)
    assert out(Effort.LOW, Settings(max_iterations=2))[1] < out(Effort.LOW)[1]


def test_which_tier_this_run_uses() -> None:
    def used(wish: ModelWish) -> list[str]:
        return [o.tier for o in estimate(Work.QUESTION, SETTINGS, wish).tiers if o.used]

    assert used(ModelWish(tier=TierWish.OFFLINE)) == ["offline"]
    assert used(ModelWish(tier=TierWish.AUTO)) == ["local"]
    assert used(ModelWish(tier=TierWish.AUTO, allow_cloud=True)) == ["local", "cloud"]
    assert used(ModelWish(tier=TierWish.LOCAL, allow_cloud=True)) == ["local"]
    assert used(ModelWish(tier=TierWish.CLOUD)) == ["cloud"]


def test_which_tier_takes_each_step() -> None:
    def takers(wish: ModelWish) -> dict[str, str]:
        made = estimate(Work.INVESTIGATION, SETTINGS, wish)
        return {step.prompt: step.tier for step in made.steps}

    both = takers(ModelWish(tier=TierWish.AUTO, allow_cloud=True))
    assert {name for name, tier in both.items() if tier == "local"} == {"reading"}
    assert set(takers(ModelWish(tier=TierWish.AUTO)).values()) == {"local"}
    assert set(takers(ModelWish(tier=TierWish.CLOUD)).values()) == {"cloud"}
    assert set(takers(ModelWish()).values()) == {"offline"}
    made = estimate(Work.INVESTIGATION, SETTINGS, ModelWish(tier=TierWish.AUTO, allow_cloud=True))
    local = tier(made, "local")
    assert local.calls == tuple(
        sum(step.calls[end] for step in made.steps if step.tier == "local") for end in (0, 1)
    )
    told = as_text(made).splitlines()
    assert sum("← this run" in line for line in told) == 2
    assert any(line.split()[:2] == ["local", "reading"] for line in told)
    assert any(line.split()[:2] == ["cloud", "explanation"] for line in told)


def test_a_price_that_no_table_has_is_not_guessed() -> None:
    settings = Settings(openai_base_url="http://models.example/v1", openai_model="own-model")
    made = estimate(Work.INVESTIGATION, settings, ModelWish(tier=TierWish.CLOUD))
    assert tier(made, "cloud").usd is None
    assert "price not known" in as_text(made)


def test_it_asks_nobody_and_makes_no_session(scripted: Scripted, tmp_path: Path) -> None:
    core = crash(build(NULL_WRITE, "-g", "-O0", "-static"))
    env = os.environ | {"OPENAI_BASE_URL": scripted.openai, "WORKBENCH_GDB": "/nonexistent"}
    done = workbench("triage", core, "--dry-run", "--format", "json", cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert [one["tier"] for one in json.loads(done.stdout)["tiers"]] == [
        "offline",
        "local",
        "cloud",
    ]
    assert scripted.seen == []
    assert not (tmp_path / ".sessions").exists()
    text = workbench("demo", "--dry-run", cwd=tmp_path, env=env).stdout
    assert "this run" in text
    bounds = ("--max-cost", "0.25", "--max-tokens", "12345", "--max-iterations", "1")
    bounded = workbench("demo", "--dry-run", *bounds, cwd=tmp_path, env=env).stdout
    assert "0.25" in bounded
    assert "12,345" in bounded
    assert "0.25" not in text
    folder = ("analyze", "--query", "why?", "--inputs", tmp_path, "--dry-run")
    assert "calls" in workbench(*folder, cwd=tmp_path, env=env).stdout
    assert workbench("triage", tmp_path / "none", "--dry-run", cwd=tmp_path).returncode == 2
