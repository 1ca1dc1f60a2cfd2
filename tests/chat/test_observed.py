"""What a run showed answers what no dump tells."""

import pytest
from msgspec.structs import replace

from tests.chat.conftest import GDB_LOG, Asker
from workbench.agents.chat.asked import read
from workbench.agents.chat.observed import shown_by_run
from workbench.agents.chat.topics import of_the_cause
from workbench.claims.render import headline
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.events import OriginFound
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind, OriginStep


def _origin(kind: OriginKind, old: str = "", new: str = "") -> Origin:
    steps = tuple(
        OriginStep(kind=did, function=name, file="cache.c", line=line, evidence=(cite,))
        for did, name, line, cite in (
            (OriginKind.ALLOCATED, "make", 3, Citation("E9", 1, 2)),
            (OriginKind.ALLOCATED, "other", 30, Citation("E9", 6, 7)),
            (kind, "drop", 12, Citation("E9", 3, 5)),
        )
    )
    return Origin(
        kind=kind, function="drop", file="cache.c", line=12, evidence=steps[2].evidence,
        steps=steps, expression="reader->current", old=old, new=new,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "kind", "said"),
    [
        ("who freed it?", "freed", "`drop` at `cache.c:12` freed what was used"),
        ("Which function freed the block?", "freed", "`drop` at `cache.c:12` freed"),
        ("who freed reader->current?", "freed", "`drop` at `cache.c:12` freed"),
        ("who allocated it?", "freed", "`make` at `cache.c:3` allocated it"),
        ("who overwrote it?", "written", "`drop` at `cache.c:12` wrote over"),
        ("who cleared it?", "cleared", "`drop` at `cache.c:12` cleared"),
        ("how did it become null?", "cleared", "`drop` at `cache.c:12` cleared"),
        ("who unmapped it?", "unmapped", "`drop` at `cache.c:12` unmapped"),
        ("when was it freed?", "freed", "`drop` at `cache.c:12` freed"),
        ("who overwrote it?", "freed", None),
        ("who freed it?", "written", None),
        ("who freed other_table->rows?", "freed", None),
        ("how did it become null?", "locked", None),
        ("how often does it happen?", "freed", None),
        ("who sent the signal?", "freed", None),
    ],
)
def test_a_step_of_the_run_answers(question: str, kind: str, said: str | None) -> None:
    state = Investigation()
    asked = read(question)
    assert shown_by_run(asked, state) is None
    state.origin = _origin(OriginKind(kind))
    claim = shown_by_run(asked, state)
    assert (claim is not None and claim.text.startswith(said)) if said else claim is None


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("who wrote last to the memory at 0x4052a8?", "`fill` at `cache.c:40` wrote over"),
        ("which function overwrote it?", "`fill` at `cache.c:40` wrote over"),
        ("who wrote last to the memory at 0x4052b0?", None),
    ],
)
def test_a_write_after_the_free_answers(question: str, said: str | None) -> None:
    origin = _origin(OriginKind.FREED)
    wrote = OriginStep(
        kind=OriginKind.WRITTEN, function="fill", file="cache.c", line=40, address=0x4052A8,
        evidence=(Citation("E9", 8, 9),), old="0x5555", new="0x4141",
    )  # fmt: skip
    state, asked = Investigation(), read(question)
    state.origin = replace(origin, steps=(*origin.steps, wrote))
    claim = shown_by_run(asked, state)
    assert (claim is not None and claim.text.startswith(said)) if said else claim is None


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", "wrote over"),
        ("0x5555", "0x4141", "wrote over"),
        ("unmapped", "0x4141", "wrote over"),
        ("0x0", "0x0", "stored"),
        ("0x0", "0x4141", "stored"),
        ("0x4141", "0x4141", "stored"),
    ],
)
def test_nothing_was_written_over_where_nothing_stood(old: str, new: str, said: str) -> None:
    state, asked = Investigation(), read("who wrote last to it?")
    state.origin = origin = _origin(OriginKind.WRITTEN, old, new)
    claim = shown_by_run(asked, state)
    assert claim is not None
    assert claim.text == f"`drop` at `cache.c:12` {said} what was read later."
    assert headline([replace(claim, status=Outcome.VERIFIED)], origin).startswith(claim.text[:-1])


async def test_what_a_run_showed_is_the_answer(to_ask: Asker) -> None:
    session = await to_ask(GDB_LOG)
    run = await session.keep_run(
        "a run", "1. free block, thread 1\n  #0 in drop at /x/cache.c:12", ()
    )
    origin = Origin(
        kind=OriginKind.FREED, function="drop", file="/x/cache.c", line=12,
        evidence=(Citation(run.id, 1, 2),),
    )  # fmt: skip
    await session.record(OriginFound(origin=origin))
    for question in ("who freed it?", "which line caused it?", "why did it crash?"):
        reply = (await session.ask_question(question)).reply
        assert reply is not None
        assert reply.held[0].text == "`drop` at `cache.c:12` freed what was used afterwards."
        assert not reply.unknown


def test_where_a_lock_was_taken_is_told_by_the_run_that_saw_it() -> None:
    state = Investigation()
    asked = read("where did thread 2996 take its lock?")
    assert of_the_cause(asked, state) == []
    state.origin = _origin(OriginKind.LOCKED)
    (claim,) = of_the_cause(asked, state)
    assert claim.text.startswith("A lock that is waited for was taken in `drop` at `cache.c:12`")
