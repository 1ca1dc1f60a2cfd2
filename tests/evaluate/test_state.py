"""The state of a run, whoever wrote it, and a run's folder after an accident."""

import json
from pathlib import Path

import pytest

from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.folder import MIGRATIONS, RunFolder
from workbench.evaluate.records import STATE_VERSION, Capture, Captures

STATES = {
    1: {"version": 1, "created": "2026-11-01", "finished": ["a", "b"], "own": {"kept": 1}},
    2: {"version": 2, "created": "2026-11-01", "done": ["a", "b"], "own": {"kept": 1}},
}
"""What each version wrote, with a word that no version knows."""


def test_every_version_has_its_test() -> None:
    assert set(STATES) == set(range(1, STATE_VERSION + 1))
    assert set(MIGRATIONS) == set(range(1, STATE_VERSION))


@pytest.mark.parametrize("version", STATES)
def test_the_state_of_a_version_is_read_and_nothing_is_lost(tmp_path: Path, version: int) -> None:
    (tmp_path / "state.json").write_text(json.dumps(STATES[version]))
    folder = RunFolder(tmp_path)
    state = folder.state()
    assert (state.version, state.done, state.cost_usd) == (STATE_VERSION, ["a", "b"], 0.0)
    folder.checkpoint(state)
    assert json.loads((tmp_path / "state.json").read_text())["own"] == {"kept": 1}
    assert folder.state() == state


@pytest.mark.parametrize(
    ("text", "said"),
    [('{"version": 99}', "newer workbench"), ("{", "cannot be read"), ("[]", "cannot be read")],
)
def test_a_state_that_is_none_is_said(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(EvaluationError, match=said):
        RunFolder(tmp_path).state()


def test_half_a_transcript_is_done_again_and_an_edited_capture_counts(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    folder.transcripts.mkdir()
    folder.keep(Capture(id="a/b", category="panic"), {"report": {}})
    folder.transcript("half").write_text('{"capture": {"id"')
    assert set(folder.captured()) == {"a/b"}
    folder.write("captures.json", Captures(captures=(Capture(id="a/b", category="trap"),)))
    assert folder.captured()["a/b"].category == "trap"
