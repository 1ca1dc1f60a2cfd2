"""The list of sessions fits the terminal that it is printed to."""

from pathlib import Path

import pytest

from workbench.fronts.session_list import as_text, fitting

ROW = {
    "session": "session_20261201_052850_core", "target": "server (core)", "signal": "SIGSEGV",
    "state": "inconclusive", "cause": "use-after-free", "confidence": "0.95", "evidence": "39",
    "size": "944.6 KB", "signature": "connection_send",
}  # fmt: skip
HEADS = {name: name.upper() for name in ROW}


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (None, list(ROW)),
        (200, list(ROW)),
        (100, ["session", "target", "signal", "state", "cause", "confidence"]),
        (93, ["session", "target", "signal", "state", "cause"]),
        (80, ["session", "target", "state", "cause"]),
        (60, ["session", "state", "cause"]),
    ],
)
def test_no_line_is_wider_than_the_terminal(width: int | None, shown: list[str]) -> None:
    lines = fitting([HEADS, ROW], width)
    assert lines[0].split() == [name.upper() for name in shown]
    assert all(width is None or len(line) <= width for line in lines[:2])
    hidden = [name for name in ROW if name not in shown]
    assert sorted(lines[-1].removesuffix(")").partition(": ")[2].split(", ")) == sorted(hidden) or (
        not hidden and len(lines) == 2
    )


def test_what_cannot_be_left_out_stays_however_narrow_it_is() -> None:
    assert fitting([HEADS, ROW], 10)[0].split() == ["SESSION", "STATE", "CAUSE"]


def test_a_folder_without_sessions_is_named(tmp_path: Path) -> None:
    assert str(tmp_path) in as_text([], tmp_path)
