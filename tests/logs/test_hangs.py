"""Hangs that a log shows: what stacks alone can say, and what a signal alone cannot."""

from pathlib import Path

import pytest

from tests.logs.reading import read_text
from workbench.agents import experts
from workbench.model.category import Category as C
from workbench.model.hypothesis import Status

HANGS = """\
Program terminated with signal SIGABRT, Aborted.
#0  0x00007f0000001111 in __futex_wait (word=0x1) at futex.c:57
Thread 2 (Thread 0x7f0000022222 (LWP 41)):
#0  futex_wait (futex_word=0x55d0c0de4120 <stock>) at futex.h:146
#1  0x00007f0000002222 in ___pthread_mutex_lock (mutex=0x55d0c0de4120 <stock>) at lock.c:93
#2  0x000055d0c0de1200 in place_order () at till.c:7
Thread 1 (Thread 0x7f0000011111 (LWP 40)):
#0  futex_wait (futex_word=0x55d0c0de40e0 <orders>) at futex.h:146
#1  0x00007f0000002222 in ___pthread_mutex_lock (mutex=0x55d0c0de40e0 <orders>) at lock.c:93
#2  0x000055d0c0de1300 in restock () at till.c:8
"""
GO = """\
fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
main.main()
\t/home/ann/till/main.go:12 +0x2d

goroutine 6 [select (no cases)]:
main.idle()
\t/home/ann/till/main.go:20 +0x17
"""


WAITS = [
    "Deadlock in `place_order` at `till.c:7`.",
    "Thread 41 waits for the lock at 0x55d0c0de4120 (`stock`).",
    "Thread 40 waits for the lock at 0x55d0c0de40e0 (`orders`).",
    "Frame 2 of thread 41 is `place_order` at `till.c:7`.",
    "Frame 2 of thread 40 is `restock` at `till.c:8`.",
]


def test_a_signal_alone_proves_no_abort_and_locks_on_stacks_stay_open(tmp_path: Path) -> None:
    read = read_text(tmp_path, HANGS)
    assert read.category is None
    verdict = experts.verdict(C.DEADLOCK, read.facts)
    assert verdict.status is Status.INCONCLUSIVE
    assert [claim.text for claim in verdict.claims] == WAITS
    assert "owner" in verdict.missing[0]


def test_goroutines_that_all_sleep_are_not_said_to_hold_locks(tmp_path: Path) -> None:
    read = read_text(tmp_path, GO)
    assert read.category is C.DEADLOCK
    assert "lock at" not in read.cause
    assert read.cause.startswith("Every goroutine waits")
    assert read.verdict is not None
    assert [claim.text for claim in read.verdict.claims[1:]] == [
        'Go reports "fatal error: all goroutines are asleep - deadlock!".',
        'A goroutine waits: "goroutine 1 [chan receive]"',
        "Frame 0 is `main.main` at `main.go:12`.",
        'A goroutine waits: "goroutine 6 [select (no cases)]"',
        "Frame 0 is `main.idle` at `main.go:20`.",
    ]
    assert "channel" in read.verdict.recommendations[0]
    proposed, _ = experts.proposals(read.facts, set())
    assert not any("lock" in one.statement for one in proposed if one.category is C.DEADLOCK)


def _mutex(number: int, owner: int, lock: int = 2) -> str:
    return f"${number} = {{__data = {{__lock = {lock}, __owner = {owner}, __kind = 0}}}}\n"


def test_printed_mutexes_that_the_log_names_close_the_ring(tmp_path: Path) -> None:
    asked = "(gdb) p stock\n" + _mutex(1, 40) + "(gdb) p orders._M_mutex\n" + _mutex(2, 41)
    read = read_text(tmp_path, "(gdb) thread apply all bt\n" + HANGS + asked)
    assert read.category is C.DEADLOCK
    assert read.verdict is not None
    assert [claim.text for claim in read.verdict.claims[:-2]] == WAITS
    assert [(c.kind, c.get("name"), c.get("owner")) for c in read.verdict.claims[-2:]] == [
        ("owns", "stock", 40),
        ("owns", "orders", 41),
    ]


def test_a_lock_that_its_own_waiter_holds(tmp_path: Path) -> None:
    asked = "(gdb) p *(pthread_mutex_t *) 0x55d0c0de4120\n" + _mutex(1, 41, lock=1)
    read = read_text(tmp_path, "(gdb) thread apply all bt\n" + HANGS + asked)
    assert read.category is C.DEADLOCK
    assert read.verdict is not None
    assert read.verdict.claims[1].get("thread") == read.verdict.claims[-1].get("owner") == 41


@pytest.mark.parametrize(
    "printed",
    [
        _mutex(1, 40) + _mutex(2, 41),  # which is whose
        _mutex(1, 40),
        _mutex(1, 0) + _mutex(2, 0),
    ],
)
def test_owners_that_decide_nothing_leave_it_open(tmp_path: Path, printed: str) -> None:
    read = read_text(tmp_path, HANGS + printed)
    assert read.category is None
    assert experts.verdict(C.DEADLOCK, read.facts).status is Status.INCONCLUSIVE


FAULT = """\
Fatal Python error: Segmentation fault

Current thread 0x00007f25e00acb80 (most recent call first):
  File "/srv/till/price.py", line 12 in total
  File "/srv/till/app.py", line 5 in <module>
"""


@pytest.mark.parametrize("shown", ["", "tests/test_till.py ..sF", "test_till.py::test_total ", "."])
def test_a_failed_access_without_its_address_is_no_wild_pointer(tmp_path: Path, shown: str) -> None:
    """Also where pytest has shown its progress on the line."""
    read = read_text(tmp_path, shown + FAULT)
    assert read.category is None
    for category in (C.WILD_POINTER, C.NULL_POINTER_DEREFERENCE, C.USE_AFTER_FREE):
        verdict = experts.verdict(category, read.facts)
        assert verdict.status is Status.INCONCLUSIVE
        assert "Segmentation fault" in verdict.claims[0].text
        assert "is `total`" in verdict.claims[1].text
    assert "address" in verdict.missing[0]
