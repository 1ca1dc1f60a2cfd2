"""Any prefix of any journal gives a valid state, and events survive their encoding."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from workbench.model.category import Category
from workbench.model.citation import Citation, parse_citations
from workbench.model.claims import Arg, Claim
from workbench.model.critique import Check, Conclusion, Judgement, Rejected, Round
from workbench.model.events import (
    AnyEvent,
    ApproveAll,
    CommandFailed,
    CommandStarted,
    ConclusionDrafted,
    Criticised,
    DebuggerStarted,
    DebuggerStopped,
    DumpHashed,
    EvidenceRecorded,
    GateAnswered,
    GateOpened,
    HypothesisDecided,
    HypothesisEdited,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
    Noticed,
    OriginFound,
    Phase,
    PhaseEntered,
    Resumed,
    SessionOpened,
    Stopped,
    StoppedBy,
    TestRan,
    decode_event,
    encode_event,
)
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import AbortMessage, FactBook
from workbench.model.hypothesis import Hypothesis, Rung, Status, TestResult, Verdict
from workbench.model.investigation import Investigation, fold
from workbench.model.origin import Origin, OriginKind
from workbench.model.target import Options, Target, TargetKind

TEXT = st.text(max_size=12)
IDS = st.sampled_from(["H1", "H2", "H3", "H9"])
GATES = st.sampled_from(["G1", "G2"])
COMMANDS = st.builds(Command, TEXT, TEXT)
CITATIONS = st.builds(Citation, st.sampled_from(["E1", "E2"]), st.integers(0, 9))
ARGS = st.builds(Arg, TEXT, st.integers(-(2**63), 2**64 - 1) | TEXT, st.tuples(CITATIONS))
CLAIMS = st.builds(Claim, TEXT, st.tuples(ARGS), text=TEXT)
VERDICTS = st.builds(
    Verdict,
    status=st.sampled_from(Status),
    confidence=st.floats(0, 1),
    rung=st.sampled_from(Rung),
    reason=TEXT,
    claims=st.tuples(CLAIMS),
)
TARGET = Target(path="/c", kind=TargetKind.ELF_CORE, size=1, arch="x86_64", os="linux")


@st.composite
def evidence(draw: st.DrawFn) -> EvidenceRecorded:
    number = draw(st.integers(1, 5))
    item = Evidence(
        id=f"E{number}", command=draw(TEXT), source=draw(st.sampled_from(Source)), intent="",
        at="", sha256="", size=0, lines=1, call_hash=draw(TEXT), partial=draw(st.booleans()),
    )  # fmt: skip
    return EvidenceRecorded(
        evidence=item, facts=(AbortMessage(cite=Citation(item.id, 1), text=draw(TEXT)),)
    )


EVENTS: st.SearchStrategy[AnyEvent] = st.one_of(
    st.just(SessionOpened(session_id="s", target=TARGET, options=Options(), version="0")),
    st.builds(DumpHashed, sha256=TEXT),
    st.builds(PhaseEntered, phase=st.sampled_from(Phase)),
    st.builds(DebuggerStarted, name=TEXT, version=TEXT, path=TEXT),
    st.builds(DebuggerStopped, reason=TEXT),
    st.builds(CommandStarted, command=COMMANDS, source=st.sampled_from(Source)),
    st.builds(CommandFailed, command=COMMANDS, source=st.sampled_from(Source), reason=TEXT),
    evidence(),
    st.builds(
        HypothesisProposed,
        hypothesis=st.builds(
            Hypothesis, id=IDS, statement=TEXT, category=st.sampled_from(Category)
        ),
    ),
    st.builds(
        HypothesisEdited,
        id=IDS,
        statement=TEXT,
        category=st.sampled_from(Category),
        planned=st.tuples(COMMANDS),
    ),
    st.builds(HypothesisMoved, id=IDS, status=st.sampled_from(Status), by=TEXT, reason=TEXT),
    st.builds(TestRan, id=IDS, result=st.builds(TestResult, command=TEXT, evidence=TEXT)),
    st.builds(HypothesisDecided, id=IDS, verdict=VERDICTS),
    st.builds(GateOpened, id=GATES, kind=TEXT, subjects=st.tuples(TEXT), question=TEXT),
    st.builds(GateAnswered, id=GATES, answer=TEXT, by=TEXT),
    st.builds(ApproveAll, by=TEXT),
    st.builds(
        ConclusionDrafted,
        conclusion=st.builds(
            Conclusion,
            hypothesis=st.none() | IDS,
            category=st.sampled_from(Category),
            confidence=st.floats(0, 1),
            claims=st.tuples(CLAIMS),
        ),
    ),
    st.builds(
        Criticised,
        round=st.builds(
            Round,
            number=st.integers(1, 2),
            checks=st.tuples(
                st.builds(Check, kind=TEXT, subject=TEXT, passed=st.booleans(), detail=TEXT)
            ),
            resolved=st.booleans(),
        ),
    ),
    st.builds(
        Judged,
        judgement=st.builds(
            Judgement,
            selected=st.none() | IDS,
            rationale=TEXT,
            rejected=st.tuples(st.builds(Rejected, IDS, TEXT)),
        ),
    ),
    st.builds(
        OriginFound,
        origin=st.builds(
            Origin,
            kind=st.sampled_from(OriginKind),
            function=st.none() | TEXT,
            file=st.none() | TEXT,
            line=st.none() | st.integers(1, 10**6),
            evidence=st.tuples(st.builds(Citation, IDS)),
        ),
    ),
    st.builds(Noticed, text=TEXT),
    st.builds(Resumed, version=TEXT),
    st.builds(Stopped, by=st.sampled_from(StoppedBy)),
)


def journal(events: list[AnyEvent]) -> list[tuple[int, datetime, AnyEvent]]:
    start = datetime(2026, 1, 1, tzinfo=UTC)
    return [(n, start + timedelta(seconds=n), event) for n, event in enumerate(events, 1)]


@given(st.lists(EVENTS, max_size=30))
def test_any_prefix_gives_a_valid_state(events: list[AnyEvent]) -> None:
    rows = journal(events)
    growing = Investigation()
    for end, (seq, at, event) in enumerate(rows, 1):
        growing.apply(event, at, seq)
        state = fold(rows[:end])
        assert state.seq == end
        assert list(state.hypotheses) == list(growing.hypotheses)
        assert state.phase is growing.phase
        assert set(state.by_call_hash.values()) <= set(state.evidence)
        assert all(key == item.id for key, item in state.evidence.items())
        groups = (state.undecided(), state.untested(), state.decided())
        assert sum(map(len, groups)) == len(state.hypotheses)
        assert state.started_at == rows[0][1]
        assert state.updated_at == at


def test_the_time_counts_that_a_session_was_open_until_it_ended() -> None:
    stopped = Stopped(by=StoppedBy.CONCLUDED)
    phase, resumed = PhaseEntered(phase=Phase.DONE), Resumed(version="1")
    rows = [(0, phase), (7, phase), (1000, resumed), (1003, phase), (1005, stopped), (2000, phase)]
    state = Investigation()
    for second, event in rows:
        state.apply(event, datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second))
    assert state.worked == 12


def test_what_a_person_rejects_has_no_confidence_left() -> None:
    likely = Verdict(status=Status.INCONCLUSIVE, confidence=0.5, rung=Rung.STACK, reason="")
    events: list[AnyEvent] = [
        HypothesisProposed(hypothesis=Hypothesis(id="H1", statement="", category=Category.PANIC)),
        HypothesisDecided(id="H1", verdict=likely),
        HypothesisMoved(id="H1", status=Status.REJECTED, by="user", reason="seen"),
    ]
    assert [fold(journal(events[:n])).hypotheses["H1"].confidence for n in (2, 3)] == [0.5, 0.0]


@given(EVENTS)
def test_an_event_survives_its_encoding(event: AnyEvent) -> None:
    assert decode_event(encode_event(event)) == event


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_citation_survives_its_text(number: int, first: int, more: int) -> None:
    citation = Citation(f"E{number}", first, first + more if first else 0)
    (again,) = parse_citations(f"it says so ({citation}).")
    assert again == citation


def test_what_follows_from_facts_is_worked_out_once_until_others_are_found() -> None:
    facts, asked = FactBook(), list[int]()

    def count(known: FactBook) -> int:
        asked.append(len(known))
        return len(known)

    assert [facts.once(count), facts.once(count)] == [0, 0]
    facts.add([AbortMessage(cite=Citation("E1"), text="")])
    assert (facts.once(count), asked) == (1, [0, 1])
