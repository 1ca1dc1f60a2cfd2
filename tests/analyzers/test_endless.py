"""Threads that compute: what is proved of a loop outweighs what one look leaves open."""

import pytest

from analyzers.base import Document
from analyzers.patterns.busy import INFINITE_LOOP
from analyzers.patterns.deadlock import DEADLOCK
from analyzers.patterns.external import EXTERNAL_SIGNAL
from analyzers.registry import analyze
from workbench.model.citation import Citation
from workbench.model.facts import AnyFact, FactBook, Process, Signal
from workbench.model.hypothesis import Status

ROUND = """\
thread 41: goes round without an end from 0x40117a (file find r-x, find+0x18): registers and \
memory are the same again after 16 instructions between 0x401160 and 0x4011de
"""
READS = "thread 41: the round reads 0x404050 (file find rw-), the variable ready\n"
CLOSED = """\
thread 41: no way leads out from 0x40117a (file find r-x, sum+0x21): the 6 instructions that can \
follow lie from 0x401146 to 0x40115e; none of them returns, and none enters the kernel
"""
OPEN = "thread 41: followed for 40000 instructions from 0x40117a without an end\n"
BESIDE = (ROUND + READS).replace("thread 41", "thread 42")
WRITES = "thread 42: the round writes 0x404050 (file find rw-)\n"
ALONE = "1 threads\nthread 41: running, in no system call\n"
TWO = "2 threads\nthread 41: running, in no system call\n"
JOINS = "thread 42: waits for join 0x7f4091e9a910 in futex; thread to end 41 (alive)\n"
SLEEPS = "thread 42: sleep in clock_nanosleep\n"
RUNS = "thread 42: running, in no system call\n"
STACK = """\
#0  0x000000000040117a in find (list=0x4052a0) at find.c:4
#1  0x00000000004011dc in main () at find.c:9
"""
SPINS = "#0  0x00007ffff7e11f80 in __pthread_spin_lock (lock=0x404050) at spin.c:4\n" + STACK


def book(
    locks: str, loop: str, stack: str = STACK, signal: int | None = None, sender: int = 7
) -> FactBook:
    texts = (("@locks", "dump", locks), ("@loop 41", "dump", loop))
    facts: list[AnyFact] = []
    for number, (command, host, text) in enumerate(texts, 2):
        parts = text.split(BESIDE)
        facts += analyze(Document(f"E{number}", command, host, parts[0])).facts
        if len(parts) > 1:
            beside = Document("E5", "@loop 42", "dump", BESIDE + parts[1])
            facts += analyze(beside).facts
    bt = "\n".join(f"#{i} {line[3:]}" for i, line in enumerate(stack.splitlines())) + "\n"
    facts += analyze(Document("E4", "bt 64", "gdb", bt)).facts
    threads = (41, 42) if "42" in locks else (41,)
    cite = Citation("E1", 1, 1)
    ended = signal is not None
    process = Process(
        cite=cite, pid=41, command_line=None, executable="/find", arch="x86_64", os="linux",
        threads=threads, snapshot=not ended,
    )  # fmt: skip
    said: list[AnyFact] = [process]
    if signal is not None:
        said.append(
            Signal(cite=cite, thread=41, number=signal,
                   name={3: "SIGQUIT", 24: "SIGXCPU"}.get(signal, "SIGABRT"),
                   code=0 if sender else 128,
                   code_name="SI_USER" if sender else "SI_KERNEL", fault_address=None,
                   sender_pid=sender or None, sender_uid=0)
        )  # fmt: skip
    return FactBook([*said, *facts])


@pytest.mark.parametrize(
    ("locks", "loop", "confidence"),
    [
        (ALONE, CLOSED, 0.9),
        (ALONE, ROUND + READS, 0.65),  # of a variable, which a handler may set
        (ALONE, ROUND + READS.replace("the variable ready", "no variable with a name"), 0.9),
        (TWO + JOINS, ROUND + READS, 0.65),
        (TWO + SLEEPS, ROUND + READS, None),
        (TWO + SLEEPS, ROUND, 0.9),
        (TWO + SLEEPS, CLOSED, 0.9),
        (TWO + RUNS, CLOSED, 0.9),
        (TWO + RUNS, ROUND + READS, None),
        (TWO + RUNS, ROUND + READS + BESIDE, 0.65),
        (TWO + RUNS, ROUND + READS + BESIDE + WRITES, None),
        (ALONE, OPEN, None),
    ],
)
def test_a_loop(locks: str, loop: str, confidence: float | None) -> None:
    verdict = INFINITE_LOOP.evaluate(book(locks, loop))
    if confidence is None:
        assert verdict.status is Status.INCONCLUSIVE
    else:
        assert (verdict.status, verdict.confidence) == (Status.CONFIRMED, confidence)
        assert verdict.frame is not None
        assert verdict.frame.function == "find"


@pytest.mark.parametrize("loop", [CLOSED, ROUND])
def test_a_loop_is_told_in_its_own_function_wherever_the_thread_is_caught(loop: str) -> None:
    caught = "#0  0x0000000000401130 in step (n=3) at step.c:4\n" + STACK
    verdict = INFINITE_LOOP.evaluate(book(ALONE, loop, caught))
    assert verdict.frame is not None
    assert verdict.frame.function == "find"


def test_who_could_end_it_is_said() -> None:
    verdict = INFINITE_LOOP.evaluate(book(TWO + SLEEPS, ROUND + READS))
    assert any("0x404050 (`ready`)" in claim.text for claim in verdict.claims)


def test_a_spin_lock_that_nobody_is_left_to_give_up() -> None:
    alone = book(ALONE, ROUND + READS, SPINS)
    verdict = DEADLOCK.evaluate(alone)
    assert verdict.status is Status.CONFIRMED
    assert verdict.frame is not None
    assert verdict.frame.function == "find"
    assert INFINITE_LOOP.evaluate(alone).status is Status.REJECTED


def test_a_spin_lock_that_a_sleeper_may_give_up() -> None:
    shared = book(TWO + SLEEPS, ROUND + READS, SPINS)
    assert DEADLOCK.evaluate(shared).status is not Status.CONFIRMED


@pytest.mark.parametrize(
    ("signal", "sender"), [(6, 7), (24, 41), (24, 0), (3, 0)]
)  # a watchdog, RLIMIT_CPU, a key of the terminal
def test_a_watchdog_only_ended_what_did_not_get_on(signal: int, sender: int) -> None:
    sent = book(ALONE, CLOSED, signal=signal, sender=sender)
    assert INFINITE_LOOP.propose(sent) is not None
    assert INFINITE_LOOP.evaluate(sent).status is Status.CONFIRMED
    assert EXTERNAL_SIGNAL.evaluate(sent).status is Status.REJECTED
    assert EXTERNAL_SIGNAL.evaluate(book(ALONE, OPEN, signal=6)).status is Status.CONFIRMED


def test_a_wait_that_a_sleeper_may_end_does_not_outweigh_a_signal() -> None:
    sent = book(TWO + SLEEPS, ROUND + READS, signal=15)
    assert INFINITE_LOOP.evaluate(sent).status is Status.INCONCLUSIVE
    assert EXTERNAL_SIGNAL.evaluate(sent).status is Status.CONFIRMED
    standing = INFINITE_LOOP.evaluate(book(TWO + SLEEPS, ROUND + READS))
    assert "for as long as no other thread" in standing.claims[0].text
