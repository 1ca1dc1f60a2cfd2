"""What of two reports is compared, in which words."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from tests.agents.test_report_rendering import report
from workbench.engine.comparing import _WHAT, Values, compare
from workbench.model.report import Report
from workbench.model.report_findings import (
    LockInfo,
    StackFrame,
    Synchronization,
    ThreadGroup,
    TopType,
)


@pytest.mark.parametrize(("in_use", "said"), [(1, "1 chunk in use"), (9, "9 chunks in use")])
def test_a_heap_counts_its_chunks(in_use: int, said: str) -> None:
    heap = SimpleNamespace(in_use=in_use, free=2)
    memory = SimpleNamespace(heaps=(heap,))
    report = SimpleNamespace(analysis=SimpleNamespace(memory=memory))
    assert list(_WHAT["heap"](report)) == [f"{said}, 2 free"]  # type: ignore[arg-type]


def _compared(what: str, first: Report, second: Report) -> tuple[Values, Values, Values]:
    (found,) = [one for one in compare(first, second) if one.what == what]
    return found.shared, found.only_first, found.only_second


def test_types_are_compared_with_what_both_list_of_them() -> None:
    """A type that one report does not list may be there: it lists those that fill the heap."""
    made = []
    for many, other in ((9000, "Row"), (1, "Cell")):
        types = (
            TopType(name="Node", count=many, bytes=many * 24),
            TopType(name=other, count=2, bytes=64),
            TopType(name="Same", count=7, bytes=70),
        )
        one = report()
        memory = replace(one.analysis.memory, top_types=types)
        made.append(replace(one, analysis=replace(one.analysis, memory=memory)))
    shared, first, second = _compared("heap types", *made)
    assert shared == ("Same: 7 objects, 70 bytes",)
    assert first == (
        "Node: 9,000 objects, 216,000 bytes",
        "Row: 2 objects, 64 bytes",
        "Cell: not listed",
    )
    assert second == ("Node: 1 object, 24 bytes", "Row: not listed", "Cell: 2 objects, 64 bytes")
    plain = report()
    assert not _compared("heap types", made[0], plain)[2]


def test_threads_differ_by_what_they_wait_for_in_the_program() -> None:
    """Each waits in the same functions of glibc (nptl/futex-internal.c)."""
    made = []
    for waits, function in (("mutex 0x4052a0 held by thread 8", "push"), ("condition 0x1", "pop")):
        names = ("__futex_abstimed_wait_common", "__lll_lock_wait", "__GI___pthread_mutex_lock")
        frames = tuple(
            StackFrame(index=at, function=name, file=None, line=None, module=None, offset=None,
                       address=None, trust="symbols")
            for at, name in enumerate((*names, function, "work"))
        )  # fmt: skip
        group = ThreadGroup(thread_ids=(7,), state="waiting", waits_for=waits, stack_trace=frames)
        locks = tuple(
            LockInfo(address=f"0x{at}", kind="condition", owner=None, waiters=(7,))
            for at in range(len(made) + 1)
        )
        one = report()
        made.append(
            replace(
                one,
                analysis=replace(
                    one.analysis,
                    threads=replace(one.analysis.threads, groups=(group,)),
                    synchronization=Synchronization(locks=locks, deadlocks=()),
                ),
            )
        )
    assert _compared("stacks", *made) == ((), ("mutex: push < work",), ("condition: pop < work",))
    locks_of_both = ((), ("condition, 1 waiting",), ("2 x condition, 1 waiting",))
    assert _compared("locks", *made) == locks_of_both
