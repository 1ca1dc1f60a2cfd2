"""The command that goes on with a session is one that the caller's shell finds."""

import sys
from pathlib import Path

import pytest

from workbench.engine.outcome import resume_hint
from workbench.model.investigation import Investigation


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installed command that is not on the path."""
    found = tmp_path / "the bin" / "workbench"
    found.parent.mkdir()
    found.write_text("#!/bin/sh\n", encoding="utf-8")
    found.chmod(0o755)
    monkeypatch.setenv("PATH", "/nonexistent")
    return found


def _hint(monkeypatch: pytest.MonkeyPatch, called: str) -> str:
    monkeypatch.setattr(sys, "argv", [called])
    return resume_hint(Investigation(session_id="session_1"))


def test_as_it_was_called(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _hint(monkeypatch, str(program)) == f"'{program}' sessions resume session_1"
    monkeypatch.chdir(program.parent.parent)
    assert _hint(monkeypatch, "the bin/workbench").startswith("'the bin/workbench' sessions")


def test_by_its_name_where_the_path_leads_to_it(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(program.parent))
    assert _hint(monkeypatch, str(program)) == "workbench sessions resume session_1"


def test_as_a_module(monkeypatch: pytest.MonkeyPatch) -> None:
    said = _hint(monkeypatch, "/srv/workbench/__main__.py")
    assert said == f"{sys.executable} -m workbench sessions resume session_1"


@pytest.mark.parametrize("called", ["", "pytest", "/nonexistent/workbench"])
def test_by_its_name_where_nothing_else_is_known(
    monkeypatch: pytest.MonkeyPatch, called: str
) -> None:
    assert _hint(monkeypatch, called) == "workbench sessions resume session_1"
