"""The state of a run, whoever wrote it, and a run's folder after an accident."""

import json
from pathlib import Path

import pytest

from workbench.evaluate import stages
from workbench.evaluate.errors import EvaluationError
from workbench.evaluate.folder import MIGRATIONS, RunFolder
from workbench.evaluate.records import (
    STATE_VERSION,
    Analysis,
    Capture,
    Captures,
    Estimate,
    Results,
    Scenarios,
)

STATES = {
    1: {"version": 1, "created": "2026-11-01", "finished": ["a", "b"], "own": {"kept": 1}},
    2: {"version": 2, "created": "2026-11-01", "done": ["a", "b"], "own": {"kept": 1}},
    3: {"version": 3, "created": "2026-11-01", "done": ["a", "b"], "own": {"kept": 1}},
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


def test_a_new_component_is_added_with_its_cases_and_one_taken_out_stays_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also the folder of a version that did not write which components it knew: there nothing can
    be told to be new."""
    folder, said, now = RunFolder(tmp_path), list[str](), stages.find_components()
    wanted = stages.Wanted(corpora=("templates",), say=said.append)
    out, new = "policy/cdb", "policy/gdb"

    def has(*without: str) -> Analysis:
        return Analysis(components=tuple(c for c in now.components if c.name not in without))

    def made() -> set[str]:
        return {case.component for case in stages.generate(folder, wanted).cases}

    monkeypatch.setattr(stages, "find_components", lambda: has(new))
    assert out in made()
    folder.write("analysis.json", has(out, new))
    folder.write("scenarios.json", Scenarios())
    assert not made()
    monkeypatch.setattr(stages, "find_components", has)
    assert made() == {new}
    assert said == [f"1 new component: {new}"]
    assert made() == {new}
    assert out not in {one.name for one in stages.analyze(folder, wanted).components}
    (tmp_path / "state.json").write_text(json.dumps(STATES[2]))
    assert out not in {one.name for one in stages.analyze(folder, wanted).components}


def test_other_code_answers_anew(tmp_path: Path) -> None:
    (tmp_path / "expert.py").write_text("likely = 1\n")
    (tmp_path / "expert.pyc").write_text("1")
    before = stages.code_of(tmp_path)
    (tmp_path / "expert.pyc").write_text("2")
    assert stages.code_of(tmp_path) == before
    (tmp_path / "expert.py").write_text("likely = 2\n")
    assert stages.code_of(tmp_path) != before


def test_a_capture_of_other_code_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, said = RunFolder(tmp_path), list[str]()
    folder.transcripts.mkdir()
    wanted = stages.Wanted(corpora=("templates",), component="policy/cdb", say=said.append)
    found = stages.execute(folder, wanted, lambda *_: None)
    stages.execute(folder, wanted, lambda *_: None)
    assert not said
    monkeypatch.setattr(stages, "code_of", lambda *_: "another")
    stages.execute(folder, wanted, lambda *_: None)
    assert said == [f"{len(found)} cases to do again: the case, its target or the workbench is "
                    "another one"]  # fmt: skip


def test_what_an_older_version_judged_is_read(tmp_path: Path) -> None:
    """A part was as expected or not, what was not told stood apart, figures had no interval."""
    folder = RunFolder(tmp_path)
    old = {"id": "a", "parts": {"frame": True, "os": False}, "untold": ["cpu"]}
    (tmp_path / "captures.json").write_text(json.dumps({"captures": [old]}))
    assert folder.captured()["a"].parts == {"cpu": "open", "frame": "right", "os": "wrong"}
    told = {"version": "0.1", "created": "", "groups": {}, "calibrationError": 0.2,
            "conflicts": {"high": 2}, "speed": {"ratio": 1.5}, "cases": [
        {"id": "a", "verdict": "right", "parts": {"frame": True}}]}  # fmt: skip
    (tmp_path / "results.json").write_text(json.dumps(told))
    found = folder.read("results.json", Results)
    assert found is not None
    assert found.cases[0].parts == {"frame": "right"}
    assert found.calibration_error == Estimate(value=0.2)
    assert (found.conflicts["high"].hits, found.speed["ratio"].value) == (2, 1.5)


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
