"""The short form of `make soak`'s kills: eight, half of them of the screen."""

from pathlib import Path

from tests.soak.kills import kill_and_resume, kill_screens


def test_killed_runs_end_as_if_they_had_not_been(tmp_path: Path) -> None:
    assert kill_and_resume(seed=7, kills=4, scratch=tmp_path) >= 1


def test_what_panes_showed_before_a_kill_is_there_after_it(tmp_path: Path) -> None:
    assert kill_screens(seed=3, kills=4, scratch=tmp_path) > 0
