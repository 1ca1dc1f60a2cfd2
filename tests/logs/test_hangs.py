"""Hangs that a log shows: what stacks alone can say, and what a signal alone cannot."""

from pathlib import Path

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
"""


def test_a_signal_alone_proves_no_abort_and_locks_on_stacks_stay_open(tmp_path: Path) -> None:
    read = read_text(tmp_path, HANGS)
    assert read.category is None
    verdict = experts.verdict(C.DEADLOCK, read.facts)
    assert verdict.status is Status.INCONCLUSIVE
    assert [claim.text for claim in verdict.claims] == [
        "A thread waits for the lock at 0x55d0c0de4120 in `place_order`.",
        "A thread waits for the lock at 0x55d0c0de40e0 in `restock`.",
    ]
    assert "owner" in verdict.missing[0]


def test_goroutines_that_all_sleep_are_not_said_to_hold_locks(tmp_path: Path) -> None:
    read = read_text(tmp_path, GO)
    assert read.category is C.DEADLOCK
    assert "lock at" not in read.cause
    assert read.cause.startswith("Every goroutine waits")
