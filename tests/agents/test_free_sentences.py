"""Sentences as a model writes them, without a number to look up: false or empty ones are struck,
and what the evidence says in other words is held."""

import pytest
from msgspec.structs import replace

from tests.agents.test_liar import SOURCES, Investigated, held, investigated
from workbench.model.citation import Citation
from workbench.model.hypothesis import Claim

__all__ = ["investigated"]

_NULL, _FREED, _LOCKED = "orders_total.c", "queue.c", "transfer.c"
_FALSE = {
    _NULL: (
        "The crash was caused by a race condition between two threads.",
        "A heap buffer overflow corrupted the pointer before the crash.",
        "The pointer was freed by another thread.",
        "The stack was exhausted by deep recursion.",
        "The process ran out of memory.",
        "The garbage collector was running when the fault happened.",
        "The machine had been out of disk space.",
        "A third-party library overwrote the pointer in `total`.",
        "The program was compiled without optimisation.",
        "The crash happened in the kernel.",
        "An assertion failed before the fault.",
        "The fault happened in a signal handler, which `total` had installed.",
        "The crash happened while the program was shutting down.",
        "Several threads were blocked on a mutex.",
        "It is a use after free.",
        "It is not a null pointer dereference.",
        "There was no null pointer in `total`.",
        "The user clicked the button twice.",
        "The pointer came from a failed malloc.",
        "The process had been running for three days.",
        "This is exploitable: an attacker controls `rax`.",
        "There is no crash.",
        "The process exited normally.",
        "It was killed by the OOM killer.",
        "Everything is as it should be.",
        "The case is closed.",
        "The crash was in `main` at `orders_total.c:27`.",
        "`total` was never called.",
        "`total` returned normally.",
        "`total` is not the function at fault.",
        "`total` writes beyond the end of its array.",
        "`total` recursed without end.",
        "`total` ran concurrently with another thread that modified the same object.",
        "`total` parses untrusted input from the network.",
        "`total` divides by zero.",
        "`total` frees memory twice.",
        "All symbols of `total` are missing: the debug information of `total` is stripped.",
        "The return address of `total` was overwritten.",
        "A C++ exception left `total`.",
        "SIGSEGV came from outside.",
        "SIGSEGV was raised because the parent process had died.",
    ),
    _FREED: (
        "The pointer is null.",
        "The memory was never allocated.",
        "It is a double free.",
        "The crash is a stack overflow.",
        "Two threads raced for the list.",
        "The heap is corrupted.",
        "The fault is a division by zero.",
        "The object was freed twice.",
        "The allocation failed.",
        "It is a null pointer dereference.",
        "`weigh` ran into a data race.",
    ),
    _LOCKED: (
        "There is no deadlock.",
        "The threads wait for I/O.",
        "The threads are starved.",
        "It is a livelock.",
        "The process was waiting for the network.",
        "A signal handler took the lock.",
        "A lost wake-up left the threads waiting.",
        "`move` leaks memory.",
    ),
}
_TRUE = {
    _NULL: (
        "A null pointer was dereferenced in `total`.",
        "It is a null pointer dereference.",
        "This does not prove who wrote the pointer.",
        "`total` is the function at fault.",
        "`total` was called by `main`.",
        "`total` may have been called with uninitialized data.",
    ),
    _FREED: (
        "`weigh` used freed memory.",
        "It is a use after free.",
        "The heap's headers are whole.",
    ),
    _LOCKED: ("The threads are in a deadlock.", "Every thread of the process waits."),
}


def _each(table: dict[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(source, text) for source, texts in table.items() for text in texts]


def _holds(source: str, text: str, investigated: list[Investigated]) -> bool:
    state, texts = investigated[SOURCES.index(source)]
    everything = tuple(Citation(item) for item in texts)
    return held([Claim(text, everything)], state, texts)[0]


@pytest.mark.parametrize(("source", "text"), _each(_FALSE))
def test_what_nothing_shows_is_struck(
    source: str, text: str, investigated: list[Investigated]
) -> None:
    assert not _holds(source, text, investigated)


@pytest.mark.parametrize(("source", "text"), _each(_TRUE))
def test_what_the_evidence_decides_is_held(
    source: str, text: str, investigated: list[Investigated]
) -> None:
    assert _holds(source, text, investigated)


@pytest.mark.parametrize(
    "text",
    [
        "`total` was attacked through its argument.",
        "`total` is recursive.",
        "`rax` was rejected by the server.",
        "SIGSEGV had expired when `total` was called.",
        "The bug lies in `main`.",
        "`main` warned `total` twice of `rax`.",
    ],
)
def test_a_model_says_nothing_in_words_that_only_it_uses(
    text: str, investigated: list[Investigated]
) -> None:
    state, texts = investigated[SOURCES.index(_NULL)]
    assert state.conclusion is not None
    cited = tuple(citation for c in state.conclusion.claims for citation in c.citations)[:3]
    assert held([Claim(text, cited, by="model")], state, texts) == [False]


def test_a_model_may_say_what_the_experts_say(investigated: list[Investigated]) -> None:
    state, texts = investigated[SOURCES.index(_NULL)]
    assert state.conclusion is not None
    again = [replace(claim, by="model") for claim in state.conclusion.claims]
    assert held(again, state, texts) == [True] * len(again)
