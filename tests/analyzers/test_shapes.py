"""Shapes of our own probes' lines: what a hole takes, and what a line has to be."""

import pytest

from analyzers.base import Document
from analyzers.dump.shapes import Said, below, read

SHAPES = {
    "at": "at {address:x}[ of [thread {thread:n}|nobody]]: {text}",
    "at more": "  {kind:a|b} {offset:-x}{}",
}


@pytest.mark.parametrize(
    ("line", "fields"),
    [
        ("at 0x10: x y", {"address": 16, "thread": None, "text": "x y"}),
        ("at 0x10 of thread 7: x", {"address": 16, "thread": 7, "text": "x"}),
        ("at 0x10 of nobody: x", {"address": 16, "thread": None, "text": "x"}),
        ("  b -0x2 rest", {"kind": "b", "offset": -2}),
        ("at 16: x", None),
        ("at 0x10: ", None),
        ("at 0x10 of thread -7: x", None),
        ("  c 0x2", None),
        ("at 0x" + "f" * 17 + ": x", None),
    ],
)
def test_lines(line: str, fields: dict[str, object] | None) -> None:
    said = [item.fields for item in read(Document("E1", "@x", "dump", line), SHAPES)]
    assert said == ([fields] if fields is not None else [])


def test_lines_below_belong_to_it_once_each() -> None:
    text = "at 0x1: x\n  a 0x2\n  b 0x3\nat 0x4: y\n  a 0x5"
    said: list[Said] = list(read(Document("E1", "@x", "dump", text), SHAPES))
    parts = frozenset({"at more"})
    assert below(said, said[0], parts, 9) == ({"kind": "a", "offset": 2}, 2)
    assert below(said, said[3], parts, 9) == ({"kind": "a", "offset": 5}, 5)
    assert below(said, said[0], parts, 0) == ({}, 1)
