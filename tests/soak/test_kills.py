"""The short form of `make soak`'s kills."""

from pathlib import Path

from tests.soak.kills import kill_and_resume


def test_killed_runs_end_as_if_they_had_not_been(tmp_path: Path) -> None:
    assert kill_and_resume(seed=7, kills=6, scratch=tmp_path) >= 1
