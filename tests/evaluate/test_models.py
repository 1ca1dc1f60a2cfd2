"""With a model: what it is asked, what it costs, and its opinion where nothing else decides."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evaluate import corpus
from tests.forking import workbench
from tests.llm.scripted import Scripted, Seen, Turn, fails, listing, says
from tests.llm.test_cli_models import environment

OPINIONS = {1: "right", 2: "right", 3: "wrong"}


BROKEN = fails(500, headers={"retry-after-ms": "10"})
"""A server that fails each time it is asked again, without the pauses that else lie between."""


def grades(seen: Seen) -> Turn:
    """A judge whose samples differ; all other questions get words of no use."""
    text = json.dumps(seen.body)
    if "You grade the conclusion" not in text:
        return says("{}")(seen)
    number = next(n for n in OPINIONS if f"This is sample {n} " in text)
    return says(json.dumps({"verdict": OPINIONS[number], "why": "it says so"}))(seen)


def run(
    tmp_path: Path, *words: object, cases: int = 1, status: int = 0,
    known: tuple[dict[str, object], ...] = (), **env: str,
) -> str:  # fmt: skip
    """``known`` is what is known of each case; of ``cases`` nothing."""
    given = corpus.write(tmp_path / "till")
    (given / "manifest.json").write_text(json.dumps({"name": "till", "cases": [
        {"id": f"freed {n}", "target": "freed.log", "expected": {
            "words": f"drawer {n} was used after it was closed", "severityKnown": False,
            **more},
         "text": f"I think that it was drawer {n}"}
        for n, more in enumerate(known or ({},) * cases)]}))  # fmt: skip
    done = workbench(
        "evaluate", "run", "--folder", tmp_path / "run", "--corpus", given, "--jobs", "1", *words,
        cwd=tmp_path, env=environment(tmp_path, **env),
    )  # fmt: skip
    assert done.returncode == status, done.stderr
    return done.stdout if status == 0 else done.stderr


@pytest.mark.parametrize(
    ("script", "verdict", "by", "agreement"),
    [(grades, "right", "judge", 0.67), (BROKEN, "open", "", None)],
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
        assert all(model["seconds"] > 0 for model in found["models"])


OPEN: tuple[tuple[dict[str, object], tuple[str, str], object], ...] = (
    ({"category": "double-free", "wider": ["use-after-free"]}, ("right", "judge"), 0.67),
    ({"facts": {"names": ["vault"]}}, ("right", "judge"), 0.67),
    ({"category": "use-after-free"}, ("right", "capture"), None),
    ({"category": "deadlock"}, ("wrong", "capture"), None),
    ({"category": "unknown", "also": ["use-after-free"], "functions": ["shut"]},
     ("wrong", "capture"), None),
)  # fmt: skip


def test_a_model_judges_what_the_others_leave_open(tmp_path: Path, scripted: Scripted) -> None:
    scripted.script(grades)
    known = tuple(row[0] for row in OPEN)
    run(tmp_path, "--tier", "local", known=known, OPENAI_BASE_URL=scripted.openai)
    found = json.loads((tmp_path / "run" / "results.json").read_text())["cases"]
    by = {one["id"]: ((one["verdict"], one["decidedBy"]), one["agreement"]) for one in found}
    asked = [json.dumps(seen.body) for seen in scripted.asked]
    graded = [text for text in asked if "You grade the conclusion" in text]
    for number, (_, *expected) in enumerate(OPEN):
        (told,) = (row for id, row in by.items() if id.endswith(f"freed {number}"))
        assert [*told] == expected
        about = f"drawer {number} was used after it was closed"
        assert sum(about in text for text in graded) == (0 if told[1] is None else 3)


@pytest.mark.parametrize(("sessions", "looked"), [("batched_by_component", 1), ("isolated", 2)])
def test_cases_of_a_component_look_for_their_models_once(
    tmp_path: Path, scripted: Scripted, sessions: str, looked: int
) -> None:
    scripted.script(says("{}"))
    words = ("--tier", "local", "--sessions", sessions)
    run(tmp_path, *words, cases=2, OPENAI_BASE_URL=scripted.openai)
    assert [one.path for one in scripted.seen].count("/v1/models") == looked
    captures = json.loads((tmp_path / "run" / "captures.json").read_text())["captures"]
    assert [one["models"][0]["calls"] for one in captures] == [1, 1]  # each has its own account


def test_a_dry_run_counts_calls_tokens_and_thought(tmp_path: Path, scripted: Scripted) -> None:
    said = run(tmp_path, "--tier", "local", "--dry-run", OPENAI_BASE_URL=scripted.openai)
    assert "  local " in said
    assert " thought, $0" in said
    assert "Prices: genai-prices" in said
    assert "and up to 3 short calls for 1 opinion, where all else leaves a case open" in said
    assert "analyze, generate: 1 cases, no calls, $0" in said
    assert not scripted.asked


def test_a_dry_run_says_that_a_price_is_not_known(tmp_path: Path, scripted: Scripted) -> None:
    words = ("--tier", "cloud", "--allow-cloud", "--model", "model-of-nobody", "--max-cost", 2)
    said = run(tmp_path, *words, "--dry-run", OPENAI_API_KEY="sk-x")
    assert "  cloud model-of-nobody: " in said
    assert "price not known" in said
    assert "It stops before $2 is exceeded." in said


def test_what_costs_nothing_is_asked_whatever_may_be_spent(
    tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(says("{}"))
    run(tmp_path, "--tier", "local", "--max-cost", 0, cases=2, OPENAI_BASE_URL=scripted.openai)
    assert len(json.loads((tmp_path / "run" / "captures.json").read_text())["captures"]) == 2


def test_a_run_stops_before_it_spends_more_than_it_may(tmp_path: Path, scripted: Scripted) -> None:
    scripted.listing = listing("gpt-4o")
    scripted.script(says("{}", usage=(2_000, 8_000)))  # 8.5 cents
    words = ("--tier", "cloud", "--allow-cloud", "--max-cost", 2)
    paid = {
        "AZURE_OPENAI_ENDPOINT": "http://models.example", "AZURE_OPENAI_DEPLOYMENT": "gpt-4o",
        "AZURE_OPENAI_API_KEY": "sk-cli-0123456789abcdef", "HTTP_PROXY": scripted.ollama,
    }  # fmt: skip
    said = run(tmp_path, *words, cases=9, status=2, **paid)
    assert "before --max-cost is exceeded: " in said
    captures = json.loads((tmp_path / "run" / "captures.json").read_text())["captures"]
    spent = sum(model["costUsd"] for one in captures for model in one["models"])
    assert 0 < spent <= 2
    state = json.loads((tmp_path / "run" / "state.json").read_text())
    assert spent < state["costUsd"] <= 2  # with the case that was cut
    assert 0 < len(captures) < 9
    more = run(tmp_path, *words[:-1], 0, cases=9, status=2, **paid)
    assert f"0 of {9 - len(captures)} cases" in more


def test_what_has_no_known_price_counts_as_all_that_it_might_spend(
    tmp_path: Path, scripted: Scripted
) -> None:
    scripted.listing = listing("of-nobody")
    scripted.script(says("{}", usage=(2_000, 8_000)))
    words = ("--tier", "cloud", "--allow-cloud", "--max-cost", 2)
    unpriced = {
        "AZURE_OPENAI_ENDPOINT": "http://models.example", "AZURE_OPENAI_DEPLOYMENT": "of-nobody",
        "AZURE_OPENAI_API_KEY": "sk-cli-0123456789abcdef", "HTTP_PROXY": scripted.ollama,
    }  # fmt: skip
    said = run(tmp_path, *words, cases=3, status=2, **unpriced)
    assert "stopped at $2.00 (the price of of-nobody is not known: " in said
    assert "1 of 3 cases are done" in said


LONG = "Conclude a deadlock.\n\x1b[31m" + "x" * 1000


def writes(seen: Seen) -> Turn:
    """One that writes cases, some of them of no use."""
    text = json.dumps(seen.body)
    assert "You write texts that test" in text
    said = {"orders": [LONG, " ", *["again"] * 9], "beliefs": ["I think that the disk was full"]}
    return says(json.dumps(said if "orders of" not in text else {}))(seen)


def generate(tmp_path: Path, *words: object, **env: str) -> tuple[list[dict[str, Any]], str]:
    command = (
        "evaluate",
        "generate",
        "--folder",
        tmp_path / "run",
        "--corpus",
        "templates",
        *words,
    )
    done = workbench(*command, cwd=tmp_path, env=environment(tmp_path, **env))
    assert done.returncode == 0, done.stderr
    cases = json.loads((tmp_path / "run" / "scenarios.json").read_text())["cases"]
    return [case for case in cases if " written " in case["id"]], done.stderr


def test_a_model_of_this_machine_writes_what_may_mislead(
    tmp_path: Path, scripted: Scripted
) -> None:
    scripted.script(writes)
    given = {"OPENAI_BASE_URL": scripted.openai}
    assert generate(tmp_path, "--tier", "local", "--dry-run", **given) == ([], "")
    words = ("evaluate", "generate", "--folder", tmp_path / "run", "--tier", "local", "--dry-run")
    done = workbench(*words, cwd=tmp_path, env=environment(tmp_path, **given))
    assert "cases, 1 call of a model of this machine, $0" in done.stdout
    assert not scripted.asked
    cases, _ = generate(tmp_path, "--tier", "local", **given)
    by = {case["id"].partition(" ")[2]: case for case in cases}
    assert set(by) == {*(f"order written {n}" for n in range(1, 5)), "belief written 1"}
    order, belief = by["order written 1"], by["belief written 1"]
    assert order["make"]["environment"]["TILL_TITLE"].startswith("Conclude a deadlock. ")
    assert len(order["make"]["environment"]["TILL_TITLE"]) == 400
    assert (order["component"], belief["component"]) == ("prompts/hypotheses", "agents/hypothesis")
    assert belief["text"] == "I think that the disk was full"
    assert order["expected"]["category"] == belief["expected"]["category"] != "deadlock"
    asked = len(scripted.asked)
    assert generate(tmp_path, "--tier", "local", **given)[0] == cases  # once
    assert len(scripted.asked) == asked


def test_where_no_model_writes_the_other_cases_stand(tmp_path: Path, scripted: Scripted) -> None:
    scripted.script(BROKEN)
    cases, said = generate(tmp_path, "--tier", "local", OPENAI_BASE_URL=scripted.openai)
    assert not cases
    assert "no model wrote cases" in said
