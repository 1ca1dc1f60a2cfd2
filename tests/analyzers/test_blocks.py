"""The engine of tables and records: what ends one, what its lines say, how digits are read."""

import re
from typing import Any

import pytest

from analyzers.blocks import CUT, Form, fields, read_blocks

HEAD = re.compile(r"^heap (?P<x_heap>[0-9a-f`]+)$")
ROW = re.compile(r"^(?P<x_size>[0-9a-f]+) (?P<d_count>[\d,]+)$")
MORE = re.compile(r"^  free (?P<d_free>\d+)$")
TOTAL = re.compile(r"^total (?P<d_total>\d+)$")
FORM = Form((HEAD,), (TOTAL,), (ROW,), (MORE,), end=re.compile(r"^bye"))
TEXT = "heap 1`00000000\n10 1,024\n  free 7\n  free 9\n20 3\nnoise\ntotal 4\ntotal 5\n30 1"


def test_a_group_names_a_field_and_how_it_is_read() -> None:
    match = re.match(
        r"(?P<x_at>\w+) (?P<d_n>[\d,]+)(?P<name> \w+ )?(?:(?P<a>!)|(?P<a_>\?))", "1f 2,048?"
    )
    assert match is not None
    assert fields(match) == {"at": 0x1F, "n": 2048, "name": None, "a": "?"}


@pytest.mark.parametrize(
    ("changes", "ending", "rows"),
    [
        ({}, "", [0x10, 0x20, 0x30]),
        ({}, f"\n{CUT}\n40 1", [0x10, 0x20, 0x30]),
        ({}, "\nbye\n40 1", [0x10, 0x20, 0x30]),
        ({"last": TOTAL}, "", [0x10, 0x20]),
        ({"strict": True}, "", [0x10, 0x20]),
        ({"most": 1}, "", [0x10]),
    ],
)
def test_what_ends_one(changes: dict[str, Any], ending: str, rows: list[int]) -> None:
    lines = list(enumerate((TEXT + ending).split("\n"), 1))
    (block,) = read_blocks(FORM._replace(**changes), lines)
    assert [row["size"] for row in block.rows] == rows
    assert block.values["heap"] == 1 << 32
    assert block.rows[0] == {"size": 16, "count": 1024, "line": 2, "free": 7, "free_line": 3}


def test_of_a_field_the_last_line_counts_and_a_head_begins_anew() -> None:
    lines = list(enumerate(f"total 9\n{TEXT}\nheap 2".split("\n"), 1))
    first, second = read_blocks(FORM, lines)
    assert (first.values["total"], first.where["total"], first.last) == (5, 9, 10)
    assert (second.first, second.rows, "total" in second.values) == (11, [], False)
