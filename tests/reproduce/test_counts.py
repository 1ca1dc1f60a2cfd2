"""What the changes of a number come to: of a count of holders, of a counter, of a list's links."""

import itertools
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest
from msgspec.structs import replace

import workbench.reproduce
from workbench.model.facts import Frame
from workbench.reproduce.hits import without_counting
from workbench.reproduce.locks import holding, may_wait
from workbench.reproduce.loops import made_ring
from workbench.reproduce.owners import released_once
from workbench.reproduce.references import one_too_many
from workbench.reproduce.slices import Place, signed_at
from workbench.reproduce.stores import is_bitwise
from workbench.reproduce.wire import Cell, Hit, Outcome

_STACK = {"main": 0x9000, "push": 0x8F00, "hold": 0x8E00, "work": 0x8D00, "count": 0x8000}


def _frames(*names: str) -> tuple[Frame, ...]:
    return tuple(
        Frame(index=index, function=name, module="till", file="till.c", line=7,
              stack_pointer=_STACK[name])
        for index, name in enumerate(names)
    )  # fmt: skip


def _hit(order: int, old: int, new: int, *callers: str) -> Hit:
    return Hit(order=order, watch="K", kind="write", nth=order, thread=1, old=old, new=new,
               frames=_frames("count", *callers))  # fmt: skip


def test_who_released_without_having_taken_is_told() -> None:
    hits = [
        _hit(1, 0, 1, "main"),
        _hit(2, 1, 2, "hold", "main"),
        _hit(3, 2, 1, "work", "main"),
        _hit(4, 1, 0, "hold", "main"),
    ]
    assert one_too_many(hits, _frames("main")) == [hits[2]]


def test_a_reference_that_was_handed_over_is_none_too_many() -> None:
    """What was pushed on a queue is released by who takes it from there."""
    hits = [
        _hit(1, 0, 1, "main"),
        _hit(2, 1, 2, "push", "main"),
        _hit(3, 2, 1, "work", "main"),
        _hit(4, 1, 0, "main"),
    ]
    assert one_too_many(hits, _frames("main")) == []


def test_of_a_last_release_by_who_had_not_taken_each_may_be_one_too_many() -> None:
    """Who took may have handed over its own, or somebody may have kept what it had not taken."""
    hits = [
        _hit(1, 0, 1, "main"),
        _hit(2, 1, 2, "push", "main"),
        _hit(3, 2, 1, "main"),
        _hit(4, 1, 0, "work", "main"),
    ]
    assert len(one_too_many(hits, _frames("main"))) > 1
    hits[2:] = [_hit(3, 2, 1, "work", "main"), _hit(4, 1, 0, "hold", "main")]
    assert len(one_too_many(hits, _frames("main"))) > 1


@pytest.mark.parametrize(
    ("values", "kept"),
    [
        ((2, 1, 0, 255, 254), 3),  # it fell below zero, and went on
        ((126, 127, 128, 129), 3),  # half of what a byte holds is no end of an unsigned one
        ((0, 9, 10), 2),
    ],
)
def test_a_counter_is_followed_to_where_it_fell_below_zero(
    values: tuple[int, ...], kept: int
) -> None:
    steps = itertools.pairwise(values)
    hits = [_hit(order, old, new, "main") for order, (old, new) in enumerate(steps, 1)]
    assert len(without_counting(hits, Cell("C1", 0x5000, 1))) == kept


@pytest.mark.parametrize(
    ("writes", "closing"),
    [
        ([(0x18, 0, 0x20), (0x28, 0, 0x30), (0x38, 0, 0x10)], [2]),  # none before its last link
        ([(0x18, 0, 0x10), (0x18, 0x10, 0x30), (0x38, 0, 0x10)], [0, 2]),  # opened in between
        ([(0x18, 0, 0x10), (0x38, 0, 0x10), (0x18, 0x10, 0x30)], [0]),  # it stayed a ring
        ([(0x28, 0x30, 0x30)], []),  # by its initial values
    ],
)  # fmt: skip
def test_a_list_that_is_meant_to_be_a_ring_has_no_line_that_made_it_one(
    writes: list[tuple[int, int, int]], closing: list[int]
) -> None:
    links = [Place(0x18, 8, 0x20, 0), Place(0x28, 8, 0x30, 0), Place(0x38, 8, 0x10, 0)]
    hits = [
        replace(_hit(order, old, new, "main"), address=cell)
        for order, (cell, old, new) in enumerate(writes, 1)
    ]
    assert made_ring(links, hits) == [hits[number] for number in closing]


@pytest.mark.parametrize(
    ("inner", "bitwise"),
    [
        (["__memmove_avx", "core::ptr::copy<T>"], True),
        (["core::ptr::const_ptr::{impl#0}::read<T>"], True),
        (["__memcpy_avx", "core::ptr::copy<T>", "alloc::vec::Vec<T, A>::remove<T>"], False),
        (["core::ptr::read<T>", "core::mem::replace<T>"], False),
        (["__memcpy_avx", "core::ptr::swap<T>"], False),
    ],
)
def test_what_rusts_library_moves_is_not_copied_by_the_program(
    inner: list[str], bitwise: bool
) -> None:
    """Of frames that the library was asked by, the program's own last."""
    library = [Frame(index=at, function=name, file="/rustc/1/library/core/src/ptr/mod.rs")
               for at, name in enumerate(inner)]  # fmt: skip
    frames = (*library, *_frames("push", "main"))
    assert is_bitwise(replace(_hit(1, 0, 1), frames=frames)) is bitwise


def test_a_value_of_which_no_step_is_known_has_lost_no_sign() -> None:
    assert signed_at([]) is None


def test_who_gives_back_what_another_asked_for_before_had_it_first() -> None:
    """Threads are seen when they ask for a lock, not when they have it."""
    asked, had, back = (
        Hit(order=order, watch="lock", kind=kind, nth=order, thread=thread, frames=(), address=64)
        for order, (kind, thread) in enumerate([("lock", 1), ("lock", 2), ("unlock", 2)])
    )
    assert holding([asked, had, back])[0] == {64: asked}
    assert holding([asked, had])[0] == {64: asked}


@pytest.mark.parametrize(
    ("calls", "later", "waits"),
    [
        ({0x4FFB}, (2,), True),
        ({0x4FFB}, (2, 1), False),  # it went on to ask for another
        ({0x4FE0}, (2,), False),  # nobody waits there
        ({0x4FFB}, (), False),  # nobody else asked
    ],
)
def test_who_was_not_seen_to_go_on_may_wait_for_what_it_asked_for_first(
    calls: set[int], later: tuple[int, ...], waits: bool
) -> None:
    frames = (replace(_frames("work")[0], address=0x5000),)
    asked = [replace(_hit(order, 0, 0), kind="lock", frames=frames, thread=thread, address=one)
             for order, (thread, one) in enumerate(zip((1, *later), (8, 8, 9), strict=False))
             ]  # fmt: skip
    assert may_wait(asked[0], asked, calls) is waits


def test_what_was_seen_before_what_is_bound_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often the same is hit behind it."""
    gdb = ModuleType("gdb")
    gdb.__getattr__ = lambda name: object if name == "Breakpoint" else 0  # type: ignore[method-assign]
    gdb.selected_thread = lambda: None  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "gdb", gdb)
    monkeypatch.syspath_prepend(str(Path(workbench.reproduce.__file__).parent))
    for name in [one for one in sys.modules if one.split(".")[0] == "inside"]:
        monkeypatch.delitem(sys.modules, name)
    inside: Any = __import__("inside.hits").hits
    looks = ["frames", "untyped", "copying", "deleting", "owning", "passing"]
    given = {name: lambda *_, **__: [] for name in looks}
    given |= {"registers": lambda: {"rsp": 0}, "stack_bytes": lambda _: b""}
    with patch.multiple(inside, **given):
        events = inside.Events({}, {"B": 1})
        for number in range(300):
            events.add("C1", "write", snapshot=True)
            if number == 60:
                events.add("B", "write", snapshot=True)
    kept = [row["nth"] for row in events.ordered() if row["watch"] == "C1"]
    assert {60, 61, 300} <= set(kept)
    assert len(kept) < 100
    for name in [one for one in sys.modules if one.split(".")[0] == "inside"]:
        monkeypatch.delitem(sys.modules, name)


def test_a_block_that_its_threads_cache_gives_back_was_released_once() -> None:
    own, library = _frames("count"), replace(_frames("main")[0], module="libc.so.6", file=None)
    freed = Hit(order=1, watch="block", kind="free", nth=1, thread=2, address=64, frames=own)
    flushed = replace(freed, order=2, nth=2, frames=(library,))
    given = replace(freed, order=3, nth=3, kind="alloc")
    again = replace(freed, order=4, nth=4)
    twice = replace(again, order=5, nth=5)
    events = (freed, flushed, given, again, twice)
    assert released_once(Outcome(events=events)) == (freed, given, again, twice)
