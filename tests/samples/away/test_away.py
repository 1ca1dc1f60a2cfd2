"""The programs with the defect away from the crash still are what their rows say, and what is
concluded of them without a model is right, or honestly open."""

import json

import pytest

from tests.analyzers.investigation import ask
from tests.samples.away import AWAY, Away
from tests.samples.case import CASES, make, triaged
from tests.soak import part
from workbench.evaluate.judging import RIGHT, WRONG, verdict
from workbench.evaluate.schema import Case

_SURE = 0.5
_REUSED = [case for case in CASES if case.batch == "reused"]
"""Data where a pointer was expected."""


@pytest.mark.parametrize("away", AWAY, ids=lambda away: away.name)
def test_it_crashes_and_no_origin_is_on_the_stack(away: Away) -> None:
    executable, core = make(away.case)
    stack = ask(executable, core, "bt").rpartition("#0 ")[2]
    assert any(f"{name} (" in stack for name in away.case.expected.functions), stack
    assert len(away.lines()) == len(away.origins)
    assert not any(f"{function} (" in stack for _, function, _ in away.origins), stack


@pytest.mark.soak
@pytest.mark.parametrize(
    "case", part([*(away.case for away in AWAY), *_REUSED]), ids=lambda case: case.target
)
def test_no_wrong_cause_is_told_for_sure(case: Case) -> None:
    cause = json.loads(triaged(case).stdout)["analysis"]["aiAnalysis"]
    found = verdict(case.expected, cause["category"])
    sure = cause["confidence"] > _SURE
    free = case not in _REUSED or case.expected.open
    assert found == RIGHT or (found != WRONG and not sure and free)
    assert not (sure and cause["category"] == "unknown")
