"""The tables of cases: what each makes is what it says, and the cheap ones are right."""

import json
from pathlib import Path

import pytest

from tests.crashes import cache_dir
from tests.evaluate import corpus
from workbench.evaluate import corpora, worker
from workbench.evaluate.changes import CHANGES, DRESSES, ORDER, change
from workbench.evaluate.components import analyze
from workbench.evaluate.detection import detect
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.making import Made, make
from workbench.evaluate.schema import Case
from workbench.evaluate.templates import ships, templates

CASES = list(templates(analyze().components, corpora.load("programs"), with_model=True))
DIRECT = [case for case in CASES if case.kind in worker.KINDS]


@pytest.mark.parametrize("case", DIRECT, ids=lambda case: case.id)
def test_policy_and_redaction_are_right(case: Case) -> None:
    found = detect(case, worker.KINDS[case.kind](case), "")
    assert found.verdict == "right", found.said


def test_every_kind_of_component_has_cases_and_each_case_a_component() -> None:
    known = {one.name for one in analyze().components}
    assert {case.component for case in CASES} <= known
    kinds = {case.component.partition("/")[0] for case in CASES}
    assert {"policy", "redaction", "critic", "robustness", "readers", "backends", "prompts",
            "agents"} <= kinds  # fmt: skip
    assert {c.component for c in corpora.load("programs")} <= known
    assert len({case.id for case in CASES}) == len(CASES)
    assert {name.partition(":")[0] for case in CASES for name in case.changes} == set(CHANGES)
    offline = templates(analyze().components, corpora.load("programs"), with_model=False)
    assert not [case for case in offline if case.component.startswith(("prompts", "agents"))]


@pytest.mark.parametrize("dress", DRESSES)
def test_a_dress_is_worn_by_every_line(tmp_path: Path, dress: str) -> None:
    given = corpus.write(tmp_path) / "freed.log"
    case = Case(id="c", changes=(f"dressed:{dress}",))
    lines = change(case, Made(given, None), cache_dir()).target.read_bytes().split(b"\n")
    assert len(lines) == corpus.ASAN.count("\n") + 1
    assert given.read_text() == corpus.ASAN
    assert lines[0] != corpus.ASAN.encode().split(b"\n")[0]


def test_an_unknown_change_is_said(tmp_path: Path) -> None:
    with pytest.raises(EvaluationError, match="no change polished"):
        change(Case(id="c", changes=("polished",)), Made(tmp_path, None), cache_dir())


def test_what_follows_a_log_is_of_the_corpus(tmp_path: Path) -> None:
    case = Case(id="c", changes=("followed-by:/etc/passwd",))
    with pytest.raises(EvaluationError, match="outside"):
        change(case, Made(tmp_path, None), cache_dir())


def test_an_order_stands_in_the_dump() -> None:
    case = next(c for c in CASES if c.id == "orders_total.c--g-O0-SIGSEGV order")
    assert ORDER.encode() in make(case, cache_dir(), ships(case)).target.read_bytes()


def test_scenarios_are_json_that_is_read_back() -> None:
    for case in CASES:
        assert Case.model_validate(json.loads(case.model_dump_json(by_alias=True))) == case
