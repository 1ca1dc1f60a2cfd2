"""What the threads of the process were doing."""

import pytest

from workbench.agents.report.analysis import narrative
from workbench.agents.report.threads import threads_info
from workbench.agents.report.view import doing
from workbench.model.citation import Citation
from workbench.model.facts import Process, Signal, Thread, Threads, Wait
from workbench.model.investigation import Investigation
from workbench.model.text import counted

_CITE = Citation("E1", 1, 1)


@pytest.mark.parametrize(
    ("threads", "sender", "told"),
    [
        ((10,), None, ()),
        ((10, 11), None, ("11",)),
        ((10, 11), 10, ("11",)),
        ((10, 11), 77, ("10", "11")),
    ],
)
def test_who_raised_the_signal_waits_for_nothing(
    threads: tuple[int, ...], sender: int | None, told: tuple[str, ...]
) -> None:
    state = Investigation()
    facts = [
        Process(
            cite=_CITE, pid=10, command_line=None, executable=None, arch="x86_64", os="Linux",
            threads=threads, snapshot=False,
        ),
        Signal(
            cite=_CITE, thread=10, number=6, name="SIGABRT", code=None, code_name=None,
            fault_address=None, sender_pid=sender, sender_uid=None,
        ),
        *(Wait(cite=_CITE, thread=thread, kind="sleep") for thread in threads),
    ]  # fmt: skip
    state.facts.add(facts)
    text = narrative(state).description
    assert (text is None) is (not told)
    assert [t for t in ("10", "11") if f"hread {t} waits" in (text or "")] == list(told)


def test_threads_that_wait_for_an_owner_come_first_and_what_is_left_out_is_counted() -> None:
    state = Investigation()
    waits = [Wait(cite=_CITE, thread=thread, kind="sleep") for thread in range(10, 16)]
    held = Wait(cite=_CITE, thread=16, kind="mutex", address=0x40, owner=10)
    state.facts.add([*waits, held])
    text = narrative(state).description or ""
    assert text.startswith("Thread 16 waits for the mutex at 0x40, which thread 10 holds.")
    assert text.endswith("What 2 more threads did is in the list of threads.")


def test_a_system_call_is_told_by_its_name() -> None:
    state = Investigation()
    waits = [
        Wait(cite=_CITE, thread=one, kind=kind, syscall=call)
        for one, kind, call in ((10, "io", "poll"), (11, "other", "rt_sigtimedwait"))
    ]
    many = Wait(cite=_CITE, thread=12, kind="other", detail="one of several objects")
    threads = tuple(Thread(number=one, thread=one) for one in (10, 11, 12))
    state.facts.add([Threads(cite=_CITE, items=threads), *waits, many])
    assert "Thread 11 waits in the system call `rt_sigtimedwait`." in (
        narrative(state).description or ""
    )
    told = threads_info(state)
    assert told.summary.description == (
        "3 threads: 1 blocked on I/O, 1 waiting in rt_sigtimedwait, 1 waiting for one of several "
        "objects"
    )
    assert [doing(group) for group in told.groups] == [
        "blocked on I/O in poll", "waiting in rt_sigtimedwait",
        "waiting for one of several objects",
    ]  # fmt: skip


def test_a_count_of_one_is_no_plural() -> None:
    assert [counted(n, "line") for n in (0, 1, 2000)] == ["0 lines", "1 line", "2,000 lines"]


def test_who_sends_a_signal_waits_for_nothing_in_the_list_of_threads() -> None:
    state = Investigation()
    threads = (
        Thread(number=1, thread=10),
        Thread(number=2, thread=11),
    )
    waits = [
        Wait(cite=_CITE, thread=10, kind="other", syscall="tgkill"),
        Wait(cite=_CITE, thread=11, kind="other", syscall="ptrace"),
    ]
    state.facts.add([Threads(cite=_CITE, items=threads), *waits])
    told = [(one.state, one.waits_for) for one in threads_info(state).items]
    assert told == [("sending a signal", None), ("waiting", "ptrace")]
