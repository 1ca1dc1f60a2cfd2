"""From a real core to its cause, by the command that a user types, for every sample program."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.samples.expectations import CASES, Case
from workbench.samples import demo_files

CONCLUDED, INCONCLUSIVE = 0, 1


def triage(core: Path, executable: Path, sessions: Path) -> tuple[int, dict[str, Any]]:
    """The exit code and report of ``workbench triage --format json``."""
    command = [sys.executable, "-c", "from workbench.cli import main; main()"]
    command += ["triage", str(core), "--exe", str(executable)]
    command += ["--format", "json", "--sessions-dir", str(sessions), "--tier", "offline"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode in (CONCLUDED, INCONCLUSIVE), done.stderr
    return done.returncode, json.loads(done.stdout)


def check_grounded(report: dict[str, Any]) -> None:
    """Every claim that the conclusion uses is held, and cites items that exist."""
    analysis = report["analysis"]["aiAnalysis"]
    known = {item["id"] for item in analysis["evidenceLedger"]}
    for claim in analysis["claims"]:
        assert {citation.split(":")[0] for citation in claim["citations"]} <= known
    assert any(claim["status"] == "held" for claim in analysis["claims"])


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_cause_and_frame(case: Case, tmp_path: Path) -> None:
    executable, core = case.make()
    code, report = triage(core, executable, tmp_path)
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    assert cause["category"] in {case.category} | case.also, cause["rootCause"]
    assert code == (INCONCLUSIVE if cause["category"] == "unknown" else CONCLUDED)
    if case.functions and cause["category"] == case.category:
        assert cause["frame"]["function"] in case.functions, cause
    if case.kind == "hang":
        assert analysis["exception"]["signal"] is None
        assert analysis["summary"]["crashType"] in ("hang", "snapshot")
    else:
        assert analysis["exception"]["signal"] == case.signal.name
    check_grounded(report)


def test_demo_sample_names_the_freed_connection(tmp_path: Path) -> None:
    sample = demo_files(tmp_path / "cache")
    code, report = triage(sample.core, sample.executable, tmp_path / "sessions")
    analysis = report["analysis"]
    cause = analysis["aiAnalysis"]
    assert (code, cause["category"]) == (CONCLUDED, "use-after-free")
    assert cause["frame"]["function"] == "connection_send"
    assert cause["frame"]["file"].endswith("server.c")
    assert analysis["summary"]["threadCount"] == 9
    check_grounded(report)
