"""A fault of the workbench itself is one line and the end: nothing keeps the process."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.forking import workbench

FAULTY = """
import importlib, sys
def broken(*_, **__):
    raise NameError("a fault")
owner = importlib.import_module("workbench.{module}")
*path, last = "{name}".split(".")
for part in path:
    owner = getattr(owner, part)
setattr(owner, last, broken)
from workbench.fronts.cli import main
sys.argv = ["workbench", *sys.argv[1:]]
main()
"""


def told(module: str, name: str, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-c", FAULTY.format(module=module, name=name), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("fronts.headless", "show_progress"),
        ("fronts.headless", "on_signals"),
        ("fronts.headless", "_run"),
        ("engine.making", "open_reader"),
        ("engine.making", "metadata_of"),
        ("engine.session", "Session._work"),
        ("engine.speaking", "Speaking.close"),
    ],
)
def test_a_triage_ends(
    module: str, name: str, null_core: tuple[Path, Path], tmp_path: Path
) -> None:
    words = [str(null_core[1]), "--tier", "offline", "--sessions-dir", str(tmp_path)]
    status, said = told(module, name, "triage", *words)
    assert status == 3
    assert said.splitlines()[-1].startswith("workbench: NameError: a fault")
    assert "Traceback" not in said


def test_a_question_ends(null_core: tuple[Path, Path], tmp_path: Path) -> None:
    sessions = ["--tier", "offline", "--sessions-dir", str(tmp_path)]
    workbench("triage", null_core[1], *sessions).check_returncode()
    id = next(tmp_path.glob("session_*")).name
    status, said = told("fronts.asking", "show_steps", "ask", id, "which thread?", *sessions)
    assert status == 3
    assert said.splitlines()[-1].startswith("workbench: NameError: a fault")


def test_a_session_of_a_newer_workbench_is_left_alone(
    null_core: tuple[Path, Path], tmp_path: Path
) -> None:
    run = ("triage", "--sessions-dir", tmp_path)
    workbench(*run, null_core[1], "--tier", "offline").check_returncode()
    folder = next(tmp_path.glob("session_*"))
    with closing(sqlite3.connect(folder / "evidence.db")) as database:
        database.execute("PRAGMA user_version=999")
    done = workbench(*run, folder.name)
    assert done.returncode == 2
    assert "written by a newer workbench" in done.stderr
