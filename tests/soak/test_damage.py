"""The short form of `make soak`'s damaged cores."""

from pathlib import Path

from tests.soak.damage import damage_and_ask, damage_and_triage


def test_damaged_cores_end_in_order(tmp_path: Path) -> None:
    seen = damage_and_triage(seed=11, rounds=4, scratch=tmp_path)
    assert sum(seen.values()) == 4


def test_damaged_cores_answer_every_probe(tmp_path: Path) -> None:
    assert damage_and_ask(seed=7, rounds=12, scratch=tmp_path)
