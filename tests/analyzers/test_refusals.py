"""Ends that the kernel or the C library decided on, with reasons of their own."""

import pytest
from msgspec.structs import replace

from analyzers.base import Document
from analyzers.patterns.deliberate import EXPLICIT_ABORT
from analyzers.patterns.external import EXTERNAL_SIGNAL
from analyzers.registry import analyze
from analyzers.severity import severity
from workbench.model.citation import Citation
from workbench.model.facts import AbortMessage, FactBook, Process, Signal, Stack
from workbench.model.hypothesis import Status

CALLS = """\
#0  __GI_getppid () at ../sysdeps/unix/syscall-template.S:93
#1  0x0000564d80dfe1e1 in watch (parent=3) at watch.c:7
#2  0x0000564d80dfe200 in main () at watch.c:12
"""
ABORTS = """\
#0  0x00007f3bb82af472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x00007f3bb82af5fe in __libc_message (action=do_abort) at ../sysdeps/posix/libc_fatal.c:156
#2  0x0000564d80dfe1e1 in leave (n=3) at watch.c:7
"""


def signal(number: int, name: str, code: int, code_name: str) -> Signal:
    return Signal(
        cite=Citation("E1", 7, 8), thread=41, number=number, name=name, code=code,
        code_name=code_name, fault_address=None, sender_pid=None, sender_uid=None,
    )  # fmt: skip


def stack(text: str) -> Stack:
    (found,) = (f for f in analyze(Document("E2", "bt 64", "gdb", text)).facts
                if isinstance(f, Stack))  # fmt: skip
    return found


def test_a_sandbox_refused_a_system_call() -> None:
    facts = FactBook([signal(31, "SIGSYS", 1, "SYS_SECCOMP"), stack(CALLS)])
    assert EXTERNAL_SIGNAL.propose(facts) is not None
    verdict = EXTERNAL_SIGNAL.evaluate(facts)
    assert verdict.status is Status.CONFIRMED
    told = " ".join(claim.text for claim in verdict.claims)
    assert "`watch` at `watch.c:7`" in told
    assert "`__GI_getppid`" in told


def test_a_timer_of_the_processs_own_is_nobody_outside() -> None:
    facts = FactBook([signal(3, "SIGQUIT", -2, "SI_TIMER"), stack(CALLS)])
    assert EXTERNAL_SIGNAL.evaluate(facts).status is Status.REJECTED
    verdict = EXPLICIT_ABORT.evaluate(facts)
    assert verdict.status is Status.CONFIRMED
    assert verdict.claims[0].text.startswith("A timer of the process's own ended it in `watch`")


@pytest.mark.parametrize(("code", "said"), [(128, "The kernel sent"), (None, "it was sent")])
def test_no_sender_is_named_where_the_record_has_none(code: int | None, said: str) -> None:
    sent = replace(signal(3, "SIGQUIT", 128, "SI_KERNEL"), code=code)
    verdict = EXTERNAL_SIGNAL.evaluate(FactBook([sent, stack(CALLS)]))
    assert said in verdict.reason


@pytest.mark.parametrize(
    ("number", "name", "code", "told"),
    [
        (24, "SIGXCPU", 128, "limit of CPU time"),  # SI_KERNEL: RLIMIT_CPU
        (25, "SIGXFSZ", 0, "limit of a file's size"),  # in the process's own name: RLIMIT_FSIZE
        (24, "SIGXCPU", 0, None),  # kill(1) of another process
    ],
)
def test_a_limit_is_not_somebody_else(number: int, name: str, code: int, told: str | None) -> None:
    own = 41 if told else 7
    sent = replace(signal(number, name, code, "SI_USER"), sender_pid=own if code == 0 else None)
    process = Process(cite=Citation("E1", 1), pid=41, arch="x86_64", os="linux", threads=(41,))
    verdict = EXTERNAL_SIGNAL.evaluate(FactBook([sent, stack(CALLS), process]))
    assert verdict.status is Status.CONFIRMED
    said = " ".join([*(claim.text for claim in verdict.claims), *verdict.recommendations])
    assert ("sent by process" in said) is (told is None)
    assert ("Ask who sent" in said) is (told is None)
    assert told is None or told in said
    weighed = severity(FactBook([sent, stack(CALLS), process]))
    assert weighed is not None
    assert ("it was sent" in " ".join(weighed.reasons)) is (told is None)


@pytest.mark.parametrize(
    ("message", "status"),
    [
        ("*** longjmp causes uninitialized stack frame ***: terminated", Status.CONFIRMED),
        ("Fatal error: glibc detected an invalid stdio handle", Status.CONFIRMED),
        ("free(): invalid pointer", Status.REJECTED),
        ("*** stack smashing detected ***: terminated", Status.REJECTED),
        ("a.c:3: f: Assertion `n' failed.", Status.REJECTED),
    ],
)
def test_a_message_that_is_no_other_causes(message: str, status: Status) -> None:
    told = AbortMessage(cite=Citation("E3", 1), text=message)
    facts = FactBook([signal(6, "SIGABRT", -6, "SI_TKILL"), stack(ABORTS), told])
    verdict = EXPLICIT_ABORT.evaluate(facts)
    assert verdict.status is status
    if status is Status.CONFIRMED:
        assert "in `leave` at `watch.c:7`" in verdict.claims[0].text


def test_rusts_handler_of_stack_overflows_is_no_wish_to_end() -> None:
    calls = """\
#0  0x00007f3bb82af472 in __GI_abort () at ./stdlib/abort.c:79
#1  0x0000564d80dfe1e1 in std::sys::pal::unix::stack_overflow::imp::signal_handler ()
#2  <signal handler called>
#3  0x0000564d80dfe2e1 in walk::depth (n=0x5000) at walk.rs:9
"""
    facts = FactBook([signal(6, "SIGABRT", -6, "SI_TKILL"), stack(calls)])
    assert EXPLICIT_ABORT.evaluate(facts).status is Status.REJECTED
