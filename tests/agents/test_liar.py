"""The critic against a liar: what is true is held, and one thing changed in it is caught.

The true sentences are those of real investigations of sample programs; the lies are made of them
with a fixed seed. The shares are held a little below what was measured.
"""

import asyncio
import random
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.agents.liar import lies
from tests.samples.expectations import CASES
from tests.samples.outcome import triage
from workbench.agents.critic import criticise
from workbench.agents.grounding import cited_lines
from workbench.model.citation import Citation
from workbench.model.facts import Signal, StackShape
from workbench.model.hypothesis import Claim
from workbench.model.investigation import Investigation, fold
from workbench.store.reading import read_events
from workbench.store.session_store import SessionStore

SOURCES = (
    *("orders_total.c", "queue.c", "cleanup.c", "grow.c", "transfer.c", "load.cpp", "rate.c"),
    *("shapes.cpp", "name_length.c", "handlers.c", "ping_pong.c", "scratch.c"),
)
Investigated = tuple[Investigation, dict[str, str]]


def investigate(source: str, folder: Path) -> Investigated:
    """A sample's investigation as its session keeps it, and the texts of its evidence."""
    case = next(case for case in CASES if case.source == source)
    executable, core = case.make()
    triage(core, executable, folder)
    session = next(path for path in folder.iterdir() if path.name.startswith("session_"))
    state = fold(read_events(session))
    return state, asyncio.run(texts_of(session, state))


async def texts_of(session: Path, state: Investigation) -> dict[str, str]:
    store = await SessionStore.open(session)
    try:
        return {item: await store.text(item) for item in state.evidence}
    finally:
        await store.close()


@pytest.fixture(scope="session")
def investigated(tmp_path_factory: pytest.TempPathFactory) -> list[Investigated]:
    return [investigate(source, tmp_path_factory.mktemp("liar")) for source in SOURCES]


def held(claims: list[Claim], state: Investigation, texts: dict[str, str]) -> list[bool]:
    """Which of some claims pass every test of the critic that is about claims."""
    assert state.conclusion is not None
    draft = replace(state.conclusion, claims=tuple(claims))
    before, state.conclusion = state.conclusion, draft
    try:
        return [claim.status == "held" for claim in criticise(state, texts.__getitem__, 1)[1]]
    finally:
        state.conclusion = before


def test_what_is_true_is_held(investigated: list[Investigated]) -> None:
    for state, texts in investigated:
        assert state.conclusion is not None
        assert all(held(list(state.conclusion.claims), state, texts))


def test_nineteen_of_twenty_lies_are_caught(investigated: list[Investigated]) -> None:
    told, caught = Counter[str](), Counter[str]()
    for number, (state, texts) in enumerate(investigated):
        assert state.conclusion is not None
        rng = random.Random(number)
        made = [
            lie
            for claim in state.conclusion.claims
            for lie in lies(
                claim, state, cited_lines(claim, state.evidence, texts.__getitem__), rng
            )
        ]
        verdicts = held([claim for _, claim in made], state, texts)
        for (kind, _), passed in zip(made, verdicts, strict=True):
            told[kind] += 1
            caught[kind] += not passed
    shares = {kind: f"{caught[kind]} of {told[kind]}" for kind in sorted(told)}
    assert told.total() > 250
    assert caught.total() >= 0.95 * told.total(), shares
    for kind in ("address changed", "signal", "source line changed", "string", "symbol changed"):
        assert caught[kind] == told[kind], (kind, shares)


@pytest.mark.parametrize(
    "text",
    [
        "It printed «hacked by a peer».",
        "It printed „hacked by a peer“.",
        "It printed \u2018hacked\u2019 first.",
        "It printed ``hacked`` first.",
        "The bug lies in memcpy.",
        "conn::drop() was inlined.",
        "Twelve threads were waiting.",
        "There were three hundred double frees.",
        "The value was -5.",
        "The block had 0x20 kilobytes.",
        "It took 50 % of the memory.",
        "It was hit ² times.",
        "rax does not hold 0x0.",
        "The process was not ended by SIGSEGV.",
        "`main` was called by `total`.",
        "A kernel panic came first.",
        "x0 was null.",
    ],
)
def test_free_inventions_are_struck(text: str, investigated: list[Investigated]) -> None:
    state, texts = investigated[0]
    everything = tuple(Citation(item) for item in texts)
    assert held([Claim(text, everything)], state, texts) == [False]


def test_ten_lines_are_not_ten_threads(investigated: list[Investigated]) -> None:
    state, texts = investigated[0]
    ten = next(item for item, text in texts.items() if text.count("\n") >= 10)
    claim = Claim("10 threads wait.", (Citation(ten, 1, 10),))
    assert held([claim], state, texts) == [False]


def test_a_stack_does_not_begin_where_it_ends(investigated: list[Investigated]) -> None:
    state, texts = investigated[SOURCES.index("ping_pong.c")]
    assert state.conclusion is not None
    (claim,) = (c for c in state.conclusion.claims if "stack that begins at" in c.text)
    (shape,) = {s for s in state.facts.all(StackShape) if s.overflowed}
    assert shape.start is not None
    assert shape.end is not None
    assert f"begins at {shape.start:#x}" in claim.text
    lie = replace(claim, text=claim.text.replace(f"{shape.start:#x}", f"{shape.end:#x}"))
    assert held([claim, lie], state, texts) == [True, False]


@pytest.mark.parametrize(
    "text",
    [
        "{signal} terminated the process on thread {thread}.",
        "The process has one thread.",
        "rax=0x0 at the fault.",
        "The value of `rax` is 0.",
        "The fault is in `total`.",
        "`total` was called by `main`.",
        "`total` is on the stack.",
        "This does not prove who wrote the pointer.",
    ],
)
def test_other_words_for_what_is_true_are_held(text: str, investigated: list[Investigated]) -> None:
    state, texts = investigated[0]
    everything = tuple(Citation(item) for item in texts)
    signal = state.facts.first(Signal)
    assert signal is not None
    said = text.format(signal=signal.name, thread=signal.thread)
    assert held([Claim(said, everything)], state, texts) == [True], said
