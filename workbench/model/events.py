"""Every step of an investigation as plain data. Each is committed before anything shows it."""

from enum import StrEnum
from functools import cache

import msgspec

from workbench.model.assisted_events import AnyAssisted
from workbench.model.category import Category
from workbench.model.chunks import TextChunk
from workbench.model.claims import Prediction
from workbench.model.conversation import Reply, Turn
from workbench.model.critique import Conclusion, Judgement, Round
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import AnyFact
from workbench.model.hypothesis import Hypothesis, Status, TestResult, Verdict
from workbench.model.model_events import AnyModelEvent
from workbench.model.models import Content
from workbench.model.origin import Origin
from workbench.model.session_events import AnySessionEvent, Event
from workbench.model.target import Options, Target


class Phase(StrEnum):
    """Where the investigation is; phases follow each other in this order."""

    OPENING = "opening"
    BASELINE = "baseline"
    HYPOTHESES = "hypotheses"
    TESTING = "testing"
    INVESTIGATING = "investigating"
    REASONING = "reasoning"
    CRITIQUE = "critique"
    JUDGING = "judging"
    REPORTING = "reporting"
    CONVERSING = "conversing"  # about a folder of texts only
    DONE = "done"


class StoppedBy(StrEnum):
    """Why a run ended; the values are the contract's."""

    CONCLUDED = "concluded"
    INCONCLUSIVE = "inconclusive"
    MAX_ITERATIONS = "maxIterations"
    MAX_TOOL_CALLS = "maxToolCalls"
    NO_PROGRESS = "noProgress"
    MAX_TOKENS = "maxTokens"
    MAX_COST = "maxCost"
    TIMEOUT = "timeout"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


class SessionOpened(Event, frozen=True, kw_only=True, tag="session-opened"):
    """The first event: what is investigated, by which version, with which debugger (``none``:
    with our own reader alone) and why that one."""

    session_id: str
    target: Target
    options: Options
    version: str
    debugger: str = "gdb"
    debugger_why: str = ""


class DumpHashed(Event, frozen=True, kw_only=True, tag="dump-hashed"):
    """The dump's sha256 (hex), read beside the work."""

    sha256: str


class PhaseEntered(Event, frozen=True, kw_only=True, tag="phase"):
    """The investigation moved on."""

    phase: Phase


class DebuggerStarted(Event, frozen=True, kw_only=True, tag="debugger-started"):
    """A debugger answers; ``restarts`` counts the starts before this one in this session."""

    name: str
    version: str
    path: str
    restarts: int = 0


class DebuggerStopped(Event, frozen=True, kw_only=True, tag="debugger-stopped"):
    """The debugger is gone; ``reason`` says how."""

    reason: str


class CommandStarted(Event, frozen=True, kw_only=True, tag="command-started"):
    """A command left the queue and runs now."""

    command: Command
    source: Source
    hypothesis: str | None = None


class CommandFailed(Event, frozen=True, kw_only=True, tag="command-failed"):
    """A command that left no evidence: refused by the policy, or no debugger to run it."""

    command: Command
    source: Source
    reason: str
    refused: bool = False  # by the policy or the person: asking again would be pestering


class EvidenceRecorded(Event, frozen=True, kw_only=True, tag="evidence"):
    """An output was stored, with the facts read from it; of a large one that no analyzer reads,
    what its pieces say."""

    evidence: Evidence
    facts: tuple[AnyFact, ...] = ()
    chunks: tuple[TextChunk, ...] = ()


class HypothesisProposed(Event, frozen=True, kw_only=True, tag="hypothesis-proposed"):
    """A new hypothesis, by the expert or the person."""

    hypothesis: Hypothesis


class HypothesisEvent(Event, frozen=True, kw_only=True):
    """Base of what happens to a hypothesis that was proposed, by its id."""

    id: str


class HypothesisEdited(HypothesisEvent, frozen=True, kw_only=True, tag="hypothesis-edited"):
    """The person changed its words, category or tests before it was decided."""

    statement: str
    category: Category
    planned: tuple[Command, ...]


class HypothesisMoved(HypothesisEvent, frozen=True, kw_only=True, tag="hypothesis-moved"):
    """A change of status without a verdict: approved, rejected by the person, being tested."""

    status: Status
    by: str
    reason: str = ""
    now: bool = False  # the person wants it tested before anything else


class TestRan(HypothesisEvent, frozen=True, kw_only=True, tag="test-ran"):
    """One test of a hypothesis has its evidence."""

    __test__ = False

    result: TestResult


class PredictionsDecided(HypothesisEvent, frozen=True, kw_only=True, tag="predictions-decided"):
    """What a hypothesis foretold, with what its tests showed of it."""

    predictions: tuple[Prediction, ...]


class HypothesisDecided(HypothesisEvent, frozen=True, kw_only=True, tag="hypothesis-decided"):
    """The expert's verdict after the tests."""

    verdict: Verdict


class GateOpened(Event, frozen=True, kw_only=True, tag="gate-opened"):
    """A decision is asked of the person: ``kind`` hypothesis | policy | cloud | question |
    solution, ``subjects`` the hypothesis ids, the whole command, the turn's id, or for cloud the id
    of the payload (its file is ``payloads/<id>.json``), where it would go, the provider and the
    model."""

    id: str
    kind: str
    subjects: tuple[str, ...]
    question: str


class GateAnswered(Event, frozen=True, kw_only=True, tag="gate-answered"):
    """The answer, with who gave it and why. A cloud gate's says which kinds of content no call
    may carry; it counts for the run that asked and is never read again."""

    id: str
    answer: str
    by: str
    reason: str = ""
    left_out: tuple[Content, ...] = ()


class ApproveAll(Event, frozen=True, kw_only=True, tag="approve-all"):
    """The person lets every hypothesis pass from here on."""

    by: str


class ConclusionDrafted(Event, frozen=True, kw_only=True, tag="conclusion"):
    """The reasoner's draft, or its answer to the critic."""

    conclusion: Conclusion


class Criticised(Event, frozen=True, kw_only=True, tag="criticised"):
    """One round of the critic."""

    round: Round


class Judged(Event, frozen=True, kw_only=True, tag="judged"):
    """The judge's choice."""

    judgement: Judgement


class OriginFound(Event, frozen=True, kw_only=True, tag="origin-found"):
    """A second run of the program showed where the fault began; a later one replaces it."""

    origin: Origin


class ChatAsked(Event, frozen=True, kw_only=True, tag="chat-asked"):
    """A person's question to the session, ``Q1``…"""

    id: str
    question: str


class ChatAnswered(Event, frozen=True, kw_only=True, tag="chat-answered"):
    """The answer to a question, each claim of it held to the evidence."""

    id: str
    reply: Reply


class TurnTaken(Event, frozen=True, kw_only=True, tag="turn"):
    """A turn of a conversation; a gate of its kind, with its id as subject, waits for the
    answer."""

    turn: Turn


class TurnHeard(Event, frozen=True, kw_only=True, tag="turn-heard"):
    """What the person said to a turn is evidence now."""

    id: str


class Focused(Event, frozen=True, kw_only=True, tag="focused"):
    """Of several failures that have nothing to do with each other, the one that the person asks
    about. Facts of the evidence in ``left_out``, which tells of the others, count for nothing until
    another is chosen; ``subject`` is what was chosen, in words."""

    left_out: tuple[str, ...]
    subject: str


class FrameSelected(Event, frozen=True, kw_only=True, tag="frame-selected"):
    """The person looks at this frame: ``thread`` is the TID (None: the only one)."""

    thread: int | None
    index: int


class EvidenceMarked(Event, frozen=True, kw_only=True, tag="evidence-marked"):
    """The person pinned an item or hid it from the list; an empty mark takes that back."""

    id: str
    mark: str  # pinned | hidden | (empty)


class Noticed(Event, frozen=True, kw_only=True, tag="notice"):
    """Something the person should know: what was lost, what degraded, what went wrong."""

    text: str
    severity: str = "info"  # info | warning | error


class Resumed(Event, frozen=True, kw_only=True, tag="resumed"):
    """A saved session was taken up again."""

    version: str


class Stopped(Event, frozen=True, kw_only=True, tag="stopped"):
    """The run ended. A later ``Resumed`` continues it unless it concluded."""

    by: StoppedBy
    reason: str = ""


AnyEvent = (
    SessionOpened | DumpHashed | PhaseEntered | DebuggerStarted | DebuggerStopped | CommandStarted
    | CommandFailed | EvidenceRecorded | HypothesisProposed | HypothesisEdited | HypothesisMoved
    | TestRan | HypothesisDecided | PredictionsDecided | GateOpened | GateAnswered | ApproveAll
    | ConclusionDrafted | Criticised | Judged | OriginFound | ChatAsked | ChatAnswered | TurnTaken
    | TurnHeard | Focused | FrameSelected | EvidenceMarked | AnyAssisted | AnyModelEvent
    | AnySessionEvent | Noticed | Resumed | Stopped
)  # fmt: skip

_encoder = msgspec.json.Encoder()


@cache
def _decoder() -> "msgspec.json.Decoder[AnyEvent]":
    """Made when an event is read: it takes 2 ms, and a new session only writes."""
    return msgspec.json.Decoder(AnyEvent)


def encode_event(event: AnyEvent) -> bytes:
    """An event as one line of JSON, its kind under ``event``."""
    return _encoder.encode(event)


def decode_event(data: bytes | str) -> AnyEvent:
    """The reverse of `encode_event`; raises ``msgspec.DecodeError`` on anything else."""
    return _decoder().decode(data)
