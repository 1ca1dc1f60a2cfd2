"""Signals and causes in words, what a number names, and calls with what is asked for."""

import pytest

from tests.chat.conftest import GDB_LOG, Asker, spoken
from workbench.agents.chat.asked import read
from workbench.agents.chat.topics import of_the_facts
from workbench.engine.session import Session
from workbench.model.citation import Citation
from workbench.model.claims import Claim
from workbench.model.facts import AnyFact, FactBook, Frame, Stack
from workbench.model.investigation import Investigation

THROWN = """\
(gdb) run
terminate called after throwing an instance of 'StockError'
  what():  shelf 17 is empty

Program received signal SIGABRT, Aborted.
(gdb) bt
#0  __pthread_kill_implementation (signo=6) at ./nptl/pthread_kill.c:44
#1  0x00007ffff7a3c476 in __GI_raise (sig=6) at ../sysdeps/posix/raise.c:26
#2  0x00007ffff7a227f3 in __GI_abort () at ./stdlib/abort.c:79
#3  0x00007ffff7ca1b9e in __verbose_terminate_handler () from /lib/libstdc++.so.6
#4  0x00007ffff7cad277 in std::terminate() () from /lib/libstdc++.so.6
#5  0x00007ffff7cad4d8 in __cxa_throw () from /lib/libstdc++.so.6
#6  0x0000555555555311 in fetch (shelf=17) at stock.cpp:8
#7  0x0000555555555372 in main () at stock.cpp:12
"""


async def _reply(session: Session, question: str) -> tuple[list[str], list[str]]:
    reply = (await session.ask_question(question)).reply
    assert reply is not None
    return [c.text for c in reply.held], [one.claim.text for one in reply.contradictions]


async def test_a_question_about_the_exception_begins_with_what_was_concluded(
    to_ask: Asker,
) -> None:
    session = await to_ask(THROWN)
    for question in ("What did the exception say?", "What was the message?"):
        said, denied = await _reply(session, question)
        assert "threw an exception" in said[0]
        assert any("shelf 17 is empty" in text for text in said)
        assert not denied


async def test_an_argument_that_is_asked_for_is_told_with_whose_it_is(to_ask: Asker) -> None:
    said, _ = await _reply(await to_ask(THROWN), "Which shelf was it?")
    assert said == ["`shelf` in `fetch` is 17."]


@pytest.mark.parametrize(
    ("log", "statement", "shown"),
    [
        (THROWN, "It was a segfault in libc, right?", "SIGABRT"),
        (THROWN, "Was it a segmentation fault?", "SIGABRT"),
        (THROWN, "It was no segfault", None),
        (THROWN, "It was not a segfault", None),
        (GDB_LOG, "It was a segfault, right?", None),
        (GDB_LOG, "It died of a bus error", "SIGSEGV"),
    ],
)
async def test_a_signal_in_words_is_held_to_the_one_that_ended_it(
    to_ask: Asker, log: str, statement: str, shown: str | None
) -> None:
    _, denied = await _reply(await to_ask(log), statement)
    assert (shown in "\n".join(denied)) if shown else not denied


@pytest.mark.parametrize(
    ("log", "statement", "denies"),
    [
        (THROWN, "Was the exception caught?", True),
        (THROWN, "was it handled?", True),
        (THROWN, "did main catch it?", True),
        (THROWN, "did anybody handle the exception?", True),
        (THROWN, "it was not caught", False),
        (THROWN.replace("__cxa_throw", "__cxa_rethrow"), "was it caught?", False),
        (GDB_LOG, "was it caught?", False),
    ],
)
async def test_what_nobody_caught_was_not_caught(
    to_ask: Asker, log: str, statement: str, denies: bool
) -> None:
    _, denied = await _reply(await to_ask(log), statement)
    assert ("nobody caught" in "\n".join(denied)) is denies


async def test_what_a_dump_holds_says_nothing_of_memory_that_ran_out(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    for question in ("Was memory exhausted?", "Did it run out of memory?"):
        said, denied = await _reply(session, question)
        assert "missing" not in "\n".join(said + denied)


def _state(*facts: AnyFact) -> Investigation:
    return Investigation(facts=FactBook(facts))


def _stack(thread: int, *frames: Frame) -> Stack:
    cite = Citation("E2", thread, thread)
    return Stack(number=thread, thread=thread, name=None, frames=frames, cite=cite)


def _line(evidence: str, number: int) -> str:
    return f"{evidence}: thread {number} waits for mutex 0x10"


@pytest.mark.parametrize(
    ("question", "counts"),
    [
        ("Who freed connection 2?", []),
        ("is worker 3120 gone", []),
        ("who holds lock 3?", []),
        ("were 2 connections freed?", [2.0]),
    ],
)
def test_a_number_behind_one_of_a_kind_names_it(question: str, counts: list[float]) -> None:
    assert [amount.base for amount in read(question).amounts] == counts


def test_only_calls_with_the_argument_are_shown() -> None:
    frames = (
        Frame(index=0, function="check", args="index=7, len=3", line_no=1),
        Frame(index=1, function="main", args="argc=1", line_no=2),
    )
    asked = read("which index was out of bounds?")
    told: list[Claim] = list(of_the_facts(spoken(asked, _state(_stack(1, *frames)), _line)))
    assert [claim.citations for claim in told] == [(Citation("E2", 1, 1),)]
