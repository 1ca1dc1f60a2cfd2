"""The state of an investigation: a fold over its events, and nothing else."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct, field
from msgspec.structs import replace

from workbench.model import events
from workbench.model.assisted_events import AssistedEvent, OutputsRead
from workbench.model.assisted_state import Assisted
from workbench.model.category import Category
from workbench.model.chunks import OverallFindings
from workbench.model.claims import Claim
from workbench.model.conversation import Exchange, Turn
from workbench.model.critique import Conclusion, Judgement, Round
from workbench.model.evidence import Command, Evidence, Source
from workbench.model.facts import AnyFact, FactBook
from workbench.model.hypothesis import DECIDED, Hypothesis, Status
from workbench.model.model_events import ModelEvent
from workbench.model.model_use import ModelUse
from workbench.model.origin import Origin
from workbench.model.session_events import About, SessionEvent
from workbench.model.target import DEBUGGERS, LARGE, Limits, Options, Target, TargetKind


class Investigation(Struct):
    """Rebuilt by applying events in order (`apply`, `fold`). Read it anywhere; write it only here.

    ``seq`` is the number of the last event applied, ``started_at``/``updated_at`` are times of the
    first and last one, ``worked`` the seconds until it ended for which the session was open.
    """

    session_id: str = ""
    version: str = ""
    target: Target | None = None
    options: Options = field(default_factory=Options)
    dump_sha256: str | None = None
    seq: int = 0
    started_at: datetime | None = None
    updated_at: datetime | None = None
    worked: float = 0.0
    phase: events.Phase = events.Phase.OPENING
    chosen_debugger: str = "gdb"
    debugger_why: str = ""
    debugger: events.DebuggerStarted | None = None
    debugger_alive: bool = False
    debugger_failed: bool = False
    running: events.CommandStarted | None = None
    evidence: dict[str, Evidence] = field(default_factory=dict)
    by_call_hash: dict[str, str] = field(default_factory=dict)
    by_model_call: dict[str, str] = field(default_factory=dict)
    facts: FactBook = field(default_factory=FactBook)
    focus: events.Focused | None = None
    set_aside: list[AnyFact] = field(default_factory=list)
    failed_commands: list[events.CommandFailed] = field(default_factory=list)
    hypotheses: dict[str, Hypothesis] = field(default_factory=dict)
    proposals: int = 0
    gates: list[events.GateOpened] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    answers: list[events.GateAnswered] = field(default_factory=list)
    approve_all: bool = False
    conclusion: Conclusion | None = None
    rounds: list[Round] = field(default_factory=list)
    judgement: Judgement | None = None
    origin: Origin | None = None
    chat: list[Exchange] = field(default_factory=list)
    conversation: list[Turn] = field(default_factory=list)
    assisted: Assisted = field(default_factory=Assisted)
    models: ModelUse = field(default_factory=ModelUse)
    about: About = field(default_factory=About)
    notices: list[events.Noticed] = field(default_factory=list)
    stopped: events.Stopped | None = None
    untaken: list[int] = field(default_factory=list)
    selected: events.FrameSelected | None = None
    marks: dict[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> Limits:
        """The limits with as much shown as the window of the model that is asked holds."""
        chosen = self.models.chosen
        return self.options.limits.within(chosen.context if chosen is not None else None)

    @property
    def has_room(self) -> bool:
        """True where the model's window is known to hold more than the short passes need."""
        return self.shown.conversation > self.options.limits.conversation

    @property
    def one_loop(self) -> bool:
        """True where one conversation of the model that is asked holds a usual crash: the short
        passes are left out."""
        chosen = self.models.chosen
        return chosen is not None and (chosen.context or 0) >= LARGE

    @property
    def recorded(self) -> bool:
        """True for a log and for texts, of which nothing more can be asked than they hold."""
        return self.target is not None and self.target.recorded

    @property
    def host(self) -> str:
        """Whose commands are asked: the debugger's, or those that a transcript recorded."""
        if self.target is not None and self.target.kind is TargetKind.DOCUMENTS:
            return self._recorded_host()  # what is put into a folder comes later
        if self.target is not None and self.target.dialect is not None:
            return self.target.dialect
        return self.chosen_debugger

    def _recorded_host(self) -> str:
        hosts = Counter(item.host for item in self.evidence.values() if item.host in DEBUGGERS)
        return hosts.most_common(1)[0][0] if hosts else "log"

    def apply(self, event: events.AnyEvent, at: datetime, seq: int | None = None) -> None:
        """Take one event into the state. Any prefix of a journal gives a valid state."""
        self.seq = self.seq + 1 if seq is None else seq
        self.started_at = self.started_at or at
        if self.updated_at and self.stopped is None and not isinstance(event, events.Resumed):
            self.worked += (at - self.updated_at).total_seconds()
        self.updated_at = at
        match event:
            case events.SessionOpened():
                self.session_id, self.version = event.session_id, event.version
                self.target, self.options = event.target, event.options
                self.chosen_debugger, self.debugger_why = event.debugger, event.debugger_why
                self.approve_all = event.options.approve_all
            case events.DumpHashed():
                self.dump_sha256 = event.sha256
            case events.PhaseEntered():
                self.phase = event.phase
                if event.phase is not events.Phase.DONE:
                    self.stopped = None
                if event.phase is events.Phase.HYPOTHESES:
                    self.proposals += 1
                elif event.phase is events.Phase.REASONING:
                    self.rounds = []
            case events.DebuggerStarted():
                self.debugger, self.debugger_alive, self.debugger_failed = event, True, False
            case events.DebuggerStopped():
                self.debugger_alive, self.debugger_failed, self.running = False, True, None
            case events.CommandStarted():
                self.running = event
            case events.CommandFailed():
                self.running = None
                self.failed_commands.append(event)
            case events.EvidenceRecorded():
                self.running = None
                self.evidence[event.evidence.id] = event.evidence
                self._apply_to_ledger(event.evidence)
                self.facts.add(event.facts)
            case events.HypothesisProposed():
                self.hypotheses[event.hypothesis.id] = event.hypothesis
            case events.HypothesisEvent():
                self._apply_to_hypothesis(event)
            case events.GateOpened():
                self.gates.append(event)
            case events.GateAnswered():
                self.answers.append(event)
                self._answer_turn(event)
                self.gates = [gate for gate in self.gates if gate.id != event.id]
            case events.ApproveAll():
                self.approve_all = True
            case events.ConclusionDrafted():
                self.conclusion = event.conclusion
            case events.Criticised():
                self.rounds.append(event.round)
            case events.Judged():
                self.judgement = event.judgement
            case events.OriginFound():
                self.origin = event.origin
            case events.TurnTaken():
                self.conversation.append(event.turn)
            case events.TurnHeard():
                self.conversation = [
                    replace(turn, heard=True) if turn.id == event.id else turn
                    for turn in self.conversation
                ]
            case events.Focused():
                self._apply_focus(event)
            case events.ChatAsked():
                self.chat.append(Exchange(id=event.id, question=event.question))
            case events.ChatAnswered():
                self.chat = [
                    replace(one, reply=event.reply) if one.id == event.id else one
                    for one in self.chat
                ]
            case AssistedEvent():
                self.assisted.apply(event)
                if isinstance(event, OutputsRead):
                    self._apply_reading(event)
            case ModelEvent():
                self.models.apply(event)
            case SessionEvent():
                self.about.apply(event)
            case events.FrameSelected():
                self.selected = event
            case events.EvidenceMarked():
                self.marks[event.id] = event.mark
            case events.Noticed():
                self.notices.append(event)
            case events.Resumed():
                self.running, self.debugger_alive = None, False
                # What failed may succeed now; what was refused stays refused.
                self.failed_commands = [f for f in self.failed_commands if f.refused]
                if self.phase not in (events.Phase.DONE, events.Phase.CONVERSING):
                    self.rounds = []  # of a conclusion that was drawn because time ran out
                self.stopped = None if self.phase is not events.Phase.DONE else self.stopped
            case events.Stopped():
                self.stopped, self.running = event, None

    def _apply_to_ledger(self, item: Evidence) -> None:
        """What the person ran may depend on a selection that the engine's commands do not; what a
        model asked for was not read into facts, so that it answers nobody but a model."""
        if item.partial or item.source is Source.USER:
            return
        ledger = self.by_model_call if item.by_model else self.by_call_hash
        ledger[item.call_hash] = item.id

    def _apply_reading(self, event: OutputsRead) -> None:
        """What a model said of a large output stands behind what code told of its pieces."""
        for id in event.evidence:
            item = self.evidence.get(id)
            if item is not None and item.overall_findings is not None:
                said = item.overall_findings
                said = OverallFindings(
                    summary=event.summary or said.summary,
                    root_cause=event.root_cause or said.root_cause,
                )
                more = tuple(filter(None, (event.root_cause, *self.assisted.findings_of(id))))
                self.evidence[id] = replace(
                    item,
                    overall_findings=said,
                    summary="; ".join(filter(None, (said.summary, said.root_cause))),
                    findings=tuple(dict.fromkeys((*more, *item.findings))),
                )

    def _apply_focus(self, event: events.Focused) -> None:
        """Only what is not set aside is a fact to the experts; evidence stays as it is."""
        found = sorted((*self.facts, *self.set_aside), key=lambda fact: _number(fact.cite.evidence))
        left_out = frozenset(event.left_out)
        self.focus = event
        self.set_aside = [fact for fact in found if fact.cite.evidence in left_out]
        self.facts = FactBook(fact for fact in found if fact.cite.evidence not in left_out)

    def is_set_aside(self, hypothesis: Hypothesis) -> bool:
        """True for one that was proposed from another failure than the one that is in focus."""
        cited = {cite.evidence for cite in hypothesis.citations}
        return bool(cited) and cited <= self.left_out

    @property
    def left_out(self) -> frozenset[str]:
        """The evidence of the failures that are not in focus."""
        return frozenset(self.focus.left_out) if self.focus is not None else frozenset()

    @property
    def held(self) -> list[Claim]:
        """What of the conclusion holds."""
        claims = self.conclusion.claims if self.conclusion is not None else ()
        return [claim for claim in claims if claim.holds]

    def _answer_turn(self, event: events.GateAnswered) -> None:
        """What the person said to a turn of the conversation."""
        subjects = {id for gate in self.gates if gate.id == event.id for id in gate.subjects}
        self.conversation = [
            replace(turn, answer=event.answer) if turn.id in subjects else turn
            for turn in self.conversation
        ]

    def _apply_to_hypothesis(self, event: events.HypothesisEvent) -> None:
        old = self.hypotheses.get(event.id)
        if old is None:
            return
        match event:
            case events.HypothesisEdited():
                new = replace(
                    old,
                    statement=event.statement,
                    category=event.category,
                    planned=event.planned,
                    edited=old.edited or event.statement != old.statement,
                )
            case events.HypothesisMoved():
                testing = event.status is Status.TESTING
                ruled_out = event.by == "user" and event.status is Status.REJECTED
                new = replace(
                    old,
                    status=event.status,
                    confidence=0.0 if ruled_out else old.confidence,
                    decided_by=old.decided_by if testing else event.by,
                    reason=old.reason if testing else event.reason,
                )
                if not testing:
                    self.wanted = [id for id in self.wanted if id != event.id]
                if event.now:
                    self.wanted.append(event.id)
            case events.TestRan():
                new = replace(old, tests=(*old.tests, event.result))
            case events.PredictionsDecided():
                new = replace(old, predictions=event.predictions)
            case events.HypothesisDecided():
                self.wanted = [id for id in self.wanted if id != event.id]
                verdict = event.verdict
                new = replace(old, verdict=verdict)
                if not old.is_settled_by_user:  # their verdict stands; the expert's is beside it
                    new = replace(
                        new,
                        status=verdict.status,
                        confidence=verdict.confidence,
                        reason=verdict.reason,
                        decided_by="engine",
                    )
        self.hypotheses[event.id] = new

    @property
    def category(self) -> Category | None:
        """What is concluded, unknown where the judge chose nothing; None without a conclusion."""
        if self.conclusion is None:
            return None
        open_ = self.judgement is not None and self.judgement.selected is None
        return Category.UNKNOWN if open_ else self.conclusion.category

    @property
    def gate(self) -> events.GateOpened | None:
        """The question that is open now: the latest, since a policy gate lies over a hypothesis
        gate."""
        return self.gates[-1] if self.gates else None

    def undecided(self) -> list[Hypothesis]:
        """Hypotheses that wait for the person."""
        return [h for h in self.hypotheses.values() if h.status is Status.PROPOSED]

    def untested(self) -> list[Hypothesis]:
        """Hypotheses that may be tested and have no verdict yet."""
        return [
            h for h in self.hypotheses.values() if h.status in (Status.APPROVED, Status.TESTING)
        ]

    def decided(self) -> list[Hypothesis]:
        """Hypotheses with an outcome, the person's rejections included."""
        return [h for h in self.hypotheses.values() if h.status in DECIDED]

    def failure_of(self, command: Command) -> str | None:
        """Why a command left no evidence before, or None. What a model asked for in vain is still
        asked for the engine."""
        for failed in reversed(self.failed_commands):
            own = command.by_model or not failed.command.by_model
            if own and failed.command.text == command.text:
                return failed.reason
        return None

    def next_evidence_id(self) -> str:
        """The id that the next stored output gets."""
        return f"E{len(self.evidence) + 1}"

    def next_hypothesis_id(self) -> str:
        """The id that the next hypothesis gets."""
        return f"H{len(self.hypotheses) + 1}"


def _number(evidence: str) -> int:
    """Items in the order in which they came."""
    return int(evidence[1:]) if evidence[1:].isdecimal() else 0


def fold(journal: Iterable[tuple[int, datetime, events.AnyEvent]]) -> Investigation:
    """The state after a journal's events, given as (sequence number, time, event). One that cannot
    be taken (``untaken``) leaves no trace but its number and a notice."""
    rows, untaken = list(journal), list[int]()
    while True:
        state = Investigation(untaken=untaken.copy())
        seq = 0
        try:
            for seq, at, event in rows:
                if seq in untaken:
                    event = events.Noticed(text=f"Event {seq} cannot be read.", severity="error")
                state.apply(event, at, seq)
            return state
        except Exception:
            if seq in untaken:
                raise
            untaken.append(seq)
