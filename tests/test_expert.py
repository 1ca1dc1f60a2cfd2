"""From a real core to its cause, by the command that a user types, for programs of every cause."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.samples.case import CASES, build_of, how, judge, triage, triaged
from tests.soak import part
from workbench.evaluate.judging import RIGHT
from workbench.evaluate.schema import Case
from workbench.samples import demo_files

CONCLUDED, INCONCLUSIVE = 0, 1


def _stratified() -> list[Case]:
    """One program of each cause, among them one of each way of building; `make corpus` runs all."""
    chosen: dict[str | None, Case] = {}
    built = set()
    for case in CASES:
        if case.expected.category not in chosen and build_of(case) not in built:
            chosen[case.expected.category] = case
            built.add(build_of(case))
    assert built == {build_of(case) for case in CASES}
    for case in CASES:
        chosen.setdefault(case.expected.category, case)
    return list(chosen.values())


def check_grounded(report: dict[str, Any]) -> None:
    """Every claim that the conclusion uses is held, and cites items that exist."""
    analysis = report["analysis"]["aiAnalysis"]
    known = {item["id"] for item in analysis["evidenceLedger"]}
    for claim in analysis["claims"]:
        assert {citation.split(":")[0] for citation in claim["citations"]} <= known
        assert claim["status"] == "verified", claim
        assert all(":" in citation for citation in claim["citations"]), claim
    assert analysis["claims"]


@pytest.mark.soak
@pytest.mark.parametrize("case", part(_stratified()), ids=lambda case: case.id)
def test_cause_and_frame(case: Case) -> None:
    done = triaged(case)
    assert done.returncode in (CONCLUDED, INCONCLUSIVE), done.stderr
    report = json.loads(done.stdout)
    found = judge(case, report)
    analysis = report["analysis"]
    assert found.allowed, found.notes
    parts = {part: told for part, told in found.parts.items() if part not in case.expected.lacks}
    assert parts == dict.fromkeys(parts, RIGHT), found.notes
    assert done.returncode == (INCONCLUSIVE if found.said == "unknown" else CONCLUDED)
    if how(case).run == "hang":
        assert analysis["exception"]["signal"] is None
        assert analysis["summary"]["crashType"] in ("hang", "snapshot", "leak")
    else:
        assert analysis["exception"]["signal"] == how(case).signal
    check_grounded(report)


def test_every_cause_is_tried_in_many_builds() -> None:
    assert len({case.id for case in CASES}) == len(CASES) > 280
    assert len({case.target for case in CASES}) >= 130
    assert len(_stratified()) >= 24


def test_demo_sample_names_the_freed_connection(tmp_path: Path) -> None:
    sample = demo_files(tmp_path / "cache")
    done = triage(sample.core, sample.executable, tmp_path / "sessions")
    assert done.returncode == CONCLUDED, done.stderr
    report = json.loads(done.stdout)
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    assert cause["category"] == "use-after-free"
    assert cause["frame"]["function"] == "connection_send"
    assert cause["frame"]["file"].endswith("server.c")
    assert "`conn` is 0x1855dc00" in cause["rootCause"]
    assert analysis["summary"]["threadCount"] == 9
    check_grounded(report)
