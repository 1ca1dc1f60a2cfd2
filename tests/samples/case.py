"""The programs that ship to be crashed, and what an investigation of each must find."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.crashes import cache_dir, made_once
from tests.forking import workbench
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
    made = making.make(case, cache_dir(), allow_build=True)
    assert made.executable is not None
    return made.executable, made.target


def judge(case: Case, report: dict[str, object]) -> Outcome:
    """What differs."""
    return judge_in(case, report, cache_dir())


def triage(
    core: Path,
    executable: Path,
    sessions: Path,
    *more: object,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """``workbench triage --format json``, as a user types it."""
    options = ("--format", "json", "--sessions-dir", sessions, "--tier", "offline", *more)
    return workbench("triage", core, "--exe", executable, *options, env=env)


def triaged(case: Case) -> subprocess.CompletedProcess[str]:
    """Its triage with gdb, made once a run."""
    executable, core = make(case)
    with made_once("triage", case.id) as (folder, fresh):
        kept = folder / "done.json"
        if fresh:
            done = triage(core, executable, folder)
            kept.write_text(json.dumps([done.args, done.returncode, done.stdout, done.stderr]))
    return subprocess.CompletedProcess(*json.loads(kept.read_text()))
