"""Large outputs that no analyzer reads: cut at line ends, read in order, told together."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analyzers.chunks import read_chunks
from tests.logs import test_families as families
from tests.soak import examples
from workbench.model.chunks import BlockingOperation, ThreadState, pieces_of

GDB = """\
Thread 3 (Thread 0x7f3a9b5fc6c0 (LWP 6111)):
#0  __lll_lock_wait (futex=0x4040a0 <drawer>, private=0) at ./nptl/lowlevellock.c:49
Thread 2 (Thread 0x7f3a9bdfd6c0 (LWP 6110)):
#0  __futex_abstimed_wait_common64 (private=0) at ./nptl/futex-internal.c:57
#1  __GI___pthread_cond_wait (cond=0x404100) at pthread_cond_wait.c:503
"""
JAVA = """\
"till-1" #12 prio=5 os_prio=0 tid=0x00007f nid=0x1f03 waiting on condition
   java.lang.Thread.State: WAITING (parking)
\tat jdk.internal.misc.Unsafe.park(java.base@17.0.9/Native Method)
java.lang.IllegalStateException: drawer is open
"""
WINDBG = """\
   3  Id: 1a2c.2b40 Suspend: 0 Teb: 000000c1`f2d6f000 Unfrozen
 # Child-SP          RetAddr               Call Site
00 000000c1`f2d6f8a0 00007ff8`854a1b33     ntdll!NtWaitForSingleObject+0x14
"""


def only(
    text: str,
) -> tuple[tuple[BlockingOperation, ...], tuple[ThreadState, ...], tuple[str, ...]]:
    (chunk,) = read_chunks("E3", [text], 8000).chunks
    said = chunk.analysis
    return said.blocking_operations, said.thread_states, said.exceptions


def test_what_waits_is_told_with_its_thread() -> None:
    assert only(GDB)[0] == (
        BlockingOperation("3", "lll_lock_wait"),
        BlockingOperation("2", "futex_abstimed_wait_common64"),
        BlockingOperation("2", "pthread_cond_wait"),
    )
    waits, states, exceptions = only(JAVA)
    assert waits == (BlockingOperation("till-1", "Unsafe.park"),)
    assert states == (ThreadState("till-1", "WAITING (parking)"),)
    assert exceptions == ("java.lang.IllegalStateException: drawer is open",)
    assert only(WINDBG)[0] == (BlockingOperation("3", "NtWaitForSingleObject"),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (families.RUST, "panicked at"),
        (families.TERMINATE, "terminate called"),
        (families.NODE, "RangeError: no coins"),
        ("Program terminated with signal SIGSEGV, Segmentation fault.\n", "SIGSEGV"),
    ],
)
def test_ends_are_told(text: str, said: str) -> None:
    assert any(said in exception for exception in only(text)[2])


def test_a_piece_goes_on_where_the_one_before_ended() -> None:
    text = "Thread 9 (LWP 4):\n" + "#1  0x1 in f ()\n" * 20 + "#2  0x2 in poll ()\n"
    read = read_chunks("E3", [text], 100)
    assert [chunk.first for chunk in read.chunks[1:]] == [
        chunk.last + 1 for chunk in read.chunks[:-1]
    ]
    assert read.chunks[-1].analysis.blocking_operations == (BlockingOperation("9", "poll"),)
    assert read.chunks[-1].last == 22
    assert "1 waiting calls: poll (1)" in read.overall.summary
    assert read.overall.root_cause is None
    last = read.chunks[-1]
    assert read.findings == (f"Calls that wait: poll [E3:{last.first}-{last.last}]",)


def test_lines_that_an_analyzer_has_read_are_left_out() -> None:
    read = read_chunks("E3", ["a\n" * 100, "b\n" * 100], 20, first=101)
    assert read.chunks[0].first <= 101 <= read.chunks[0].last
    assert read.chunks[-1].last == 200


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.text("ab\n\r\u2028", max_size=30), max_size=12), st.integers(1, 40))
def test_pieces_are_the_text(blocks: list[str], size: int) -> None:
    pieces = list(pieces_of(blocks, size))
    lines = [line for _, piece in pieces for line in piece]
    text = "".join(blocks)
    assert "\n".join(lines) == text.removesuffix("\n")
    at = 1
    for first, piece in pieces:
        assert first == at
        assert piece
        at += len(piece)


@pytest.mark.parametrize(
    "piece", ["Exception ", "a.", "Thread ", '"', "wait", "A:", "Error: x ", "\n"]
)
def test_hostile_text_costs_little(piece: str) -> None:
    begun = time.process_time()
    read = read_chunks("E3", [piece * (1_000_000 // len(piece))], 8000)
    assert time.process_time() - begun < 4
    assert len(read.chunks) <= 2_000
    assert len(read.findings) <= 20


def test_the_same_text_says_the_same() -> None:
    lines = (GDB + JAVA + WINDBG).split("\n") * 50
    random.Random(3).shuffle(lines)
    text = "\n".join(lines)
    assert read_chunks("E3", [text], 500) == read_chunks("E3", [text], 500)


def test_all_of_a_huge_text_is_read_though_not_every_piece_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("analyzers.chunks._MOST_CHUNKS", 3)
    blocks = ("idle\n" * 20 for _ in range(50))
    read = read_chunks("E3", [*blocks, "Till.JammedException: slot 77\n"], 100)
    assert [chunk.first for chunk in read.chunks] == [1, 21, 41, 1001]
    assert read.findings == ("Till.JammedException: slot 77 [E3:1001]",)
    assert "51 pieces; exceptions: Till.JammedException: slot 77; 4 of them" in read.overall.summary
