"""Files that are there whole or as they were, whatever lies beside them."""

import os
from pathlib import Path

import pytest

from workbench.store.replacing import replace_file, replacing


def test_a_link_under_its_passing_name_is_not_written_through(tmp_path: Path) -> None:
    mine, path = tmp_path / "mine", tmp_path / "report.md"
    mine.write_text("kept")
    for name in ("report.md.tmp", "report.md.part", f".report.md.{os.getpid()}.tmp"):
        (tmp_path / name).symlink_to(mine)
    replace_file(path, "told")
    assert (path.read_text(), path.is_symlink(), mine.read_text()) == ("told", False, "kept")
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_not_finished_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("before")

    def fill() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        fill()
    assert path.read_text() == "before"
    assert [one.name for one in tmp_path.iterdir()] == ["report.md"]
