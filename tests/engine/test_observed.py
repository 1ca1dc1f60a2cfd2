"""What an observed origin makes of a conclusion."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from workbench.agents.judge import judge
from workbench.agents.observed import _ADVICE, advised, led_to, may_be_root
from workbench.agents.reasoner import reason
from workbench.agents.report.analysis import ai_analysis
from workbench.claims.render import headline, step_place
from workbench.claims.say import say
from workbench.engine.rerun import observed
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Outcome
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
from workbench.model.facts import CoreHealth, FactBook, Frame, Hit, LockCycle, Process, Signal
from workbench.model.hypothesis import Hypothesis, Status
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind
from workbench.model.target import Target, TargetKind

_FREED = Origin(
    kind=OriginKind.FREED,
    function="drop",
    file="cache.c",
    line=12,
    evidence=(Citation("E9", 3, 5),),
    stack=(Frame(index=1, function="drop", file="cache.c", line=12),),
)


_ITEM = Evidence(
    id="E9", command="(run)", source=Source.DEBUGGER, intent="", at="", sha256="", size=1,
    lines=7, call_hash="",
)  # fmt: skip
_NOW = datetime.now(UTC)


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
        (Category.UNCAUGHT_EXCEPTION, Category.USE_AFTER_FREE),
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
    assert not conclusion.missing
    (advice,) = conclusion.recommendations
    assert "`drop` at `cache.c:12` has freed it" in advice
    assert (conclusion.category, conclusion.origin) == (after, _FREED)
    assert conclusion.frame is not None
    assert conclusion.frame.function == "drop"
    assert conclusion.symptom is not None
    assert conclusion.symptom.category is before
    assert conclusion.symptom.frame is not None
    assert conclusion.symptom.frame.function == "read_entry"


@pytest.mark.parametrize(
    ("kind", "old", "advice"),
    [
        *((kind, "0x5", step_place(_FREED)) for kind in OriginKind if kind.value in _ADVICE),
        (OriginKind.WRITTEN, "0x0", "before it is stored"),
    ],
)
def test_what_was_found_is_not_advised_to_be_found(kind: OriginKind, old: str, advice: str) -> None:
    state = _state(Category.NULL_POINTER_DEREFERENCE, "H1")
    found = led_to(state, _conclusion(state), replace(_FREED, kind=kind, old=old))
    assert advice in " ".join(found.recommendations)
    left = kind is OriginKind.RELEASED_EARLY
    found_left = led_to(state, _conclusion(state), replace(_FREED, kind=kind, old=old, left=True))
    assert ("outlives all who use it" in found_left.recommendations[0]) is left
    assert ("Find who wrote it." in found.recommendations) is bool(found.missing)


def test_who_moved_an_owner_is_not_told_to_free_later_what_another_freed() -> None:
    state = _state(Category.USE_AFTER_FREE, "H1")
    found = led_to(state, _conclusion(state), replace(_FREED, owner=True))
    assert "has freed it" not in found.recommendations[0]
    assert "the old address of what `drop` at `cache.c:12`" in found.recommendations[0]


def test_who_took_the_locks_of_a_ring_is_no_better_advice() -> None:
    state, ring = (
        _state(Category.DEADLOCK, "H1"),
        LockCycle(cite=Citation("E5"), threads=(7, 8), locks=(1, 2)),
    )
    locked = replace(_FREED, kind=OriginKind.LOCKED)
    (advice,) = led_to(state, _conclusion(state), locked).recommendations
    assert "the lock that `drop` at `cache.c:12` takes back" in advice
    state.facts.add([ring])
    assert led_to(state, _conclusion(state), locked).recommendations == ("Find who wrote it.",)


_CORE = Target(path="core", size=1, kind=TargetKind.ELF_CORE, os="linux", arch="x86_64")


@pytest.mark.parametrize(
    ("target", "host", "signal", "origin", "said"),
    [
        (_CORE, "gdb", "SIGSEGV", None, True),
        (_CORE, "gdb", "SIGTERM", None, False),
        (_CORE, "gdb", "SIGSEGV", _FREED, False),
        (_CORE, "run", "SIGSEGV", None, False),
        (replace(_CORE, runtime="coreclr"), "gdb", "SIGSEGV", None, False),
        (replace(_CORE, kind=TargetKind.MINIDUMP), "gdb", "SIGSEGV", None, False),
    ],
)
def test_what_can_be_run_again_and_was_not_is_advised_to_be(
    target: Target, host: str, signal: str, origin: Origin | None, said: bool
) -> None:
    state = _state(Category.USE_AFTER_FREE, "H1")
    state.conclusion = replace(_conclusion(state), origin=origin)
    state.target = target
    ended = Signal(cite=Citation("E9", 1, 1), name=signal, number=1, code=None, thread=1)
    state.apply(EvidenceRecorded(evidence=replace(_ITEM, host=host), facts=(ended,)), _NOW)
    told = " ".join(advised(state))
    assert (
        told.startswith("Run the program again to find the line that caused it: `workbench") is said
    )
    state.session_id = "session_20261130_004140_core.7"
    named = f"`workbench reproduce {state.session_id} -- COMMAND`"
    assert (named in " ".join(advised(state))) is said
    state.options = replace(state.options, sessions_dir="/srv/my cases")
    named = f"`workbench reproduce {state.session_id} --sessions-dir '/srv/my cases' -- COMMAND`"
    assert (named in " ".join(advised(state))) is said
    other = CoreHealth(cite=Citation("E8", 1, 1), truncated=False, executable="/srv/b",
                       executable_matches=False, dumped_bytes=1, missing_bytes=0)  # fmt: skip
    state.apply(EvidenceRecorded(evidence=replace(_ITEM, id="E8", host=host), facts=(other,)), _NOW)
    assert "Run the program" not in " ".join(advised(state))  # that one is not what crashed


@pytest.mark.parametrize(
    ("exe", "line", "shown"),
    [
        ("/srv/a", "./a 'b c' $d", "/srv/a 'b c' '$d'` (its arguments as the dump names them)"),
        ("/srv/a", "./a", "/srv/a`, or R"),
        ("/srv/a", "./a `b`", "COMMAND`, or R"),
        ("/srv/a", "./a '\u2028'", "COMMAND`, or R"),
        ("/srv/a", "./a " + "b" * 200, "COMMAND`, or R"),
        (None, "./a b", "COMMAND`, or R"),  # the program is not here
    ],
)
def test_the_command_that_the_dump_names_is_what_to_run(
    exe: str | None, line: str, shown: str
) -> None:
    state = _state(Category.USE_AFTER_FREE, "H1")
    state.conclusion = _conclusion(state)
    state.target = replace(_CORE, executable=exe)
    ended = Signal(cite=Citation("E9", 1, 1), name="SIGSEGV", number=11, code=None, thread=1)
    ran = Process(cite=Citation("E9", 1, 1), pid=1, command_line=line, arch="x86_64",
                  executable=None, os="Linux", threads=(1,))  # fmt: skip
    state.facts = FactBook([ended, ran])
    assert f" -- {shown}" in " ".join(advised(state))


def test_the_call_of_what_failed_is_no_part_of_the_headline() -> None:
    """It says where, and not why."""
    called = say("caller", (Citation("E9", 1, 1),), caller="main", function="dump")
    held = [replace(called, status=Outcome.VERIFIED)]
    assert headline(held).startswith("`main` called `dump`")
    assert headline(held, _FREED) == "`drop` at `cache.c:12` freed what was used afterwards."


@pytest.mark.parametrize(
    ("kind", "category", "runs", "told", "sure"),
    [
        (OriginKind.NEVER_SET, Category.UNINITIALIZED_POINTER, 4, "uninitialized-pointer", 0.8),
        (OriginKind.FREED, Category.USE_AFTER_FREE, 4, "use-after-free", 0.8),
        (OriginKind.COMPUTED, Category.UNKNOWN, 4, "unknown", 0.8),
        (OriginKind.NEVER_SET, Category.UNINITIALIZED_POINTER, 0, "unknown", 0.0),
    ],
)
def test_an_open_case_gets_the_category_of_what_a_run_showed(
    kind: OriginKind, category: Category, runs: int, told: str, sure: float
) -> None:
    """Whether or not a hypothesis had said so."""
    state = _state(Category.UNKNOWN, None)
    fault = replace(say("value", (Citation("E9", 1, 1),), expression="p", value="0x5"),
                    id="C1", by="expert", status=Outcome.VERIFIED)  # fmt: skip
    state.conclusion = replace(_conclusion(state), claims=(fault,))
    state.conclusion = led_to(state, _conclusion(state), replace(_FREED, kind=kind, runs=runs))
    assert state.conclusion.category is category
    found = ai_analysis(state, lambda _: "")
    assert (found.category, found.confidence) == (told, sure)


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
@pytest.mark.parametrize(
    ("kind", "open_", "told"),
    [
        (OriginKind.FREED, Category.USE_AFTER_FREE, Category.USE_AFTER_FREE),
        (OriginKind.FREED, Category.WILD_POINTER, Category.USE_AFTER_FREE),
        (OriginKind.UNMAPPED, Category.WILD_POINTER, Category.WILD_POINTER),
        (OriginKind.RELEASED_EARLY, Category.USE_AFTER_FREE, Category.USE_AFTER_FREE),
        (
            OriginKind.RETURNED,
            Category.NULL_POINTER_DEREFERENCE,
            Category.NULL_POINTER_DEREFERENCE,
        ),
    ],
)
def test_what_the_dump_left_open_is_decided_by_a_run(
    before: StoppedBy | None, after: list[StoppedBy],
    kind: OriginKind, open_: Category, told: Category,
) -> None:  # fmt: skip
    state = _state(Category.UNKNOWN, None)
    state.hypotheses["H1"] = Hypothesis(
        id="H1", statement="x", category=open_, status=Status.INCONCLUSIVE
    )
    state.judgement = Judgement(selected=None, rationale="", rejected=())
    state.stopped = Stopped(by=before) if before is not None else None
    _, decided, drafted, judged, *ended = observed(state, replace(_FREED, kind=kind))
    assert [one.by for one in ended if isinstance(one, Stopped)] == after
    assert isinstance(decided, HypothesisDecided)
    assert (decided.id, decided.verdict.status) == ("H1", Status.CONFIRMED)
    assert _FREED.evidence[0] in decided.verdict.supporting
    assert isinstance(drafted, ConclusionDrafted)
    assert drafted.conclusion.hypothesis == "H1"
    assert drafted.conclusion.category is told
    assert isinstance(judged, Judged)
    assert judged.judgement.selected == "H1"
    again = led_to(state, drafted.conclusion, replace(_FREED, kind=kind))  # by another run
    assert (again.hypothesis, again.category) == ("H1", told)


@pytest.mark.parametrize(
    ("proved", "selected"),
    [
        (Category.INVALID_VTABLE, "H2"),
        (Category.NULL_POINTER_DEREFERENCE, "H2"),
        (Category.DOUBLE_FREE, "H1"),  # which an earlier free() says no more of
    ],
)
def test_what_a_run_shows_beyond_the_dumps_cause_is_a_hypothesis_too(
    proved: Category, selected: str
) -> None:
    state = _state(proved, "H1")
    state.judgement = Judgement(selected="H1", rationale="", rejected=())
    state.hypotheses["H2"] = Hypothesis(
        id="H2", statement="x", category=Category.USE_AFTER_FREE, status=Status.INCONCLUSIVE
    )
    events = observed(state, _FREED)
    decided = [event.id for event in events if isinstance(event, HypothesisDecided)]
    (drafted,) = [event for event in events if isinstance(event, ConclusionDrafted)]
    assert drafted.conclusion.hypothesis == selected
    assert decided == (["H2"] if selected == "H2" else [])
    wanted = Category.USE_AFTER_FREE if selected == "H2" else proved
    assert drafted.conclusion.category is wanted


@pytest.mark.parametrize(
    ("by", "kind", "open_", "told", "said"),
    [
        ("engine", "freed", "use-after-free", "use-after-free", "No hypothesis says what a run"),
        ("user", "freed", "use-after-free", "use-after-free", "H1, which the user rejected, says"),
        ("user", "written", "corrupted-pointer", "unknown", "H1, which the user rejected, says"),
        ("user", "written", "stack-overflow", "unknown", "No hypothesis says what a run"),
    ],
)
def test_what_a_person_rejected_and_a_run_showed_is_told_as_that(
    by: str, kind: str, open_: str, told: str, said: str
) -> None:
    state = _state(Category.UNKNOWN, None)
    category = Category(open_)
    state.hypotheses["H1"] = Hypothesis(
        id="H1", statement="x", category=category, status=Status.REJECTED, decided_by=by
    )
    assert state.conclusion is not None
    origin = replace(_FREED, kind=OriginKind(kind))
    state.conclusion = replace(state.conclusion, category=Category(told), origin=origin)
    assert judge(state).rationale.startswith(said)


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
    state.apply(EvidenceRecorded(evidence=_ITEM, facts=(*hits, _ENDED)), _NOW)
    origin = replace(_FREED, kind=kind, evidence=(Citation("E9", 5, 5),))
    events = observed(state, origin, lambda name: "\n".join(_RUN))
    for event in events:
        state.apply(event, _NOW)
    assert (state.origin is not None and bool(state.origin.chain)) is (_WRITTEN in hits)
    decided = state.hypotheses["H2"]
    assert [one.outcome.value for one in decided.predictions] == outcomes
    assert decided.status.value == status
    judgement = next(event.judgement for event in events if isinstance(event, Judged))
    (lost,) = judgement.rejected
    assert bool(lost.evidence) is (status == "rejected")


@pytest.mark.parametrize(
    ("category", "kind", "line", "new", "may"),
    [
        (Category.USE_AFTER_FREE, OriginKind.FREED, 12, "", True),
        (Category.USE_AFTER_FREE, OriginKind.NEVER_SET, 12, "", True),
        (Category.USE_AFTER_FREE, OriginKind.WRITTEN, 12, "0x5", False),  # a step of a walk
        (Category.USE_AFTER_FREE, OriginKind.LOCKED, 12, "", False),
        (Category.STD_TERMINATE, OriginKind.PASSED, 12, "80", False),
        (Category.OUT_OF_BOUNDS_READ, OriginKind.COMPUTED, 12, "-2", True),  # the index
        (
            Category.OUT_OF_BOUNDS_READ,
            OriginKind.COMPUTED,
            12,
            "0x65540d20",
            False,
        ),  # what lies there
        (Category.OUT_OF_BOUNDS_READ, OriginKind.COMPUTED, 30, "-2", False),  # the reading line
        (Category.CORRUPTED_POINTER, OriginKind.WRITTEN, 12, "0x65540d20", True),
    ],
)
def test_what_a_run_showed_must_lead_to_what_the_dump_proves(
    category: Category, kind: OriginKind, line: int, new: str, may: bool
) -> None:
    used = replace(_FREED, kind=OriginKind.USED, line=30, address=0x65540D20)
    origin = replace(_FREED, kind=kind, line=line, new=new, steps=(used,))
    assert may_be_root(_state(category, "H1"), origin) is may
    assert may_be_root(_state(category, None), origin)


def test_the_place_of_an_origin_is_its_line() -> None:
    """Of a local that nobody set it is the declaration's, at which no frame stood."""
    state = _state(Category.WILD_POINTER, "H1")
    (stood, *_) = _FREED.stack
    origin = replace(_FREED, kind=OriginKind.NEVER_SET, function=stood.function, line=2)
    assert stood.line != 2
    frame = led_to(state, _conclusion(state), origin).frame
    assert frame is not None
    assert (frame.function, frame.line) == (stood.function, 2)
