"""A disk that breaks under a dump: bytes are missing, and that is told once."""

from pathlib import Path

import pytest

from workbench.targets.files import FileBytes, take_failures


@pytest.mark.parametrize("keep", [True, False])
def test_what_cannot_be_read_is_missing_and_told(keep: bool) -> None:
    take_failures()
    # Nothing is mapped at address 0: reading there is the kernel's EIO.
    memory = FileBytes(Path("/proc/self/mem"), keep=keep)
    memory.size = 4096
    assert memory[0:100] == b""
    assert take_failures() == {Path("/proc/self/mem"): "Input/output error"}
    assert take_failures() == {}
    memory.close()


def test_a_library_that_was_deleted_is_no_broken_disk(tmp_path: Path) -> None:
    take_failures()
    (tmp_path / "library").write_bytes(bytes(100))
    library = FileBytes(tmp_path / "library")
    (tmp_path / "library").unlink()
    assert library[0:10] == b""
    assert take_failures() == {}
