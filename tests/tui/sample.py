"""A recorded investigation for running panes alone and for tests: a use after free in a server."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256

from msgspec.structs import replace

from analyzers.base import Document
from analyzers.registry import analyze
from tests.tui.sample_texts import ITEMS
from workbench.claims.say import say
from workbench.model.category import Category
from workbench.model.citation import Citation
from workbench.model.claims import Claim, Outcome
from workbench.model.critique import Check, Conclusion, Judgement, Rejected, Round
from workbench.model.events import (
    AnyEvent,
    CommandStarted,
    ConclusionDrafted,
    Criticised,
    DebuggerStarted,
    EvidenceRecorded,
    GateAnswered,
    GateOpened,
    HypothesisDecided,
    HypothesisMoved,
    HypothesisProposed,
    Judged,
    Noticed,
    Phase,
    PhaseEntered,
    SessionOpened,
    Stopped,
    StoppedBy,
    TestRan,
)
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import AnyFact, Frame, Signal
from workbench.model.hypothesis import Hypothesis, Rung, Status, TestResult, Verdict
from workbench.model.investigation import Investigation, fold
from workbench.model.journal import Recorded
from workbench.model.target import Options, Target, TargetKind

START = datetime(2026, 3, 14, 9, 26, 53, tzinfo=UTC)
SESSION_ID = "session_20260314_092653_relayd"

_FRAME = Frame(
    index=0, function="conn_expire", file="src/relayd.c", line=212, module="relayd", line_no=2
)

TEXTS = {f"E{number}": item[4] for number, item in enumerate(ITEMS, 1)}

_TEST_HEAP = Command("@heap 0x4c7310", "is the pointer's chunk free")
_TEST_LOCALS = Command("frame apply level 0 -q info locals", "which pointer is followed")
_TEST_FAULT = Command("@fault", "is the operand near zero")
_TEST_WRITER = Command("x/8gx 0x4c7300", "who wrote over the chunk")


def _evidence(number: int) -> EvidenceRecorded:
    command, source, intent, summary, text = ITEMS[number - 1]
    raw = text.encode()
    facts: tuple[AnyFact, ...] = ()
    if number == 2:
        facts = (
            Signal(
                cite=Citation("E2", 1, 1),
                thread=4711,
                number=11,
                name="SIGSEGV",
                code=1,
                code_name="SEGV_MAPERR",
                fault_address=None,
                sender_pid=None,
                sender_uid=None,
            ),
        )
    if source is Source.DEBUGGER:
        facts = analyze(Document(f"E{number}", command, "gdb", text)).facts
    return EvidenceRecorded(
        evidence=Evidence(
            id=f"E{number}",
            command=command,
            source=source,
            intent=intent,
            at=(START + timedelta(seconds=number)).isoformat(),
            sha256=sha256(raw).hexdigest(),
            size=len(raw),
            lines=text.count("\n"),
            call_hash=f"{number:064x}",
            summary=summary,
        ),
        facts=facts,
    )


H1 = Hypothesis(
    id="H1",
    statement="conn_expire follows a connection that conn_close has freed but left in the list",
    category=Category.USE_AFTER_FREE,
    confidence=0.62,
    planned=(_TEST_HEAP, _TEST_LOCALS),
    citations=(Citation("E2", 5, 6),),
)
H2 = Hypothesis(
    id="H2",
    statement="a neighbour's overflow wrote 0x5a over the list's next pointer",
    category=Category.HEAP_BUFFER_OVERFLOW,
    confidence=0.24,
    planned=(_TEST_HEAP, _TEST_WRITER),
    citations=(Citation("E2", 5, 5),),
)
H3 = Hypothesis(
    id="H3",
    statement="the list ends without a sentinel and next is null",
    category=Category.NULL_POINTER_DEREFERENCE,
    confidence=0.08,
    planned=(_TEST_FAULT,),
    citations=(Citation("E2", 4, 4),),
)


def _judged(claim: Claim, reason: str = "") -> Claim:
    outcome = Outcome.REFUTED if reason else Outcome.VERIFIED
    return replace(claim, status=outcome, reason=reason)


_CLAIMS = (
    _judged(
        say(
            "loaded",
            (Citation("E2", 5, 6),),
            register="rax",
            value=0x5A5A5A5A5A5A5A5A,
            source=0x4C7318,
        )
    ),
    _judged(
        say(
            "chunk",
            (Citation("E6", 3, 4), Citation("E5", 1, 1)),
            address=0x4C7318,
            start=0x4C7310,
            state="tcache",
            thread=4714,
        )
    ),
    _judged(
        say("owns", (Citation("E7", 1, 4),), owner=4712, name="conn_lock"),
        "owner is 4714 in E7:2",
    ),
)


def _opening() -> list[AnyEvent]:
    events: list[AnyEvent] = [
        SessionOpened(
            session_id=SESSION_ID,
            target=Target(
                path="/var/crash/relayd.core",
                kind=TargetKind.ELF_CORE,
                size=2318336,
                arch="x86-64",
                os="Linux",
                executable="/usr/sbin/relayd",
                pid=4711,
                signal="SIGSEGV",
                thread_count=8,
            ),
            options=Options(),
            version="0.1.0",
        ),
        PhaseEntered(phase=Phase.BASELINE),
        DebuggerStarted(name="gdb", version="18.1", path="/usr/bin/gdb"),
    ]
    for number in range(1, 6):
        command, source, intent, _, _ = ITEMS[number - 1]
        events += [
            CommandStarted(command=Command(command, intent), source=source),
            _evidence(number),
        ]
    return events


def gate_events() -> list[AnyEvent]:
    """Up to the gate: three hypotheses wait."""
    return [
        *_opening(),
        PhaseEntered(phase=Phase.HYPOTHESES),
        HypothesisProposed(hypothesis=H1),
        HypothesisProposed(hypothesis=H2),
        HypothesisProposed(hypothesis=H3),
        GateOpened(
            id="G1",
            kind="hypothesis",
            subjects=("H1", "H2", "H3"),
            question="Which hypotheses shall be tested?",
        ),
    ]


def concluded_events() -> list[AnyEvent]:
    """The whole run, to its end."""
    confirmed = Verdict(
        status=Status.CONFIRMED,
        confidence=0.93,
        rung=Rung.STRUCTURE,
        reason="the pointer lies in a chunk that the tcache holds as free (E6:4)",
        supporting=(Citation("E6", 3, 5), Citation("E2", 5, 6)),
        claims=_CLAIMS[:2],
        frame=_FRAME,
    )
    rejected = Verdict(
        status=Status.REJECTED,
        confidence=0.05,
        rung=Rung.STRUCTURE,
        reason="the heap is intact: no header was overwritten (E6:1)",
        contradicting=(Citation("E6", 1, 1),),
    )
    asks = Check(
        kind="ungrounded",
        subject="claim 3",
        passed=False,
        detail="“4712” does not stand in the cited lines",
        severity="error",
        evidence=(Citation("E7", 1, 4),),
        asks=(Command("thread apply 2 bt", "whether that thread was in conn_close"),),
    )
    grounded = Check(
        kind="ungrounded",
        subject="claims 1 and 2",
        passed=True,
        detail="every number, address and symbol stands in a cited line",
        evidence=(Citation("E2", 5, 6), Citation("E6", 3, 4)),
    )
    rivals = Check(
        kind="alternative",
        subject="heap-buffer-overflow",
        passed=True,
        detail="tested and rejected with E6:1",
        evidence=(Citation("E6", 1, 1),),
    )
    return [
        *gate_events(),
        GateAnswered(id="G1", answer="approved H1, H2; rejected H3", by="user"),
        HypothesisMoved(id="H1", status=Status.APPROVED, by="user"),
        HypothesisMoved(id="H2", status=Status.APPROVED, by="user"),
        HypothesisMoved(
            id="H3", status=Status.REJECTED, by="user", reason="0x5a5a… is not near null"
        ),
        PhaseEntered(phase=Phase.TESTING),
        _evidence(6),
        TestRan(
            id="H1",
            result=TestResult(
                command="@heap 0x4c7310", evidence="E6", verdict="for: the chunk is free"
            ),
        ),
        TestRan(
            id="H1",
            result=TestResult(
                command=_TEST_LOCALS.text, evidence="E5", verdict="for: c is that chunk"
            ),
        ),
        HypothesisDecided(id="H1", verdict=confirmed),
        TestRan(
            id="H2",
            result=TestResult(
                command="@heap 0x4c7310", evidence="E6", verdict="against: no header is broken"
            ),
        ),
        HypothesisDecided(id="H2", verdict=rejected),
        _evidence(7),
        PhaseEntered(phase=Phase.CRITIQUE),
        ConclusionDrafted(
            conclusion=Conclusion(
                hypothesis="H1",
                category=Category.USE_AFTER_FREE,
                confidence=0.93,
                claims=_CLAIMS,
                frame=_FRAME,
                recommendations=("Take the connection out of the list before freeing it.",),
            )
        ),
        Criticised(round=Round(number=1, checks=(grounded, asks, rivals), resolved=False)),
        Criticised(round=Round(number=2, checks=(grounded, rivals), resolved=True)),
        Judged(
            judgement=Judgement(
                selected="H1",
                rationale="The freed chunk is read from the dump itself (E6:4); nothing else fits.",
                rejected=(
                    Rejected("H2", "no chunk header is damaged", (Citation("E6", 1, 1),)),
                    Rejected("H3", "rejected by you: 0x5a5a… is not near null"),
                ),
                questions=("Which thread called conn_close for this connection last?",),
            )
        ),
        PhaseEntered(phase=Phase.DONE),
        Noticed(text="Report is ready: g shows it, w writes it."),
        Stopped(by=StoppedBy.CONCLUDED),
    ]


def recorded(events: Sequence[AnyEvent]) -> list[Recorded]:
    """Events as a journal's rows, a second apart."""
    return [
        Recorded(number, START + timedelta(seconds=number), event)
        for number, event in enumerate(events, 1)
    ]


def sample_state(events: Sequence[AnyEvent] | None = None) -> Investigation:
    """The state after some events; of the whole run without an argument."""
    return fold(recorded(concluded_events() if events is None else events))


async def sample_text(id: str) -> str:
    """The stored text of a sample item."""
    return TEXTS[id]
