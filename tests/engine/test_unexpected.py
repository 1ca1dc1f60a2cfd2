"""A fault of the workbench itself is one line and the end: nothing keeps the process."""

import subprocess
import sys
from pathlib import Path

import pytest

FAULTY = """
import sys
from workbench import {module}
def broken(*_):
    raise NameError("a fault")
{module}.{name} = broken
from workbench.cli import main
sys.argv = ["workbench", *sys.argv[1:]]
main()
"""


def told(module: str, name: str, *words: str) -> tuple[int, str]:
    command = [sys.executable, "-c", FAULTY.format(module=module, name=name), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stderr


@pytest.mark.parametrize("name", ["show_progress", "_prepare_meanwhile", "_run"])
def test_a_triage_ends(name: str, null_core: tuple[Path, Path], tmp_path: Path) -> None:
    words = [str(null_core[1]), "--tier", "offline", "--sessions-dir", str(tmp_path)]
    status, said = told("headless", name, "triage", *words)
    assert status == 3
    assert said.splitlines()[-1].startswith("workbench: NameError: a fault")


def test_a_question_ends(null_core: tuple[Path, Path], tmp_path: Path) -> None:
    sessions = ["--tier", "offline", "--sessions-dir", str(tmp_path)]
    triage = [sys.executable, "-m", "workbench", "triage", str(null_core[1]), *sessions]
    subprocess.run(triage, capture_output=True, check=True)
    id = next(tmp_path.glob("session_*")).name
    status, said = told("asking", "show_steps", "ask", id, "which thread?", *sessions)
    assert status == 3
    assert said.splitlines()[-1].startswith("workbench: NameError: a fault")
