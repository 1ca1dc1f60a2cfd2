"""With a model: what it is asked, what it costs, and its opinion where nothing else decides."""

import json
from pathlib import Path

import pytest

from tests.evaluate import corpus
from tests.llm.scripted import Scripted, Seen, Turn, fails, says
from tests.llm.test_cli_models import environment
from tests.test_cli import workbench

OPINIONS = {1: "right", 2: "right", 3: "wrong"}


def grades(seen: Seen) -> Turn:
    """A judge whose samples differ; all other questions get words of no use."""
    text = json.dumps(seen.body)
    if "You grade the conclusion" not in text:
        return says("{}")(seen)
    number = next(n for n in OPINIONS if f"This is sample {n} " in text)
    return says(json.dumps({"verdict": OPINIONS[number], "why": "it says so"}))(seen)


def run(tmp_path: Path, *words: object, **env: str) -> str:
    given = corpus.write(tmp_path / "till")
    (given / "manifest.json").write_text(json.dumps({"name": "till", "cases": [
        {"target": "freed.log", "expected": {"words": "the drawer was used after it was closed",
                                             "severityKnown": False}}]}))  # fmt: skip
    done = workbench(
        "evaluate", "run", "--folder", tmp_path / "run", "--corpus", given, "--jobs", "1", *words,
        cwd=tmp_path, env=environment(tmp_path, **env),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("script", "verdict", "by", "agreement"),
    [(grades, "right", "judge", 0.67), (fails(500), "open", "", None)],
)
def test_a_model_judges_only_what_nothing_else_decides(
    tmp_path: Path, scripted: Scripted, script: object, verdict: str, by: str, agreement: object
) -> None:
    scripted.script(script)  # type: ignore[arg-type]
    run(tmp_path, "--tier", "local", OPENAI_BASE_URL=scripted.openai)
    found = json.loads((tmp_path / "run" / "results.json").read_text())
    (one,) = found["cases"]
    assert (one["verdict"], one["decidedBy"], one["agreement"]) == (verdict, by, agreement)
    if by:
        assert one["said"] == "right, right, wrong"
        assert one["weight"] == 0.6
        assert sum(model["calls"] for model in found["models"]) >= 3
        assert {model["tier"] for model in found["models"]} == {"local"}


def test_a_dry_run_counts_calls_tokens_and_thought(tmp_path: Path, scripted: Scripted) -> None:
    said = run(tmp_path, "--tier", "local", "--dry-run", OPENAI_BASE_URL=scripted.openai)
    assert "  local " in said
    assert " thought, $0" in said
    assert "Prices: genai-prices" in said
    assert not scripted.asked
