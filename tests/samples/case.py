"""The programs that ship to be crashed, and what an investigation of each must find."""

import subprocess
import sys
from pathlib import Path

from tests.crashes import cache_dir
from workbench.evaluate import corpora, making
from workbench.evaluate.judging import Outcome
from workbench.evaluate.judging import judge as judge_in
from workbench.evaluate.schema import Case, Make

CASES = corpora.load("programs")
_STRIPPED = ("-s", "-Cstrip=symbols")


def how(case: Case) -> Make:
    """How a program is made."""
    assert case.make is not None
    return case.make


def build_of(case: Case) -> str:
    """How it is built, in a word."""
    made = how(case)
    if case.target.endswith(".rs") or made.machine:
        return made.machine or "rust"
    static = "static " if "-static" in made.flags else ""
    stripped = any(flag in _STRIPPED for flag in made.flags)
    return static + ("stripped" if stripped else "" if static else made.flags[1])


def make(case: Case) -> tuple[Path, Path]:
    """(executable, core), made once a run."""
    made = making.make(case, cache_dir())
    assert made.executable is not None
    return made.executable, made.target


def judge(case: Case, report: dict[str, object]) -> Outcome:
    """What differs."""
    return judge_in(case, report, cache_dir())


def triage(core: Path, executable: Path, sessions: Path) -> subprocess.CompletedProcess[str]:
    """``workbench triage --format json``, as a user types it."""
    command = [sys.executable, "-c", "from workbench.cli import main; main()"]
    command += ["triage", str(core), "--exe", str(executable)]
    command += ["--format", "json", "--sessions-dir", str(sessions), "--tier", "offline"]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
