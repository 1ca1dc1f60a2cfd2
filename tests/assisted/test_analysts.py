"""A strong analyst's part in a whole run of each crash whose defect lies away from it: the chain
brings the origin into the headline within ten requests, and no lie brings another there."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest

from tests.assisted.analyst import ANSWERS, Analyst
from tests.assisted.conftest import Investigate
from tests.assisted.script import statement
from tests.assisted.sweep import sweep
from tests.samples.away import AWAY, Away
from tests.samples.case import make
from tests.soak import SOAK, part
from workbench.agents.assisted.answers import Explained
from workbench.agents.assisted.explaining import explanation_of
from workbench.agents.model_choice import explained_by
from workbench.agents.reasoner import reason
from workbench.engine.session import Session
from workbench.model.critique import Conclusion

Answer = dict[str, Any]
MOST_REQUESTS = 10


class Recorded(Analyst):
    """Keeps the answer that it gave."""

    said: Answer

    def __init__(self, answer: Mapping[str, Any]) -> None:
        super().__init__(answer, self._keep)

    def _keep(self, answer: Answer) -> None:
        self.said = deepcopy(answer)


def changed(at: int, name: str, value: str) -> Callable[[Answer], None]:
    """One argument of one statement exchanged."""

    def spoil(answer: Answer) -> None:
        args = answer["statements"][at]["args"]
        args[:] = [{"name": name, "value": value}, *(arg for arg in args if arg["name"] != name)]

    return spoil


def only(chain: list[int]) -> Callable[[Answer], None]:
    return lambda answer: answer.update(chain=chain)


def linked_by_chance(answer: Answer) -> None:
    """The fault and the origin, joined by a number that equals itself."""
    number = next(arg["value"] for arg in answer["statements"][0]["args"]
                  if arg["name"] == "address")  # fmt: skip
    answer["statements"].append(statement("relation", relation="equal", left=number, right=number))
    answer["chain"] = [1, len(answer["statements"]), answer["chain"][-1]]


LIES: dict[str, Callable[[Answer], None]] = {
    "another register": changed(0, "register", "rsp"),
    "another thread": changed(0, "thread", "1"),
    "another value": changed(0, "address", "0x7fff0000"),
    "no link between": lambda answer: answer.update(chain=[1, answer["chain"][-1]]),
    "a chance number between": linked_by_chance,
    "no fault first": lambda answer: answer.update(chain=answer["chain"][2:]),
    "no chain": only([]),
    "another function": lambda answer: answer["origin"].update(function="printf"),
    "another line": lambda answer: answer["origin"].update(line=answer["origin"]["line"] + 1),
    "a lock": lambda answer: answer["origin"].update(kind="locked"),
    "a hang": lambda answer: answer.update(category="deadlock", hypothesis=""),
    "a leak": lambda answer: answer.update(category="memory-leak", hypothesis=""),
}
FOUND_BY_CODE = ("loaded", "frame", "chunk", "declares")
"""Links that code completes where a chain lacks them."""
INNOCENT: dict[str, list[str]] = {
    "telemetry.c": [
        "allocated-too-small; declares; function=arena_take; name=bytes; type=size_t",
        "computed; assigns; function=arena_take; target=block; "
        "expression=arena->base + arena->used",
        "computed; returns; function=arena_take; expression=block",
        "computed; compares; function=channel_open; left=channel->samples; operator=!=; right=NULL",
        "written; assigns; function=channel_open; target=channel->id; expression=id",
        "computed; assigns; function=channel_mean; target=sum; expression=channel->samples[at]",
        "passed-wrong; calls; function=arena_take; callee=memset; index=3; expression=rounded",
        "passed-wrong; calls; function=main; callee=channel_open; index=2; "
        "expression=&channels[id]",
        "passed-wrong; calls; function=main; callee=channel_record; index=2; "
        "expression=1000*(id+1)",
    ],
    "symbols.c": [
        "passed-wrong; calls; function=declare; callee=table_add; index=1; expression=scope->table",
    ],
    "page_cache.cpp": [
        "passed-wrong; calls; function=Cache::get; callee=index_.find; index=1; expression=name",
        "passed-wrong; calls; function=Renderer::render; callee=cache_.get; index=1; "
        "expression=name",
        "freed; frees; function=Cache::evict; expression=oldest.page",
        "freed; frees; function=Cache::evict; expression=index_",
        "freed; frees; function=Cache::~Cache; expression=entry.page",
    ],
    "timer_wheel.cpp": [
        "written; assigns; function=Wheel::arm; target=slots_[slot]; expression=number",
    ],
    "layers.c": [
        "written; assigns; function=surface_new; target=surface->width; expression=width",
        "allocated-too-small; allocates; function=surface_new; target=surface; callee=malloc; "
        "size=sizeof *surface",
        "passed-wrong; calls; function=main; callee=surface_new; index=1; expression=64",
    ],
    "dispatcher.c": ["freed; frees; function=queue_free; expression=queue->slots"],
    "word_index.rs": [
        "returned; returns; function=checksum; expression=sum",
        "passed-wrong; calls; function=checksum; callee=sum.wrapping_mul; index=1; expression=31",
        "passed-wrong; calls; function=Ranking::digest; callee=self.words.iter().map; index=1; "
        "expression=checksum",
    ],
}
"""Lines that did nothing wrong, and what a liar names them as, at the end of any part of the chain.
"""


async def concluded(session: Session, answer: Answer) -> Conclusion:
    """What an answer would make of the case as it stands."""
    explanation = await explanation_of(session, Explained.model_validate(answer), "m")
    session.state.assisted.explanation = explanation
    return explained_by(reason(session.state), session.state)


def test_nine_of_ten_are_reached() -> None:
    assert set(ANSWERS) == {away.name for away in AWAY}
    assert sum(bool(answer.get("open")) for answer in ANSWERS.values()) == 1


@pytest.mark.soak
@pytest.mark.parametrize("away", part(AWAY, every=4), ids=lambda away: away.name)
async def test_the_origin_is_in_the_headline(
    investigate: Investigate, request: pytest.FixtureRequest, away: Away
) -> None:
    if away.name == "dispatcher.c":  # its answer names frames by their numbers, libc's among them
        request.getfixturevalue("debug_files")
    analyst = Recorded(ANSWERS[away.name])
    model = analyst.model()
    session = await investigate(model, core=make(away.case))
    ai = (await session.build_report()).analysis.ai_analysis
    taken = [use.result for use in session.state.assisted.uses if use.tool == "analysis_complete"]
    assert len(model.asked) <= MOST_REQUESTS
    if ANSWERS[away.name].get("open"):
        assert ai.origin is None
        return
    assert taken == ["taken"]
    assert ai.origin is not None
    assert ai.origin.strength == "shown"  # no run of the program was watched
    assert ai.origin.function is not None
    assert (ai.origin.kind, ai.origin.function.rpartition("::")[2]) in [o[:2] for o in away.origins]
    never_set = ai.origin.kind == "never-set"  # of all lines of a function
    assert ai.origin.line in away.lines() or never_set
    assert str(ai.root_cause).startswith(f"`{ai.origin.function}` at `{away.name}:")
    expected = away.case.expected
    assert ai.category in (expected.category, *expected.also)
    assert ai.confidence == 0.8
    assert len(ai.chain) == len(analyst.said["chain"])
    prompts = [question.prompt for question in model.asked]
    assert not {"hypotheses", "verification"} & set(prompts)
    assert prompts.count("criticism") == 1

    told = {**analyst.said, "predictions": []}  # what it foretold stands in the hypothesis
    assert (await concluded(session, told)).origin is not None
    kinds = [one["kind"] for one in told["statements"]]
    short = [at for at in told["chain"] if kinds[at - 1] not in FOUND_BY_CODE]
    assert (await concluded(session, {**told, "chain": short})).origin is not None
    for name, spoil in LIES.items():
        lie = deepcopy(told)
        spoil(lie)
        found = await concluded(session, lie)
        assert found.origin is None, name
        assert found.chain == (), name
    for row in INNOCENT.get(away.name, ()):
        kind, named, *args = row.split("; ")
        added = statement(named, **dict(arg.split("=", 1) for arg in args))
        origin = {**told["origin"], "kind": kind, "line": 0, "function": args[0].partition("=")[2]}
        stated = [*told["statements"], added]
        parts = range(1, len(told["chain"]) + 1)
        for to in parts if SOAK else parts[-2:]:  # each tries all chains of its statements
            chain = [*told["chain"][:to], len(stated)]
            lie = {**told, "statements": stated, "chain": chain, "origin": origin}
            assert (await concluded(session, lie)).origin is None, (row, to)
    if not SOAK:
        return  # what follows goes through every chain of the statements
    true = [(function, at) for (_, function, _), at in zip(away.origins, away.lines(), strict=True)]
    assert not [name async for name, why in sweep(session, told, true) if not why]
