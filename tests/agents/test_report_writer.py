"""The report's JSON is the contract's, and its conclusion is made of held claims only."""

import json
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.agents.cases import (
    FACTS,
    GOOD,
    PROVED,
    RING,
    TEXTS,
    UAF,
    cite,
    conclusion,
    decided,
    drafted,
    evidence,
    opening,
    state_of,
)
from workbench.agents.critic import criticise
from workbench.agents.judge import judge
from workbench.agents.reasoner import reason
from workbench.agents.report.view import ended, headline, tells_of_threads
from workbench.agents.report.writer import build_report
from workbench.claims.render import sentence
from workbench.claims.say import say
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Judgement, Rejected
from workbench.model.events import (
    AnyEvent,
    ConclusionDrafted,
    Criticised,
    EvidenceRecorded,
    HypothesisDecided,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
    Noticed,
    Stopped,
    StoppedBy,
)
from workbench.model.facts import (
    AbortMessage,
    CxxException,
    Finding,
    Heap,
    Process,
    Repeat,
    Signal,
    Stack,
    StackShape,
)
from workbench.model.hypothesis import Status
from workbench.model.investigation import Investigation
from workbench.model.origin import Origin, OriginKind
from workbench.model.report import Report, to_json
from workbench.model.report_conclusion import ClaimInfo
from workbench.store.summary import summarise


def keys(names: str) -> dict[str, Any]:
    """Keys whose values are not looked into."""
    return dict.fromkeys(names.split(), "")


CONTRACT: dict[str, Any] = {
    "schemaVersion": "",
    "metadata": {
        **keys("sessionId createdAt workbenchVersion issue verified executable"),
        "dump": keys("path size sha256 kind"),
        "debugger": keys("name version"),
    },
    "analysis": {
        "coreHealth": {
            **keys("truncated executableMatches caps remedies"),
            "modules": keys("total withSymbols mismatched missing"),
            "memory": keys("dumped missing"),
        },
        "summary": {
            **keys(
                "crashType description recommendations signature stackHash threadCount moduleCount"
            ),
            "severity": keys("class level reasons"),
        },
        "environment": keys("os arch runtime pid commandLine"),
        "exception": {
            **keys("type message signal signalCode faultAddress hresult threadId inner"),
            "stackTrace": [keys("index function file line module offset address trust")],
        },
        "threads": {
            "count": "",
            "summary": {"description": ""},
            "groups": [keys("threadIds state waitsFor stackTrace")],
            "items": [{}],
        },
        "modules": [keys("name path base size version buildId symbols")],
        "assemblies": [],
        "synchronization": {
            "locks": [keys("address kind owner waiters")],
            "deadlocks": [],
        },
        "memory": keys("heaps topTypes findings"),
        "async": None,
        "watches": None,
        "security": None,
        "aiAnalysis": {
            **keys(
                "rootCause category cwe confidence reasoning "
                "evidence followUpQuestions checkpoints tier degraded stoppedBy"
            ),
            "frame": keys("function file line module offset"),
            "claims": [keys("text citations status reason")],
            "evidenceLedger": [
                keys(
                    "id command source intent time sha256 size "
                    "lines storage partial summary findings callHash annotations"
                )
            ],
            "hypotheses": [
                {
                    **keys(
                        "id statement category status "
                        "confidence decidedBy reason supporting contradicting"
                    ),
                    "tests": [],
                }
            ],
            "judge": {
                "selected": "",
                "rationale": "",
                "rejected": [keys("id reason evidence")],
            },
            "critique": {
                "rounds": [
                    {
                        "round": "",
                        "resolved": "",
                        "issues": [keys("kind severity claim detail evidence")],
                    }
                ]
            },
            "summary": keys("description recommendations"),
            "threadNarrative": keys("description confidence"),
        },
    },
    "usage": {
        "local": keys("calls inputTokens outputTokens"),
        "cloud": keys("calls inputTokens outputTokens costUsd"),
        "models": [],
    },
}
LIE = say("chunk", [cite("E3:2")], address=0xDEADBEEF, state="in-use")


def finished(*claims: Claim, selected: str | None = "H1") -> Investigation:
    """A state after critic and judge."""
    events = [*decided(), ConclusionDrafted(conclusion=conclusion(*claims))]
    round_, judged = criticise(state_of(events), TEXTS.__getitem__, 1)
    lost = Rejected("H2", "not near null", (cite("E1:2"),))
    events += [
        Criticised(round=round_),
        ConclusionDrafted(conclusion=conclusion(*judged)),
        Judged(judgement=Judgement(selected=selected, rationale="why", rejected=(lost,))),
        Stopped(by=StoppedBy.CONCLUDED if selected else StoppedBy.INCONCLUSIVE),
    ]
    return state_of(events)


def parsed(report: Report) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(to_json(report))
    return loaded


def assert_keys(value: Any, expected: Any, path: str = "") -> None:
    if isinstance(expected, dict):
        assert isinstance(value, dict), path
        for key, inner in expected.items():
            assert key in value, f"{path}.{key}"
            assert_keys(value[key], inner, f"{path}.{key}")
    elif isinstance(expected, list) and expected:
        assert value, path
        for item in value:
            assert_keys(item, expected[0], f"{path}[]")


def test_every_key_of_the_contract_is_there() -> None:
    report = parsed(build_report(finished(*GOOD, LIE), TEXTS))
    assert report["schemaVersion"] == "1"
    assert_keys(report, CONTRACT)


def test_an_empty_state_gives_a_whole_report() -> None:
    report = parsed(build_report(Investigation(), TEXTS))
    assert set(report["analysis"]) == set(CONTRACT["analysis"])
    assert report["analysis"]["exception"]["signal"] is None
    assert report["analysis"]["aiAnalysis"]["category"] == "unknown"
    assert report["metadata"]["dump"] is None
    assert report["usage"]["cloud"]["costUsd"] == 0


def test_any_prefix_of_an_investigation_gives_a_report() -> None:
    events = [*decided(), ConclusionDrafted(conclusion=conclusion())]
    for length in range(len(events) + 1):
        report = build_report(state_of(events[:length]), TEXTS)
        assert msgspec.json.decode(to_json(report), type=Report) == report


def test_the_conclusion_is_made_of_held_claims() -> None:
    ai = parsed(build_report(finished(LIE, *GOOD), TEXTS))["analysis"]["aiAnalysis"]
    assert ai["rootCause"].startswith(GOOD[0].text.rstrip("."))
    assert [c["status"] for c in ai["claims"]] == ["refuted", *["verified"] * 4]
    assert ai["claims"][0]["reason"]
    for text in (ai["reasoning"], ai["summary"]["description"], *ai["evidence"]):
        assert "0xdeadbeef" not in text
    assert [line.rpartition(" — ")[2] for line in ai["evidence"]] == [
        "E2:1, E3:2",
        "E3:2",
        "E1:1",
        "E1:2",
    ]
    assert ai["category"] == "use-after-free"
    assert ai["cwe"] == 416
    assert ai["confidence"] == 0.5
    assert ai["frame"]["file"] == "src/ring.c"
    assert ai["frame"]["source"].startswith("c->next = NULL;")
    assert ai["claims"][1]["quoted"] == [TEXTS["E2"].split("\n")[0], TEXTS["E3"].split("\n")[1]]


def test_what_stays_open_has_no_confidence() -> None:
    ai = parsed(build_report(finished(*GOOD, selected=None), TEXTS))["analysis"]["aiAnalysis"]
    assert (ai["category"], ai["rootCause"], ai["confidence"]) == ("unknown", None, 0.0)


def test_the_title_names_what_failed_though_no_cause_is_proved() -> None:
    known = say("value", [cite("E2:1")], expression="r->as.text", value="0x5265c7b")
    report = build_report(finished(*GOOD, selected=None), TEXTS)
    ai = report.analysis.ai_analysis
    for status, told in (("verified", ": `r->as.text` is 0x5265c7b"), ("unknown", "")):
        info = ClaimInfo(id="C9", kind=known.kind, args=(), denied=False, text=sentence(known),
                         citations=("E2:1",), status=status, reason="")  # fmt: skip
        stated = replace(report.analysis, ai_analysis=replace(ai, claims=(info,)))
        title = headline(replace(report, analysis=stated))
        assert (title.startswith("Inconclusive"), title.endswith(told)) == (True, True)
        assert bool(told) is ("`" in title)


def test_a_conclusion_of_lies_is_unknown() -> None:
    state = finished(LIE, selected=None)
    ai = parsed(build_report(state, TEXTS))["analysis"]["aiAnalysis"]
    assert ai["category"] == "unknown"
    assert ai["rootCause"] is None
    assert ai["reasoning"] is None
    assert ai["confidence"] == 0.0
    assert ai["frame"] is None
    assert ai["evidence"] == []
    assert 3 <= len(ai["followUpQuestions"]) <= 5
    assert ai["stoppedBy"] == "inconclusive"


def test_a_selection_that_stays_likely_keeps_its_category() -> None:
    unsure = replace(PROVED, status=Status.INCONCLUSIVE, confidence=0.4)
    held = tuple(replace(c, status=Outcome.VERIFIED) for c in GOOD)
    events = [
        *opening(),
        HypothesisProposed(hypothesis=UAF),
        HypothesisDecided(id="H1", verdict=unsure),
        ConclusionDrafted(conclusion=conclusion(*held)),
    ]
    before = build_report(state_of(events), TEXTS).analysis.ai_analysis
    assert (before.category, before.confidence) == ("unknown", 0.0)
    events.append(Judged(judgement=Judgement(selected="H1", rationale="the likeliest")))
    assert build_report(state_of(events), TEXTS).analysis.ai_analysis.category == "use-after-free"


@pytest.mark.parametrize(
    ("moves", "said", "of_h1"),
    [
        (
            [("H2", Status.CONFIRMED)],
            "No cause is stated: the user decided for H2, which the evidence does not prove; it "
            "proves H1.",
            "proved, but the user decided for another",
        ),
        (
            [("H1", Status.REJECTED), ("H2", Status.REJECTED)],
            "No cause is stated: the user rejected each hypothesis, untested.",
            "rejected by the user",
        ),
        (
            [("H1", Status.REJECTED)],
            "No cause is stated: the user rejected H1, and the evidence proves no other.",
            "rejected by the user",
        ),
    ],
)
def test_what_the_user_decided_against_the_evidence_is_told_as_that(
    moves: list[tuple[str, Status]], said: str, of_h1: str
) -> None:
    events = decided()
    events += [HypothesisMoved(id=id, status=status, by="user") for id, status in moves]
    draft = reason(state_of(events))
    events.append(ConclusionDrafted(conclusion=draft))
    events.append(Judged(judgement=judge(state_of(events))))
    judged = state_of(events).judgement
    assert judged is not None
    assert judged.selected is None  # so that it ends as inconclusive
    events.append(Stopped(by=StoppedBy.INCONCLUSIVE))
    state = state_of(events)
    written, row = build_report(state, TEXTS), summarise(state, "one")
    assert ended(written) == said
    told = written.analysis.ai_analysis
    assert (row.category, row.confidence) == (told.category, told.confidence) == ("unknown", 0.0)
    confirmed = moves[0][1] is Status.CONFIRMED
    own = f"{state.hypotheses['H2'].category} (yours)"
    assert row.cause == (own if confirmed else "unknown")
    assert replace(row, category="deadlock").cause == "deadlock"  # by what a run showed
    found = Origin(
        kind=OriginKind.WRITTEN, function="put", file="/srv/a.c", line=9, evidence=(), runs=3
    )
    state.conclusion = replace(draft, origin=found)
    row = summarise(state, "one")
    assert row.confidence == draft.confidence
    assert row.cause == (own if confirmed else "began in put a.c:9")
    refused = " and ".join(id for id, status in moves if status is Status.REJECTED)
    reason_ = told.judge.rationale or ""
    assert reason_.startswith(f"The user rejected {refused}, and" if refused else "H2 was")
    (lost,) = (one for one in written.analysis.ai_analysis.judge.rejected if one.id == "H1")
    assert lost.reason.startswith(of_h1)


def test_threads_are_grouped_by_what_they_do() -> None:
    analysis = parsed(build_report(finished(), TEXTS))["analysis"]
    threads = analysis["threads"]
    assert threads["count"] == 3
    assert [g["threadIds"] for g in threads["groups"]] == [[4711], [4712], [4713]]
    assert threads["groups"][1]["waitsFor"] == "mutex 0x405500 held by thread 4713"
    assert analysis["synchronization"]["locks"][0] == {
        "address": "0x405500",
        "kind": "mutex",
        "owner": 4713,
        "waiters": [4712],
    }
    assert analysis["exception"]["faultAddress"] == "0x4052b0"
    assert analysis["exception"]["stackTrace"][0]["offset"] == "0x1196"


def test_idle_threads_with_equal_stacks_are_one_group() -> None:
    state = state_of([e for e in opening() if _id(e) != "E3"])
    groups = build_report(state, TEXTS).analysis.threads.groups
    assert [group.thread_ids for group in groups] == [(4711,), (4712, 4713)]


def _id(event: AnyEvent) -> str:
    return event.evidence.id if isinstance(event, EvidenceRecorded) else ""


def with_facts(*facts: Any, without: Any = ()) -> Investigation:
    """The opening with other facts about the process's end."""
    kept = tuple(f for f in FACTS["E1"] if not isinstance(f, without))
    row = evidence("E1", TEXTS["E1"], "@notes")
    start = opening()[:2]
    return state_of([*start, EvidenceRecorded(evidence=row, facts=(*kept, *facts))])


SIGNAL = next(f for f in FACTS["E1"] if isinstance(f, Signal))
PROCESS = next(f for f in FACTS["E1"] if isinstance(f, Process))
ABORT = replace(SIGNAL, number=6, name="SIGABRT", code=-6, code_name="SI_TKILL")
THROWN = CxxException(
    cite=cite("E1"), type="std::out_of_range", message="at 7", address=0x10, uncaught=True
)


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ((SIGNAL,), "crash"),
        ((SIGNAL, RING), "crash"),
        ((ABORT,), "abort"),
        ((ABORT, THROWN), "exception"),
        ((ABORT, RING), "hang"),
        ((replace(PROCESS, snapshot=True),), "snapshot"),
        ((replace(PROCESS, snapshot=True), RING), "hang"),
        ((), None),
    ],
)
def test_crash_type(facts: tuple[Any, ...], expected: str | None) -> None:
    state = with_facts(*facts, without=Signal | Process)
    assert build_report(state, TEXTS).analysis.summary.crash_type == expected


def test_a_snapshot_has_no_exception() -> None:
    state = with_facts(replace(PROCESS, snapshot=True), without=Signal | Process)
    exception = build_report(state, TEXTS).analysis.exception
    assert (exception.type, exception.signal, exception.thread_id) == (None, None, None)
    assert exception.stack_trace == ()


def test_a_snapshot_of_one_thread_shows_its_stack() -> None:
    (stack,) = (one for one in FACTS["E2"] if isinstance(one, Stack) and one.current)
    alone = replace(PROCESS, threads=(4711,), snapshot=True)
    unnamed = replace(stack, thread=None, number=None)
    state = with_facts(alone, unnamed, without=Signal | Process | Stack)
    report = build_report(state, TEXTS)
    (group,) = report.analysis.threads.groups
    assert len(group.stack_trace) == len(stack.frames)
    assert tells_of_threads(report)


def test_what_a_runtime_said_is_the_exceptions_message() -> None:
    message = AbortMessage(cite=cite("E1"), text="ring.c:42: main: Assertion `n' failed.")
    said = build_report(with_facts(message), TEXTS).analysis.exception
    assert (said.type, said.message) == ("SIGSEGV", message.text)
    aborted = with_facts(ABORT, THROWN, without=Signal)
    thrown = build_report(aborted, TEXTS).analysis.exception
    assert (thrown.type, thrown.message, thrown.signal) == ("std::out_of_range", "at 7", "SIGABRT")


def test_a_scanned_stack_stands_in_for_one_that_was_not_listed() -> None:
    frame = PROVED.frame
    assert frame is not None
    shape = StackShape(
        cite=cite("E1"),
        thread=4711,
        pointer=0x7FFF0000,
        recursion=(Repeat(address=1, count=2),),
        scanned=(replace(frame, trust="scan"),),
    )
    exception = build_report(with_facts(shape), TEXTS).analysis.exception
    assert [f.trust for f in exception.stack_trace] == ["scan"]


def test_a_broken_heap_is_a_finding_with_its_citation() -> None:
    heap = Heap(
        cite=cite("E3:2"),
        start=0x405000,
        end=0x426000,
        chunks=9,
        in_use=5,
        free=4,
        broken_at=0x405300,
        broken="size 0 is no size",
    )
    memory = build_report(with_facts(heap), TEXTS).analysis.memory
    assert memory.findings == ("The heap is broken at 0x405300: size 0 is no size — E3:2",)
    assert memory.heaps is not None
    assert memory.heaps[0].broken_at == "0x405300"


def test_notices_that_matter_and_the_reason_for_stopping_are_told() -> None:
    events = [
        *opening(),
        Noticed(text="gdb died and was started again", severity="warning"),
        Noticed(text="gdb died and was started again", severity="warning"),
        Noticed(text="hello"),
        Stopped(by=StoppedBy.TIMEOUT, reason="60 s are over"),
    ]
    ai = build_report(state_of(events), TEXTS).analysis.ai_analysis
    assert ai.notices == ("gdb died and was started again",)
    assert (ai.stopped_by, ai.stopped_reason) == ("timeout", "60 s are over")


def test_texts_that_are_gone_leave_the_report_whole() -> None:
    report = build_report(finished(), {})
    assert report.analysis.ai_analysis.claims[0].quoted == ()


def test_a_draft_is_not_yet_a_root_cause() -> None:
    ai = build_report(drafted(), TEXTS).analysis.ai_analysis
    assert ai.root_cause is None
    assert [c.status for c in ai.claims] == ["unknown"] * 4


@pytest.mark.parametrize(
    ("command", "found", "expected"),
    [
        ("(thread dump)", (None,), "snapshot"),
        ("(logged)", (False,), "snapshot"),
        ("(crash)", (True,), "crash"),
        ("(logged, then a crash)", (False, True), "crash"),
        ("attach 4711", (), "snapshot"),
        ("attach 4711", (True,), "crash"),
        ("run", (), None),
    ],
)
def test_what_ended_nothing_is_a_snapshot(
    command: str, found: tuple[bool | None, ...], expected: str | None
) -> None:
    said = Finding(cite=cite("E1"), tool="Java", kind="monitors", message="waits", line=1)
    logged = replace(said, message="logged", category="double-free", ends=False)
    facts = tuple(logged if ends is False else replace(said, ends=ends) for ends in found)
    row = evidence("E1", TEXTS["E1"], command)
    state = state_of([*opening()[:2], EvidenceRecorded(evidence=row, facts=facts)])
    analysis = build_report(state, TEXTS).analysis
    assert analysis.summary.crash_type == expected
    assert analysis.exception.message == ("waits" if expected == "crash" else None)


PANICKED = Finding(
    cite=cite("E1"), tool="Rust", kind="panic", message="thread 'main' panicked at a.rs:3:5:",
    line=1, category="panic",
)  # fmt: skip


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ((), "exception"),  # it unwinds: the thread ended, and the process may not have
        ((replace(PANICKED, kind="aborting"),), "abort"),
        ((replace(PANICKED, kind="aborted", signal="SIGABRT", category=None),), "abort"),
    ],
)
def test_a_panic_that_unwinds_is_no_abort(more: tuple[Finding, ...], expected: str) -> None:
    state = with_facts(PANICKED, *more, without=Signal | Process)
    assert build_report(state, TEXTS).analysis.summary.crash_type == expected
