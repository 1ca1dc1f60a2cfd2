"""Heaps of glibc versions that are not here, built by hand after malloc/malloc.c."""

import struct

import pytest

from tests.targets.probes.hostile import RandomCore
from workbench.targets.probes.heap import probe

BASE = 0x800000
SIZE = 0x8000


class BuiltHeap(RandomCore):
    """A core whose heap region holds what the test lays down."""

    def __init__(self, words: dict[int, int]) -> None:
        super().__init__(0)
        data = bytearray(SIZE)
        for offset, value in words.items():
            struct.pack_into("<Q", data, offset, value)
        self._blocks[BASE] = bytes(data)
        self.threads = ()


def heap_of(tcache: int, entries: int, links: list[tuple[int, int]]) -> BuiltHeap:
    """A heap with a tcache of the given chunk size, four chunks of 0x30 and a top; ``entries`` is
    where the list of size 0x30 begins, ``links`` are (chunk number, stored link)."""
    words = {8: tcache | 1}
    first = tcache
    for index in range(4):
        words[first + 0x30 * index + 8] = 0x31
    top = first + 0x30 * 4
    words[top + 8] = (SIZE - top) | 1
    words[entries] = BASE + first + 0x10
    for index, link in links:
        words[first + 0x30 * index + 0x10] = link
    return BuiltHeap(words)


def where(tcache: int, index: int) -> int:
    return BASE + tcache + 0x30 * index + 0x10


@pytest.mark.parametrize(
    ("tcache", "counts", "hidden"),
    [(0x250, 64, False), (0x290, 128, False), (0x290, 128, True), (0x300, 152, True)],
    ids=["2.26", "2.30", "2.32", "2.42"],
)
def test_tcache_of_every_version(tcache: int, counts: int, hidden: bool) -> None:
    def link(index: int, goal: int) -> int:
        return (where(tcache, index) >> 12) ^ goal if hidden else goal

    links = [(0, link(0, where(tcache, 2))), (2, link(2, 0))]
    core = heap_of(tcache, 0x10 + counts + 8, links)
    text = probe(core, [f"{where(tcache, index):#x}" for index in range(4)])
    assert "6 chunks, 3 in use, 2 free in tcache" in text
    assert "is consistent up to its top" in text
    assert ("plain pointers" in text) is not hidden
    assert "list fault" not in text


@pytest.mark.parametrize("kept", [False, True])
def test_a_link_that_a_block_in_use_kept_is_laid_at_no_freed_ones_door(
    kept: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was read through the link of a block that has been given out again was never set."""
    link = (where(0x290, 0) >> 12) ^ where(0x290, 2)
    stale = [(1, (where(0x290, 1) >> 12) ^ where(0x290, 3))] if kept else []
    core = heap_of(0x290, 0x98, [(0, link), (2, where(0x290, 2) >> 12), *stale])
    region, value = core.region, link + 0x40  # in no mapping, as links of high addresses are
    monkeypatch.setattr(core, "region", lambda at: region(at) if at != value else None)
    text = probe(core, [f"{value:#x}"])
    assert (f"where {link:#x} is stored" in text) is not kept


def test_list_that_comes_back_is_a_double_free() -> None:
    tcache = 0x290
    position = where(tcache, 0)
    core = heap_of(tcache, 0x10 + 128 + 8, [(0, (position >> 12) ^ position)])
    assert f"comes back to {position:#x}: freed twice" in probe(core, [])


def test_link_that_was_written_after_the_free() -> None:
    tcache = 0x290
    core = heap_of(tcache, 0x10 + 128 + 8, [(0, 0x4141414141414141)])
    text = probe(core, [])
    assert f"the link in the freed chunk {where(tcache, 0) - 16:#x}" in text
    assert "written to after it was freed" in text
