"""An error that nobody expected ends the process: it is told in one line, and nothing waits on."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.crashes import build, crash

_SOURCE = "int main(void) { return *(volatile int *)8; }"

_MAIN = """
import importlib
module, name = {place!r}
module = importlib.import_module(module)
owner, _, last = name.rpartition(".")
def broken(*a, **k):
    raise LookupError("broken for a test")
setattr(getattr(module, owner) if owner else module, last, broken)
from workbench.cli import main
main()
"""


@pytest.fixture(scope="module")
def core() -> Path:
    return crash(build(_SOURCE))


@pytest.mark.parametrize(
    "place",
    [
        ("workbench.engine.making", "_open"),
        ("workbench.engine.making", "metadata_of"),
        ("workbench.engine.session", "Session._work"),
        ("workbench.engine.speaking", "Speaking.close"),
    ],
)
def test_it_is_one_line_and_the_process_ends(
    core: Path, tmp_path: Path, place: tuple[str, str]
) -> None:
    args = ["triage", str(core), "--tier", "offline", "--sessions-dir", str(tmp_path)]
    ran = subprocess.run(
        [sys.executable, "-c", _MAIN.format(place=place), *args],
        capture_output=True,
        text=True,
        timeout=60,
        stdin=subprocess.DEVNULL,
    )
    assert ran.returncode == 3
    told = [line for line in ran.stderr.splitlines() if "broken for a test" in line]
    assert len(told) == 1
    assert "fault of the workbench" in told[0]
    assert "Traceback" not in ran.stderr


def test_a_session_of_a_newer_workbench_is_one_line(core: Path, tmp_path: Path) -> None:
    run = [sys.executable, "-m", "workbench", "triage", "--sessions-dir", str(tmp_path)]
    assert subprocess.run(
        [*run, str(core), "--tier", "offline"], capture_output=True, timeout=60
    ).returncode in (0, 1)
    (folder,) = tmp_path.glob("session_*")
    with sqlite3.connect(folder / "evidence.db") as database:
        database.execute("PRAGMA user_version=999")
    database.close()
    ran = subprocess.run([*run, folder.name], capture_output=True, text=True, timeout=30)
    assert ran.returncode == 2
    assert "written by a newer workbench" in ran.stderr
