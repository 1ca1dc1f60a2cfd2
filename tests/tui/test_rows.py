"""Long lines are wrapped between words: no number is cut where a space stands near."""

import pytest

from workbench.tui.panes.lines import Rows


@pytest.mark.parametrize(
    ("line", "room", "rows"),
    [
        ("short", 10, ["short"]),
        ("value 0x5a5a5a5a here", 14, ["value ", "0x5a5a5a5a ", "here"]),
        ("x" * 25, 10, ["x" * 10, "x" * 10, "x" * 5]),
        ("ab " + "0" * 20, 10, ["ab 0000000", "0" * 10, "000"]),
        ("one two three four", 9, ["one two ", "three ", "four"]),
    ],
)
def test_rows_of_a_line(line: str, room: int, rows: list[str]) -> None:
    laid = Rows([line, "next"], room)
    assert laid.height == len(rows) + 1
    assert laid.of(2) == (len(rows), 1)
    spans = [laid.span(0, part) for part in range(len(rows))]
    assert [line[start : start + cells] for start, cells in spans] == rows
    assert all(laid.index_at(row) == 0 for row in range(len(rows)))
