"""What an observed origin makes of a conclusion."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from workbench.agents.observed import led_to
from workbench.agents.reasoner import reason
from workbench.engine.observed import observed
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.critique import Conclusion, Judgement
from workbench.model.events import (
    ConclusionDrafted,
    EvidenceRecorded,
    HypothesisDecided,
    Judged,
    Noticed,
    OriginFound,
    Stopped,
    StoppedBy,
)
from workbench.model.evidence import Evidence, Source
from workbench.model.facts import Frame, Hit
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind

_FREED = Origin(
    kind=OriginKind.FREED,
    function="drop",
    file="cache.c",
    line=12,
    evidence=(Citation("E9", 3, 5),),
    stack=(Frame(index=1, function="drop", file="cache.c", line=12),),
)


def _state(category: Category, hypothesis: str | None) -> Investigation:
    state = Investigation()
    state.conclusion = Conclusion(
        hypothesis=hypothesis,
        category=category,
        confidence=0.7,
        claims=(),
        frame=Frame(index=0, function="read_entry"),
        recommendations=("Find who wrote it.",),
        missing=("who wrote it",),
    )
    state.hypotheses["H1"] = Hypothesis(
        id="H1", statement="x", category=category, status=Status.CONFIRMED,
        reason="its bytes are text",
    )  # fmt: skip
    return state


def _conclusion(state: Investigation) -> Conclusion:
    assert state.conclusion is not None
    return state.conclusion


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (Category.WILD_POINTER, Category.USE_AFTER_FREE),
        (Category.DOUBLE_FREE, Category.DOUBLE_FREE),
    ],
)
def test_the_fault_stays_as_the_symptom(before: Category, after: Category) -> None:
    state = _state(before, "H1")
    state.judgement = Judgement(selected="H1", rationale="its bytes are text", rejected=())
    found, drafted, judged = observed(state, _FREED)
    assert found == OriginFound(origin=_FREED)
    assert isinstance(drafted, ConclusionDrafted)
    assert isinstance(judged, Judged)
    conclusion = drafted.conclusion
    told = judged.judgement.rationale or ""
    assert ("began as use-after-free (E9:3-5)" in told) is (before is not after)
    assert ("its bytes are text" in told) is (before is after)
    assert conclusion.missing == (("who wrote it",) if before is after else ())
    (advice,) = conclusion.recommendations
    assert ("`drop` at `cache.c:12` has freed it" in advice) is (before is not after)
    assert (conclusion.category, conclusion.origin) == (after, _FREED)
    assert conclusion.frame is not None
    assert conclusion.frame.function == "drop"
    assert conclusion.symptom is not None
    assert conclusion.symptom.category is before
    assert conclusion.symptom.frame is not None
    assert conclusion.symptom.frame.function == "read_entry"


def test_a_redraft_keeps_what_was_observed() -> None:
    state = _state(Category.WILD_POINTER, "H1")
    (_, drafted) = observed(state, _FREED)
    assert isinstance(drafted, ConclusionDrafted)
    assert led_to(state, _conclusion(state), _FREED) == drafted.conclusion
    state.origin = _FREED
    again = reason(state)
    assert (again.category, again.origin) == (Category.USE_AFTER_FREE, _FREED)
    assert again.symptom is not None
    assert again.symptom.category is Category.WILD_POINTER


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, []),
        (StoppedBy.INCONCLUSIVE, [StoppedBy.CONCLUDED]),
        (StoppedBy.INTERRUPTED, []),
    ],
)
@pytest.mark.parametrize("open_", [Category.USE_AFTER_FREE, Category.WILD_POINTER])
def test_what_the_dump_left_open_is_decided_by_a_run(
    before: StoppedBy | None, after: list[StoppedBy], open_: Category
) -> None:
    state = _state(Category.UNKNOWN, None)
    state.hypotheses["H1"] = Hypothesis(
        id="H1", statement="x", category=open_, status=Status.INCONCLUSIVE
    )
    state.judgement = Judgement(selected=None, rationale="", rejected=())
    state.stopped = Stopped(by=before) if before is not None else None
    _, decided, drafted, judged, *ended = observed(state, _FREED)
    assert [one.by for one in ended if isinstance(one, Stopped)] == after
    assert isinstance(decided, HypothesisDecided)
    assert (decided.id, decided.verdict.status) == ("H1", Status.CONFIRMED)
    assert _FREED.evidence[0] in decided.verdict.supporting
    assert isinstance(drafted, ConclusionDrafted)
    assert drafted.conclusion.hypothesis == "H1"
    assert drafted.conclusion.category is Category.USE_AFTER_FREE
    assert isinstance(judged, Judged)
    assert judged.judgement.selected == "H1"


def test_without_a_proved_cause_a_notice_tells_it() -> None:
    state = _state(Category.UNKNOWN, None)
    state.stopped = Stopped(by=StoppedBy.INCONCLUSIVE)
    events = observed(state, _FREED)
    assert not [event for event in events if isinstance(event, Stopped)]
    (notice,) = [event for event in events if isinstance(event, Noticed)]
    assert "`drop` at `cache.c:12` freed what was used afterwards (E9:3-5)" in notice.text


_RUN = (
    "read 0x5010 on the way to 0x401100: 0x0",
    "kept the block at 0x5000, 32 bytes: allocated once, never freed",
    "1. free block at 0x6000, thread 1, 32 bytes",
    "read 0x6008 on the way to 0x401100: 0x0",
    "2. write C1 at 0x5010, thread 1: 0x5040 -> 0x0",
    "the program stopped by SIGSEGV",
    "  #0 0x401100 in use at cache.c:20",
)
_READ, _KEPT, _GONE, _READ_THERE, _WRITTEN = (
    Hit(cite=Citation("E9", line, line), **given)
    for line, given in enumerate((
        {"role": "read", "cell": 0x5010, "into": 0x401100, "new": 0},
        {"role": "kept", "cell": 0x5000, "size": 32},
        {"role": "freed", "cell": 0x6000, "size": 32},
        {"role": "read", "cell": 0x6008, "into": 0x401100, "new": 0},
        {"role": "write", "cell": 0x5010, "old": 0x5040, "new": 0},
    ), 1)
)  # fmt: skip
_ENDED = Hit(
    cite=Citation("E9", 6, 7), role="fault", signal="SIGSEGV",
    frames=(Frame(index=0, function="use", file="cache.c", line=20, address=0x401100, line_no=7),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("rival", "kind", "hits", "outcomes", "status"),
    [
        (Category.USE_AFTER_FREE, OriginKind.CLEARED, (_READ, _KEPT), ["refuted"], "rejected"),
        (Category.USE_AFTER_FREE, OriginKind.CLEARED, (_READ,), [], "inconclusive"),
        (Category.USE_AFTER_FREE, OriginKind.CLEARED, (_READ, _KEPT, _GONE), ["refuted"],
         "rejected"),  # the other block lies on no way
        (Category.USE_AFTER_FREE, OriginKind.CLEARED, (_READ, _KEPT, _READ_THERE, _GONE),
         ["refuted", "verified"], "inconclusive"),
        (Category.USE_AFTER_FREE, OriginKind.RELEASED_EARLY, (_READ, _KEPT), [], "inconclusive"),
        (Category.UNINITIALIZED_POINTER, OriginKind.CLEARED, (_READ, _WRITTEN), ["refuted"],
         "rejected"),
        (Category.UNINITIALIZED_POINTER, OriginKind.NEVER_SET, (_READ, _WRITTEN), [],
         "inconclusive"),
        (Category.DATA_RACE, OriginKind.CLEARED, (_READ, _KEPT), [], "inconclusive"),
    ],
)  # fmt: skip
def test_a_run_decides_what_rivals_foretold(
    rival: Category, kind: OriginKind, hits: tuple[Hit, ...], outcomes: list[str], status: str
) -> None:
    state = _state(Category.NULL_POINTER_DEREFERENCE, "H1")
    state.judgement = Judgement(selected="H1", rationale="", rejected=())
    state.hypotheses["H2"] = Hypothesis(
        id="H2", statement="x", category=rival, status=Status.INCONCLUSIVE
    )
    item = Evidence(
        id="E9", command="(run)", source=Source.DEBUGGER, intent="", at="", sha256="", size=1,
        lines=len(_RUN), call_hash="",
    )  # fmt: skip
    now = datetime.now(UTC)
    state.apply(EvidenceRecorded(evidence=item, facts=(*hits, _ENDED)), now)
    origin = replace(_FREED, kind=kind, evidence=(Citation("E9", 5, 5),))
    events = observed(state, origin, lambda name: "\n".join(_RUN))
    for event in events:
        state.apply(event, now)
    assert (state.origin is not None and bool(state.origin.chain)) is (_WRITTEN in hits)
    decided = state.hypotheses["H2"]
    assert [one.outcome.value for one in decided.predictions] == outcomes
    assert decided.status.value == status
    judgement = next(event.judgement for event in events if isinstance(event, Judged))
    (lost,) = judgement.rejected
    assert bool(lost.evidence) is (status == "rejected")
