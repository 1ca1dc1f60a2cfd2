"""The critic of plain code strikes what the evidence does not say, and asks for what is missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.agents.cases import (
    FRAME,
    GOOD,
    LOST,
    NULL,
    PROVED,
    TEXTS,
    UAF,
    cite,
    claim,
    conclusion,
    decided,
    drafted,
    evidence,
    opening,
    state_of,
)
from workbench.agents.critic import criticise
from workbench.agents.judge import judge
from workbench.agents.questions import follow_up_questions
from workbench.agents.weight import allowed_confidence, why_capped
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
from workbench.model.critique import Check, Conclusion, Judgement
from workbench.model.events import (
    AnyEvent,
    ConclusionDrafted,
    Criticised,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
)
from workbench.model.evidence import Command
from workbench.model.facts import CoreHealth, SourceLine
from workbench.model.hypothesis import Rung, Status
from workbench.model.investigation import Investigation


def check(state: Investigation, number: int = 1) -> list[Check]:
    return list(criticise(state, TEXTS.__getitem__, number)[0].checks)


def failed(state: Investigation) -> list[tuple[str, str]]:
    return [(c.kind, c.detail) for c in check(state) if not c.passed]


def test_a_sound_conclusion_passes_every_check() -> None:
    round_, claims = criticise(drafted(), TEXTS.__getitem__, 1)
    assert round_.resolved
    assert round_.number == 1
    assert [c.status for c in claims] == ["verified"] * 4
    kinds = {c.kind for c in round_.checks}
    assert kinds == {
        "ungrounded",
        "contradiction",
        "alternative",
        "overconfident",
        "evidence-gap",
    }


def test_a_lying_model_is_struck_whole() -> None:
    lies = (
        say("chunk", [cite("E3:2")], address=0x4052A0, state="in-use"),
        say("frame", [cite("E2:1")], function="reaper_main"),
        claim("heap corrupted by peer", "E2:1"),
        say("signal", [cite("E1:1")], name="SIGABRT"),
    )
    state = drafted(*lies, confidence=1.0)
    round_, claims = criticise(state, TEXTS.__getitem__, 1)
    assert [c.status for c in claims] == ["refuted"] * 4
    assert all(c.reason for c in claims)
    assert not round_.resolved
    assert ("overconfident", "use 0.00: no claim with a citation stands") in [
        (c.kind, c.detail) for c in round_.checks
    ]


def test_an_untested_rival_is_asked_for_with_its_tests() -> None:
    rival = replace(NULL, planned=(Command("info registers", "is it null?"),))
    state = state_of(
        [
            *opening(),
            HypothesisProposed(hypothesis=UAF),
            HypothesisProposed(hypothesis=rival),
            HypothesisDecided(id="H1", verdict=PROVED),
            ConclusionDrafted(conclusion=conclusion()),
        ]
    )
    (item,) = [c for c in check(state) if not c.passed]
    assert item.kind == "alternative"
    assert item.asks == rival.planned


def test_a_rejection_needs_evidence_unless_a_person_made_it() -> None:
    bare = replace(LOST, contradicting=())
    base = [*opening(), HypothesisProposed(hypothesis=UAF), HypothesisProposed(hypothesis=NULL)]
    base += [HypothesisDecided(id="H1", verdict=PROVED)]
    draft = ConclusionDrafted(conclusion=conclusion())
    by_code = state_of([*base, HypothesisDecided(id="H2", verdict=bare), draft])
    assert [kind for kind, _ in failed(by_code)] == ["alternative"]
    nowhere = replace(LOST, contradicting=(cite("E1:99"),))
    lost = state_of([*base, HypothesisDecided(id="H2", verdict=nowhere), draft])
    assert failed(lost) == [("alternative", "E1:99 leads to no stored line")]
    by_person = HypothesisMoved(id="H2", status=Status.REJECTED, by="user", reason="I know it")
    assert failed(state_of([*base, by_person, draft])) == []


def test_a_better_rival_and_an_unknown_choice_are_found() -> None:
    better = replace(PROVED, confidence=0.95)
    state = state_of(
        [
            *opening(),
            HypothesisProposed(hypothesis=UAF),
            HypothesisProposed(hypothesis=NULL),
            HypothesisDecided(id="H1", verdict=PROVED),
            HypothesisDecided(id="H2", verdict=better),
            ConclusionDrafted(conclusion=conclusion()),
        ]
    )
    assert [kind for kind, _ in failed(state)] == ["alternative"]
    invented = replace(conclusion(), hypothesis="H9")
    state = state_of([*decided(), ConclusionDrafted(conclusion=invented)])
    assert ("contradiction", "there is no hypothesis H9") in failed(state)
    assert allowed_confidence(state, invented) == 0.0
    wrong = replace(conclusion(), hypothesis="H2")
    state = state_of([*decided(), ConclusionDrafted(conclusion=wrong)])
    assert "contradiction" in [kind for kind, _ in failed(state)]
    assert allowed_confidence(state, wrong) == 0.0


def test_confidence_is_capped_by_health_items_and_rung() -> None:
    state = drafted()
    assert allowed_confidence(state, conclusion()) == 0.9
    assert why_capped(state, conclusion()) == "libc.so.6 has no symbols"
    lonely = state_of(
        [
            *opening(),
            HypothesisProposed(hypothesis=UAF),
            HypothesisDecided(id="H1", verdict=replace(PROVED, supporting=())),
        ]
    )
    assert allowed_confidence(lonely, conclusion(claim("It is so.", "E1:1"))) == 0.8
    weak = state_of(
        [
            *opening(),
            HypothesisProposed(hypothesis=UAF),
            HypothesisDecided(id="H1", verdict=replace(PROVED, rung=Rung.STACK)),
        ]
    )
    assert allowed_confidence(weak, conclusion()) == 0.8
    assert "machine state" in why_capped(weak, conclusion())
    struck = conclusion(replace(GOOD[0], status=Outcome.REFUTED), *GOOD[1:])
    assert allowed_confidence(state, struck) == 0.5
    state.facts.add(
        [
            CoreHealth(
                cite=cite("E1"),
                truncated=True,
                executable=None,
                executable_matches=None,
                dumped_bytes=1,
                missing_bytes=9,
                ceiling=0.4,
                caps=("the dump is truncated",),
            )
        ]
    )
    (item,) = [c for c in check(state) if not c.passed]
    assert (item.kind, item.detail) == ("overconfident", "use 0.40: the dump is truncated")


def test_a_frame_without_source_or_locals_is_asked_for_once() -> None:
    events: list[AnyEvent] = [
        event
        for event in decided()
        if not (isinstance(event, EvidenceRecorded) and event.evidence.id in ("E4", "E5"))
    ]
    draft = ConclusionDrafted(conclusion=conclusion())
    state = state_of([*events, draft])
    gaps = [c for c in check(state) if not c.passed]
    assert [c.kind for c in gaps] == ["evidence-gap", "evidence-gap"]
    asks = [command for gap in gaps for command in gap.asks]
    assert any(command.text.endswith("info locals") for command in asks)
    for number, command in enumerate(asks, 10):
        row = evidence(f"E{number}", "No symbol table.\n", command.text)
        state.apply(EvidenceRecorded(evidence=row), state.started_at or 0)  # type: ignore[arg-type]
    assert [c for c in check(state) if c.kind == "evidence-gap" and not c.passed] == []


def test_a_frame_without_debug_information_asks_for_nothing() -> None:
    bare = replace(FRAME, file=None, line=None)
    state = state_of([*decided(), ConclusionDrafted(conclusion=replace(conclusion(), frame=bare))])
    gaps = [c for c in check(state) if c.kind == "evidence-gap"]
    assert [c.passed for c in gaps] == [True]


def test_nothing_to_check_is_resolved() -> None:
    round_, claims = criticise(state_of(opening()), TEXTS.__getitem__, 2)
    assert round_.resolved
    assert (round_.number, round_.checks, claims) == (2, (), ())


@pytest.mark.parametrize("before", [None, "H1"])
def test_a_settled_case_leaves_no_question(before: str | None) -> None:
    state = drafted()
    round_, claims = criticise(state, TEXTS.__getitem__, 2)
    at = state.updated_at
    assert at is not None
    assert state.conclusion is not None
    held = replace(state.conclusion, claims=claims)
    for event in (Criticised(round=round_), ConclusionDrafted(conclusion=held)):
        state.apply(event, at)
    state.apply(Judged(judgement=Judgement(selected=before, rationale="", questions=("?",))), at)
    now = judge(state)
    assert (now.selected, now.questions) == ("H1", ())
    state.apply(Judged(judgement=now), at)
    assert follow_up_questions(state) == ()


@pytest.mark.parametrize("passed", [True, False])
def test_what_a_model_asks_is_left_open_while_its_objection_stands(passed: bool) -> None:
    state = drafted()
    round_, claims = criticise(state, TEXTS.__getitem__, 2)
    at = state.updated_at
    assert at is not None
    assert state.conclusion is not None
    held = replace(state.conclusion, claims=claims)
    objection = Check(kind="alternative", subject="x", passed=passed, detail="", by_model=True)
    round_ = replace(round_, checks=(*round_.checks, objection), questions=("Was it “ours”?",))
    for event in (Criticised(round=round_), ConclusionDrafted(conclusion=held)):
        state.apply(event, at)
    assert judge(state).questions == (() if passed else ('the model: “Was it "ours"?”',))
    state.conclusion = None  # and where the case is open
    assert 'the model: “Was it "ours"?”' in follow_up_questions(state)


def test_an_open_case_leaves_three_to_five_questions() -> None:
    unsure = replace(
        PROVED,
        status=Status.INCONCLUSIVE,
        missing=tuple(f"the log of day {n}" for n in range(9)),
    )
    for verdict in (unsure, replace(unsure, missing=()), replace(unsure, missing=("a heap dump",))):
        state = state_of(
            [
                *opening(),
                HypothesisProposed(hypothesis=UAF),
                HypothesisDecided(id="H1", verdict=verdict),
            ]
        )
        questions = follow_up_questions(state)
        assert 3 <= len(questions) <= 5
        assert all("?" in question for question in questions)
    assert 3 <= len(follow_up_questions(Investigation())) <= 5


def test_what_the_critic_struck_becomes_a_question() -> None:
    state = drafted(claim("0xdeadbeef was freed", "E2:1"))
    round_, _ = criticise(state, TEXTS.__getitem__, 2)
    assert state.updated_at is not None
    state.apply(Criticised(round=round_), state.updated_at)
    assert any("0xdeadbeef" in question for question in follow_up_questions(state))


anything: Any = st.text(max_size=120)


@given(
    st.lists(st.tuples(anything, st.lists(st.tuples(anything, st.integers(), st.integers())))),
    st.floats(allow_nan=True),
    st.none() | anything,
)
def test_no_conclusion_makes_it_raise(
    drafts: list[tuple[str, list[tuple[str, int, int]]]], confidence: float, chosen: str | None
) -> None:
    claims = tuple(
        say("quote", [Citation(*citation) for citation in cited], text=text)
        for text, cited in drafts
    )
    draft = Conclusion(
        hypothesis=chosen, category=Category.TRAP, confidence=confidence, claims=claims, frame=FRAME
    )
    state = state_of([*decided(), ConclusionDrafted(conclusion=draft)])
    round_, judged = criticise(state, TEXTS.__getitem__, 1)
    assert len(judged) == len(claims)
    assert 0.0 <= allowed_confidence(state, draft) <= 1.0
    assert round_.checks
    follow_up_questions(state)


def test_a_source_line_of_another_file_does_not_count() -> None:
    other = SourceLine(cite=cite("E4:1"), file="src/other.c", line=42, text="x")
    events: list[AnyEvent] = []
    for event in decided():
        if isinstance(event, EvidenceRecorded) and event.evidence.id == "E4":
            event = EvidenceRecorded(
                evidence=replace(event.evidence, command="list other.c:42"), facts=(other,)
            )
        events.append(event)
    state = state_of([*events, ConclusionDrafted(conclusion=conclusion())])
    assert [kind for kind, _ in failed(state)] == ["evidence-gap"]
